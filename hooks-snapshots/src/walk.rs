//! Reads the files of a workspace into the store.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::blobs::Blobs;
use crate::error::SnapshotError;
use crate::folder::Folder;
use crate::scope::Scope;
use crate::tracked::Tracked;
use crate::tree::{Content, Entry, Name, Stamp, Tree, mode};

/// Milliseconds before a walk in which a change may have the same time as a later one.
const SAME_TIME: i64 = 100;

/// Times as many files as before a command that may be there after it.
const MORE: usize = 5;

/// Most bytes of a file of a call. An agent waits for it.
const LARGEST_OF_CALL: u64 = 32 << 20;

/// When a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before a command: each file has to be kept, or there is no snapshot.
    Before,
    /// After it: what is new was made by it. It may have made more than is kept, which must not prevent the undo.
    After,
    /// Before or after an undo.
    Undo,
}

/// Beginning of the names of files that an undo is about to put in place.
pub(crate) const TEMPORARY: &str = ".hooks-undo-";

/// A tree that was read.
#[derive(Debug)]
pub(crate) struct Walked {
    pub(crate) tree: Tree,
    /// Whether a file was read because its time may have been ambiguous.
    pub(crate) was_unsure: bool,
}

/// Reads all files of a workspace. Those that `cache` has with the same stamp are not read again.
pub(crate) fn walk(
    scope: &Scope,
    cache: &Tree,
    blobs: &Blobs,
    store: &Path,
    at: u64,
    moment: Moment,
) -> Result<Walked, SnapshotError> {
    let root = &scope.root;
    let device = fs::metadata(root).map_err(SnapshotError::io(root))?.dev();
    let mut walk = Walk::new(scope, cache, blobs, store, moment, device);
    walk.open.push(Open { path: root.clone(), name: Name::new(), entry: None });
    walk.finish()?;
    Ok(Walked { tree: Tree { at, entries: walk.found.into_iter().collect() }, was_unsure: walk.was_unsure })
}

/// Reads these files, relative to the workspace, and the folders above them. A folder among them is read with all that is below it.
pub(crate) fn walk_files(
    scope: &Scope,
    files: &[PathBuf],
    blobs: &Blobs,
    store: &Path,
    at: u64,
    moment: Moment,
) -> Result<Tree, SnapshotError> {
    let root = &scope.root;
    let device = fs::metadata(root).map_err(SnapshotError::io(root))?.dev();
    let cache = Tree::default();
    let mut walk = Walk::new(scope, &cache, blobs, store, moment, device);
    walk.largest = walk.largest.min(LARGEST_OF_CALL);
    for file in files {
        let mut above: Vec<&Path> = file.ancestors().skip(1).filter(|path| *path != Path::new("")).collect();
        above.reverse();
        // What is below a link or a file is not in the workspace.
        if above.iter().all(|folder| walk.add_folder(folder)) {
            walk.add_named(file)?;
        }
    }
    walk.finish()?;
    Ok(Tree { at, entries: walk.found.into_iter().collect() })
}

/// A folder that was not listed yet.
struct Open {
    path: PathBuf,
    name: Name,
    /// Position in the entries that were found; `None` for the root.
    entry: Option<usize>,
}

/// Paths of an entry: for a person and as it is compared, and the one through the open folder.
struct Paths {
    named: PathBuf,
    real: PathBuf,
}

struct Walk<'w> {
    scope: &'w Scope,
    cache: &'w Tree,
    blobs: &'w Blobs,
    store: &'w Path,
    moment: Moment,
    device: u64,
    /// Whether each change of a file shows in its times.
    shows_changes: bool,
    /// Paths that git tracks, by the folder of their repository.
    tracked: BTreeMap<PathBuf, Tracked>,
    found: Vec<(Name, Entry)>,
    open: Vec<Open>,
    /// Most bytes of one file.
    largest: u64,
    bytes: u64,
    was_unsure: bool,
}

impl<'w> Walk<'w> {
    fn new(
        scope: &'w Scope,
        cache: &'w Tree,
        blobs: &'w Blobs,
        store: &'w Path,
        moment: Moment,
        device: u64,
    ) -> Self {
        Self {
            scope,
            cache,
            blobs,
            store,
            moment,
            device,
            shows_changes: shows_changes(&scope.root),
            tracked: BTreeMap::new(),
            found: Vec::new(),
            open: Vec::new(),
            largest: scope.largest(),
            bytes: 0,
            was_unsure: false,
        }
    }

    /// Reads all folders that are open.
    fn finish(&mut self) -> Result<(), SnapshotError> {
        while let Some(folder) = self.open.pop() {
            let (found, open) = (self.found.len(), self.open.len());
            match (self.list(&folder), folder.entry) {
                (Ok(done), _) => done?,
                // It cannot be listed: its entries are unknown, not removed.
                (Err(_), Some(entry)) => {
                    self.found.truncate(found);
                    self.open.truncate(open);
                    if let Some((_, entry)) = self.found.get_mut(entry) {
                        entry.content = Content::Folder { is_listed: false };
                    }
                }
                (Err(error), None) => return Err(SnapshotError::io(&folder.path)(error)),
            }
        }
        Ok(())
    }

    /// Adds a folder without its entries; returns whether it is one.
    fn add_folder(&mut self, folder: &Path) -> bool {
        let name = folder.as_os_str().as_bytes().to_vec();
        let open = Folder::open(&self.scope.root, &name);
        let Some(about) = open.ok().and_then(|open| fs::metadata(open.path()).ok()) else { return false };
        let content = Content::Folder { is_listed: true };
        let entry = Entry { content, mode: mode(&about), stamp: Stamp::new(&about), is_made: false };
        self.found.push((name, entry));
        true
    }

    /// Adds a file or folder, if it exists.
    fn add_named(&mut self, file: &Path) -> Result<(), SnapshotError> {
        let named = self.scope.root.join(file);
        let Some(file_name) = file.file_name() else { return Ok(()) };
        let above = file.parent().map(|above| above.as_os_str().as_bytes().to_vec()).unwrap_or_default();
        let found = Folder::open(&self.scope.root, &above).and_then(|folder| {
            let real = folder.path().join(file_name);
            let about = real.symlink_metadata()?;
            Ok((folder, real, about))
        });
        match found {
            Ok((_folder, real, about)) => {
                self.add(file.as_os_str().as_bytes().to_vec(), Paths { named, real }, &about)
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
            Err(error) => Err(SnapshotError::io(&named)(error)),
        }
    }

    /// Reads the entries of a folder. The outer error is about the folder, the inner one about the snapshot.
    fn list(&mut self, Open { path, name, .. }: &Open) -> io::Result<Result<(), SnapshotError>> {
        let folder = Folder::open(&self.scope.root, name)?;
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            let about = match entry.metadata() {
                Ok(about) => about,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let file_name = entry.file_name();
            if file_name.as_bytes().starts_with(TEMPORARY.as_bytes()) {
                continue;
            }
            let mut below = name.clone();
            if !below.is_empty() {
                below.push(b'/');
            }
            below.extend(file_name.as_bytes());
            let places = Paths { named: path.join(&file_name), real: entry.path() };
            if let Err(error) = self.add(below, places, &about) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn add(
        &mut self,
        name: Name,
        Paths { named: path, real }: Paths,
        about: &Metadata,
    ) -> Result<(), SnapshotError> {
        let kind = about.file_type();
        let mut stamp = Stamp::new(about);
        let content = if kind.is_dir() {
            if self.is_left_out(&name, &path, about) {
                return Ok(());
            }
            self.open.push(Open { path, name: name.clone(), entry: Some(self.found.len()) });
            Content::Folder { is_listed: true }
        } else if kind.is_symlink() {
            match fs::read_link(&real) {
                Ok(target) => Content::Link(target.into_os_string().as_bytes().to_vec()),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(SnapshotError::io(&path)(error)),
            }
        } else if kind.is_file() {
            match self.file(&name, &real, &mut stamp)? {
                Some(content) => content,
                None => return Ok(()),
            }
        } else {
            Content::Other
        };
        let most = match self.moment {
            Moment::Before => self.scope.most,
            Moment::After | Moment::Undo => self.scope.most.saturating_mul(MORE),
        };
        if self.found.len() >= most {
            return Err(SnapshotError::TooMany { most });
        }
        let is_made = match self.cache.entries.get(&name) {
            Some(known) if known.stamp == stamp && known.content == content => known.is_made,
            Some(known) => known.is_made && self.moment == Moment::After,
            None => self.moment == Moment::After,
        };
        self.found.push((name, Entry { content, mode: mode(about), stamp, is_made }));
        Ok(())
    }

    fn is_left_out(&mut self, name: &Name, path: &Path, about: &Metadata) -> bool {
        if path == self.store || about.dev() != self.device {
            return true;
        }
        // Names in a repository's own folder, such as branches, mean no build output.
        let is_git = name.split(|byte| *byte == b'/').any(|part| part == b".git");
        if is_git || !self.scope.leaves_out(path) {
            return false;
        }
        let root = &self.scope.root;
        let mut above = path.ancestors().skip(1).take_while(|above| above.starts_with(root));
        let repository = above.find(|above| above.join(".git").symlink_metadata().is_ok()).unwrap_or(root);
        let below = path.strip_prefix(repository).map_or(&**name, |below| below.as_os_str().as_bytes());
        if !self.tracked.contains_key(repository) {
            self.tracked.insert(repository.to_path_buf(), Tracked::read(repository));
        }
        !self.tracked.get(repository).is_some_and(|tracked| tracked.has_below(below))
    }

    /// The content of a file; `None` if it vanished.
    fn file(
        &mut self,
        name: &Name,
        path: &Path,
        stamp: &mut Stamp,
    ) -> Result<Option<Content>, SnapshotError> {
        if stamp.size > self.largest {
            return Ok(Some(Content::File(None)));
        }
        self.bytes = self.bytes.saturating_add(stamp.size);
        let is_beyond = self.bytes > self.scope.quota;
        if is_beyond && self.moment == Moment::Before {
            return Err(SnapshotError::TooLarge { quota: self.scope.quota });
        }
        if let Some(known) = self.cache.entries.get(name)
            && known.stamp == *stamp
            && let Content::File(Some(id)) = known.content
        {
            if is_old(stamp, self.cache.at) {
                return Ok(Some(Content::File(Some(id))));
            }
            self.was_unsure = true;
        }
        if is_beyond {
            return Ok(Some(Content::File(None)));
        }
        let mut file = match open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(_) => return Ok(Some(Content::File(None))),
        };
        let Ok((id, length)) = self.blobs.keep_file(&mut file)? else { return Ok(Some(Content::File(None))) };
        // It may be written at this moment: then it is read again next time.
        let is_whole = file.metadata().is_ok_and(|now| Stamp::new(&now) == *stamp && length == stamp.size);
        if !is_whole || !self.shows_changes {
            *stamp = stamp.unknown();
        }
        Ok(Some(Content::File(Some(id))))
    }
}

/// Whether each change of a file shows in its times. In memory (tmpfs), a write through a mapping does not.
#[cfg(target_os = "linux")]
fn shows_changes(root: &Path) -> bool {
    /// `TMPFS_MAGIC` and `RAMFS_MAGIC` of `linux/magic.h`.
    const IN_MEMORY: [u32; 2] = [0x0102_1994, 0x8584_58f6];
    // The kernel's number has 32 bits, in a word of the machine.
    rustix::fs::statfs(root).is_ok_and(|about| !IN_MEMORY.contains(&(about.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn shows_changes(_root: &Path) -> bool {
    true
}

/// Whether a file was last changed so long before a walk that each later change shows in its times.
fn is_old(stamp: &Stamp, at: u64) -> bool {
    let changed = stamp.changed.0.saturating_mul(1_000).saturating_add(stamp.changed.1 / 1_000_000);
    i64::try_from(at).is_ok_and(|at| changed < at.saturating_sub(SAME_TIME))
}

/// Opens a file for reading. Another process may have put a pipe or a link in its place.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
