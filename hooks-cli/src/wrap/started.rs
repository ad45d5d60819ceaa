//! Whether a running Claude Code has a shell of ours.
//!
//! It chooses its shell once, when it starts: if the file is missing then, it has the usual shell until it ends, also if the file
//! is written later. When it starts, it runs its shell for itself. The shell then leaves a file with the name of that process.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::shell_file;

/// Variable with the process of Claude Code, which it sets for its hooks.
pub(crate) const PROCESS: &str = "CLAUDE_PID";

/// Most files of processes that are looked at to find those that have ended.
#[cfg(unix)]
const MOST_LOOKED_AT: usize = 256;

fn folder() -> Option<PathBuf> {
    Some(shell_file::folder()?.join("started"))
}

/// Name of a running process, which no later process has.
#[cfg(target_os = "linux")]
fn name(process: u32) -> Option<String> {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in brackets may contain spaces and brackets. The state follows it, and the time of the start as the twentieth.
    let behind = state.rsplit_once(')')?.1;
    Some(format!("{process}-{}", behind.split_whitespace().nth(19)?))
}

/// There is no sandbox here, and so no shell of ours.
#[cfg(not(target_os = "linux"))]
fn name(_process: u32) -> Option<String> {
    None
}

/// Remembers that the process which started this one has a shell of ours.
#[cfg(unix)]
pub(super) fn remember() -> io::Result<()> {
    let Some((folder, name)) = folder().zip(name(std::os::unix::process::parent_id())) else { return Ok(()) };
    crate::private::folder(&folder)?;
    forget_ended(&folder);
    fs::write(folder.join(name), "")
}

/// There is no sandbox here, and so no shell of ours.
#[cfg(not(unix))]
pub(super) fn remember() -> io::Result<()> {
    Ok(())
}

/// Whether the process that a variable of the client names has a shell of ours.
pub(super) fn has_our_shell() -> bool {
    let process = std::env::var(PROCESS).ok().and_then(|process| process.parse().ok());
    let place = folder().zip(process.and_then(name)).map(|(folder, name)| folder.join(name));
    place.is_some_and(|place| place.is_file())
}

#[cfg(unix)]
fn forget_ended(folder: &std::path::Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let file = entry.file_name();
        let process = file.to_str().and_then(|file| file.split_once('-')?.0.parse().ok());
        if process.and_then(name).as_deref() != file.to_str() {
            // Another process may have removed it.
            drop(fs::remove_file(entry.path()));
        }
    }
}
