//! Losses: content that a command destroyed and that exists nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use hooks_core::programs::Programs;

use crate::changes::is_of_git;
use crate::history::{Repository, repositories};
use crate::store::{Effects, Store};
use crate::tree::{Content, Entry, Id, Name, Tree, as_path};

/// Largest file whose old and new content are compared.
const LARGEST: u64 = 4 << 20;

/// Number of committed files whose removal is reported.
const MANY: usize = 20;

/// Something that a command destroyed.
///
/// ```
/// use hooks_core::programs::Programs;
/// use hooks_snapshots::{Effects, Store};
///
/// fn print(store: &Store, effects: &Effects, programs: &dyn Programs) {
///     for loss in store.losses(effects, programs) {
///         println!("`{}`: {}", loss.path.display(), loss.kind.describe());
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Loss {
    /// The path, relative to the workspace. For commits and repositories, the own folder of the repository.
    pub path: PathBuf,
    /// The kind of loss.
    pub kind: LossKind,
}

/// Kind of a loss.
///
/// ```
/// use hooks_snapshots::LossKind;
///
/// assert!(LossKind::Removed.is_final() && !LossKind::Rewritten.is_final());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// A file was removed, and its content is nowhere else.
    Removed,
    /// A file was emptied.
    Emptied,
    /// Nearly nothing of a file's content is left.
    Overwritten,
    /// Changes that were not committed were replaced by a committed or staged version.
    Uncommitted,
    /// A folder or file was closed, so that its content is unknown.
    Closed,
    /// No reference reaches these commits any more.
    Commits,
    /// Only logs of references reach these commits.
    Rewritten,
    /// The repository itself is damaged.
    Repository,
    /// Objects of the repository have other names outside of the workspace, and were changed under these too.
    Linked,
    /// Many committed files were removed. They can be checked out again.
    Many,
}

impl LossKind {
    /// Whether the content is really gone, and can not only be found less easily.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Rewritten | Self::Many)
    }

    /// Name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Emptied => "emptied",
            Self::Overwritten => "overwritten",
            Self::Uncommitted => "uncommitted",
            Self::Closed => "closed",
            Self::Commits => "commits",
            Self::Rewritten => "rewritten",
            Self::Repository => "repository",
            Self::Linked => "linked",
            Self::Many => "many",
        }
    }

    /// Description for a person and a model.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Removed => "removed, and its content is nowhere else",
            Self::Emptied => "emptied",
            Self::Overwritten => "overwritten: nearly nothing of its content is left",
            Self::Uncommitted => "its changes that were not committed were replaced",
            Self::Closed => "closed: it cannot be read any more",
            Self::Commits => "has commits that no reference reaches any more",
            Self::Rewritten => "has commits that only its reflog reaches",
            Self::Repository => "the repository is damaged",
            Self::Linked => "its objects have other names outside of the workspace, and changed there too",
            Self::Many => "many committed files were removed",
        }
    }
}

impl Store {
    /// Returns the losses of a command, in order. Files that tools fill by themselves are no loss.
    pub fn losses(&self, effects: &Effects, programs: &dyn Programs) -> Vec<Loss> {
        if effects.changes.is_empty() {
            return Vec::new();
        }
        let root = self.scope.root();
        let found = repositories(&effects.before, root, programs);
        let mut search = Search { store: self, effects, repositories: &found, losses: Vec::new() };
        search.files();
        search.many();
        for repository in &found {
            search.commits(repository);
        }
        search.losses.sort();
        search.losses.dedup();
        search.losses
    }
}

struct Search<'s> {
    store: &'s Store,
    effects: &'s Effects,
    repositories: &'s [Repository<'s>],
    losses: Vec<Loss>,
}

/// A file whose old content may be lost.
struct Candidate<'c> {
    name: &'c Name,
    old: Id,
    new: Option<Id>,
    kind: LossKind,
}

impl Search<'_> {
    fn add(&mut self, name: &[u8], kind: LossKind) {
        self.losses.push(Loss { path: as_path(name).to_path_buf(), kind });
    }

    fn files(&mut self) {
        let Effects { before, after, .. } = self.effects;
        let kept = Kept::new(after);
        let mut candidates: BTreeMap<usize, Vec<Candidate<'_>>> = BTreeMap::new();
        for (name, old) in &before.entries {
            let new = after.entries.get(name);
            if is_of_git(name) || new.is_some_and(|new| new.is_same(old)) {
                continue;
            }
            match self.suspect(name, old, new, &kept) {
                Suspect::Harmless => {}
                Suspect::Lost(kind) => self.add(name, kind),
                Suspect::Content(old, new, kind) => {
                    let candidate = Candidate { name, old, new, kind };
                    candidates.entry(self.repository_of(name)).or_default().push(candidate);
                }
            }
        }
        for (repository, some) in candidates {
            self.ask(self.repositories.get(repository), &some);
        }
    }

    /// Many files that were removed, and that the commit which is checked out still has.
    fn many(&mut self) {
        let Effects { before, after, .. } = self.effects;
        let kept: BTreeSet<Id> = after.entries.values().filter_map(content).collect();
        let is_gone = |name: &Name, entry: &Entry| {
            content(entry).is_some_and(|id| !kept.contains(&id))
                && !after.entries.contains_key(name)
                && !after.unlisted_above(name)
                && !is_of_git(name)
        };
        let mut gone: BTreeMap<usize, Vec<&Name>> = BTreeMap::new();
        for (name, _) in before.entries.iter().filter(|(name, entry)| is_gone(name, entry)) {
            gone.entry(self.repository_of(name)).or_default().push(name);
        }
        for (at, names) in gone.into_iter().filter(|(_, names)| names.len() >= MANY) {
            let Some(repository) = self.repositories.get(at) else { continue };
            let committed = repository.committed("HEAD");
            let names: Vec<_> = names.into_iter().filter(|name| committed.contains_key(*name)).collect();
            if names.len() >= MANY {
                let above = common_folder(&names);
                self.add(above, LossKind::Many);
            }
        }
    }

    /// The repository whose files a path belongs to: the innermost.
    fn repository_of(&self, name: &[u8]) -> usize {
        let all = self.repositories.iter().enumerate().filter(|(_, one)| name.starts_with(&one.files));
        all.max_by_key(|(_, one)| one.files.len()).map_or(usize::MAX, |(at, _)| at)
    }

    fn suspect(&self, name: &Name, old: &Entry, new: Option<&Entry>, kept: &Kept<'_>) -> Suspect {
        let after = &self.effects.after;
        let is_closed = |tree: &Tree| new.is_none() && tree.unlisted_above(name);
        let size = new.map_or(0, |new| new.stamp.size);
        match (&old.content, new.map(|new| &new.content)) {
            _ if is_closed(after) => Suspect::Harmless,
            (Content::Folder { is_listed: true }, Some(Content::Folder { is_listed: false })) => {
                Suspect::Lost(LossKind::Closed)
            }
            (Content::File(Some(id)), _) if old.stamp.size == 0 || kept.contents.contains(id) => {
                Suspect::Harmless
            }
            (Content::File(Some(_)), Some(Content::File(None))) => Suspect::Lost(LossKind::Closed),
            (Content::File(Some(id)), Some(Content::File(Some(other)))) => {
                let is_small = old.stamp.size.max(size) <= LARGEST;
                let kind = match size {
                    0 => LossKind::Emptied,
                    // What a command has made, the next may make anew.
                    _ if old.is_made || is_small && self.is_similar(id, other) => LossKind::Uncommitted,
                    _ => LossKind::Overwritten,
                };
                Suspect::Content(*id, Some(*other), kind)
            }
            (Content::File(Some(id)), _) => Suspect::Content(*id, None, LossKind::Removed),
            // Without the old content, only its length is compared.
            (Content::File(None), Some(Content::File(_))) if size >= old.stamp.size => Suspect::Harmless,
            (Content::File(None), Some(Content::File(_))) => {
                Suspect::Lost(if size == 0 { LossKind::Emptied } else { LossKind::Overwritten })
            }
            (Content::File(None), _) => Suspect::Lost(LossKind::Removed),
            (Content::Link(target), None) if !kept.targets.contains(&**target) => {
                Suspect::Lost(LossKind::Removed)
            }
            _ => Suspect::Harmless,
        }
    }

    /// Whether a quarter of the old content is left.
    fn is_similar(&self, old: &Id, new: &Id) -> bool {
        let read = |id| self.store.blobs.read(id);
        let (Ok(old), Ok(new)) = (read(old), read(new)) else { return false };
        let same =
            |ends: &mut dyn Iterator<Item = (&u8, &u8)>| ends.take_while(|(one, two)| one == two).count();
        let ends = same(&mut old.iter().zip(&new)).max(same(&mut old.iter().rev().zip(new.iter().rev())));
        let mut lines: BTreeMap<&[u8], usize> = BTreeMap::new();
        for line in new.split(|byte| *byte == b'\n') {
            *lines.entry(line.trim_ascii()).or_default() += 1;
        }
        let mut left = 0;
        let mut all = 0;
        for line in old.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
            all += line.len();
            if let Some(count) = lines.get_mut(line).filter(|count| **count > 0) {
                *count -= 1;
                left += line.len();
            }
        }
        left.max(ends).saturating_mul(4) >= all
    }

    /// Asks a repository which contents it still has.
    fn ask(&mut self, repository: Option<&Repository<'_>>, candidates: &[Candidate<'_>]) {
        let blobs = &self.store.blobs;
        let Some(repository) = repository else {
            let lost = candidates.iter().filter(|one| one.kind != LossKind::Uncommitted);
            let lost: Vec<_> = lost.map(|one| (one.name, one.kind)).collect();
            lost.into_iter().for_each(|(name, kind)| self.add(name, kind));
            return;
        };
        let references = repository.references(&self.effects.before, blobs);
        let before = references.get("HEAD").map(|head| repository.committed(head)).unwrap_or_default();
        let contents = candidates.iter().flat_map(|one| [Some(one.old), one.new]).flatten().collect();
        let ids = repository.ids(&contents, blobs);
        let id = |content: Option<Id>| content.and_then(|content| ids.get(&content));
        let is_committed =
            |one: &&Candidate<'_>| id(Some(one.old)).is_some_and(|id| before.get(one.name) == Some(id));
        let left: Vec<&Candidate<'_>> = candidates.iter().filter(|one| !is_committed(one)).collect();
        if left.is_empty() {
            return;
        }
        let new = repository.new_objects(&references.values().cloned().collect());
        let versions = [before, repository.committed("HEAD"), repository.staged()];
        for one in left {
            if id(Some(one.old)).is_some_and(|id| new.contains(id)) {
                continue;
            }
            let is_reverted = id(one.new)
                .is_some_and(|id| versions.iter().any(|version| version.get(one.name) == Some(id)));
            match one.kind {
                LossKind::Uncommitted if !is_reverted => {}
                LossKind::Overwritten if is_reverted => self.add(one.name, LossKind::Uncommitted),
                kind => self.add(one.name, kind),
            }
        }
    }

    fn commits(&mut self, repository: &Repository<'_>) {
        let Effects { before, after, changes, .. } = self.effects;
        let Some(own_name) = &repository.own else { return };
        let own = as_path(own_name);
        if !changes.iter().any(|change| change.path.starts_with(own)) {
            return;
        }
        if let Some(kind) = self.damage(own_name, repository) {
            return self.add(own_name, kind);
        }
        let blobs = &self.store.blobs;
        let (old, new) = (repository.references(before, blobs), repository.references(after, blobs));
        let present: BTreeSet<&String> = new.values().collect();
        let is_popped = |stash: &str| {
            let paths = repository.stashed(stash);
            let is_changed = |path: &PathBuf| changes.iter().any(|change| change.path == *path);
            !paths.is_empty() && paths.iter().all(is_changed)
        };
        let gone = old.iter().filter(|(_, id)| !present.contains(id));
        let gone = gone.filter(|(name, id)| *name != "refs/stash" || !is_popped(id));
        let gone: BTreeSet<String> = gone.map(|(_, id)| id.clone()).collect();
        if gone.is_empty() || repository.reaches(&gone, false) {
            return;
        }
        let is_logged = repository.reaches(&gone, true);
        self.add(own_name, if is_logged { LossKind::Rewritten } else { LossKind::Commits });
    }

    /// The damage, if a repository lost what it needs.
    fn damage(&self, own: &[u8], repository: &Repository<'_>) -> Option<LossKind> {
        let Effects { before, after, .. } = self.effects;
        let below = |name: &str| [own, &b"/"[..], name.as_bytes()].concat();
        if ["HEAD", "objects", "refs"].iter().any(|name| {
            let name = below(name);
            before.entries.contains_key(&name) && !after.entries.contains_key(&name)
        }) {
            return Some(LossKind::Repository);
        }
        let objects = below("objects/");
        let (mut has_fewer, mut is_linked) = (false, false);
        for (name, old) in before.entries.range(objects.clone()..) {
            if !name.starts_with(&objects) {
                break;
            }
            // Files about objects are written anew; objects and packs never are.
            let is_about = name.starts_with(&below("objects/info/")) || name.ends_with(b"multi-pack-index");
            match (content(old), after.entries.get(name)) {
                (Some(id), Some(new)) if !is_about && content(new) != Some(id) => {
                    return Some(LossKind::Repository);
                }
                (Some(_), Some(new)) if !is_about && old.mode != new.mode && !is_linked => {
                    is_linked = self.has_name_outside(name, new);
                }
                (Some(_), None) => has_fewer = true,
                _ => {}
            }
        }
        let is_damaged = has_fewer && !repository.is_whole();
        let linked = is_linked.then_some(LossKind::Linked);
        if is_damaged { Some(LossKind::Repository) } else { linked }
    }

    /// Whether a file has a name outside of the workspace, as the objects of a repository have that was cloned from a folder.
    fn has_name_outside(&self, name: &[u8], entry: &Entry) -> bool {
        let about = self.store.scope.root().join(as_path(name)).symlink_metadata();
        let Some(names) =
            about.ok().filter(|about| about.ino() == entry.stamp.inode).map(|about| about.nlink())
        else {
            return false;
        };
        let is_same = |other: &&Entry| content(other).is_some() && other.stamp.inode == entry.stamp.inode;
        names > 1 && names > self.effects.after.entries.values().filter(is_same).count() as u64
    }
}

/// The innermost folder that all these files are in; they are in order.
fn common_folder<'n>(names: &[&'n Name]) -> &'n [u8] {
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return b"" };
    let same = first.iter().zip(last.iter()).take_while(|(one, two)| one == two).count();
    let shared = first.get(..same).unwrap_or_default();
    shared.iter().rposition(|byte| *byte == b'/').and_then(|end| shared.get(..end)).unwrap_or_default()
}

/// Contents and links that exist after a command, except in the own folders of repositories, where nothing looks for losses.
struct Kept<'t> {
    contents: BTreeSet<Id>,
    targets: BTreeSet<&'t [u8]>,
}

impl<'t> Kept<'t> {
    fn new(after: &'t Tree) -> Self {
        let mut kept = Self { contents: BTreeSet::new(), targets: BTreeSet::new() };
        for (_, entry) in after.entries.iter().filter(|(name, _)| !is_of_git(name)) {
            match &entry.content {
                Content::File(Some(id)) => {
                    kept.contents.insert(*id);
                }
                Content::Link(target) => {
                    kept.targets.insert(target);
                }
                _ => {}
            }
        }
        kept
    }
}

fn content(entry: &Entry) -> Option<Id> {
    match entry.content {
        Content::File(id) => id,
        _ => None,
    }
}

/// First judgement of a path, without git.
enum Suspect {
    Harmless,
    Lost(LossKind),
    /// The old content, the new one, and what happened if a repository does not have the old one.
    Content(Id, Option<Id>, LossKind),
}
