//! The control: a loop of write and fdatasync, which shows what a disk does to who writes to it.
//!
//! Done right, it leaves a file at its first failed sync, as the log does. What it acknowledges then has to be there: a
//! disk on which it is not loses what it took, and shows nothing about the log. Done wrong, it goes on in the file, and
//! takes a sync that succeeds later for an answer about all that was written before. Of what that acknowledges, something
//! has to be missing: a disk on which all is there shows no fault.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hooks_core::time::{Random as _, SeededRandom};

use super::device::Device;
use super::process::{Call, until_told};
use super::writer::WRITES;
use crate::error::{Error, Result};

/// The size of what is written at a time: not that of a page, so that pages are written again, as those of a log are.
const RECORD: usize = 700;

/// What it does when a sync fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    /// Goes on in another file.
    LeavesTheFile,
    /// Asks again with the next record, and acknowledges the ones before with that one.
    AsksAgain,
}

/// A file that is written to.
struct Open {
    file: File,
    path: PathBuf,
    records: u64,
}

impl Loop {
    /// The one that `word` is for.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn named(word: &str) -> Result<Self> {
        let all = [Self::LeavesTheFile, Self::AsksAgain];
        all.into_iter()
            .find(|one| one.word() == word)
            .ok_or_else(|| Error::new(format!("`{word}` is no loop")))
    }

    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::LeavesTheFile => "leaves-the-file",
            Self::AsksAgain => "asks-again",
        }
    }

    /// Writes records below `folder` until its standard input is closed, and says of each whether it was acknowledged.
    ///
    /// # Errors
    /// The folder cannot be made, or nobody listens.
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

    /// Writes record `number`, and says where it stands.
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

/// Holds what is on the device against what the loop acknowledged: how many of those records are lost, and a line.
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

/// Makes a file that has its name on the device.
fn begin(folder: &Path, number: u64) -> io::Result<Open> {
    // Another process may have been here.
    let path = folder.join(format!("{}-{number}", std::process::id()));
    let made = File::create_new(&path).and_then(|file| file.sync_all().map(|()| file));
    match made.and_then(|file| File::open(folder)?.sync_all().map(|()| file)) {
        Ok(file) => Ok(Open { file, path, records: 0 }),
        Err(error) => {
            // Nothing is in it.
            fs::remove_file(&path)?;
            Err(error)
        }
    }
}

/// Bytes that no disk compresses.
fn record(number: u64) -> Vec<u8> {
    let random = SeededRandom::new(number);
    std::iter::repeat_with(|| random.next_u64().to_le_bytes()).flatten().take(RECORD).collect()
}
