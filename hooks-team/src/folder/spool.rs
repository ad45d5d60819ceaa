//! Small files that anybody leaves without waiting, for whoever takes the folder's lock next.

use std::io::ErrorKind;
use std::time::Duration;

use hooks_core::fs::{DiskLock, EntryKind};
use hooks_core::time::Timestamp;

use super::{Folder, Place, io_error};
use crate::error::TeamError;
use crate::name::Name;

/// The largest file that is left here, and read.
const LARGEST: u64 = 1 << 20;

/// How many names are tried for a new file.
const TAKEN: u32 = 16;

/// The digits of a moment in a name: enough for all that there are, so that names sort by time.
const DIGITS: usize = 16;

/// A queue on the disk, in a folder of what processes keep here for each other.
///
/// What is left is a file of its own under a name that nobody else gives, so that nobody waits for a lock to leave it,
/// and twenty processes at once lose nothing. It ends with a line break, written with the rest: a file without one is
/// still being written, or its writer was killed before anybody was told that it is there.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: Folder,
    place: Place,
}

/// What somebody left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub(crate) place: Place,
    pub(crate) bytes: Vec<u8>,
}

impl Left {
    /// What it says.
    pub fn content(&self) -> &[u8] {
        self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes)
    }
}

impl Spool {
    /// The queue called `kind` in `folder`.
    pub fn new(folder: &Folder, kind: &Name) -> Self {
        Self { folder: folder.clone(), place: Place::own(kind) }
    }

    /// Leaves `content`, which was written `at` that moment. Once this is `Ok`, it survives a loss of power. Costs a new
    /// file and two waits for the device.
    ///
    /// # Errors
    /// It has a line break, or more than 1 MiB, or cannot be written. Then nobody will read it.
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
                    // What there is of it is swept with time, if it cannot be removed now.
                    self.folder.disk.remove(&self.folder.path(&place)).unwrap_or_default();
                    return Err(io_error(&place, error));
                }
            }
        }
        Err(TeamError::Contended { place: self.place.to_string() })
    }

    /// What was left, whole, the oldest first. What stands here and cannot be read is left out.
    ///
    /// # Errors
    /// The folder cannot be read, or the disk refuses.
    pub fn read(&self) -> Result<Vec<Left>, TeamError> {
        self.read_telling(&mut Vec::new())
    }

    /// The same; why what stands here cannot be read is added to `problems`.
    ///
    /// # Errors
    /// The folder cannot be read, or the disk refuses.
    pub fn read_telling(&self, problems: &mut Vec<TeamError>) -> Result<Vec<Left>, TeamError> {
        let mut all = Vec::new();
        for name in self.folder.list(&self.place)? {
            let place = self.place.listed(&name);
            match self.folder.read_up_to(&place, LARGEST) {
                // Somebody may have taken it meanwhile.
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

    /// Whether nothing was left.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn is_empty(&self) -> Result<bool, TeamError> {
        Ok(self.folder.list(&self.place)?.is_empty())
    }

    /// Takes what somebody left away. Of several who ask at once, one is told that it was there. It may come back after
    /// a loss of power, until [`settle`](Self::settle) was called.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn take(&self, left: &Left) -> Result<bool, TeamError> {
        match self.folder.disk.remove(&self.folder.path(&left.place)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(io_error(&left.place, error)),
        }
    }

    /// Writes what was taken away through to the device.
    ///
    /// # Errors
    /// That cannot be done.
    pub fn settle(&self) -> Result<(), TeamError> {
        let path = self.folder.path(&self.place);
        self.folder.disk.sync_directory(&path).map_err(|error| io_error(&self.place, error))
    }

    /// The right to work through it, held against all others who ask for it until it is dropped; `None` where somebody
    /// else has it for longer than `wait`. It ends with its holder, also when that is killed. Nobody needs it to leave
    /// something.
    ///
    /// # Errors
    /// The lock cannot be made.
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

    /// Takes away what writers that were killed before `then` left half written.
    ///
    /// # Errors
    /// The folder cannot be read, or a file not be removed.
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
                // Told where it is read.
                Err(error) if error.is_in_the_way() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes the folder, and those above it.
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
