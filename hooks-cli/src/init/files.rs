//! Reads and writes settings files: atomically, through symbolic links, with their mode; and stores their
//! original content.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::place;
use crate::failure::Failure;
use crate::private::digest;

/// Maximum length in bytes of settings.
const LONGEST: u64 = 4 << 20;

/// Maximum number of links to follow; operating systems follow 40.
const MOST_LINKS: usize = 40;

/// The text of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let wrong = |what: String| Failure::message(format!("`{}` {what}; nothing was changed", path.display()));
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
        Ok(about) if !about.is_file() => return Err(wrong("is not a file".to_owned())),
        Ok(about) if about.len() > LONGEST => {
            return Err(wrong(format!("is longer than {} MiB", LONGEST >> 20)));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if is_utf_16(&bytes) {
        return Err(wrong("is in UTF-16; save it as UTF-8".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|b| **b == b'\n');
        wrong(format!("is not valid UTF-8 (line {})", line.count().saturating_add(1)))
    })?;
    Ok(Some(text))
}

/// Whether a text is in UTF-16: by its mark, or because every other byte of its beginning is zero.
fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, ..] | [1..=255, 0, ..])
}

/// A planned change of a file.
#[derive(Debug)]
pub(super) struct Change {
    /// The file.
    pub(super) path: PathBuf,
    /// Current content; `None` if the file does not exist.
    pub(super) was: Option<String>,
    /// New content; `None` if the file is to be removed.
    pub(super) will: Option<String>,
    /// Whether a new file is readable by its owner only.
    pub(super) is_private: bool,
}

impl Change {
    /// Whether the content changes.
    pub(super) fn is_one(&self) -> bool {
        self.was != self.will
    }

    /// Writes or removes the file. Fails if its content has changed since it was read.
    pub(super) fn make(&self) -> Result<(), Failure> {
        let failed = |error: io::Error| {
            Failure::message(format!("`{}` cannot be written: {error}", self.path.display()))
        };
        if read(&self.path)? != self.was {
            return Err(Failure::message(format!(
                "`{}` was changed by another process meanwhile; run this again",
                self.path.display()
            )));
        }
        let path = behind_links(&self.path).map_err(failed)?;
        match &self.will {
            Some(text) => replace(&path, text, self.is_private),
            None => fs::remove_file(&path),
        }
        .map_err(failed)
    }
}

/// The target of a path, which does not have to exist; symbolic links are kept.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many links lead to it"))
}

/// Replaces a file atomically: after a crash it has the old content or the new.
fn replace(path: &Path, text: &str, is_private: bool) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(path).map(|about| about.permissions()).ok().or_else(|| new_mode(is_private));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        fs::set_permissions(file.path(), mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no modes")]
fn new_mode(is_private: bool) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(if is_private { 0o600 } else { 0o644 }))
}

#[cfg(not(unix))]
fn new_mode(_is_private: bool) -> Option<Permissions> {
    None
}

/// The content of a file before our first change, so that `--remove` restores every byte.
#[derive(Debug, Serialize, Deserialize)]
struct Memory {
    path: PathBuf,
    was: Option<String>,
    is: String,
    /// Folders that were created for the file, the innermost first.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

/// Stores a change. If an earlier change is stored, its original content is kept.
pub(super) fn remember(change: &Change) -> Result<(), Failure> {
    let (Some(place), Some(will)) = (place_of(&change.path), &change.will) else { return Ok(()) };
    let earlier = recall(&change.path, change.was.as_deref());
    let was = earlier.unwrap_or_else(|| change.was.clone());
    let missing = || {
        let folders = change.path.ancestors().skip(1);
        folders.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect()
    };
    let folders = memory(&change.path).map_or_else(missing, |memory| memory.folders);
    let memory = Memory { path: change.path.clone(), was, is: digest(will), folders };
    let text = serde_json::to_string(&memory)?;
    replace(&place, &text, true).map_err(|error| {
        Failure::message(format!(
            "`{}` cannot be written, so this could not be undone: {error}",
            place.display()
        ))
    })
}

/// The content before our first change, if the file is unchanged since our last; `None` if that is unknown.
#[expect(
    clippy::option_option,
    reason = "a file that was not there is something else than one not remembered"
)]
pub(super) fn recall(path: &Path, is: Option<&str>) -> Option<Option<String>> {
    memory(path).filter(|memory| is.is_some_and(|is| memory.is == digest(is))).map(|memory| memory.was)
}

/// The content before our first change, also if the file was changed since our last; `None` if it had none or that is unknown.
pub(super) fn before(path: &Path) -> Option<String> {
    memory(path)?.was
}

fn memory(path: &Path) -> Option<Memory> {
    let text = fs::read_to_string(place_of(path)?).ok()?;
    serde_json::from_str(&text).ok().filter(|memory: &Memory| memory.path == path)
}

/// Removes the stored content after the file was restored, and the folders that were created for it, if they are empty.
pub(super) fn forget(path: &Path) {
    for folder in memory(path).map(|memory| memory.folders).unwrap_or_default() {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    if let Some(place) = place_of(path) {
        // A file that remains is useless, but harmless.
        drop(fs::remove_file(place));
    }
}

fn place_of(path: &Path) -> Option<PathBuf> {
    Some(place::memory()?.join(format!("{}.json", digest(&path.to_string_lossy()))))
}
