//! Restores the snapshot before a command.
//!
//! The *plan* is written first, as two trees that are stored. If the process ends early, the next one that opens the store repeats it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::apply::{Apply, Left};
use crate::changes::{Change, different, is_new_object};
use crate::error::SnapshotError;
use crate::record::{Origin, Record};
use crate::store::{Store, write_whole};
use crate::tree::{Content, Entry, Name, Tree, as_path, parent};
use crate::walk::Moment;

/// Rounds of an undo. Each opens folders that could not be listed before.
const MOST_ROUNDS: usize = 64;

/// An undo that was not begun yet.
///
/// ```
/// use hooks_snapshots::{SnapshotError, Store};
///
/// fn is_safe(store: &Store, id: &str, at: u64) -> Result<bool, SnapshotError> {
///     Ok(store.undoing(id, at)?.later.is_empty())
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Undoing {
    /// The command.
    pub record: Record,
    /// Changes of the command that the undo takes back.
    pub changes: Vec<Change>,
    /// Paths of these that were changed again later.
    pub later: Vec<PathBuf>,
    from: Tree,
    to: Tree,
}

/// An undo that is finished.
///
/// ```
/// use hooks_snapshots::{SnapshotError, Store};
///
/// fn undo(store: &Store, id: &str, at: u64) -> Result<(), SnapshotError> {
///     for (path, why) in store.undo(id, false, at)?.left {
///         println!("`{}` was not restored: {why}", path.display());
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Undone {
    /// The undo itself, which can be undone too.
    pub record: Record,
    /// Paths that were restored.
    pub restored: Vec<PathBuf>,
    /// Paths that could not be restored, with reasons.
    pub left: Vec<(PathBuf, String)>,
}

/// The steps of an undo, as the trees before and after it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The record of this undo.
    pub(crate) record: Record,
}

/// The paths that an undo changes, and the tree that it leads to.
struct Target {
    tree: Tree,
    later: Vec<PathBuf>,
}

/// Merges the snapshot before a command into the present files.
fn target(before: &Tree, after: &Tree, now: &Tree, only: Option<&[PathBuf]>) -> Target {
    let mut tree = now.clone();
    let mut later = Vec::new();
    let changed = different(before, after);
    // What was in folders that could not be listed after the command.
    let unknown = before.entries.keys().chain(now.entries.keys()).filter(|name| after.unlisted_above(name));
    let mut names: Vec<&Name> = changed.into_iter().chain(unknown).collect();
    names.sort_unstable();
    names.dedup();
    if let Some(only) = only {
        names.retain(|name| only.iter().any(|path| as_path(name).starts_with(path)));
    }
    for name in names {
        let (old, new) = (before.entries.get(name), after.entries.get(name));
        let present = now.entries.get(name);
        if is_new_object(name, before) {
            continue;
        }
        let is_same = |one: Option<&_>, two: Option<&Entry>| match (one, two) {
            (None, None) => true,
            (Some(one), Some(two)) => Entry::is_same(one, two),
            _ => false,
        };
        if is_same(old, present) {
            continue;
        }
        if !is_same(new, present) && !after.unlisted_above(name) && !now.unlisted_above(name) {
            later.push(as_path(name).to_path_buf());
        }
        match old {
            Some(entry) => tree.entries.insert(name.clone(), entry.clone()),
            None => tree.entries.remove(name),
        };
        for folder in
            std::iter::successors(parent(name), |folder| parent(folder)).take_while(|_| old.is_some())
        {
            // It was replaced later by a file or a link.
            let is_other = tree.entries.get(folder).is_some_and(|entry| !entry.is_folder());
            if let Some(entry) = before.entries.get(folder).filter(|_| is_other) {
                tree.entries.insert(folder.to_vec(), entry.clone());
                later.push(as_path(folder).to_path_buf());
            }
        }
    }
    keep_parents(&mut tree, before, now, &mut later);
    Target { tree, later }
}

/// Keeps or makes the folders above files, and removes later files below what is no folder any more.
fn keep_parents(tree: &mut Tree, before: &Tree, now: &Tree, later: &mut Vec<PathBuf>) {
    let names: Vec<Name> = tree.entries.keys().cloned().collect();
    for name in names {
        let folders: Vec<&[u8]> = std::iter::successors(parent(&name), |folder| parent(folder)).collect();
        let is_other = |folder: &&[u8]| tree.entries.get(*folder).is_some_and(|entry| !entry.is_folder());
        if folders.iter().any(is_other) {
            tree.entries.remove(&name);
            later.push(as_path(&name).to_path_buf());
            continue;
        }
        for folder in folders {
            let known = [now, before]
                .into_iter()
                .find_map(|tree| tree.entries.get(folder).filter(|one| one.is_folder()));
            if let Some(entry) = known.filter(|_| !tree.entries.contains_key(folder)) {
                tree.entries.insert(folder.to_vec(), entry.clone());
            }
        }
    }
}

impl Store {
    /// Returns the effect that an undo of a command would have now.
    ///
    /// # Errors
    /// Returns `Unknown` if no record has this id, `Damaged` if its snapshot cannot be read, and other errors if the workspace or the
    /// store cannot be read.
    pub fn undoing(&self, id: &str, at: u64) -> Result<Undoing, SnapshotError> {
        let _held = self.lock()?;
        let record = self.record(id)?;
        let now = self.take_for(&record, at)?.1;
        let (before, after) = self.trees_of(&record, &now)?;
        let Target { tree: to, later } = target(&before, &after, &now, None);
        let changes = different(&before, &after).into_iter();
        let changes = changes.filter(|name| !is_new_object(name, &before));
        let changes = changes.map(|name| Change::new(name, &before, &after)).collect();
        Ok(Undoing { record, changes, later, from: now, to })
    }

    /// The content of a file now, and after an undo; `None` if there is no file, or its content is not kept.
    pub fn contents(&self, undoing: &Undoing, path: &Path) -> [Option<Vec<u8>>; 2] {
        [&undoing.from, &undoing.to].map(|tree| {
            match tree.entries.get(path.as_os_str().as_bytes())?.content {
                Content::File(Some(id)) => self.blobs.read(&id).ok(),
                _ => None,
            }
        })
    }

    /// Reads what the snapshots of a record have.
    fn take_for(&self, record: &Record, at: u64) -> Result<(String, Tree), SnapshotError> {
        match record.files.as_slice() {
            [] => self.take(at, Moment::Undo),
            files => self.take_of(files, at, Moment::Undo),
        }
    }

    /// Restores the workspace as it was before a command. Later changes to other paths stay.
    ///
    /// # Errors
    /// Returns `ChangedLater` if a path that the command changed was changed again, `NoEnd` if the command did not end, and `Undone` if it was
    /// undone; with `is_forced` neither counts. Returns `Damaged` if a content is missing. In all of these cases nothing was changed.
    pub fn undo(&self, id: &str, is_forced: bool, at: u64) -> Result<Undone, SnapshotError> {
        self.undo_some(id, None, is_forced, at)
    }

    /// Restores these paths, and what is below them, as they were before a command.
    ///
    /// # Errors
    /// Returns the errors of [`undo`](Self::undo).
    pub fn undo_only(&self, id: &str, only: &[PathBuf], at: u64) -> Result<Undone, SnapshotError> {
        self.undo_some(id, Some(only), true, at)
    }

    fn undo_some(
        &self,
        id: &str,
        only: Option<&[PathBuf]>,
        is_forced: bool,
        at: u64,
    ) -> Result<Undone, SnapshotError> {
        let _held = self.lock()?;
        let record = self.record(id)?;
        if record.is_undone && !is_forced {
            return Err(SnapshotError::Undone(record.id));
        }
        if record.after.is_none() && !is_forced {
            return Err(SnapshotError::NoEnd(record.id));
        }
        let mut undone: Option<Undone> = None;
        for _ in 0..MOST_ROUNDS {
            let (now_id, now) = self.take_for(&record, at)?;
            let (before, after) = self.trees_of(&record, &now)?;
            let Target { tree: mut to, later } = target(&before, &after, &now, only);
            if undone.is_none() && !is_forced && !later.is_empty() {
                return Err(SnapshotError::ChangedLater(later));
            }
            let restored: Vec<PathBuf> =
                different(&now, &to).into_iter().map(|name| as_path(name).to_path_buf()).collect();
            if undone.is_some() && restored.is_empty() {
                break;
            }
            to.at = at;
            self.apply(&record, &now, &to).check()?;
            let mut own = match &undone {
                Some(undone) => undone.record.clone(),
                None => self.next_record(origin_of_undo(&record), &now_id, at)?,
            };
            own.undoes = Some(record.id.clone());
            own.files.clone_from(&record.files);
            let plan = Plan { from: now_id, to: self.keep_tree(&to)?, record: own };
            self.write_plan(&plan)?;
            let (own, left) = self.carry_out(&plan)?;
            let has_unlisted = now.has_unlisted();
            let all =
                undone.get_or_insert_with(|| Undone { record: own.clone(), restored: vec![], left: vec![] });
            all.record = own;
            all.restored.extend(restored);
            all.left = left;
            if !has_unlisted {
                break;
            }
        }
        let mut undone = undone.ok_or_else(|| SnapshotError::Unknown(id.to_owned()))?;
        undone.restored.retain(|path| !undone.left.iter().any(|(left, _)| left == path));
        Ok(undone)
    }

    /// The trees around a command. If it did not end, all later changes count as its own.
    fn trees_of(&self, record: &Record, now: &Tree) -> Result<(Tree, Tree), SnapshotError> {
        let before = self.tree(&record.before)?;
        let after = record.after.as_ref().map_or_else(|| Ok(now.clone()), |after| self.tree(after))?;
        Ok((before, after))
    }

    fn apply<'a>(&'a self, record: &Record, from: &'a Tree, to: &'a Tree) -> Apply<'a> {
        let is_part = !record.files.is_empty();
        Apply { root: self.scope.root(), from, to, blobs: &self.blobs, is_part }
    }

    fn write_plan(&self, plan: &Plan) -> Result<(), SnapshotError> {
        let place = self.plan_place();
        write_whole(&place, &encoded(plan, &place)?, true)
    }

    /// Finishes an undo that was interrupted.
    pub(crate) fn finish_plan(&self) -> Result<(), SnapshotError> {
        let place = self.plan_place();
        let bytes = match fs::read(&place) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            bytes => bytes.map_err(SnapshotError::io(&place))?,
        };
        // It was written whole, so another form is from another version of this program.
        let plan = serde_json::from_slice(&bytes).map_err(|_| SnapshotError::Damaged(place))?;
        self.carry_out(&plan).map(drop)
    }

    fn carry_out(&self, plan: &Plan) -> Result<(Record, Vec<Left>), SnapshotError> {
        let (from, to) = (self.tree(&plan.from)?, self.tree(&plan.to)?);
        let left = self.apply(&plan.record, &from, &to).run()?;
        let record = Record { after: Some(self.take_for(&plan.record, to.at)?.0), ..plan.record.clone() };
        self.write_record(&record)?;
        if let Some(undone) = record.undoes.as_deref().and_then(|id| self.record(id).ok()) {
            self.write_record(&Record { is_undone: true, ..undone })?;
        }
        let place = self.plan_place();
        fs::remove_file(&place).map_err(SnapshotError::io(&place))?;
        Ok((record, left))
    }
}

/// An undo is not one of the session's calls.
fn origin_of_undo(record: &Record) -> Origin {
    Origin::from(&*format!("undo of {}: {}", record.id, record.origin.label))
}

fn encoded(plan: &Plan, place: &Path) -> Result<Vec<u8>, SnapshotError> {
    serde_json::to_vec(plan).map_err(|error| SnapshotError::io(place)(error.into()))
}
