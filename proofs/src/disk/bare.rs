//! The control: a loop of write and fdatasync, which shows the effect of a disk on a program that writes to
//! it.
//!
//! The correct loop leaves a file at its first failed sync, as the log does. All records that it acknowledges
//! must be on the disk; otherwise the disk loses acknowledged data, and shows nothing about the log. The
//! wrong loop continues in the file, and takes a later successful sync as an acknowledgement of all earlier
//! writes. Some of the records that it acknowledges must be missing; if all are on the disk, the disk shows
//! no fault.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hooks_core::time::{Random as _, SeededRandom};

use super::device::Device;
use super::process::{Call, until_told};
use super::writer::WRITES;
use crate::error::{Error, Result};

/// Size of a record in bytes: not that of a page, so that pages are written again, as with a log.
const RECORD: usize = 700;

/// Reaction of the loop to a failed sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    /// Continues in another file.
    LeavesTheFile,
    /// Repeats the sync with the next record, which then acknowledges the earlier ones too.
    AsksAgain,
}

/// An open file.
struct Open {
    file: File,
    path: PathBuf,
    records: u64,
}

impl Loop {
    /// The loop with the name `word`.
    ///
    /// # Errors
    /// Returns an error if the name is unknown.
    pub(super) fn named(word: &str) -> Result<Self> {
        let all = [Self::LeavesTheFile, Self::AsksAgain];
        all.into_iter()
            .find(|one| one.word() == word)
            .ok_or_else(|| Error::new(format!("`{word}` is not a loop")))
    }

    /// The name of the loop.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::LeavesTheFile => "leaves-the-file",
            Self::AsksAgain => "asks-again",
        }
    }

    /// Writes records below `folder` until standard input is closed, and prints whether each was
    /// acknowledged.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created, or standard output is closed.
    pub(super) fn run(self, folder: &Path) -> Result {
        fs::create_dir_all(folder)?;
        let mut open = None;
        let mut number = 0;
        let mut unanswered: Vec<String> = Vec::new();
        until_told(|| {
            let mut at = format!("nowhere:0:{number}");
            let is_acknowledged = self.write(folder, number, &mut open, &mut at).is_ok();
            number += 1;
            if is_acknowledged {
                for before in unanswered.drain(..) {
                    say(&before, true)?;
                }
            } else if self == Self::AsksAgain {
                unanswered.push(at.clone());
            }
            say(&at, is_acknowledged)
        })
    }

    /// Writes record `number`, and sets `at` to its place.
    fn write(self, folder: &Path, number: u64, open: &mut Option<Open>, at: &mut String) -> io::Result<()> {
        let mut to = match open.take() {
            Some(open) => open,
            None => begin(folder, number)?,
        };
        *at = format!("{}:{}:{number}", to.path.display(), to.records);
        let done = to.file.write_all(&record(number)).and_then(|()| to.file.sync_data());
        to.records += 1;
        if done.is_ok() || self == Self::AsksAgain {
            *open = Some(to);
        }
        done
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LeavesTheFile => "leaves the file",
            Self::AsksAgain => "asks again",
        })
    }
}

/// Compares the device with the acknowledged records. Returns the number of lost records, and a line of
/// output.
pub(super) fn check(device: &Device, calls: &[Call]) -> (usize, String) {
    let acknowledged: Vec<_> = calls.iter().filter(|call| call.ran).collect();
    let lost = acknowledged.iter().filter(|call| !is_there(&call.token).unwrap_or_default()).count();
    let files = fs::read_dir(device.log()).map(Iterator::count).unwrap_or_default();
    let line = format!("{} acknowledged, {lost} lost; {files} files", acknowledged.len());
    (lost, line)
}

fn is_there(token: &str) -> Option<bool> {
    let (rest, number) = token.rsplit_once(':')?;
    let (path, index) = rest.rsplit_once(':')?;
    let begin = index.parse::<usize>().ok()? * RECORD;
    let content = fs::read(path).ok()?;
    Some(content.get(begin..begin + RECORD)? == record(number.parse().ok()?))
}

fn say(at: &str, is_acknowledged: bool) -> Result {
    Ok(writeln!(io::stdout(), "{at} {WRITES} {}", if is_acknowledged { "ran" } else { "refused" })?)
}

/// Creates a file whose directory entry is on the device.
fn begin(folder: &Path, number: u64) -> io::Result<Open> {
    // Unique, because another process may have written here before.
    let path = folder.join(format!("{}-{number}", std::process::id()));
    let made = File::create_new(&path).and_then(|file| file.sync_all().map(|()| file));
    match made.and_then(|file| File::open(folder)?.sync_all().map(|()| file)) {
        Ok(file) => Ok(Open { file, path, records: 0 }),
        Err(error) => {
            // The file is empty.
            fs::remove_file(&path)?;
            Err(error)
        }
    }
}

/// A record of random bytes, which no disk can compress.
fn record(number: u64) -> Vec<u8> {
    let random = SeededRandom::new(number);
    std::iter::repeat_with(|| random.next_u64().to_le_bytes()).flatten().take(RECORD).collect()
}
