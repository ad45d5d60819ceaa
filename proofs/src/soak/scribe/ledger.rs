//! The real actions of tools, recorded by the tools: a line before and after each call, in a separate file
//! for each agent.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

/// The ledger of an agent. A line is one append to the file, which a kill does not tear.
#[derive(Debug)]
pub(super) struct Ledger(Mutex<File>);

/// A call in a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) token: String,
    /// Path of the written file in the team folder; `-` for other files, `child` for a started child.
    pub(super) what: String,
    /// Whether the tool completed.
    pub(super) is_done: bool,
}

impl Ledger {
    /// Opens the ledger of `agent`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    pub(super) fn open(folder: &Path, agent: u64) -> Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(place(folder, agent))?;
        Ok(Self(Mutex::new(file)))
    }

    /// Records that the tool of the call `token` begins.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn begin(&self, token: &str, what: &str) -> std::io::Result<()> {
        self.line(&format!("begin {token} {what}\n"))
    }

    /// Records that the tool of the call `token` completed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn end(&self, token: &str) -> std::io::Result<()> {
        self.line(&format!("end {token}\n"))
    }

    fn line(&self, line: &str) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

/// The calls of `agent`, over all of its processes.
///
/// # Errors
/// Returns an error if the ledger cannot be read.
pub(super) fn read(folder: &Path, agent: u64) -> Result<Vec<Entry>> {
    let place = place(folder, agent);
    if !place.exists() {
        return Ok(Vec::new());
    }
    let mut entries: Vec<Entry> = Vec::new();
    for line in std::fs::read_to_string(place)?.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some("begin"), Some(token), Some(what)) => {
                entries.push(Entry { token: token.to_owned(), what: what.to_owned(), is_done: false });
            }
            // An agent makes one call at a time.
            (Some("end"), Some(token), None) => {
                if let Some(entry) = entries.last_mut().filter(|entry| entry.token == token) {
                    entry.is_done = true;
                }
            }
            _ => {}
        }
    }
    Ok(entries)
}

fn place(folder: &Path, agent: u64) -> PathBuf {
    folder.join(format!("ledger-{agent}"))
}
