//! An in-memory disk that can simulate a crash at every step of a write, and a loss of power.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::fs::{Disk, DiskLock, Entry, EntryKind, FileSystem, LogDisk, LogFile};

/// Files in memory, in two states: as processes see them, and as they would be after a loss of power. Clones
/// share the disk.
///
/// Every change is counted in steps. Creating a file has four: its name, half of its bytes, all of its bytes,
/// the flush. [`FakeDisk::kill_at`] stops the process before a step: this step and all later ones fail, until
/// [`FakeDisk::restart`].
///
/// ```
/// use std::path::Path;
/// use hooks_core::fs::Disk;
/// use hooks_core::testing::FakeDisk;
///
/// let disk = FakeDisk::default().with_directory("/log");
/// let file = Path::new("/log/a");
/// disk.kill_at(2); // after the name and half of the bytes
/// assert!(disk.create(file, b"1234").is_err());
/// disk.restart();
/// assert_eq!(disk.read(file, 100).expect("it can be read").as_deref(), Some(&b"12"[..]));
/// disk.lose_power();
/// assert_eq!(disk.read(file, 100).expect("it can be read"), None); // nothing was flushed
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeDisk(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The files as a process sees them.
    seen: BTreeMap<PathBuf, Node>,
    /// The files as they are after a loss of power.
    durable: BTreeMap<PathBuf, Node>,
    /// The content of files, by number.
    contents: Vec<Content>,
    locked: BTreeSet<PathBuf>,
    /// Number of restarts, so that dropping a lock of a killed process releases nothing.
    life: u64,
    steps: u64,
    /// Bytes that `read_part` returned.
    parts_read: u64,
    fault: Option<Fault>,
    dead: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Directory,
    File(usize),
    Link(PathBuf),
}

#[derive(Debug, Default)]
struct Content {
    seen: Vec<u8>,
    durable: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill { at: u64 },
    Fail { at: u64, kind: ErrorKind },
}

impl FakeDisk {
    /// Puts a file at `path` and creates all folders above it. All of it is flushed.
    #[must_use]
    pub fn with_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.put(path, content);
        self
    }

    /// Puts a link at `path` and creates all folders above it.
    #[must_use]
    pub fn with_link(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.state().place(path.as_ref(), &Node::Link(target.into()));
        self
    }

    /// Puts a folder at `path` and creates all folders above it.
    #[must_use]
    pub fn with_directory(self, path: impl AsRef<Path>) -> Self {
        self.state().place(path.as_ref(), &Node::Directory);
        self
    }

    /// Puts a file at `path`; an existing one is replaced.
    pub fn put(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let mut state = self.state();
        let content = content.into();
        let number = state.add(Content { seen: content.clone(), durable: content });
        state.place(path.as_ref(), &Node::File(number));
    }

    /// Returns the number of bytes that [`LogDisk::read_part`] returned.
    pub fn parts_read(&self) -> u64 {
        self.state().parts_read
    }

    /// Returns all files with their content, as a process sees them.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let files = state.seen.iter().filter_map(|(path, node)| match node {
            Node::File(number) => Some((path.clone(), state.contents.get(*number)?.seen.clone())),
            Node::Directory | Node::Link(_) => None,
        });
        files.collect()
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> u64 {
        self.state().steps
    }

    /// Kills the process before step `at`, counted from now.
    pub fn kill_at(&self, at: u64) {
        let mut state = self.state();
        state.fault = Some(Fault::Kill { at: state.steps + at });
    }

    /// Makes step `at`, counted from now, fail with `kind`; the process continues.
    pub fn fail_at(&self, at: u64, kind: ErrorKind) {
        let mut state = self.state();
        state.fault = Some(Fault::Fail { at: state.steps + at, kind });
    }

    /// Starts a new process: no operation fails any more, and no lock is held.
    pub fn restart(&self) {
        let mut state = self.state();
        (state.fault, state.dead) = (None, false);
        state.life += 1;
        state.locked.clear();
        self.0.released.notify_all();
    }

    /// Simulates a loss of power and a restart: only flushed data is left.
    pub fn lose_power(&self) {
        {
            let mut state = self.state();
            // Entries of a folder whose own name was not flushed are lost too.
            let durable = &state.durable;
            let is_folder =
                |path: &Path| path.as_os_str().is_empty() || durable.get(path) == Some(&Node::Directory);
            let reached = durable.iter().filter(|(path, _)| path.ancestors().skip(1).all(is_folder));
            state.seen = reached.map(|(path, node)| (path.clone(), node.clone())).collect();
            state.durable = state.seen.clone();
            for content in &mut state.contents {
                content.seen = content.durable.clone();
            }
        }
        self.restart();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, content: Content) -> usize {
        self.contents.push(content);
        self.contents.len() - 1
    }

    /// Puts `node` at `path` in both states, and creates all folders above it.
    fn place(&mut self, path: &Path, node: &Node) {
        for world in [&mut self.seen, &mut self.durable] {
            for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
                world.entry(above.to_owned()).or_insert(Node::Directory);
            }
            world.insert(path.to_owned(), node.clone());
        }
    }

    /// Counts a step. Returns an error if the process is dead or is killed at this step.
    fn step(&mut self) -> io::Result<()> {
        if self.dead {
            return Err(killed());
        }
        match self.fault {
            Some(Fault::Kill { at }) if at == self.steps => {
                self.dead = true;
                return Err(killed());
            }
            Some(Fault::Fail { at, kind }) if at == self.steps => {
                self.fault = None;
                self.steps += 1;
                return Err(kind.into());
            }
            _ => {}
        }
        self.steps += 1;
        Ok(())
    }

    /// Returns the number of the file at `path`.
    fn file(&self, path: &Path) -> io::Result<Option<usize>> {
        match self.seen.get(path) {
            None => Ok(None),
            Some(Node::File(number)) => Ok(Some(*number)),
            Some(_) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    /// Returns an error unless the parent of `path` is a folder.
    fn has_folder_for(&self, path: &Path) -> io::Result<()> {
        match path.parent().map(|parent| self.seen.get(parent)) {
            Some(Some(Node::Directory)) | None => Ok(()),
            Some(None) => Err(ErrorKind::NotFound.into()),
            Some(Some(_)) => Err(ErrorKind::NotADirectory.into()),
        }
    }

    /// Appends `added` to file `number` in three steps: half of the bytes, all of them, the flush.
    fn write(&mut self, number: usize, added: &[u8]) -> io::Result<()> {
        let (half, rest) = added.split_at(added.len() / 2);
        for part in [half, rest] {
            self.step()?;
            if let Some(content) = self.contents.get_mut(number) {
                content.seen.extend_from_slice(part);
            }
        }
        self.step()?;
        if let Some(content) = self.contents.get_mut(number) {
            content.durable = content.seen.clone();
        }
        Ok(())
    }
}

impl FileSystem for FakeDisk {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        let state = self.state();
        let kind = match state.seen.get(path) {
            None => return Ok(None),
            Some(Node::Directory) => EntryKind::Directory,
            Some(Node::File(_)) => EntryKind::File,
            Some(Node::Link(_)) => EntryKind::Symlink,
        };
        let node = state.seen.get(path);
        let names =
            state.seen.values().filter(|other| Some(*other) == node && kind == EntryKind::File).count();
        Ok(Some(Entry { kind, names: names.max(1) as u64 }))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        match self.state().seen.get(path) {
            Some(Node::Link(target)) => Ok(target.clone()),
            _ => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn text_of(&self, path: &Path, most: u64) -> io::Result<String> {
        let content = self.read(path, most)?.ok_or(ErrorKind::NotFound)?;
        String::from_utf8(content).map_err(|_| ErrorKind::Unsupported.into())
    }
}

impl Disk for FakeDisk {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let state = self.state();
        if state.dead {
            return Err(killed());
        }
        let Some(number) = state.file(path)? else { return Ok(None) };
        let content = state.contents.get(number).map(|content| content.seen.clone()).unwrap_or_default();
        if content.len() as u64 > limit {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(Some(content))
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>> {
        let state = self.state();
        match state.seen.get(path) {
            None => return Ok(None),
            Some(Node::Directory) => {}
            Some(_) => return Err(ErrorKind::NotADirectory.into()),
        }
        let below = state.seen.keys().filter(|name| name.parent() == Some(path));
        Ok(Some(below.filter_map(|name| name.file_name().map(OsString::from)).collect()))
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        match state.seen.get(path) {
            Some(Node::Directory) => return Ok(()),
            Some(_) => return Err(ErrorKind::AlreadyExists.into()),
            None => state.has_folder_for(path)?,
        }
        state.seen.insert(path.to_owned(), Node::Directory);
        Ok(())
    }

    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.has_folder_for(path)?;
        if state.seen.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let number = state.add(Content::default());
        state.seen.insert(path.to_owned(), Node::File(number));
        state.write(number, content)
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let number = match state.file(path)? {
            Some(number) => number,
            None => {
                state.step()?;
                state.has_folder_for(path)?;
                let number = state.add(Content::default());
                state.seen.insert(path.to_owned(), Node::File(number));
                number
            }
        };
        state.write(number, content)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.has_folder_for(to)?;
        let node = state.seen.remove(from).ok_or(ErrorKind::NotFound)?;
        state.seen.insert(to.to_owned(), node);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.has_folder_for(to)?;
        let number = state.file(from)?.ok_or(ErrorKind::NotFound)?;
        if state.seen.contains_key(to) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        state.seen.insert(to.to_owned(), Node::File(number));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        if matches!(state.seen.get(path), Some(Node::Directory)) {
            return Err(ErrorKind::IsADirectory.into());
        }
        state.seen.remove(path).map(drop).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let State { seen, durable, .. } = &mut *state;
        durable.retain(|name, _| name.parent() != Some(path));
        let below = seen.iter().filter(|(name, _)| name.parent() == Some(path));
        durable.extend(below.map(|(name, node)| (name.clone(), node.clone())));
        Ok(())
    }

    fn lock(&self, path: &Path, wait: Duration) -> io::Result<DiskLock> {
        let mut state = self.state();
        if state.dead {
            return Err(killed());
        }
        if state.file(path)?.is_none() {
            state.step()?;
            state.has_folder_for(path)?;
            let number = state.add(Content::default());
            state.seen.insert(path.to_owned(), Node::File(number));
        }
        let free = |state: &mut State| state.locked.contains(path);
        let (mut state, timeout) =
            self.0.released.wait_timeout_while(state, wait, free).unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            return Err(ErrorKind::TimedOut.into());
        }
        state.locked.insert(path.to_owned());
        Ok(DiskLock::new(Held { disk: self.clone(), path: path.to_owned(), life: state.life }))
    }
}

impl LogDisk for FakeDisk {
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let mut state = self.state();
        let number = match state.file(path)? {
            Some(number) => number,
            None => {
                state.step()?;
                state.has_folder_for(path)?;
                let number = state.add(Content::default());
                state.seen.insert(path.to_owned(), Node::File(number));
                number
            }
        };
        Ok(Box::new(Growing { disk: self.clone(), number }))
    }

    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let content = self.read(path, u64::MAX)?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let part = content.map(|content| content.into_iter().skip(offset).take(limit).collect::<Vec<_>>());
        self.state().parts_read += part.as_ref().map_or(0, Vec::len) as u64;
        Ok(part)
    }
}

/// An open log file of this disk.
#[derive(Debug)]
struct Growing {
    disk: FakeDisk,
    number: usize,
}

impl LogFile for Growing {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.disk.state().contents.get(self.number).map_or(0, |content| content.seen.len() as u64))
    }

    fn append(&mut self, added: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let (half, rest) = added.split_at(added.len() / 2);
        for part in [half, rest] {
            state.step()?;
            if let Some(content) = state.contents.get_mut(self.number) {
                content.seen.extend_from_slice(part);
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.step()?;
        if let Some(content) = state.contents.get_mut(self.number) {
            content.durable = content.seen.clone();
        }
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.step()?;
        if let Some(content) = state.contents.get_mut(self.number) {
            content.seen.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        }
        Ok(())
    }
}

/// The holder of a lock on this disk.
#[derive(Debug)]
struct Held {
    disk: FakeDisk,
    path: PathBuf,
    life: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.life == self.life {
            state.locked.remove(&self.path);
            self.disk.0.released.notify_all();
        }
    }
}

fn killed() -> io::Error {
    io::Error::other("the process was killed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk() -> FakeDisk {
        FakeDisk::default().with_directory("/d")
    }

    #[test]
    fn a_killed_process_leaves_a_part_and_does_nothing_more() {
        let disk = disk();
        disk.kill_at(2);
        assert!(disk.create(Path::new("/d/a"), b"abcd").is_err());
        assert!(disk.create(Path::new("/d/b"), b"").is_err());
        disk.restart();
        assert_eq!(disk.read(Path::new("/d/a"), 9).unwrap().unwrap(), b"ab");
        assert_eq!(disk.list(Path::new("/d")).unwrap().unwrap(), ["a"]);
    }

    #[test]
    fn without_power_only_what_was_written_through_stays() {
        let disk = disk().with_file("/d/a", "old");
        disk.create(Path::new("/d/tmp"), b"new").unwrap();
        disk.rename(Path::new("/d/tmp"), Path::new("/d/a")).unwrap();
        disk.lose_power();
        assert_eq!(disk.read(Path::new("/d/a"), 9).unwrap().unwrap(), b"old");
        disk.create(Path::new("/d/tmp"), b"new").unwrap();
        disk.rename(Path::new("/d/tmp"), Path::new("/d/a")).unwrap();
        disk.sync_directory(Path::new("/d")).unwrap();
        disk.lose_power();
        assert_eq!(disk.files(), BTreeMap::from([(PathBuf::from("/d/a"), b"new".to_vec())]));
    }

    #[test]
    fn a_lock_is_for_one_and_ends_with_its_holder() {
        let (disk, path) = (disk(), Path::new("/d/lock"));
        let held = disk.lock(path, Duration::ZERO).unwrap();
        assert_eq!(disk.lock(path, Duration::ZERO).unwrap_err().kind(), ErrorKind::TimedOut);
        drop(held);
        let held = disk.lock(path, Duration::ZERO).unwrap();
        disk.restart();
        let next = disk.lock(path, Duration::ZERO).unwrap();
        drop(held);
        assert!(disk.lock(path, Duration::ZERO).is_err(), "the lock of a dead process releases nothing");
        drop(next);
    }

    #[test]
    fn a_name_is_taken_once() {
        let disk = disk();
        let (a, b) = (Path::new("/d/a"), Path::new("/d/b"));
        disk.create(a, b"a").unwrap();
        disk.create(b, b"b").unwrap();
        assert_eq!(disk.create(a, b"c").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(disk.link(a, b).unwrap_err().kind(), ErrorKind::AlreadyExists);
        disk.append(a, b"c").unwrap();
        assert_eq!(disk.read(a, 9).unwrap().unwrap(), b"ac");
        assert_eq!(disk.read(a, 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
