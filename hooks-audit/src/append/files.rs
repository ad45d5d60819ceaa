//! Opens a chain: takes its lock, looks at what the writer before left, and begins files.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use hooks_core::time::{Clock, Tick, Timestamp};

use super::end::{self, End};
use super::{Appender, Open, Recovered, Settings, State};
use crate::chain::{After, Chain, Lines, SALT};
use crate::record::{Record, notes};
use crate::recover::{self, Found, Rest};
use crate::segment::{self, MOST_BYTES, Segment};

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
        let left = left(&*disk, folder, &name).map_err(error)?;
        let mut appender = Self {
            chain: Chain::new(name),
            durable: Chain::new(""),
            unsynced: Lines::default(),
            last_records: 0,
            said: 0,
            state: State::Between(After::Start, Tick::default()),
            disk,
            folder: folder.to_path_buf(),
            clock,
            settings,
            _lock: lock,
        };
        let recovered = appender.take_over(left).map_err(error)?;
        Ok((appender, recovered))
    }

    /// Goes on where the writer before stopped.
    fn take_over(&mut self, left: Left) -> io::Result<Recovered> {
        let (last, found) = match left {
            Left::Nothing => {
                self.durable.clone_from(&self.chain);
                self.begin_if_between()?;
                return Ok(Recovered::Nothing);
            }
            Left::Closed { end: End { durable, chain, length, since }, last } => {
                let file = self.disk.open_log(&last.path(&self.folder))?;
                self.said = durable.commit;
                self.unsynced.clear(chain.seq);
                (self.durable, self.chain) = (durable, chain);
                self.state = State::Writing(Open { file, length, since });
                return Ok(Recovered::Nothing);
            }
            Left::Found { last, found } => (last, found),
        };
        self.durable = found.durable;
        self.unsynced = found.lines;
        self.chain.clone_from(&self.durable);
        self.chain.segment = last.number;
        let (after, event, note, recovered) = match found.rest {
            Rest::Damaged(flaw) => {
                let (file, what) = (last.name(), flaw.to_string());
                let note = format!("`{file}` was damaged and moved aside: {what}");
                (After::Damaged, notes::ALARM, note, Recovered::Damaged { file, what })
            }
            Rest::Nothing | Rest::Torn(_) => {
                let torn = if let Rest::Torn(bytes) = found.rest { bytes as u64 } else { 0 };
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
        Ok(recovered)
    }
}

/// What the writer before left of a chain.
enum Left {
    /// It never had a file.
    Nothing,
    /// A file that it handed over.
    Closed { end: End, last: Segment },
    /// A file that it did not hand over: another one is begun behind it, because nobody knows whether what is read from
    /// it was written through, or lost by a sync that failed.
    Found { last: Segment, found: Found },
}

fn left(disk: &dyn LogDisk, folder: &Path, chain: &str) -> io::Result<Left> {
    let segments = segment::list(disk, folder)?;
    let mut of_chain = segments.iter().filter(|segment| segment.chain == chain);
    let Some(last) = of_chain.next_back() else { return Ok(Left::Nothing) };
    if let Some(end) = end::take(disk, folder, last) {
        return Ok(Left::Closed { end, last: last.clone() });
    }
    if let Some(found) = examine(disk, folder, last)? {
        return Ok(Left::Found { last: last.clone(), found });
    }
    // Files come into being whole: a header that is not right was.
    let flaw = crate::chain::Flaw { offset: 0, what: "a header that is not right" };
    let before = match of_chain.next_back() {
        Some(before) => examine(disk, folder, before)?,
        None => None,
    };
    let mut durable = Chain::new(chain);
    let mut lines = Lines::behind(0);
    if let Some(before) = before {
        (durable, lines) = (before.durable, before.lines);
    }
    let found = Found { durable, lines, rest: Rest::Damaged(flaw) };
    Ok(Left::Found { last: last.clone(), found })
}

fn examine(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<Option<Found>> {
    let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    match segment::read(disk, folder, file, 0, limit) {
        Ok(bytes) => Ok(recover::examine(&bytes.unwrap_or_default())),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
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
    let file = Segment { chain: chain.name.clone(), number: chain.segment, state: segment::State::Plain };
    let path = file.path(folder);
    let whole = folder.join(format!("{}.{:08}.new", chain.name, chain.segment));
    match disk.remove(&whole) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    disk.create(&whole, &bytes)?;
    disk.rename(&whole, &path)?;
    disk.sync_directory(folder)?;
    let mut file = disk.open_log(&path)?;
    let length = file.length()?;
    Ok(Open { file, length, since: at })
}
