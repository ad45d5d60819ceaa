//! Changes the files of a workspace from one tree to another. Every step can be repeated.

use std::collections::BTreeSet;
use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

use crate::blobs::{Blobs, digest, digest_file, hex};
use crate::changes::different;
use crate::error::SnapshotError;
use crate::folder::{Folder, set_mode};
use crate::tree::{Content, Entry, Name, Stamp, Tree, as_path, mode, parent};
use crate::walk::{TEMPORARY, open};

/// Rights of the owner, without which nothing in a folder can be changed.
const OWNER: u32 = 0o700;

/// A path that was left as it is, and the reason.
pub(crate) type Left = (PathBuf, String);

/// Files that are changed from one tree to another.
pub(crate) struct Apply<'a> {
    pub(crate) root: &'a Path,
    pub(crate) from: &'a Tree,
    pub(crate) to: &'a Tree,
    pub(crate) blobs: &'a Blobs,
    /// Whether the trees have only some files, so that a folder can have others.
    pub(crate) is_part: bool,
}

impl Apply<'_> {
    /// Checks that each content which is needed is stored.
    pub(crate) fn check(&self) -> Result<(), SnapshotError> {
        let wanted = different(self.from, self.to).into_iter().filter_map(|name| self.to.entries.get(name));
        let ids = wanted.filter_map(|entry| match &entry.content {
            Content::File(id) => *id,
            _ => None,
        });
        ids.collect::<BTreeSet<_>>().iter().try_for_each(|id| self.blobs.check(id))
    }

    /// Does all steps. A path that was changed meanwhile, or cannot be changed, is left and listed.
    pub(crate) fn run(&self) -> Result<Vec<Left>, SnapshotError> {
        let names = different(self.from, self.to);
        let folders = self.folders(&names);
        folders.iter().for_each(|name| self.open_folder(name));
        let mut left = Vec::new();
        let mut is_left: BTreeSet<&Name> = BTreeSet::new();
        let mut note = |name, done: io::Result<()>| -> Result<bool, SnapshotError> {
            let Err(error) = done else { return Ok(true) };
            // With more room, the undo is finished later.
            if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
                return Err(SnapshotError::io(&self.path(name))(error));
            }
            left.push((as_path(name).to_path_buf(), error.to_string()));
            Ok(false)
        };
        for name in &names {
            if !note(name, self.check_current(name))? {
                is_left.insert(name);
            }
        }
        let todo = || names.iter().filter(|name| !is_left.contains(*name));
        for name in todo().rev() {
            note(name, self.remove(name))?;
        }
        for name in todo() {
            note(name, self.make(name))?;
        }
        for name in folders.iter().rev() {
            note(name, self.set_folder_mode(name))?;
        }
        left.sort();
        left.dedup();
        Ok(left)
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        self.root.join(as_path(name))
    }

    /// The folders that change, and those above everything that changes; each after the one above it.
    fn folders(&self, names: &[&Name]) -> BTreeSet<Name> {
        let mut all = BTreeSet::new();
        for name in names {
            if [self.from, self.to].iter().any(|tree| tree.entries.get(*name).is_some_and(Entry::is_folder)) {
                all.insert((*name).clone());
            }
            let mut above = parent(name);
            while let Some(folder) = above {
                if !all.insert(folder.to_vec()) {
                    break;
                }
                above = parent(folder);
            }
        }
        all
    }

    /// Gives the owner all rights on a folder. Its mode is set at the end.
    fn open_folder(&self, name: &Name) {
        let Ok(folder) = Folder::open(self.root, name) else { return };
        let Ok(about) = folder.about() else { return };
        if mode(&about) & OWNER != OWNER {
            // If it fails, so do the steps below, which are reported.
            drop(folder.set_mode(mode(&about) | OWNER));
        }
    }

    /// Returns an error if a path has neither the old nor the new entry: another process has changed it.
    fn check_current(&self, name: &Name) -> io::Result<()> {
        let above = Folder::above(self.root, name);
        let path = above.as_ref().map_or(Path::new(""), |(_, path)| path);
        let about = path.symlink_metadata().ok();
        let has = |entry: Option<&Entry>| match (&about, entry) {
            (None, None) => true,
            (Some(about), Some(entry)) => has(about, path, entry),
            _ => false,
        };
        let (from, to) = (self.from.entries.get(name), self.to.entries.get(name));
        if has(from) || has(to) || is_half_done(about.as_ref(), from, to) {
            return Ok(());
        }
        if to
            .zip(about.as_ref())
            .is_some_and(|(to, about)| self.is_half_filled(&temporary(name, path), about, to))
        {
            return Ok(());
        }
        // What an interrupted run may have left.
        drop(fs::remove_file(temporary(name, path)));
        Err(io::Error::other("it was changed meanwhile"))
    }

    /// Whether an interrupted run was about to fill a file that has other names: the whole content is beside it.
    fn is_half_filled(&self, temporary: &Path, about: &Metadata, to: &Entry) -> bool {
        let Content::File(Some(id)) = &to.content else { return false };
        is_linked(about, to) && open(temporary).and_then(digest_file).ok().as_ref() == Some(id)
    }

    /// Removes what is not in the new tree, or is of another kind there.
    fn remove(&self, name: &Name) -> io::Result<()> {
        let Ok((_folder, path)) = Folder::above(self.root, name) else { return Ok(()) };
        let Ok(about) = path.symlink_metadata() else { return Ok(()) };
        let stays_folder = self.to.entries.get(name).map(Entry::is_folder);
        match (about.is_dir(), stays_folder) {
            (true, Some(true)) | (false, Some(false)) => Ok(()),
            (true, _) => match fs::remove_dir(&path) {
                Err(error) if self.is_part && error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
                done => done,
            },
            (false, _) => fs::remove_file(&path),
        }
    }

    fn make(&self, name: &Name) -> io::Result<()> {
        let Some(entry) = self.to.entries.get(name) else { return Ok(()) };
        let above = Folder::above(self.root, name);
        let (_folder, path) = above.map_err(|_| io::Error::other("the folder above it is missing"))?;
        let about = path.symlink_metadata().ok();
        match &entry.content {
            Content::Folder { .. } if about.is_some() => Ok(()),
            Content::Folder { .. } => {
                fs::create_dir(&path)?;
                own(&path, entry)
            }
            Content::Link(target) if about.as_ref().is_none_or(|about| !has(about, &path, entry)) => {
                let temporary = temporary(name, &path);
                drop(fs::remove_file(&temporary));
                symlink(as_path(target), &temporary)?;
                own(&temporary, entry)?;
                fs::rename(&temporary, &path)
            }
            Content::File(Some(id)) => match about {
                Some(about) if has(&about, &path, entry) => Ok(()),
                Some(about) if about.is_file() && open(&path).and_then(digest_file).ok() == Some(*id) => {
                    set_mode(&path, entry.mode)
                }
                _ => self.write(name, &path, entry, id),
            },
            Content::File(None) => {
                Err(io::Error::other("its content was not kept: it was too large, or closed"))
            }
            Content::Other => Err(io::Error::other("it was a pipe, socket or device")),
            Content::Link(_) => Ok(()),
        }
    }

    /// Puts a whole file in place. Its times are those of now, so that build tools see that it changed. A file that has other names,
    /// perhaps outside of the workspace, was changed under all of them; it gets its content back under all of them.
    fn write(&self, name: &Name, path: &Path, entry: &Entry, id: &crate::tree::Id) -> io::Result<()> {
        let temporary = temporary(name, path);
        drop(fs::remove_file(&temporary));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(&temporary)?;
        let written =
            fs::File::open(self.blobs.place(id)).and_then(|mut from| io::copy(&mut from, &mut file));
        let done = written.and_then(|_| file.flush()).and_then(|()| own(&temporary, entry));
        let done = done.and_then(|()| file.set_permissions(Permissions::from_mode(entry.mode)));
        let done = done.and_then(|()| match path.symlink_metadata() {
            Ok(about) if is_linked(&about, entry) => refill(&temporary, path, entry),
            _ => fs::rename(&temporary, path),
        });
        if done.is_err() {
            drop(fs::remove_file(&temporary));
        }
        done
    }

    fn set_folder_mode(&self, name: &Name) -> io::Result<()> {
        let Some(entry) = self.to.entries.get(name).filter(|entry| entry.is_folder()) else { return Ok(()) };
        let Ok(folder) = Folder::open(self.root, name) else { return Ok(()) };
        let about = folder.about()?;
        let is_ours = |other: &Entry| [other.mode, other.mode | OWNER].contains(&mode(&about));
        let is_expected = match self.from.entries.get(name) {
            Some(from) if from.is_folder() => is_ours(from) || is_ours(entry),
            // This undo has made it.
            _ => true,
        };
        if !is_expected || mode(&about) == entry.mode {
            return Ok(());
        }
        folder.set_mode(entry.mode)
    }
}

/// Whether a path has the entry; the content is read only if its stamp is another one.
fn has(about: &Metadata, path: &Path, entry: &Entry) -> bool {
    let is_known = mode(about) == entry.mode && Stamp::new(about) == entry.stamp;
    match &entry.content {
        Content::Folder { .. } => about.is_dir(),
        Content::Link(target) => {
            let found = fs::read_link(path);
            about.is_symlink() && found.is_ok_and(|found| found.as_os_str().as_bytes() == target)
        }
        Content::File(id) if about.is_file() => {
            let is_same = || Some(open(path).and_then(digest_file).ok()) == Some(*id);
            is_known || mode(about) == entry.mode && id.is_some() && is_same()
        }
        Content::File(_) => false,
        Content::Other => !about.is_dir() && !about.is_file() && !about.is_symlink(),
    }
}

/// Place of a file before it is put in place. Each path has its own, so that a repeated run finds it.
fn temporary(name: &[u8], path: &Path) -> PathBuf {
    let name = hex(&digest(name));
    path.with_file_name(format!("{TEMPORARY}{}", name.get(..24).unwrap_or(&name)))
}

/// Whether an interrupted run has removed the old entry, which is of another kind.
fn is_half_done(about: Option<&Metadata>, from: Option<&Entry>, to: Option<&Entry>) -> bool {
    let kinds = from.zip(to).map(|(from, to)| from.is_folder() != to.is_folder());
    about.is_none() && kinds == Some(true)
}

/// Whether a file is still the one of the entry, and has other names.
fn is_linked(about: &Metadata, entry: &Entry) -> bool {
    about.is_file() && about.nlink() > 1 && about.ino() == entry.stamp.inode
}

/// Writes a content into a file that stays.
fn refill(from: &Path, path: &Path, entry: &Entry) -> io::Result<()> {
    let mode = path.symlink_metadata()?.permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode | 0o200))?;
    let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = OpenOptions::new().write(true).truncate(true).custom_flags(flags).open(path)?;
    io::copy(&mut fs::File::open(from)?, &mut file)?;
    file.set_permissions(Permissions::from_mode(entry.mode))?;
    fs::remove_file(from)
}

/// Gives a file its owner, as far as that is allowed.
fn own(path: &Path, entry: &Entry) -> io::Result<()> {
    let owner = entry.stamp.owner;
    let found = Stamp::new(&path.symlink_metadata()?).owner;
    if found == owner {
        return Ok(());
    }
    match lchown(path, Some(owner.0), Some(owner.1)) {
        Err(error) if error.kind() != ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}
