//! Where a feed is in the log, written down.

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

/// More bytes than any place takes: about a hundred for each chain.
const LONGEST: u64 = 16 << 20;
/// The characters of a digest that a fingerprint has: 128 bits.
const FINGERPRINT: usize = 32;

/// A file of what was refused that is longer than this is put aside, in place of the one put aside before.
const LONGEST_REFUSALS: u64 = 256 << 10;

/// The files of one feed: its place, its lock, and what was refused.
pub(super) struct Bookmark {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    name: String,
}

/// Where a feed is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Behind what the sink has.
    pub(super) positions: Positions,
    /// The fingerprints of the records that these are behind, as far as they are known: in a log that was put back and
    /// grew since, the numbers are there, and the records are others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) last: BTreeMap<String, Arc<str>>,
    /// The ids of these chains, as far as they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) logs: BTreeMap<String, Arc<str>>,
}

impl Place {
    /// Goes on behind `record`.
    pub(super) fn pass(&mut self, record: &Committed) {
        self.positions.advance(&record.chain, record.record.seq);
        self.last.insert(record.chain.to_string(), fingerprint(&record.record));
    }

    /// Goes on to `end`, of the same chains.
    pub(super) fn go_to(&mut self, end: &Self) {
        self.positions.clone_from(&end.positions);
        self.last.clone_from(&end.last);
    }
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    #[serde(flatten)]
    place: &'a Place,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The only version of the files of a feed that there is.
const VERSION: u32 = 1;

/// A record that was refused, or records of which some were, on a line of its own.
#[derive(Serialize)]
struct Refused<'a> {
    /// The one that the sink got.
    key: String,
    reason: &'a str,
}

/// The first line of such a file, if it is not the first one.
#[derive(Serialize, Deserialize)]
struct Before {
    /// How many lines the files before it had; nothing where nobody could count them.
    before: Option<u64>,
}

impl Bookmark {
    pub(super) fn new(disk: Arc<dyn Disk>, folder: PathBuf, name: String) -> Self {
        Self { disk, folder, name }
    }

    /// Takes the feed for this process; `None` where another one has it.
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

    /// The place; the beginning where none was written. One that cannot be read is an error, and not the beginning:
    /// a person may know better than to send everything again.
    pub(super) fn read(&self) -> io::Result<Place> {
        let Some(bytes) = self.disk.read(&self.file("position"), LONGEST)? else {
            return Ok(Place::default());
        };
        let place =
            version_of(&bytes).and_then(|()| serde_json::from_slice(&bytes).map_err(io::Error::other));
        place.map_err(|error| {
            let way_out = "remove it to send everything again";
            io::Error::other(format!("`{}` is no place in a log: {error}; {way_out}", self.name()))
        })
    }

    /// The file that the place stands in, for people.
    pub(super) fn name(&self) -> String {
        self.file("position").display().to_string()
    }

    /// The file that what was refused is written to.
    pub(super) fn refusals(&self) -> PathBuf {
        self.file("refused")
    }

    /// Writes the place down, in place of the one before, at one moment.
    pub(super) fn write(&self, place: &Place) -> io::Result<()> {
        let bytes = serde_json::to_vec(&Written { version: VERSION, place })?;
        replace(&*self.disk, &self.folder, &format!("{}.position", self.name), &bytes)
    }

    /// Writes down what was refused, and why: some of `records`, where there are several. They are in the log themselves.
    /// Of a sink that refuses for ever the last lines are kept, and how many there were before.
    ///
    /// # Errors
    /// Whatever the disk answers.
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

    /// How many lines about records there are, with those of the files before; `None` where that is not known.
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

/// What tells `record` from another one of its number. It is of fields that every version knows, and that nobody changes
/// later: fields that are added to records change no fingerprint.
pub(super) fn fingerprint(record: &Record) -> Arc<str> {
    let Record { at, event, session, agent, call, tool, note, .. } = record;
    let texts = [Some(event), Some(session), Some(agent), call.as_ref(), tool.as_ref(), note.as_ref()];
    let mut parts = vec![at.0.to_be_bytes().to_vec()];
    for text in texts {
        let text = text.map_or("", String::as_str);
        // Its length first, so that no two lists of texts are the same bytes.
        parts.push((text.len() as u64).to_be_bytes().to_vec());
        parts.push(text.into());
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Digest::of(&parts).to_string().chars().take(FINGERPRINT).collect::<String>().into()
}

/// Whether `bytes` are of the version that is known here, whatever else they say.
pub(super) fn version_of(bytes: &[u8]) -> io::Result<()> {
    match serde_json::from_slice(bytes)? {
        Version { version: VERSION } => Ok(()),
        Version { version } => Err(io::Error::other(format!(
            "it is of version {version}, and this program knows version {VERSION} only"
        ))),
    }
}

/// Writes `bytes` to the file `name` in `folder`, in place of the one before, at one moment.
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
        // One whose first line was spoilt has a number that nobody knows.
        disk.create(Path::new("/f/s.new"), &[b"{\"before\":x}\n".as_slice(), &[b'y'; 300 << 10]].concat())
            .unwrap();
        disk.rename(Path::new("/f/s.new"), &bookmark.refusals()).unwrap();
        refuse();
        assert_eq!(first_line(), "{\"before\":null}");
    }
}
