//! File system with the files that a session wrote.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hooks_core::HookContext;
use hooks_core::fs::{Entry, FileSystem, SessionFile};

use super::set::Files;

/// Time in milliseconds for which a missing file may still be written by an earlier call.
const SOON: u64 = 60_000;

/// File system that knows the files of a session.
pub(super) struct SessionView {
    inner: Arc<dyn FileSystem>,
    files: Known,
}

/// Files that count as those of the session.
enum Known {
    Some(Files),
    All,
    /// None; notes whether a file was asked for.
    None(Arc<AtomicBool>),
}

impl SessionView {
    pub(super) fn new(inner: Arc<dyn FileSystem>, files: Files) -> Self {
        Self { inner, files: if files.is_full { Known::All } else { Known::Some(files) } }
    }

    pub(super) fn of_every_file(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, files: Known::All }
    }

    /// A view without files. The flag becomes true if a command asks for one, so that the store need not be asked about
    /// commands that run no file.
    pub(super) fn probing(inner: Arc<dyn FileSystem>) -> (Self, Arc<AtomicBool>) {
        let asked = Arc::new(AtomicBool::new(false));
        (Self { inner, files: Known::None(Arc::clone(&asked)) }, asked)
    }

    /// Returns a context whose file system this is.
    pub(super) fn into_context(self, context: &HookContext) -> HookContext {
        let mut context = context.clone();
        context.environment.files = Arc::new(self);
        context
    }
}

impl FileSystem for SessionView {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        self.inner.entry(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.read_link(path)
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> io::Result<bool> {
        self.inner.is_same_file(one, other)
    }

    fn names_in(&self, path: &Path, most: usize) -> io::Result<Vec<OsString>> {
        self.inner.names_in(path, most)
    }

    fn archive_names(&self, path: &Path, most: usize) -> io::Result<Vec<String>> {
        self.inner.archive_names(path, most)
    }

    fn text_of(&self, path: &Path, most: u64) -> io::Result<String> {
        self.inner.text_of(path, most)
    }

    fn has_session_files(&self) -> bool {
        true
    }

    fn of_session(&self, path: &Path, most: u64) -> io::Result<Option<SessionFile>> {
        let known = match &self.files {
            Known::Some(files) => match files.get(path) {
                Some(known) => Some((known, files.now)),
                None => return Ok(None),
            },
            Known::All => None,
            Known::None(asked) => {
                asked.store(true, Ordering::Relaxed);
                return Ok(None);
            }
        };
        let program = known.and_then(|(known, _)| known.program.clone());
        match self.inner.text_of(path, most) {
            Ok(text) => Ok(Some(SessionFile::Text(text))),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Ok(Some(program.map_or(SessionFile::Other, SessionFile::Program)))
            }
            // A folder is not run.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => match known {
                // The call that writes it may be running.
                Some((known, now)) if now.0.saturating_sub(known.since.0) < SOON => Err(error),
                _ => Ok(None),
            },
            Err(error) => Err(error),
        }
    }
}
