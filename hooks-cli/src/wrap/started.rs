//! Whether a running Claude Code has a shell of ours.
//!
//! It chooses its shell once, before its first command: if the file is missing then, it has the usual shell until it ends, also if
//! the file is written later. Our shell leaves a file with the name of the process that started it. If a command has ended and
//! that file is missing, the process has another shell.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::shell_file;

/// Variable with the process of Claude Code, which it sets for its hooks.
const PROCESS: &str = "CLAUDE_PID";

/// Most files of processes that are looked at to find those that have ended.
const MOST_LOOKED_AT: usize = 256;

/// End of the name of a file about a client with another shell.
const OTHER: &str = ".other";

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

/// The process that a variable of the client names.
fn of_client() -> Option<u32> {
    std::env::var(PROCESS).ok()?.parse().ok()
}

#[cfg(unix)]
fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent() -> Option<u32> {
    None
}

/// Remembers that the client which started this process has a shell of ours.
pub(super) fn remember() -> io::Result<()> {
    remember_as(of_client().or_else(parent), "")
}

/// Remembers that the client which started this process has another shell.
pub(super) fn remember_other() -> io::Result<()> {
    remember_as(of_client(), OTHER)
}

fn remember_as(process: Option<u32>, ending: &str) -> io::Result<()> {
    let Some((folder, name)) = folder().zip(process.and_then(name)) else { return Ok(()) };
    let file = folder.join(format!("{name}{ending}"));
    if file.exists() {
        return Ok(());
    }
    crate::private::folder(&folder)?;
    forget_ended(&folder);
    fs::write(file, "")
}

/// The shell of a client, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shell {
    /// The file that `hooks init` wrote.
    Ours,
    /// Another shell.
    Other,
    /// No command has ended.
    NotChosen,
    /// The client does not name its process.
    Unknown,
}

/// The shell of the client that started this process.
pub(super) fn shell() -> Shell {
    let Some((folder, name)) = folder().zip(of_client().and_then(name)) else { return Shell::Unknown };
    match () {
        () if folder.join(&name).is_file() => Shell::Ours,
        () if folder.join(format!("{name}{OTHER}")).is_file() => Shell::Other,
        () => Shell::NotChosen,
    }
}

/// Removes the files of processes that have ended.
fn forget_ended(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let file = entry.file_name();
        let stem = file.to_str().map(|file| file.strip_suffix(OTHER).unwrap_or(file));
        let process = stem.and_then(|stem| stem.split_once('-')?.0.parse().ok());
        if process.and_then(name).as_deref() != stem {
            // Another process may have removed it.
            drop(fs::remove_file(entry.path()));
        }
    }
}
