//! Opens a chain: takes its lock, looks at what the writer before left, and begins files.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use hooks_core::time::{Clock, Tick, Timestamp};

use super::end::{self, End};
use super::{Appender, Open, Recovered, Settings, State};
use crate::chain::{After, Chain, Digest, Flaw, LEAST_LINE, Lines, SALT};
use crate::join;
use crate::record::{Record, notes};
use crate::recover::{self, Found, Rest};
use crate::segment::{self, MOST_BYTES, Segment};

/// How many records a file may have beyond its length: those of the group that ends it.
const MOST_OF_A_GROUP: u64 = 1_024;

/// Why a log cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The name of the chains cannot be one.
    #[error("`{0}` cannot begin the name of a chain: lower-case letters, digits and `-`, 32 at most")]
    Prefix(String),
    /// Too many others write.
    #[error("`{folder}` has {most} writers already, which is what `most_chains` allows")]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// How many.
        most: u32,
    },
    /// The key of its checkpoints cannot be used.
    #[error("no checkpoint of the log can be signed: {0}")]
    Key(#[source] io::Error),
    /// The folder or a file in it cannot be read or written.
    #[error("the log in `{folder}` cannot be opened: {source}")]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Appender {
    /// Opens the first chain in `folder` that nobody else writes; the folder is made where there is none. What a former
    /// writer of the chain left unfinished is finished first.
    ///
    /// Constant where that one closed the chain; otherwise its last file is read, which is linear, and another one begun.
    ///
    /// # Errors
    /// Where all chains are taken, or the disk does not do what is needed.
    pub fn open(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, Recovered), OpenError> {
        let folder = folder.into();
        if settings.prefix.len() > 32 || !segment::is_chain(&settings.prefix) {
            return Err(OpenError::Prefix(settings.prefix));
        }
        let error = |source| OpenError::Disk { folder: folder.clone(), source };
        make_folder(&*disk, &folder).map_err(error)?;
        let free = (0..settings.most_chains).find_map(|number| {
            let name = format!("{}{number}", settings.prefix);
            lock(&*disk, &folder, &name).transpose().map(|lock| lock.map(|lock| (name, lock)))
        });
        let Some(taken) = free else {
            return Err(OpenError::Busy { folder, most: settings.most_chains });
        };
        let (name, lock) = taken.map_err(error)?;
        Self::locked(disk, &folder, settings, clock, (name, lock))
    }

    /// Opens the chain `name` in `folder`; `None` where somebody else writes it. Otherwise as [`Appender::open`], whatever
    /// the prefix of the settings.
    ///
    /// # Errors
    /// Where it cannot be the name of a chain, or the disk does not do what is needed.
    pub fn open_chain(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: Settings,
        clock: Arc<dyn Clock>,
        name: &str,
    ) -> Result<Option<(Self, Recovered)>, OpenError> {
        let folder = folder.into();
        if !segment::is_chain(name) {
            return Err(OpenError::Prefix(name.to_owned()));
        }
        match lock(&*disk, &folder, name) {
            Ok(Some(lock)) => Self::locked(disk, &folder, settings, clock, (name.to_owned(), lock)).map(Some),
            Ok(None) => Ok(None),
            Err(source) => Err(OpenError::Disk { folder, source }),
        }
    }

    /// Opens a chain whose lock was taken.
    fn locked(
        disk: Arc<dyn LogDisk>,
        folder: &Path,
        settings: Settings,
        clock: Arc<dyn Clock>,
        (name, lock): (String, DiskLock),
    ) -> Result<(Self, Recovered), OpenError> {
        let error = |source| OpenError::Disk { folder: folder.to_path_buf(), source };
        let left = left(&*disk, folder, &name, settings.file_bytes).map_err(error)?;
        let mut appender = Self {
            chain: Chain::new(name),
            durable: Chain::new(""),
            unsynced: Lines::default(),
            last_records: 0,
            said: 0,
            mentioned: None,
            taken: (0, Digest::default()),
            state: State::Between(After::Start, Tick::default()),
            disk,
            folder: folder.to_path_buf(),
            clock,
            settings,
            _lock: lock,
        };
        let recovered = appender.take_over(left).map_err(error)?;
        appender.taken = (appender.durable.seq, appender.durable.tree.root());
        Ok((appender, recovered))
    }

    /// Goes on where the writer before stopped.
    fn take_over(&mut self, left: Left) -> io::Result<Recovered> {
        let (last, rest) = match left {
            Left::Nothing => {
                self.durable.clone_from(&self.chain);
                self.states_checkpoints();
                self.begin_if_between()?;
                return Ok(Recovered::Nothing);
            }
            Left::Closed { end: End { durable, chain, length, since }, last } => {
                let file = self.disk.open_log(&last.path(&self.folder))?;
                self.said = durable.commit;
                self.unsynced.clear(chain.seq);
                self.mentioned = chain.checkpoint;
                (self.durable, self.chain) = (durable, chain);
                self.states_checkpoints();
                self.state = State::Writing(Open { file, length, since });
                return Ok(Recovered::Nothing);
            }
            Left::Found { last, found, unread } => {
                self.durable = found.durable;
                self.unsynced = found.lines;
                if unread > 0 {
                    let numbers = most_records(unread);
                    let counted = self.durable.skip(numbers);
                    counted.ok_or_else(|| io::Error::other("there are no numbers left in the chain"))?;
                    self.unsynced.clear(self.durable.seq);
                }
                (last, found.rest)
            }
        };
        self.states_checkpoints();
        self.chain.clone_from(&self.durable);
        self.chain.segment = last.last;
        let (after, event, note, recovered) = match rest {
            Rest::Damaged(flaw) => {
                let (file, what) = (last.name(), flaw.to_string());
                let note = format!("`{file}` was damaged and moved aside: {what}");
                (After::Damaged, notes::ALARM, note, Recovered::Damaged { file, what })
            }
            Rest::Nothing | Rest::Torn(_) => {
                let torn = if let Rest::Torn(bytes) = rest { bytes as u64 } else { 0 };
                let records = self.unsynced.leaves().len() as u64;
                let note = format!(
                    "the writer before did not close `{}`: {records} records were committed again, {torn} bytes are void",
                    last.name()
                );
                (After::Failed, notes::RECOVERED, note, Recovered::Taken { records, torn })
            }
        };
        let mut note = Record { note: Some(note), ..Record::new(event, self.clock.now()) };
        self.unsynced.push(&mut note, None, &[0; SALT])?;
        self.state = State::Between(after, Tick::default());
        self.begin_if_between()?;
        if after == After::Damaged && last.state == segment::State::Plain {
            let aside = last.when(segment::State::Damaged);
            self.disk.rename(&last.path(&self.folder), &aside.path(&self.folder))?;
            self.disk.sync_directory(&self.folder)?;
        }
        if after == After::Failed {
            self.join();
        }
        Ok(recovered)
    }

    /// Joins the files that writers left who were killed. Files that stay apart say the same, and the next one tries again.
    fn join(&self) {
        let (disk, folder, name) = (&*self.disk, &self.folder, &self.chain.name);
        let _joined = join::remove_beside(disk, folder, name)
            .and_then(|()| join::last_files(disk, folder, name, &self.settings));
    }
}

/// What the writer before left of a chain.
enum Left {
    /// It never had a file.
    Nothing,
    /// A file that it handed over.
    Closed { end: End, last: Segment },
    /// A file that it did not hand over: another one is begun behind it, because nobody knows whether what is read from
    /// it was written through, or lost by a sync that failed. Files of so many bytes at most cannot be read.
    Found { last: Segment, found: Found, unread: u64 },
}

/// `most` is how long a file gets.
fn left(disk: &dyn LogDisk, folder: &Path, chain: &str, most: u64) -> io::Result<Left> {
    let mut files = segment::list(disk, folder)?;
    files.retain(|file| file.chain == chain);
    let Some(last) = files.last() else { return Ok(Left::Nothing) };
    if let Some(end) = end::take(disk, folder, last) {
        return Ok(Left::Closed { end, last: last.clone() });
    }
    // Files come into being whole: a header that is not right was.
    let mut rest = Rest::Damaged(Flaw { offset: 0, what: "a header that is not right" });
    let mut unread = 0_u64;
    for file in files.iter().rev() {
        let (length, found) = examine(disk, folder, file)?;
        let is_last = file == last;
        match &found {
            Some(found) if is_last && !matches!(found.rest, Rest::Damaged(_)) => {}
            // Something may have been cut off as well.
            _ => unread = unread.saturating_add(length.max(most)),
        }
        let Some(mut found) = found else { continue };
        if !is_last {
            // Another one was begun, so that all of it counts that is whole.
            found.lines = Lines::behind(found.end.seq);
            found.durable.clone_from(&found.end);
            found.rest = std::mem::replace(&mut rest, Rest::Nothing);
        }
        return Ok(Left::Found { last: last.clone(), found, unread });
    }
    let end = Chain::new(chain);
    let found = Found { durable: end.clone(), lines: Lines::behind(0), end, rest };
    Ok(Left::Found { last: last.clone(), found, unread })
}

/// How long a file is, and what is found in it.
fn examine(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<(u64, Option<Found>)> {
    let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    match segment::read(disk, folder, file, 0, limit) {
        Ok(bytes) => {
            let bytes = bytes.unwrap_or_default();
            Ok((bytes.len() as u64, recover::examine(&bytes)))
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok((MOST_BYTES, None)),
        Err(error) => Err(error),
    }
}

/// How many records `bytes` bytes of lines have at most.
fn most_records(bytes: u64) -> u64 {
    bytes.div_ceil(LEAST_LINE as u64).saturating_add(MOST_OF_A_GROUP)
}

/// Takes the lock of a chain; `None` where somebody else has it.
fn lock(disk: &dyn LogDisk, folder: &Path, chain: &str) -> io::Result<Option<DiskLock>> {
    match disk.lock(&folder.join(format!("{chain}.lock")), Duration::ZERO) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes `folder` and those above it.
pub(crate) fn make_folder(disk: &dyn LogDisk, folder: &Path) -> io::Result<()> {
    let is_missing = |path: &Path| Ok::<_, io::Error>(disk.entry(path)?.is_none());
    let mut missing = Vec::new();
    for path in folder.ancestors().filter(|path| !path.as_os_str().is_empty()) {
        if !is_missing(path)? {
            break;
        }
        missing.push(path);
    }
    for path in missing.into_iter().rev() {
        disk.create_directory(path)?;
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            disk.sync_directory(above)?;
        }
    }
    Ok(())
}

/// Begins the file behind `chain` with a header and, if there are any, `lines` as its first group. It comes into being
/// whole and written through, or not at all.
pub(super) fn begin(
    disk: &dyn LogDisk,
    folder: &Path,
    chain: &mut Chain,
    after: After,
    lines: &Lines,
    at: Timestamp,
) -> io::Result<Open> {
    let synced = chain.commit;
    let mut bytes = Vec::new();
    chain.header(after, at, &mut bytes);
    if !lines.is_empty() {
        chain.commit(lines, synced, at, &mut bytes);
    }
    let file = Segment::new(&*chain.name, chain.segment);
    segment::put(disk, folder, &file, &bytes)?;
    let mut file = disk.open_log(&file.path(folder))?;
    let length = file.length()?;
    Ok(Open { file, length, since: at })
}
