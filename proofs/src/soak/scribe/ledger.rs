//! What tools really did, in the words of the tools themselves: a line before each step, on a file of each agent's own.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

/// An agent's ledger. A line is one write to a file that is appended to, which a kill does not tear.
#[derive(Debug)]
pub(super) struct Ledger(Mutex<File>);

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) token: String,
    /// The file below the team's folder that it wrote; `-` where it wrote elsewhere, `child` where it started one.
    pub(super) what: String,
    /// Whether the tool came to its end.
    pub(super) is_done: bool,
}

impl Ledger {
    /// The ledger of `agent`.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(folder: &Path, agent: u64) -> Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(place(folder, agent))?;
        Ok(Self(Mutex::new(file)))
    }

    /// The tool of the call `token` begins.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn begin(&self, token: &str, what: &str) -> std::io::Result<()> {
        self.line(&format!("begin {token} {what}\n"))
    }

    /// The tool of the call `token` came to its end.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn end(&self, token: &str) -> std::io::Result<()> {
        self.line(&format!("end {token}\n"))
    }

    fn line(&self, line: &str) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

/// What `agent` did, in all its lives.
///
/// # Errors
/// The ledger cannot be read.
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
            // An agent does one thing at a time.
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
