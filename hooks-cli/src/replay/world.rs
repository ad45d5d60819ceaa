//! The world in which a record is judged again: its own time, and no files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hooks::fs::{Entry, EntryKind, FileSystem};
use hooks::time::{Clock, SeededRandom, Timestamp};
use hooks::{Environment, StdFileSystem};

use crate::unfinished::Unfinished;

/// The time of the event that is judged.
#[derive(Debug, Default)]
pub(super) struct RecordClock(AtomicU64);

impl RecordClock {
    pub(super) fn set(&self, at: Timestamp) {
        self.0.store(at.0, Ordering::Relaxed);
    }
}

impl Clock for RecordClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}

/// A file system without links, whose files cannot be read: paths mean what they spell. Only the working folder of the event is
/// known to exist. It notes whether a decision asked for more.
#[derive(Debug)]
pub(super) struct FilesThen {
    cwd: PathBuf,
    were_needed: AtomicBool,
    were_looked_at: AtomicBool,
}

/// Questions that a decision asked about files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// For the content of a file, or the names in a folder.
    pub(crate) content: bool,
    /// Whether a path is a link.
    pub(crate) links: bool,
}

impl FilesThen {
    fn new(cwd: PathBuf) -> Self {
        Self { cwd, were_needed: AtomicBool::default(), were_looked_at: AtomicBool::default() }
    }

    /// The questions until now.
    pub(super) fn asked(&self) -> Asked {
        let was = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        Asked { content: was(&self.were_needed), links: was(&self.were_looked_at) }
    }

    fn unknown<T>(&self) -> io::Result<T> {
        self.were_needed.store(true, Ordering::Relaxed);
        Err(io::Error::other("the record does not have the files of then"))
    }
}

/// Whether `folder` is `cwd` or a folder above it. Both are spelled in their shortest form, and most paths are longer.
fn is_above(folder: &Path, cwd: &Path) -> bool {
    let length = cwd.as_os_str().len();
    length > 0 && folder.as_os_str().len() <= length && cwd.starts_with(folder)
}

impl FileSystem for FilesThen {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        if is_above(path, &self.cwd) {
            return Ok(Some(Entry { kind: EntryKind::Directory, names: 1 }));
        }
        self.were_looked_at.store(true, Ordering::Relaxed);
        Ok(None)
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        self.unknown()
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> io::Result<bool> {
        Ok(one == other)
    }

    fn names_in(&self, _path: &Path, _most: usize) -> io::Result<Vec<OsString>> {
        self.unknown()
    }

    fn archive_names(&self, _path: &Path, _most: usize) -> io::Result<Vec<String>> {
        self.unknown()
    }

    fn text_of(&self, _path: &Path, _most: u64) -> io::Result<String> {
        self.unknown()
    }
}

/// Everything outside of the hooks, for one side of the comparison.
pub(super) struct World {
    pub(super) clock: Arc<RecordClock>,
    pub(super) unfinished: Unfinished,
    environment: Environment,
    has_files_now: bool,
}

impl World {
    /// Creates the world. Links and files are those of this machine if `files_now`.
    pub(super) fn new(files_now: bool) -> Self {
        let (clock, unfinished) = (Arc::<RecordClock>::default(), Unfinished::default());
        let mut environment = hooks::system();
        environment.clock = Arc::clone(&clock) as Arc<dyn Clock>;
        environment.random = Arc::new(SeededRandom::new(1));
        environment.background = Some(Arc::new(unfinished.clone()));
        // Each event has its own, unless it has those of this machine.
        environment.files = Arc::new(StdFileSystem);
        Self { clock, unfinished, environment, has_files_now: files_now }
    }

    /// The environment of an event in the folder `cwd`, of a client that `keeps_input_open`; and its files, unless they are those
    /// of this machine.
    pub(super) fn environment(
        &self,
        cwd: &Path,
        keeps_input_open: bool,
    ) -> (Environment, Option<Arc<FilesThen>>) {
        let mut environment = Environment { has_open_input: keeps_input_open, ..self.environment.clone() };
        if self.has_files_now {
            return (environment, None);
        }
        let files = Arc::new(FilesThen::new(cwd.to_path_buf()));
        environment.files = Arc::clone(&files) as Arc<dyn FileSystem>;
        (environment, Some(files))
    }
}
