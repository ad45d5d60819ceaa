//! Handling of a damaged file: it is moved aside, and the store stays closed until an operator accepts the
//! loss.
//!
//! With an empty store in its place, all spent amounts and lockouts would be lost, and no operator would
//! know.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::lock::{Held, Mark, no_file};

/// Moves the database at `path` aside and closes the store. Returns the message for all later operations.
///
/// The note is written first: from then on, no process creates a new file in place of the damaged one.
pub(super) fn move_aside(path: &Path, why: &str) -> io::Result<String> {
    let aside = free_name(path);
    let (name, is_there) = (path.display(), path.exists());
    let what =
        if is_there { format!("and is now `{}`", aside.display()) } else { "and is not there".to_owned() };
    let note = format!(
        "`{name}` was damaged ({why}) {what}; what it knew of budgets and lockouts is lost. \
         Look at what was spent, then accept the loss with `hooks state accept-loss`",
    );
    let mut file = fs::File::create(beside(path, NOTE))?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    for kind in ["", "-wal", "-shm"] {
        match fs::rename(beside(path, kind), beside(&aside, kind)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(note)
}

/// Whether a rollback journal is beside the file. A store keeps its changes in a log (WAL), so none of its processes leaves one, but SQLite
/// would carry it out: a file beside the store could set back what was spent.
pub(super) fn has_journal(path: &Path) -> io::Result<bool> {
    match beside(path, JOURNAL).symlink_metadata() {
        // An empty one changes nothing.
        Ok(of) => Ok(!of.is_file() || of.len() > 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the reason why the store at `path` is closed; `None` if it is open.
pub(super) fn note(path: &Path) -> io::Result<Option<String>> {
    let name = beside(path, NOTE);
    match fs::metadata(&name)
        .and_then(|file| if file.is_file() { fs::read(&name) } else { Err(no_file(&name)) })
    {
        Ok(note) => Ok(Some(String::from_utf8_lossy(&note).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens the store at `path` again, empty. Returns the reason why it was closed; `None` if it was open.
pub(super) fn accept(path: &Path, turn: &Held) -> io::Result<Option<String>> {
    let Some(note) = note(path)? else { return Ok(None) };
    // If a process ended between the note and the move, the damaged file is still there.
    if path.exists() {
        move_aside(path, "found beside the note")?;
    }
    // Before the note is removed: if the file is missing although no loss was accepted, the store closes
    // again.
    let losses = turn.mark()?.losses.saturating_add(1);
    turn.set_mark(Mark { is_kept: false, losses })?;
    fs::remove_file(beside(path, NOTE))?;
    Ok(Some(note))
}

/// Ending of the file by which SQLite takes a transaction back.
const JOURNAL: &str = "-journal";

/// Ending of the file whose presence means that the store is closed.
const NOTE: &str = ".closed";

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// Returns the first unused name.
fn free_name(path: &Path) -> PathBuf {
    let names = (1_u32..).map(|number| beside(path, &format!(".damaged-{number}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| beside(path, ".damaged"))
}
