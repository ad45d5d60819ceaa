//! The snapshots of one workspace, in a folder of their own.
//!
//! | name | contents |
//! | --- | --- |
//! | `blobs` | contents of files, by digest |
//! | `trees` | the files of the workspace at one moment, by digest |
//! | `records` | one file for each command |
//! | `running` | one locked file for each command that runs |
//! | `state.json` | the newest tree, the last number, and the bytes in use |
//! | `undo.json` | an undo that was begun; it is finished before anything else |
//!
//! Every file appears whole, by a change of its name, and only after the files that it refers to. One process at a time works here.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::blobs::{Blobs, digest, hex};
use crate::changes::{Change, different};
use crate::error::SnapshotError;
use crate::record::{self, Origin, Record};
use crate::scope::Scope;
use crate::tree::{Id, Tree};
use crate::walk::{Moment, walk, walk_files};

/// Most records that are searched for a call that has not ended.
const MOST_WAITING: usize = 64;

/// Time between two attempts to lock the store.
const PAUSE: Duration = Duration::from_millis(5);

/// The snapshots of a workspace.
///
/// ```
/// use hooks_snapshots::{Scope, Store};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = folder.path().join("workspace");
/// std::fs::create_dir(&workspace)?;
/// std::fs::write(workspace.join("draft"), "work of hours")?;
/// let store = Store::open(&folder.path().join("state"), Scope::new(&workspace, Vec::new())?)?;
/// // Times are in milliseconds since 1970.
/// let running = store.begin("rm draft", 1_000)?;
/// std::fs::remove_file(workspace.join("draft"))?;
/// let effects = store.finish(running, 2_000)?;
/// store.undo(&effects.id, false, 3_000)?;
/// assert_eq!(std::fs::read_to_string(workspace.join("draft"))?, "work of hours");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    pub(crate) folder: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) blobs: Blobs,
    pub(crate) trees: Blobs,
}

/// A command that runs. Dropping it leaves a record without an end.
#[derive(Debug)]
pub struct Running {
    record: Record,
    is_alone: bool,
    /// Locked as long as the command runs.
    _marker: File,
}

impl Running {
    /// Name by which `hooks undo` finds the command.
    pub fn id(&self) -> &str {
        &self.record.id
    }
}

/// Changes of a command.
#[derive(Debug)]
#[non_exhaustive]
pub struct Effects {
    /// Name by which `hooks undo` finds the command.
    pub id: String,
    /// The changed paths, in order.
    pub changes: Vec<Change>,
    /// Whether no other command ran at the same time, so that all changes are its own.
    pub is_alone: bool,
    pub(crate) before: Tree,
    pub(crate) after: Tree,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) newest: Option<String>,
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    /// Time and number of the oldest record.
    pub(crate) oldest: Option<(u64, u64)>,
}

impl Store {
    /// Opens the snapshots of the workspace of `scope`, below `folder`. If an undo was interrupted, it is finished.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be made or locked, or an interrupted undo cannot be finished.
    pub fn open(folder: &Path, scope: Scope) -> Result<Self, SnapshotError> {
        use std::os::unix::ffi::OsStrExt;
        let name = hex(&digest(scope.root().as_os_str().as_bytes()));
        let folder = folder.join(name.get(..32).unwrap_or(&name));
        for below in ["blobs", "trees", "records", "running", "tmp"] {
            let below = folder.join(below);
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&below);
            made.map_err(SnapshotError::io(&below))?;
        }
        let folder = folder.canonicalize().map_err(SnapshotError::io(&folder))?;
        let blobs = Blobs::new(folder.join("blobs"), folder.join("tmp"));
        let trees = Blobs::new(folder.join("trees"), folder.join("tmp"));
        let store = Self { folder, scope, blobs, trees };
        let _held = store.lock()?;
        store.finish_plan()?;
        Ok(store)
    }

    /// The commands of this workspace, oldest first.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn records(&self) -> Result<Vec<Record>, SnapshotError> {
        record::all(&self.records_folder())
    }

    /// Takes a snapshot before a command; `at` is in milliseconds since 1970.
    ///
    /// # Errors
    /// Returns an error if the workspace cannot be read or exceeds a limit, or the store cannot be written.
    pub fn begin(&self, origin: impl Into<Origin>, at: u64) -> Result<Running, SnapshotError> {
        let _held = self.lock()?;
        self.empty_temporary();
        let is_alone = self.running()? == 0;
        self.prune_if_needed(at)?;
        let (before, _) = self.take(at, Moment::Before)?;
        let record = self.next_record(origin.into(), &before, at)?;
        let place = self.folder.join("running").join(&record.id);
        let marker = File::create(&place).map_err(SnapshotError::io(&place))?;
        marker.lock().map_err(SnapshotError::io(&place))?;
        self.write_record(&record)?;
        Ok(Running { record, is_alone, _marker: marker })
    }

    /// Takes a snapshot after a command. A command that changed nothing is forgotten.
    ///
    /// # Errors
    /// Returns an error if the workspace cannot be read or exceeds a limit, or the store cannot be written. The snapshot before the
    /// command stays.
    pub fn finish(&self, running: Running, at: u64) -> Result<Effects, SnapshotError> {
        let _held = self.lock()?;
        let Running { record, is_alone, _marker: marker } = running;
        let place = self.folder.join("running").join(&record.id);
        drop(fs::remove_file(&place));
        drop(marker);
        let is_alone = is_alone && self.state().number == record.number;
        let before = self.tree(&record.before)?;
        let (after_id, after) = self.take(at, Moment::After)?;
        let changes: Vec<Change> =
            different(&before, &after).into_iter().map(|name| Change::new(name, &before, &after)).collect();
        if changes.is_empty() {
            let place = record.place(&self.records_folder());
            fs::remove_file(&place).map_err(SnapshotError::io(&place))?;
        } else {
            self.write_record(&Record { after: Some(after_id), ..record.clone() })?;
        }
        Ok(Effects { id: record.id, changes, is_alone, before, after })
    }

    /// Takes a snapshot of the files that a call is about to write, relative to the workspace. Other files are not looked at, so this
    /// takes the same time in every workspace. A call that was begun already is not begun again.
    ///
    /// # Errors
    /// Returns `Busy` if other processes use the store for too long, and an error if a file cannot be read or the store cannot be written.
    ///
    /// ```
    /// use hooks_snapshots::{Origin, Scope, Store};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = folder.path().join("workspace");
    /// std::fs::create_dir(&workspace)?;
    /// std::fs::write(workspace.join("draft"), "work of hours")?;
    /// let store = Store::open(&folder.path().join("state"), Scope::new(&workspace, Vec::new())?)?;
    /// let call = Origin::from("Write draft").of_call("call-7");
    /// store.begin_call(&call, &["draft".into()], 1_000)?;
    /// std::fs::write(workspace.join("draft"), "")?;
    /// let id = store.finish_call(&call, 2_000)?.ok_or("the call changed nothing")?;
    /// store.undo(&id, false, 3_000)?;
    /// assert_eq!(std::fs::read_to_string(workspace.join("draft"))?, "work of hours");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn begin_call(&self, origin: &Origin, files: &[PathBuf], at: u64) -> Result<(), SnapshotError> {
        let _held = self.lock()?;
        if files.is_empty() || self.waiting(origin)?.is_some() {
            return Ok(());
        }
        self.prune_if_needed(at)?;
        let (before, _) = self.take_of(files, at, Moment::Before)?;
        let record = self.next_record(origin.clone(), &before, at)?;
        self.write_record(&Record { files: files.to_vec(), ..record })
    }

    /// Takes a snapshot after a call, and returns the id by which `hooks undo` finds it; `None` if it was not begun, or changed nothing.
    ///
    /// # Errors
    /// Returns the errors of [`begin_call`](Self::begin_call).
    pub fn finish_call(&self, origin: &Origin, at: u64) -> Result<Option<String>, SnapshotError> {
        let _held = self.lock()?;
        let Some(record) = self.waiting(origin)? else { return Ok(None) };
        let before = self.tree(&record.before)?;
        let (after_id, after) = self.take_of(&record.files, at, Moment::After)?;
        if different(&before, &after).is_empty() {
            let place = record.place(&self.records_folder());
            fs::remove_file(&place).map_err(SnapshotError::io(&place))?;
            return Ok(None);
        }
        self.write_record(&Record { after: Some(after_id), ..record.clone() })?;
        Ok(Some(record.id))
    }

    fn waiting(&self, origin: &Origin) -> Result<Option<Record>, SnapshotError> {
        let newest = record::newest(&self.records_folder(), MOST_WAITING)?;
        Ok(newest.into_iter().find(|record| record.waits_for(origin)))
    }

    pub(crate) fn records_folder(&self) -> PathBuf {
        self.folder.join("records")
    }

    pub(crate) fn plan_place(&self) -> PathBuf {
        self.folder.join("undo.json")
    }

    /// Waits until no other process works in the store.
    pub(crate) fn lock(&self) -> Result<File, SnapshotError> {
        let place = self.folder.join("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&place);
        let file = file.map_err(SnapshotError::io(&place))?;
        let Some(patience) = self.scope.patience else {
            file.lock().map_err(SnapshotError::io(&place))?;
            return Ok(file);
        };
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if waited < patience => pause(),
                Err(TryLockError::WouldBlock) => return Err(SnapshotError::Busy),
                Err(TryLockError::Error(error)) => return Err(SnapshotError::io(&place)(error)),
            }
            waited = waited.saturating_add(PAUSE);
        }
    }

    /// Reads the files of a call; returns the tree and its digest.
    pub(crate) fn take_of(
        &self,
        files: &[PathBuf],
        at: u64,
        moment: Moment,
    ) -> Result<(String, Tree), SnapshotError> {
        let tree = walk_files(&self.scope, files, &self.blobs, &self.folder, at, moment)?;
        let id = self.keep_tree(&tree)?;
        self.count_written(self.state())?;
        Ok((id, tree))
    }

    /// Removes what a process that was killed has left.
    fn empty_temporary(&self) {
        for entry in fs::read_dir(self.folder.join("tmp")).into_iter().flatten().flatten() {
            drop(fs::remove_file(entry.path()));
        }
    }

    /// The number of other commands that run. Markers of those that were killed are removed.
    fn running(&self) -> Result<usize, SnapshotError> {
        let folder = self.folder.join("running");
        let mut count = 0;
        for entry in fs::read_dir(&folder).map_err(SnapshotError::io(&folder))?.flatten() {
            let locked = File::open(entry.path()).map(|marker| marker.try_lock());
            match locked {
                Ok(Err(TryLockError::WouldBlock)) => count += 1,
                Ok(_) => drop(fs::remove_file(entry.path())),
                Err(_) => {}
            }
        }
        Ok(count)
    }

    /// Ids of the commands that run.
    pub(crate) fn running_ids(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join("running")).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    pub(crate) fn state(&self) -> State {
        let bytes = fs::read(self.folder.join("state.json")).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    pub(crate) fn write_state(&self, state: &State) -> Result<(), SnapshotError> {
        let place = self.folder.join("state.json");
        let bytes = serde_json::to_vec(state).map_err(|error| SnapshotError::io(&place)(error.into()))?;
        write_whole(&place, &bytes, false)
    }

    /// Reads the workspace; returns the tree and its digest.
    pub(crate) fn take(&self, at: u64, moment: Moment) -> Result<(String, Tree), SnapshotError> {
        let mut state = self.state();
        let newest = state
            .newest
            .as_ref()
            .and_then(|newest| Some((newest.clone(), self.unchecked_tree(&parsed(newest)?)?)));
        let (newest, cache) = newest.unwrap_or_default();
        let walked = walk(&self.scope, &cache, &self.blobs, &self.folder, at, moment)?;
        if walked.tree.entries == cache.entries && !walked.was_unsure && !newest.is_empty() {
            return Ok((newest, cache));
        }
        let id = self.keep_tree(&walked.tree)?;
        state.newest = Some(id.clone());
        self.count_written(state)?;
        Ok((id, walked.tree))
    }

    fn count_written(&self, mut state: State) -> Result<(), SnapshotError> {
        let written = self.blobs.take_written().saturating_add(self.trees.take_written());
        state.bytes = state.bytes.saturating_add(written);
        self.write_state(&state)
    }

    /// A tree that only saves work, as the newest one saves reading files. Its digest is not compared: that takes as long as a part of
    /// the walk, and an undo does it.
    pub(crate) fn unchecked_tree(&self, id: &Id) -> Option<Tree> {
        Tree::decode(&fs::read(self.trees.place(id)).ok()?)
    }

    pub(crate) fn keep_tree(&self, tree: &Tree) -> Result<String, SnapshotError> {
        Ok(hex(&self.trees.keep(&tree.encode())?))
    }

    pub(crate) fn tree(&self, id: &str) -> Result<Tree, SnapshotError> {
        let damaged = || SnapshotError::Damaged(self.trees.folder().join(id));
        let bytes = self.trees.read(&parsed(id).ok_or_else(damaged)?)?;
        Tree::decode(&bytes).ok_or_else(damaged)
    }

    /// The record with an id.
    pub(crate) fn record(&self, id: &str) -> Result<Record, SnapshotError> {
        let found = self.records()?.into_iter().find(|record| record.id == id);
        found.ok_or_else(|| SnapshotError::Unknown(id.to_owned()))
    }

    /// The next record, which is not written yet.
    pub(crate) fn next_record(&self, origin: Origin, before: &str, at: u64) -> Result<Record, SnapshotError> {
        let mut state = self.state();
        state.number = state.number.saturating_add(1);
        state.oldest = state.oldest.or(Some((at, state.number)));
        self.write_state(&state)?;
        let seed = format!("{} {at} {before} {}", state.number, origin.label);
        let id = hex(&digest(seed.as_bytes())).get(..8).unwrap_or_default().to_owned();
        Ok(Record {
            id,
            number: state.number,
            at,
            origin,
            files: Vec::new(),
            before: before.to_owned(),
            after: None,
            undoes: None,
            is_undone: false,
        })
    }

    pub(crate) fn write_record(&self, record: &Record) -> Result<(), SnapshotError> {
        let place = record.place(&self.records_folder());
        let bytes = serde_json::to_vec(record).map_err(|error| SnapshotError::io(&place)(error.into()))?;
        write_whole(&place, &bytes, false)
    }
}

#[expect(clippy::disallowed_methods, reason = "a lock of a file has no other wait with a limit")]
fn pause() {
    std::thread::sleep(PAUSE);
}

/// Parses a digest in hexadecimal.
pub(crate) fn parsed(id: &str) -> Option<Id> {
    let mut bytes = [0; 32];
    if id.len() != 64 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(id.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Writes a file that appears whole; `is_synced` if it has to outlive a loss of power.
pub(crate) fn write_whole(place: &Path, bytes: &[u8], is_synced: bool) -> Result<(), SnapshotError> {
    let temporary = place.with_extension("new");
    let written = (|| {
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(bytes)?;
        if is_synced {
            file.sync_all()?;
        }
        fs::rename(&temporary, place)
    })();
    written.map_err(SnapshotError::io(place))
}
