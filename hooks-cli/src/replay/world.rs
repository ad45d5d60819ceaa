//! The world in which a record is judged again: its own time, and no files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hooks::fs::{Entry, EntryKind, FileSystem};
use hooks::time::{Clock, SeededRandom, StoppedClock, Timestamp};
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

/// The files of one event: there are no links, and files cannot be read, so paths mean what they spell. Only the working folder
/// is known to exist. It notes whether the decision asked for more.
#[derive(Debug, Default)]
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
    /// The questions that the decision asked.
    pub(super) fn asked(&self) -> Asked {
        let was = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        Asked { content: was(&self.were_needed), links: was(&self.were_looked_at) }
    }

    fn unknown<T>(&self) -> io::Result<T> {
        self.were_needed.store(true, Ordering::Relaxed);
        Err(io::Error::other("the record does not have the files of then"))
    }
}

/// Whether `folder` is `cwd` or a folder above it. Both are spelled in their shortest form, so their bytes are compared: a
/// decision asks for every folder on the way to each path.
fn is_above(folder: &Path, cwd: &Path) -> bool {
    let (folder, cwd) = (folder.as_os_str().as_encoded_bytes(), cwd.as_os_str().as_encoded_bytes());
    let Some(rest) = cwd.strip_prefix(folder) else { return false };
    !cwd.is_empty() && (rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
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
    /// The time of the state that rules count on.
    pub(super) clock: Arc<RecordClock>,
    pub(super) unfinished: Unfinished,
    files_now: bool,
    environment: Environment,
}

impl World {
    /// Creates the world. Links and files are those of this machine if `files_now`.
    pub(super) fn new(files_now: bool) -> Self {
        let unfinished = Unfinished::default();
        let mut environment = hooks::system();
        environment.random = Arc::new(SeededRandom::new(1));
        environment.background = Some(Arc::new(unfinished.clone()));
        environment.files = Arc::new(StdFileSystem);
        Self { clock: Arc::default(), unfinished, files_now, environment }
    }

    /// The environment of an event at the time `at` in the folder `cwd`, of a client that `keeps_input_open`. It has a time and
    /// files of its own, so that other events may be prepared meanwhile.
    pub(super) fn environment(
        &self,
        at: Timestamp,
        cwd: &Path,
        keeps_input_open: bool,
    ) -> (Environment, Arc<FilesThen>) {
        let files = Arc::new(FilesThen { cwd: cwd.to_path_buf(), ..FilesThen::default() });
        let mut environment = self.environment.clone();
        environment.clock = Arc::new(StoppedClock(at));
        environment.has_open_input = keeps_input_open;
        if !self.files_now {
            environment.files = Arc::clone(&files) as Arc<dyn FileSystem>;
        }
        (environment, files)
    }
}
