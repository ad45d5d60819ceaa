//! What happens to a damaged file: it is moved aside, and the store stays closed until a person says so.
//!
//! Going on with an empty one would forget what was spent and who is locked out: open, without anybody knowing.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::lock::{Held, Mark, no_file};

/// Moves the database at `path` aside and closes the store; what is told from now on.
///
/// The note goes first: from then on no process opens a new file in place of the damaged one.
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

/// Why the store at `path` is closed; `None` where it is not.
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

/// Opens the store at `path` again, with nothing in it. What the note said; `None` where it was not closed.
pub(super) fn accept(path: &Path, turn: &Held) -> io::Result<Option<String>> {
    let Some(note) = note(path)? else { return Ok(None) };
    // A process may have ended between the note and the move: then the damaged file is still there.
    if path.exists() {
        move_aside(path, "found beside the note")?;
    }
    // Before the note goes: a store that is gone and was not given up closes again.
    let losses = turn.mark()?.losses.saturating_add(1);
    turn.set_mark(Mark { is_kept: false, losses })?;
    fs::remove_file(beside(path, NOTE))?;
    Ok(Some(note))
}

/// What a closed store is told by.
const NOTE: &str = ".closed";

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// The first name that nothing has yet.
fn free_name(path: &Path) -> PathBuf {
    let names = (1_u32..).map(|number| beside(path, &format!(".damaged-{number}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| beside(path, ".damaged"))
}
