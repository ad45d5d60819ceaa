//! The stored position of a feed in the log.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{Disk, DiskLock};
use serde::{Deserialize, Serialize};

use crate::chain::Digest;
use crate::read::{Committed, Positions};
use crate::record::Record;

/// Limit on the length of a position file in bytes; a chain takes about a hundred.
const LONGEST: u64 = 16 << 20;
/// Length of a fingerprint in hexadecimal digits: 128 bits.
const FINGERPRINT: usize = 32;

/// Length in bytes above which the file of refused records is moved aside, in place of the previous one.
const LONGEST_REFUSALS: u64 = 256 << 10;

/// Files of one feed: its position, its lock, and the refused records.
pub(super) struct Bookmark {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    name: String,
}

/// Position of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FeedPosition {
    /// Position behind the records that the sink has.
    pub(super) positions: Positions,
    /// Fingerprints of the last of these records, as far as known. In a log that was rolled back and has
    /// grown since, a record may have the same number and another fingerprint.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) last: BTreeMap<String, Arc<str>>,
    /// Ids of these chains, as far as known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) logs: BTreeMap<String, Arc<str>>,
}

impl FeedPosition {
    /// Moves the position behind `record`.
    pub(super) fn pass(&mut self, record: &Committed) {
        self.positions.advance(&record.chain, record.record.seq);
        self.last.insert(record.chain.to_string(), fingerprint(&record.record));
    }

    /// Moves the position to `end`, in the same chains.
    pub(super) fn go_to(&mut self, end: &Self) {
        self.positions.clone_from(&end.positions);
        self.last.clone_from(&end.last);
    }
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    #[serde(flatten)]
    place: &'a FeedPosition,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Version of the files of a feed; there is only one.
const VERSION: u32 = 1;

/// A line about a refused record, or about a batch with refused records.
#[derive(Serialize)]
struct Refused<'a> {
    /// Key of the record, as sent to the sink; or the first and last key of a batch.
    key: String,
    reason: &'a str,
}

/// First line of a later file of refused records.
#[derive(Serialize, Deserialize)]
struct Before {
    /// Number of lines in the earlier files; `None` if unknown.
    before: Option<u64>,
}

impl Bookmark {
    pub(super) fn new(disk: Arc<dyn Disk>, folder: PathBuf, name: String) -> Self {
        Self { disk, folder, name }
    }

    /// Locks the feed for this process; `None` if another process has it.
    pub(super) fn lock(&self) -> io::Result<Option<DiskLock>> {
        let mut missing = Vec::new();
        for folder in self.folder.ancestors() {
            if folder.as_os_str().is_empty() || self.disk.entry(folder)?.is_some() {
                break;
            }
            missing.push(folder);
        }
        missing.iter().rev().try_for_each(|folder| self.disk.create_directory(folder))?;
        match self.disk.lock(&self.file("lock"), Duration::ZERO) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the position; the beginning if none was written. An unreadable position is an error, so that an
    /// operator can decide whether to send everything again.
    pub(super) fn read(&self) -> io::Result<FeedPosition> {
        let Some(bytes) = self.disk.read(&self.file("position"), LONGEST)? else {
            return Ok(FeedPosition::default());
        };
        let place =
            version_of(&bytes).and_then(|()| serde_json::from_slice(&bytes).map_err(io::Error::other));
        place.map_err(|error| {
            let way_out = "remove it to send everything again";
            io::Error::other(format!("`{}` is not a place in a log: {error}; {way_out}", self.name()))
        })
    }

    /// Path of the position file, for messages.
    pub(super) fn name(&self) -> String {
        self.file("position").display().to_string()
    }

    /// Path of the file of refused records.
    pub(super) fn refusals(&self) -> PathBuf {
        self.file("refused")
    }

    /// Replaces the stored position, atomically.
    pub(super) fn write(&self, place: &FeedPosition) -> io::Result<()> {
        let bytes = serde_json::to_vec(&Written { version: VERSION, place })?;
        replace(&*self.disk, &self.folder, &format!("{}.position", self.name), &bytes)
    }

    /// Adds a line about a refused record, or about a batch of which some records were refused, with the
    /// reason. The records themselves are in the log. If a sink refuses records for ever, the last lines and
    /// the number of earlier ones are kept.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub(super) fn refuse(&self, records: &[Committed], reason: &str) -> io::Result<()> {
        let key = match records {
            [] => return Ok(()),
            [only] => only.key(),
            [first, .., last] => format!("{} to {}", first.key(), last.key()),
        };
        let mut lines = Vec::new();
        match self.disk.read(&self.refusals(), LONGEST_REFUSALS) {
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                let before = self.lines()?;
                self.disk.rename(&self.refusals(), &self.file("refused.old"))?;
                self.disk.sync_directory(&self.folder)?;
                lines = serde_json::to_vec(&Before { before })?;
                lines.push(b'\n');
            }
            read => drop(read?),
        }
        serde_json::to_writer(&mut lines, &Refused { key, reason })?;
        lines.push(b'\n');
        self.disk.append(&self.refusals(), &lines)
    }

    /// Number of lines about refused records, including earlier files; `None` if unknown.
    fn lines(&self) -> io::Result<Option<u64>> {
        let bytes = match self.disk.read(&self.refusals(), LONGEST) {
            Err(error) if error.kind() == ErrorKind::FileTooLarge => return Ok(None),
            read => read?.unwrap_or_default(),
        };
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
        let first = lines.next_if(|line| line.starts_with(b"{\"before\""));
        let before = first.map_or(Ok(Before { before: Some(0) }), serde_json::from_slice);
        let here = u64::try_from(lines.count()).ok();
        let before = before.ok().and_then(|Before { before }| before);
        Ok(before.zip(here).map(|(before, here)| before.saturating_add(here)))
    }

    fn file(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.name))
    }
}

/// Fingerprint that distinguishes `record` from another record with its number. It covers only fields that
/// every version has and that never change, so that new fields of records change no fingerprint.
pub(super) fn fingerprint(record: &Record) -> Arc<str> {
    let Record { at, event, session, agent, call, tool, note, .. } = record;
    let texts = [Some(event), Some(session), Some(agent), call.as_ref(), tool.as_ref(), note.as_ref()];
    let mut parts = vec![at.0.to_be_bytes().to_vec()];
    for text in texts {
        let text = text.map_or("", String::as_str);
        // The length comes first, so that different lists of texts never give the same bytes.
        parts.push((text.len() as u64).to_be_bytes().to_vec());
        parts.push(text.into());
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Digest::hash(&parts).to_string().chars().take(FINGERPRINT).collect::<String>().into()
}

/// Checks that `bytes` have the known version, whatever else they contain.
pub(super) fn version_of(bytes: &[u8]) -> io::Result<()> {
    match serde_json::from_slice(bytes)? {
        Version { version: VERSION } => Ok(()),
        Version { version } => Err(io::Error::other(format!(
            "it is of version {version}, and this program knows version {VERSION} only"
        ))),
    }
}

/// Replaces the file `name` in `folder` with `bytes`, atomically.
pub(super) fn replace(disk: &dyn Disk, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = folder.join(format!("{name}.new"));
    match disk.remove(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    disk.create(&new, bytes)?;
    disk.rename(&new, &folder.join(name))?;
    disk.sync_directory(folder)
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::FakeDisk;

    use super::*;
    use crate::sink::tests::records;

    #[test]
    fn what_is_refused_for_ever_is_bounded_and_counted() {
        let disk = FakeDisk::default().with_directory("/").with_directory("/f");
        let bookmark = Bookmark::new(Arc::new(disk.clone()), "/f".into(), "s".to_owned());
        let (records, reason) = (records(&["a"]), "x".repeat(60 << 10));
        let refuse = || bookmark.refuse(&records, &reason).unwrap();
        let first_line = || {
            let text = disk.read(&bookmark.refusals(), LONGEST).unwrap().unwrap();
            String::from_utf8(text).unwrap().lines().next().unwrap().to_owned()
        };
        (0..5).for_each(|_| refuse());
        assert!(first_line().starts_with("{\"key\""));
        (0..6).for_each(|_| refuse());
        assert_eq!(first_line(), "{\"before\":10}");
        let sizes: Vec<_> =
            disk.files().into_iter().map(|(path, bytes)| (path, bytes.len() as u64)).collect();
        assert!(sizes.len() == 2 && sizes.iter().all(|(_, size)| *size < 2 * LONGEST_REFUSALS), "{sizes:?}");
        // If the first line is damaged, the number of earlier lines is unknown.
        disk.create(Path::new("/f/s.new"), &[b"{\"before\":x}\n".as_slice(), &[b'y'; 300 << 10]].concat())
            .unwrap();
        disk.rename(Path::new("/f/s.new"), &bookmark.refusals()).unwrap();
        refuse();
        assert_eq!(first_line(), "{\"before\":null}");
    }
}
