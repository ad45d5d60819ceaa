//! Changes a folder's files, with one writer at a time.

use std::io::{self, ErrorKind};

use hooks_core::fs::{DiskLock, EntryKind};

use super::{Folder, TeamPath, io_error};
use crate::error::TeamError;
use crate::name::Name;

/// Folder of the writers' own files. Git ignores it.
const OWN: &str = ".hooks";
const LOCK: &str = ".hooks/lock";
const IGNORE: &str = ".hooks/.gitignore";

/// The most attempts to change a file that is changed by programs without the lock.
const RETRIES: u32 = 16;

/// The most names that are tried for a new file.
const TAKEN: u32 = 10_000;

/// Holds the lock of a folder, and changes its files. The lock of a killed process ends with the process.
#[derive(Debug)]
pub struct Writer<'a> {
    folder: &'a Folder,
    _lock: DiskLock,
}

impl<'a> Writer<'a> {
    pub(super) fn new(folder: &'a Folder) -> Result<Self, TeamError> {
        let entry = folder.disk.entry(&folder.root).map_err(|error| folder.root_error(error))?;
        if entry.is_none() {
            return Err(TeamError::Missing {
                what: "team folder",
                name: folder.root.display().to_string(),
                way_out: "lay one out first",
            });
        }
        let (own, lock) = (TeamPath::known(OWN), TeamPath::known(LOCK));
        if !folder.check_one(&own, EntryKind::Directory)? {
            folder.disk.create_directory(&folder.path(&own)).map_err(|error| io_error(&own, error))?;
            folder.disk.sync_directory(&folder.root).map_err(|error| io_error(&own, error))?;
        }
        folder.check(&lock, EntryKind::File)?;
        let held =
            folder.disk.lock(&folder.path(&lock), folder.patience).map_err(|error| match error.kind() {
                ErrorKind::TimedOut => TeamError::Busy { seconds: folder.patience.as_secs() },
                _ => io_error(&lock, error),
            })?;
        let writer = Self { folder, _lock: held };
        let ignore = TeamPath::known(IGNORE);
        if !folder.exists(&ignore)? {
            writer.publish(&ignore, b"*\n")?;
        }
        Ok(writer)
    }

    /// Returns the folder.
    pub const fn folder(&self) -> &'a Folder {
        self.folder
    }

    /// Changes the file at `place`. `change` gets the current content (`None` if the file does not exist) and
    /// returns the new one; if they are equal, the file is not written. If a program without the lock changes
    /// the file in the meantime, `change` is called again. Returns whether the file was written.
    ///
    /// # Errors
    /// Returns the errors of `change`; `Contended` if the file changed at every attempt; or the error of
    /// reading or writing the file. The file is then unchanged.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::SeededRandom;
    /// use hooks_team::folder::{Folder, TeamPath};
    ///
    /// let disk = FakeDisk::default().with_file("/repo/.squad/notes.md", "one\n");
    /// let folder = Folder::new(Arc::new(disk), Arc::new(SeededRandom::new(1)), "/repo/.squad");
    /// let notes = TeamPath::new("notes.md")?;
    /// let writer = folder.writer()?;
    /// assert!(writer.update(&notes, |text| Ok([text.unwrap_or_default(), b"two\n"].concat()))?);
    /// assert_eq!(folder.read(&notes)?.as_deref(), Some(&b"one\ntwo\n"[..]));
    /// assert!(!writer.update(&notes, |text| Ok(text.unwrap_or_default().to_vec()))?); // nothing changed
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn update<F>(&self, place: &TeamPath, mut change: F) -> Result<bool, TeamError>
    where
        F: FnMut(Option<&[u8]>) -> Result<Vec<u8>, TeamError>,
    {
        for _ in 0..RETRIES {
            let current = self.folder.read(place)?;
            let changed = change(current.as_deref())?;
            if current.as_ref() == Some(&changed) {
                return Ok(false);
            }
            if self.replace(place, &changed, current.as_deref())? {
                return Ok(true);
            }
        }
        Err(TeamError::Contended { place: place.to_string() })
    }

    /// Creates a new file at `place`; never overwrites an existing one. Returns whether the name was free.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written; it then does not exist.
    pub fn publish(&self, place: &TeamPath, content: &[u8]) -> Result<bool, TeamError> {
        let temporary = self.write_beside(place, content)?;
        let published = self.take_name(&temporary, place);
        // If the file was renamed, there is nothing left to remove.
        self.discard(&temporary);
        match published {
            Ok(()) => self.settle(place).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(io_error(place, error)),
        }
    }

    /// Creates a new file in the folder at `place`, with a unique name that begins with `stem`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written; it then does not exist.
    pub fn publish_new(&self, place: &TeamPath, stem: &str, content: &[u8]) -> Result<TeamPath, TeamError> {
        for number in 1..=TAKEN {
            let random = self.folder.random.next_u64() >> 32;
            // A number is added if the random name is taken: the host's random source may repeat values.
            let again = if number == 1 { String::new() } else { format!("-{number}") };
            let name = format!("{stem}-{random:08x}{again}.md");
            let name = Name::new(&*name).map_err(|reason| TeamError::name(name, reason))?;
            let place = place.join(&name);
            if self.publish(&place, content)? {
                return Ok(place);
            }
        }
        Err(TeamError::Contended { place: place.to_string() })
    }

    /// Removes the file at `place` if its content is still `seen`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or removed.
    pub fn remove(&self, place: &TeamPath, seen: &[u8]) -> Result<bool, TeamError> {
        if self.folder.read(place)?.as_deref() != Some(seen) {
            return Ok(false);
        }
        self.take_away(place)?;
        self.settle(place).map(|()| true)
    }

    /// Removes the file at `place`. Until the folder is synced with `settle`, it may come back after a power
    /// cut.
    pub(crate) fn take_away(&self, place: &TeamPath) -> Result<(), TeamError> {
        self.folder.disk.remove(&self.folder.path(place)).map_err(|error| io_error(place, error))
    }

    /// Creates the folder at `place` and its missing parents.
    ///
    /// # Errors
    /// Returns an error if there is another kind of entry, or the folder cannot be created.
    pub fn create_directory(&self, place: &TeamPath) -> Result<(), TeamError> {
        for place in place.above().chain([place.clone()]) {
            if !self.folder.check_one(&place, EntryKind::Directory)? {
                let path = self.folder.path(&place);
                self.folder.disk.create_directory(&path).map_err(|error| io_error(&place, error))?;
                self.settle(&place)?;
            }
        }
        Ok(())
    }

    /// Removes temporary files of killed writers from the folder at `place`. None of them can be in use: this
    /// writer holds the lock.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or a file cannot be removed.
    pub fn sweep(&self, place: &TeamPath) -> Result<usize, TeamError> {
        self.sweep_names(self.folder.list_all(place)?.iter().map(|name| (&**name, place.listed(name))))
    }

    /// Removes temporary files from the folder itself.
    pub(crate) fn sweep_root(&self) -> Result<usize, TeamError> {
        self.sweep_names(self.folder.all_names()?.iter().map(|name| (&**name, TeamPath::root(name))))
    }

    fn sweep_names<'n>(&self, names: impl Iterator<Item = (&'n str, TeamPath)>) -> Result<usize, TeamError> {
        let mut swept = 0;
        for (_, file) in names.filter(|(name, _)| is_temporary(name)) {
            match self.folder.disk.remove(&self.folder.path(&file)) {
                Ok(()) => swept += 1,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(io_error(&file, error)),
            }
        }
        Ok(swept)
    }

    /// Replaces the content `seen` with `content`. Returns false if the file has changed since.
    fn replace(&self, place: &TeamPath, content: &[u8], seen: Option<&[u8]>) -> Result<bool, TeamError> {
        if seen.is_none() {
            return self.publish(place, content);
        }
        let temporary = self.write_beside(place, content)?;
        let replaced = self.folder.read(place).and_then(|current| {
            if current.as_deref() != seen {
                return Ok(false);
            }
            let (from, to) = (self.folder.path(&temporary), self.folder.path(place));
            self.folder.disk.rename(&from, &to).map_err(|error| io_error(place, error))?;
            Ok(true)
        });
        match replaced {
            Ok(true) => self.settle(place).map(|()| true),
            other => {
                self.discard(&temporary);
                other
            }
        }
    }

    /// Writes `content` to a temporary file next to `place`, and syncs it to the device.
    fn write_beside(&self, place: &TeamPath, content: &[u8]) -> Result<TeamPath, TeamError> {
        if let Some(above) = place.above().last() {
            self.create_directory(&above)?;
        }
        self.folder.check(place, EntryKind::File)?;
        self.sweep_beside(place);
        let temporary =
            place.beside(&format!(".{}.{:016x}.tmp", place.name(), self.folder.random.next_u64()));
        let path = self.folder.path(&temporary);
        let mut written = self.folder.disk.create(&path, content);
        if written.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
            // The name was left by a killed writer: no other writer can be active while the lock is held.
            self.discard(&temporary);
            written = self.folder.disk.create(&path, content);
        }
        if let Err(error) = written {
            self.discard(&temporary);
            return Err(io_error(place, error));
        }
        Ok(temporary)
    }

    /// Removes temporary files of killed writers next to `place`. If that fails, a later write tries again.
    fn sweep_beside(&self, place: &TeamPath) {
        let swept = place.above().last().map_or_else(|| self.sweep_root(), |above| self.sweep(&above));
        swept.map(drop).unwrap_or_default();
    }

    /// Gives the file at `temporary` the name `place`, unless it is taken.
    fn take_name(&self, temporary: &TeamPath, place: &TeamPath) -> io::Result<()> {
        let (from, to) = (self.folder.path(temporary), self.folder.path(place));
        match self.folder.disk.link(&from, &to) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no hard links: an empty file reserves the name until it is replaced.
            Err(_) => {
                self.folder.disk.create(&to, b"")?;
                self.folder.disk.rename(&from, &to).inspect_err(|_| {
                    self.folder.disk.remove(&to).unwrap_or_default();
                })
            }
            linked => linked,
        }
    }

    /// Removes a temporary file. If that fails, a later sweep removes it.
    fn discard(&self, temporary: &TeamPath) {
        self.folder.disk.remove(&self.folder.path(temporary)).unwrap_or_default();
    }

    /// Syncs the folder of `place` to the device.
    pub(crate) fn settle(&self, place: &TeamPath) -> Result<(), TeamError> {
        let folder =
            place.above().last().map_or_else(|| self.folder.root.clone(), |above| self.folder.path(&above));
        self.folder.disk.sync_directory(&folder).map_err(|error| io_error(place, error))
    }
}

/// Whether `write_beside` gives such names.
fn is_temporary(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    let number = inner.and_then(|inner| inner.rsplit_once('.')).map(|(_, number)| number);
    number.is_some_and(|number| number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::testing::FakeDisk;
    use hooks_core::time::SeededRandom;

    use super::*;

    fn folder(disk: &FakeDisk) -> Folder {
        Folder::new(Arc::new(disk.clone()), Arc::new(SeededRandom::new(1)), "/t")
    }

    #[test]
    fn a_file_is_old_or_new_at_every_step() {
        let place = TeamPath::known("a/b.md");
        for at in 0.. {
            let disk = FakeDisk::default().with_directory("/t/.hooks").with_file("/t/a/b.md", "old");
            disk.kill_at(at);
            let folder = folder(&disk);
            let done = folder.writer().and_then(|writer| writer.update(&place, |_| Ok(b"new".to_vec())));
            disk.lose_power();
            let content = folder.read(&place).unwrap().unwrap();
            assert!(content == b"old" || content == b"new", "{at}: {content:?}");
            // The next write removes what a killed one left.
            folder.writer().unwrap().publish(&TeamPath::known("a/c.md"), b"").unwrap();
            assert!(folder.writer().unwrap().remove(&TeamPath::known("a/c.md"), b"").unwrap());
            assert_eq!(folder.list_all(&TeamPath::known("a")).unwrap(), ["b.md"]);
            if done.is_ok() {
                assert_eq!(content, b"new", "what was acknowledged is there");
                return;
            }
        }
    }

    #[test]
    fn a_new_file_is_whole_or_not_there_at_every_step() {
        let place = TeamPath::known("new/b.md");
        for at in 0.. {
            let disk = FakeDisk::default().with_directory("/t");
            disk.kill_at(at);
            let folder = folder(&disk);
            let done = folder.writer().and_then(|writer| writer.publish(&place, b"text"));
            disk.lose_power();
            let content = folder.read(&place).unwrap();
            assert!(content.is_none() || content.as_deref() == Some(b"text"), "{at}: {content:?}");
            if done.is_ok() {
                assert!(content.is_some(), "what was acknowledged is there");
                return;
            }
        }
    }

    #[test]
    fn a_failing_disk_changes_nothing_and_the_writer_goes_on() {
        let place = TeamPath::known("b.md");
        for at in 0..20 {
            let disk = FakeDisk::default().with_directory("/t/.hooks").with_file("/t/b.md", "old");
            let folder = folder(&disk);
            drop(folder.writer().unwrap());
            disk.fail_at(at, ErrorKind::StorageFull);
            let writer = folder.writer().unwrap();
            let failed = writer.update(&place, |_| Ok(b"new".to_vec())).is_err();
            let content = folder.read(&place).unwrap().unwrap();
            assert!(content == b"new" || failed && content == b"old");
            disk.restart();
            writer.update(&place, |_| Ok(b"newer".to_vec())).unwrap();
            assert_eq!(folder.read(&place).unwrap().unwrap(), b"newer");
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let disk = FakeDisk::default().with_file("/t/a.md", "mine");
        let folder = folder(&disk);
        let writer = folder.writer().unwrap();
        assert!(!writer.publish(&TeamPath::known("a.md"), b"other").unwrap());
        assert!(!writer.remove(&TeamPath::known("a.md"), b"other").unwrap());
        assert_eq!(disk.files()[std::path::Path::new("/t/a.md")], b"mine");
        let place = TeamPath::known("in");
        let (one, two) =
            (writer.publish_new(&place, "x", b"1").unwrap(), writer.publish_new(&place, "x", b"2").unwrap());
        assert_ne!(one, two);
    }

    #[test]
    fn somebody_elses_change_is_seen() {
        let disk = FakeDisk::default().with_file("/t/a.md", "1");
        let folder = folder(&disk);
        let mut calls = 0;
        let change = |current: Option<&[u8]>| {
            calls += 1;
            if calls == 1 {
                disk.put("/t/a.md", "12");
            }
            Ok([current.unwrap_or_default(), b"3"].concat())
        };
        folder.writer().unwrap().update(&TeamPath::known("a.md"), change).unwrap();
        assert_eq!(disk.files()[std::path::Path::new("/t/a.md")], b"123");
    }

    #[test]
    fn links_and_folders_in_the_way_are_refused() {
        let disk = FakeDisk::default()
            .with_link("/t/agents", "/elsewhere")
            .with_link("/t/decisions.md", "/etc/passwd")
            .with_directory("/t/team.md");
        let folder = folder(&disk);
        let writer = folder.writer().unwrap();
        for place in ["agents/a/history.md", "decisions.md", "team.md"] {
            let place = TeamPath::known(place);
            assert!(matches!(folder.read(&place), Err(TeamError::Refused { .. })), "{place}");
            assert!(matches!(writer.publish(&place, b""), Err(TeamError::Refused { .. })), "{place}");
        }
        assert!(folder.list(&TeamPath::known("agents")).is_err());
    }

    #[test]
    fn there_has_to_be_a_folder() {
        assert!(matches!(folder(&FakeDisk::default()).writer(), Err(TeamError::Missing { .. })));
    }
}
