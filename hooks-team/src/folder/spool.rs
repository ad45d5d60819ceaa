//! A queue of small files that every process can fill without a lock.

use std::io::ErrorKind;
use std::time::Duration;

use hooks_core::fs::{DiskLock, EntryKind};
use hooks_core::time::Timestamp;

use super::{Folder, TeamPath, io_error};
use crate::error::TeamError;
use crate::name::Name;

/// The largest file of a queue, in bytes.
const LARGEST: u64 = 1 << 20;

/// The most names that are tried for a new file.
const TAKEN: u32 = 16;

/// Hexadecimal digits of the time in a name: enough for every timestamp, so that names sort by time.
const DIGITS: usize = 16;

/// A queue on the disk, in a folder that processes keep for each other.
///
/// Each entry is a file with a unique name, so that a writer needs no lock, and twenty processes at once lose
/// nothing. A file ends with a line break, which is written with its content. A file without one is still
/// being written, or its writer was killed before it reported success.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{SeededRandom, Timestamp};
/// use hooks_team::Name;
/// use hooks_team::folder::{Folder, Spool};
///
/// let disk = FakeDisk::default().with_directory("/repo/.squad");
/// let folder = Folder::new(Arc::new(disk), Arc::new(SeededRandom::new(1)), "/repo/.squad");
/// let spool = Spool::new(&folder, &Name::new("notices").expect("a plain name"));
/// spool.leave(Timestamp(2), b"second")?;
/// spool.leave(Timestamp(1), b"first")?;
/// assert!(spool.leave(Timestamp(3), b"two\nlines").is_err());
///
/// let entries = spool.read()?;
/// assert_eq!(entries[0].content(), b"first"); // the oldest first
/// assert!(spool.take(&entries[0])?);
/// assert!(!spool.take(&entries[0])?); // another process was faster
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spool {
    folder: Folder,
    place: TeamPath,
}

/// An entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub(crate) place: TeamPath,
    pub(crate) bytes: Vec<u8>,
}

impl Left {
    /// Returns the content, without the line break at the end.
    pub fn content(&self) -> &[u8] {
        self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes)
    }
}

impl Spool {
    /// Opens the queue called `kind` in `folder`.
    pub fn new(folder: &Folder, kind: &Name) -> Self {
        Self { folder: folder.clone(), place: TeamPath::own(kind) }
    }

    /// Writes `content` to the queue, with the time `at`. Once this returns `Ok`, the entry survives a power
    /// cut. It costs a new file and two syncs to the device.
    ///
    /// # Errors
    /// Returns an error if `content` has a line break or more than 1 MiB, or cannot be written. In that case
    /// it will not be read.
    pub fn leave(&self, at: Timestamp, content: &[u8]) -> Result<(), TeamError> {
        if content.contains(&b'\n') {
            return Err(TeamError::invalid("content", "it has a line break; write it on one line"));
        }
        let whole = [content, b"\n"].concat();
        if whole.len() as u64 > LARGEST {
            return Err(TeamError::invalid(
                "content",
                format!("it has more than {LARGEST} bytes; leave less"),
            ));
        }
        self.make()?;
        for _ in 0..TAKEN {
            let random = self.folder.random.next_u64();
            let place = self.place.listed(&format!("{:0DIGITS$x}-{random:016x}.json", at.0));
            match self.folder.disk.create(&self.folder.path(&place), &whole) {
                Ok(()) => {
                    let above = self.folder.path(&self.place);
                    return self.folder.disk.sync_directory(&above).map_err(|error| io_error(&place, error));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    // If it cannot be removed now, `sweep` removes the incomplete file later.
                    self.folder.disk.remove(&self.folder.path(&place)).unwrap_or_default();
                    return Err(io_error(&place, error));
                }
            }
        }
        Err(TeamError::Contended { place: self.place.to_string() })
    }

    /// Reads the complete entries, the oldest first. Entries that cannot be read are left out.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or the disk fails.
    pub fn read(&self) -> Result<Vec<Left>, TeamError> {
        self.read_telling(&mut Vec::new())
    }

    /// Reads the complete entries, and adds the errors of entries that cannot be read to `problems`.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or the disk fails.
    pub fn read_telling(&self, problems: &mut Vec<TeamError>) -> Result<Vec<Left>, TeamError> {
        let mut all = Vec::new();
        for name in self.folder.list(&self.place)? {
            let place = self.place.listed(&name);
            match self.folder.read_up_to(&place, LARGEST) {
                // Another process may have removed the file since the listing.
                Ok(bytes) => {
                    let bytes = bytes.filter(|bytes| bytes.ends_with(b"\n"));
                    all.extend(bytes.map(|bytes| Left { place, bytes }));
                }
                Err(error) if error.is_in_the_way() => problems.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Whether the queue has no files.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn is_empty(&self) -> Result<bool, TeamError> {
        Ok(self.folder.list(&self.place)?.is_empty())
    }

    /// Removes an entry. Of several processes that remove it at once, only one gets `true`. Until
    /// [`settle`](Self::settle) is called, the entry may come back after a power cut.
    ///
    /// # Errors
    /// Returns an error if the file cannot be removed.
    pub fn take(&self, left: &Left) -> Result<bool, TeamError> {
        match self.folder.disk.remove(&self.folder.path(&left.place)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(io_error(&left.place, error)),
        }
    }

    /// Syncs removals to the device.
    ///
    /// # Errors
    /// Returns an error if the sync fails.
    pub fn settle(&self) -> Result<(), TeamError> {
        let path = self.folder.path(&self.place);
        self.folder.disk.sync_directory(&path).map_err(|error| io_error(&self.place, error))
    }

    /// Takes the right to process the queue, until the lock is dropped. Returns `None` if another process
    /// holds it for longer than `wait`. The lock ends with its process, also if that is killed. Writers do
    /// not need it.
    ///
    /// # Errors
    /// Returns an error if the lock file cannot be created.
    pub fn lock(&self, wait: Duration) -> Result<Option<DiskLock>, TeamError> {
        self.make()?;
        let place = self.place.beside(&format!("lock-{}", self.place.name()));
        self.folder.check(&place, EntryKind::File)?;
        match self.folder.disk.lock(&self.folder.path(&place), wait) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(io_error(&place, error)),
        }
    }

    /// Removes incomplete files of writers that were killed before `then`.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or a file cannot be removed.
    pub fn sweep(&self, then: Timestamp) -> Result<(), TeamError> {
        for name in self.folder.list(&self.place)? {
            let at = name.get(..DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let place = self.place.listed(&name);
            if at.is_none_or(|at| at >= then.0) {
                continue;
            }
            match self.folder.read_up_to(&place, LARGEST) {
                Ok(Some(bytes)) if !bytes.ends_with(b"\n") => drop(self.take(&Left { place, bytes })?),
                Ok(_) => {}
                // `read_telling` reports this error.
                Err(error) if error.is_in_the_way() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Creates the folder and its missing parents.
    fn make(&self) -> Result<(), TeamError> {
        let disk = &self.folder.disk;
        for place in self.place.above().chain([self.place.clone()]) {
            if !self.folder.check_one(&place, EntryKind::Directory)? {
                disk.create_directory(&self.folder.path(&place)).map_err(|error| io_error(&place, error))?;
                let above = place.above().last();
                let above = above.map_or_else(|| self.folder.root.clone(), |above| self.folder.path(&above));
                disk.sync_directory(&above).map_err(|error| io_error(&place, error))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::testing::FakeDisk;
    use hooks_core::time::SeededRandom;

    use super::*;

    fn spool(disk: &FakeDisk) -> Spool {
        let folder = Folder::new(Arc::new(disk.clone()), Arc::new(SeededRandom::new(1)), "/t");
        Spool::new(&folder, &Name::new("queue").unwrap())
    }

    fn read(spool: &Spool) -> Vec<String> {
        let all = spool.read().unwrap();
        all.iter().map(|left| String::from_utf8(left.content().to_vec()).unwrap()).collect()
    }

    #[test]
    fn what_was_left_is_there_whole_or_not_at_every_step() {
        for cut_power in [false, true] {
            for at in 0.. {
                let disk = FakeDisk::default().with_directory("/t");
                spool(&disk).leave(Timestamp(1), b"first").unwrap();
                disk.kill_at(at);
                let done = spool(&disk).leave(Timestamp(2), b"second");
                if cut_power {
                    disk.lose_power();
                } else {
                    disk.restart();
                }
                let found = read(&spool(&disk));
                assert_eq!(found[0], "first");
                assert!(found.len() == 1 || found[1] == "second", "{at}: {found:?}");
                assert!(done.is_err() || found.len() == 2, "{at}: what was acknowledged is there");
                spool(&disk).sweep(Timestamp(3)).unwrap();
                assert_eq!(read(&spool(&disk)), found, "{at}: only halves are swept");
                assert_eq!(disk.files().len(), found.len(), "{at}");
                if done.is_ok() {
                    break;
                }
            }
        }
    }

    #[test]
    fn it_is_taken_once_in_the_order_of_time() {
        let disk = FakeDisk::default().with_directory("/t");
        let (one, other) = (spool(&disk), spool(&disk));
        assert!(one.is_empty().unwrap() && one.read().unwrap().is_empty());
        one.leave(Timestamp(20), b"later").unwrap();
        other.leave(Timestamp(3), b"sooner").unwrap();
        assert!(one.leave(Timestamp(3), b"two\nlines").is_err());
        assert_eq!(read(&one), ["sooner", "later"]);
        let all = one.read().unwrap();
        assert!(one.take(&all[0]).unwrap());
        assert!(!other.take(&all[0]).unwrap());
        one.settle().unwrap();
        let lock = one.lock(Duration::ZERO).unwrap();
        assert!(lock.is_some() && other.lock(Duration::ZERO).unwrap().is_none());
        drop(lock);
        assert!(other.lock(Duration::ZERO).unwrap().is_some());
        disk.lose_power();
        assert_eq!(read(&one), ["later"]);
    }
}
