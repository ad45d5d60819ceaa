//! A disk in memory that can lose its power: unsynced data survives or not, sector by sector.
//!
//! After a power loss, any subset of the sectors written since the last sync of a file may be there. The
//! length of the file may be any between the old and the new one, and holes are zeros or stale content.
//! Changes of names since the last sync of a folder survive up to some point in their order. If a sync fails,
//! its data is never written, although the system considers it written.

mod image;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::fs::{Disk, DiskLock, Entry, EntryKind, FileSystem, LogDisk, LogFile};
use hooks_core::time::{Random, SeededRandom};

const SECTOR: usize = 512;

/// The disk; clones share it.
#[derive(Clone)]
pub(crate) struct SimDisk(Arc<Mutex<World>>);

#[derive(Clone, Default)]
struct World {
    files: Vec<File>,
    /// Names as a process sees them.
    names: BTreeMap<PathBuf, Node>,
    /// Names at the last sync of their folder, and the changes since then, in order.
    durable_names: BTreeMap<PathBuf, Node>,
    renamed: Vec<Name>,
    locked: BTreeSet<PathBuf>,
    faults: Faults,
    dice: u64,
    /// Folder in which creating files fails.
    broken: Option<PathBuf>,
    /// Bytes left on the disk.
    room: Option<usize>,
    dead: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Folder,
    File(usize),
}

/// An unsynced change of a name.
#[derive(Clone)]
struct Name {
    path: PathBuf,
    now: Option<Node>,
}

#[derive(Clone, Default)]
struct File {
    seen: Vec<u8>,
    durable: Vec<u8>,
    /// Sectors that may differ, because they were written since the last sync.
    dirty: BTreeSet<usize>,
    is_broken: bool,
}

/// Probabilities of failures, in thousandths.
#[derive(Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) sync: u64,
    pub(crate) append: u64,
    pub(crate) kill: u64,
    /// Whether a sync reports success without writing.
    pub(crate) lies: bool,
}

impl SimDisk {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(World { dice: seed, ..World::default() })))
    }

    pub(crate) fn with_faults(&self, faults: Faults) {
        self.world().faults = faults;
    }

    /// Changes the seed of the random numbers.
    pub(crate) fn reseed(&self, seed: u64) {
        self.world().dice = seed.wrapping_mul(0x5851_F42D_4C95_7F2D);
    }

    /// Limits the free space to this many bytes.
    pub(crate) fn leave_room(&self, bytes: Option<usize>) {
        self.world().room = bytes;
    }

    /// Returns a copy of the disk as a killed process leaves it.
    pub(crate) fn after_kill(&self) -> Self {
        let mut world = self.world().clone();
        world.restart();
        Self(Arc::new(Mutex::new(world)))
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.world().dead
    }

    /// Makes every later change of a file fail, and every creation of a file in its folder.
    pub(crate) fn break_file(&self, path: &Path) {
        self.world().broken = path.parent().map(Path::to_path_buf);
        let mut world = self.world();
        if let Some(Node::File(number)) = world.names.get(path).copied() {
            world.files[number].is_broken = true;
        }
    }

    /// Content of a file.
    pub(crate) fn content(&self, path: &Path) -> Option<Vec<u8>> {
        let world = self.world();
        match world.names.get(path)? {
            Node::File(number) => Some(world.files[*number].seen.clone()),
            Node::Folder => None,
        }
    }

    /// Replaces the content of a file, as an attacker with access to the machine could.
    pub(crate) fn tamper(&self, path: &Path, content: Vec<u8>) {
        let mut world = self.world();
        let Some(Node::File(number)) = world.names.get(path).copied() else { panic!("no file at {path:?}") };
        world.files[number] = File { seen: content.clone(), durable: content, ..File::default() };
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World {
    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_add(1);
        SeededRandom::new(self.dice.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next_u64() % sides.max(1)
    }

    fn restart(&mut self) {
        self.locked.clear();
        self.faults = Faults::default();
        self.room = None;
        self.dead = false;
    }

    /// Runs one step of the process; it fails if the process is killed here.
    fn step(&mut self) -> io::Result<()> {
        if self.dead || self.faults.kill > 0 && self.roll(1_000) < self.faults.kill {
            self.dead = true;
            return Err(io::Error::other("the process was killed"));
        }
        Ok(())
    }

    fn name(&mut self, path: &Path, now: Option<Node>) {
        match now {
            Some(node) => self.names.insert(path.to_owned(), node),
            None => self.names.remove(path),
        };
        self.renamed.push(Name { path: path.to_owned(), now });
    }

    fn file(&self, path: &Path) -> io::Result<Option<usize>> {
        match self.names.get(path) {
            None => Ok(None),
            Some(Node::File(number)) => Ok(Some(*number)),
            Some(Node::Folder) => Err(ErrorKind::InvalidInput.into()),
        }
    }

    fn make(&mut self, path: &Path) -> io::Result<usize> {
        self.step()?;
        if self.broken.as_deref() == path.parent() && self.broken.is_some() {
            return Err(io::Error::other("the device failed"));
        }
        self.files.push(File::default());
        let number = self.files.len() - 1;
        self.name(path, Some(Node::File(number)));
        Ok(number)
    }

    fn add(&mut self, number: usize, content: &[u8]) -> io::Result<()> {
        self.step()?;
        if self.files[number].is_broken {
            return Err(io::Error::other("the device failed"));
        }
        let mut part = content.len();
        let mut failure = None;
        if let Some(room) = self.room.filter(|room| *room < part) {
            (part, failure) = (room, Some(ErrorKind::StorageFull));
        } else if self.faults.append > 0 && self.roll(1_000) < self.faults.append {
            (part, failure) = (self.roll(content.len() as u64 + 1) as usize, Some(ErrorKind::StorageFull));
        }
        if self.faults.kill > 0 && self.roll(1_000) < self.faults.kill {
            part = self.roll(part as u64 + 1) as usize;
            self.dead = true;
            failure = Some(ErrorKind::Interrupted);
        }
        self.room = self.room.map(|room| room - part);
        let file = &mut self.files[number];
        let start = file.seen.len();
        file.seen.extend_from_slice(&content[..part]);
        file.dirty.extend(start / SECTOR..file.seen.len().div_ceil(SECTOR));
        failure.map_or(Ok(()), |kind| Err(kind.into()))
    }

    fn write_through(&mut self, number: usize) -> io::Result<()> {
        self.step()?;
        let fails = self.faults.sync > 0 && self.roll(1_000) < self.faults.sync;
        let lies = self.faults.lies;
        let file = &mut self.files[number];
        if !fails && !lies {
            file.write_through();
        }
        if !lies {
            // Considered written, even if it was not.
            file.dirty.clear();
        }
        if fails { Err(io::Error::other("the device failed")) } else { Ok(()) }
    }
}

impl File {
    fn write_through(&mut self) {
        let Self { seen, durable, dirty, .. } = self;
        // Sectors that an earlier sync failed to write keep their old content.
        durable.resize(seen.len(), 0);
        for sector in dirty.iter() {
            let range = sector * SECTOR..((sector + 1) * SECTOR).min(seen.len());
            durable[range.clone()].copy_from_slice(&seen[range]);
        }
    }
}

impl FileSystem for SimDisk {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        let kind = match self.world().names.get(path) {
            None => return Ok(None),
            Some(Node::Folder) => EntryKind::Directory,
            Some(Node::File(_)) => EntryKind::File,
        };
        Ok(Some(Entry { kind, names: 1 }))
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        Err(ErrorKind::InvalidInput.into())
    }
}

impl Disk for SimDisk {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let content = self.read_part(path, 0, usize::MAX)?;
        match content {
            Some(content) if content.len() as u64 > limit => Err(ErrorKind::FileTooLarge.into()),
            content => Ok(content),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>> {
        let world = self.world();
        if !world.names.contains_key(path) {
            return Ok(None);
        }
        let below = world.names.keys().filter(|name| name.parent() == Some(path));
        Ok(Some(below.filter_map(|name| name.file_name().map(OsString::from)).collect()))
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.step()?;
        world.name(path, Some(Node::Folder));
        Ok(())
    }

    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut world = self.world();
        if world.names.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let number = world.make(path)?;
        world.add(number, content)?;
        world.write_through(number)
    }

    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = self.open_log(path)?;
        file.append(content)?;
        file.sync()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.step()?;
        let node = *world.names.get(from).ok_or(ErrorKind::NotFound)?;
        world.name(to, Some(node));
        world.name(from, None);
        Ok(())
    }

    fn link(&self, _from: &Path, _to: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.step()?;
        if !world.names.contains_key(path) {
            return Err(ErrorKind::NotFound.into());
        }
        world.name(path, None);
        Ok(())
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.step()?;
        if !world.faults.lies {
            world.durable_names = world.names.clone();
            world.renamed.clear();
        }
        Ok(())
    }

    fn lock(&self, path: &Path, _wait: Duration) -> io::Result<DiskLock> {
        let mut world = self.world();
        if world.dead {
            return Err(ErrorKind::Interrupted.into());
        }
        if !world.locked.insert(path.to_owned()) {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(DiskLock::new(Held { disk: self.clone(), path: path.to_owned() }))
    }
}

impl LogDisk for SimDisk {
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let mut world = self.world();
        let number = match world.file(path)? {
            Some(number) => number,
            None => world.make(path)?,
        };
        Ok(Box::new(Handle { disk: self.clone(), number }))
    }

    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let world = self.world();
        if world.dead {
            return Err(ErrorKind::Interrupted.into());
        }
        let Some(number) = world.file(path)? else { return Ok(None) };
        let content = &world.files[number].seen;
        let start = (offset as usize).min(content.len());
        Ok(Some(content[start..content.len().min(start.saturating_add(limit))].to_vec()))
    }
}

struct Handle {
    disk: SimDisk,
    number: usize,
}

impl LogFile for Handle {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.disk.world().files[self.number].seen.len() as u64)
    }

    fn append(&mut self, content: &[u8]) -> io::Result<()> {
        self.disk.world().add(self.number, content)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.world().write_through(self.number)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut world = self.disk.world();
        world.step()?;
        let file = &mut world.files[self.number];
        file.seen.truncate(length as usize);
        file.dirty.insert(length as usize / SECTOR);
        Ok(())
    }
}

struct Held {
    disk: SimDisk,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.disk.world().locked.remove(&self.path);
    }
}
