//! Files that rules were read from, and whether they changed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_cache::{Look, Stamps};
use hooks_core::time::Timestamp;

use crate::{further, source};

/// Time after which two contents of a file have different metadata on every file system: some count in steps of two
/// seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// A file or folder that decided about a configuration, as it was read.
#[derive(Clone, Debug)]
pub(crate) struct ReadFile {
    pub(super) path: PathBuf,
    /// Text of a file, or names in a folder; `None` if it did not exist.
    pub(super) content: Option<Arc<str>>,
}

impl ReadFile {
    pub(crate) fn new(path: &Path, content: Option<Arc<str>>) -> Self {
        Self { path: path.to_owned(), content }
    }

    /// Whether the content is as it was read.
    fn is_as_read(&self) -> bool {
        match (&self.content, current(&self.path)) {
            (Some(read), Ok(Some(now))) => **read == *now,
            (None, Ok(None)) => true,
            _ => false,
        }
    }
}

/// Metadata of a file, or the kind of error in place of it.
pub(super) type Seen = Result<Option<Look>, io::ErrorKind>;

/// Metadata of the files at `paths`.
pub(super) fn look<'a>(stamps: &dyn Stamps, paths: impl Iterator<Item = &'a Path>) -> Vec<(PathBuf, Seen)> {
    let seen = |path: &Path| stamps.look(path).map_err(|error| error.kind());
    paths.map(|path| (path.to_owned(), seen(path))).collect()
}

/// The files of a configuration, each with the metadata that it had no later than it was read.
#[derive(Debug, Default)]
pub(super) struct Watched(Vec<One>);

#[derive(Debug)]
struct One {
    file: ReadFile,
    seen: Seen,
    /// When the metadata was seen first.
    since: Timestamp,
}

impl Watched {
    /// Watches `files`, which were read after `before` was seen and before `now`. A file that is not in `before` may have
    /// changed since it was read: its content is compared again while its metadata is new. Pipes are not watched.
    pub(super) fn new(
        files: &[ReadFile],
        before: &[(PathBuf, Seen)],
        stamps: &dyn Stamps,
        now: Timestamp,
    ) -> Self {
        let is_pipe = |file: &ReadFile| {
            std::fs::metadata(&file.path).is_ok_and(|about| !about.is_file() && !about.is_dir())
        };
        let watched = files.iter().filter(|file| !is_pipe(file)).map(|file| {
            let known = before.iter().find(|(path, _)| *path == file.path).map(|(_, seen)| *seen);
            let seen = known.unwrap_or_else(|| stamps.look(&file.path).map_err(|error| error.kind()));
            One { file: file.clone(), seen, since: now }
        });
        Self(watched.collect())
    }

    /// Paths of the files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|one| &*one.file.path)
    }

    /// Returns whether a file is not as it was read. Reads only files whose metadata changed, or changed so recently that
    /// another change may not show.
    pub(super) fn have_changed(&mut self, now: &[(PathBuf, Seen)], at: Timestamp) -> bool {
        let mut changed = false;
        for (one, (_, seen)) in self.0.iter_mut().zip(now) {
            let is_same = one.seen == *seen;
            if is_same && at.since(one.since) > SETTLED {
                continue;
            }
            if !one.file.is_as_read() {
                changed = true;
            } else if !is_same {
                (one.seen, one.since) = (*seen, at);
            }
        }
        changed
    }
}

/// Content of a file or folder now, as a [`ReadFile`] has it.
fn current(path: &Path) -> Result<Option<String>, ()> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => further::names_in(path).map(Some).map_err(drop),
        // A pipe may block, and gives its content once.
        Ok(about) if !about.is_file() => Err(()),
        Ok(_) => {
            let bytes = source::read(path).map_err(drop)?;
            let bytes = bytes.strip_prefix(source::MARK).unwrap_or(&bytes);
            str::from_utf8(bytes).map(|text| Some(text.to_owned())).map_err(drop)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(_) => Err(()),
    }
}
