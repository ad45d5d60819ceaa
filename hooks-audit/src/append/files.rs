//! Opens a chain: takes its lock, examines what the previous writer left, and begins files.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use hooks_core::time::{Clock, Tick, Timestamp};

use super::end::{self, End};
use super::{AppendSettings, Appender, Open, Recovered, State};
use crate::chain::{After, Chain, Digest, Flaw, LEAST_LINE, Lines, SALT};
use crate::join;
use crate::record::{Record, notes};
use crate::recover::{self, RecoveredChain, Rest};
use crate::segment::{self, MOST_BYTES, Segment};

/// Records that a file may have beyond its length limit: those of the group that ends it.
const MOST_OF_A_GROUP: u64 = 1_024;

/// Reason why a log cannot be opened.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::{Appender, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::StoppedClock;
///
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock::default()));
/// let open = |prefix: &str| {
///     let mut settings = AppendSettings::new([7; 32]);
///     (settings.prefix, settings.most_chains) = (prefix.to_owned(), 1);
///     Appender::open(disk.clone(), "/log", settings, clock.clone())
/// };
/// let error = |prefix| open(prefix).err().map(|error| error.to_string()).unwrap_or_default();
/// assert!(error("Build7").starts_with("`Build7` cannot begin the name of a chain"));
/// let (_appender, _) = open("build7-")?;
/// assert_eq!(error("build7-"), "`/log` has 1 writers already, which is what `most_chains` allows");
/// # Ok::<(), hooks_audit::OpenError>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The prefix is not valid as the beginning of a chain name.
    #[error("`{0}` cannot begin the name of a chain: lower-case letters, digits and `-`, 32 at most")]
    Prefix(String),
    /// Too many other writers have the log open.
    #[error("`{folder}` has {most} writers already, which is what `most_chains` allows")]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// Limit on writers (`most_chains`).
        most: u32,
    },
    /// The key for its checkpoints cannot be used.
    #[error("no checkpoint of the log can be signed: {0}")]
    Key(#[source] io::Error),
    /// The folder or a file in it cannot be read or written.
    #[error("the log in `{folder}` cannot be opened: {source}")]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// Error of the disk.
        #[source]
        source: io::Error,
    },
}

impl Appender {
    /// Opens the first chain in `folder` that no other process writes; creates the folder if it is missing.
    /// Work that a previous writer of the chain left unfinished is finished first.
    ///
    /// Takes constant time if that writer closed the chain. Otherwise the last file is read, in linear time,
    /// and another one is begun.
    ///
    /// # Errors
    /// Returns `Prefix` if the prefix is not valid in a chain name, `Busy` if all chains are locked by other
    /// writers, or `Disk` if the disk fails.
    pub fn open(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: AppendSettings,
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

    /// Opens the chain `name` in `folder`, which has to exist; returns `None` if another process writes the
    /// chain. Otherwise works like [`Appender::open`], and ignores the prefix of the settings.
    ///
    /// # Errors
    /// Returns `Prefix` if `name` is not valid as the name of a chain, or `Disk` if the disk fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Appender, AppendSettings};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::StoppedClock;
    ///
    /// let disk = Arc::new(FakeDisk::default().with_directory("/log"));
    /// let clock = Arc::new(StoppedClock::default());
    /// let open =
    ///     || Appender::open_chain(disk.clone(), "/log", AppendSettings::new([7; 32]), clock.clone(), "build7-w0");
    /// let first = open()?;
    /// assert!(first.is_some() && open()?.is_none(), "a chain has one writer");
    /// drop(first);
    /// assert!(open()?.is_some());
    /// # Ok::<(), hooks_audit::OpenError>(())
    /// ```
    pub fn open_chain(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: AppendSettings,
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

    /// Opens a chain whose lock is held.
    fn locked(
        disk: Arc<dyn LogDisk>,
        folder: &Path,
        settings: AppendSettings,
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
            marked: 0,
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

    /// Continues where the previous writer stopped.
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
                self.marked = durable.commit;
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

    /// Joins the files of writers that were killed. If joining fails, the separate files hold the same
    /// records, and the next writer tries again.
    fn join(&self) {
        let (disk, folder, name) = (&*self.disk, &self.folder, &self.chain.name);
        let _joined = join::remove_beside(disk, folder, name)
            .and_then(|()| join::last_files(disk, folder, name, &self.settings));
    }
}

/// State in which the previous writer left a chain.
enum Left {
    /// The chain never had a file.
    Nothing,
    /// The previous writer handed its last file over.
    Closed { end: End, last: Segment },
    /// The last file was not handed over. Another one is begun behind it, because it is unknown whether its
    /// records were synced or lost by a failed sync. Files that cannot be read have `unread` bytes at most.
    Found { last: Segment, found: RecoveredChain, unread: u64 },
}

/// Examines the files of `chain`; `most` is the length limit of a file.
fn left(disk: &dyn LogDisk, folder: &Path, chain: &str, most: u64) -> io::Result<Left> {
    let mut files = segment::list(disk, folder)?;
    files.retain(|file| file.chain == chain);
    let Some(last) = files.last() else { return Ok(Left::Nothing) };
    if let Some(end) = end::take(disk, folder, last) {
        return Ok(Left::Closed { end, last: last.clone() });
    }
    // A file is created whole, so an invalid header was valid once: it is damage.
    let mut rest = Rest::Damaged(Flaw { offset: 0, what: "a header that is not right" });
    let mut unread = 0_u64;
    for file in files.iter().rev() {
        let (length, found) = examine(disk, folder, file)?;
        let is_last = file == last;
        match &found {
            Some(found) if is_last && !matches!(found.rest, Rest::Damaged(_)) => {}
            // The file may have lost bytes at its end as well.
            _ => unread = unread.saturating_add(length.max(most)),
        }
        let Some(mut found) = found else { continue };
        if !is_last {
            // The file after it was begun, so all of its complete groups count.
            found.lines = Lines::behind(found.end.seq);
            found.durable.clone_from(&found.end);
            found.rest = std::mem::replace(&mut rest, Rest::Nothing);
        }
        return Ok(Left::Found { last: last.clone(), found, unread });
    }
    let end = Chain::new(chain);
    let found = RecoveredChain { durable: end.clone(), lines: Lines::behind(0), end, rest };
    Ok(Left::Found { last: last.clone(), found, unread })
}

/// Returns the length of a file and what it holds.
fn examine(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<(u64, Option<RecoveredChain>)> {
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

/// The most records that `bytes` bytes of lines can hold.
fn most_records(bytes: u64) -> u64 {
    bytes.div_ceil(LEAST_LINE as u64).saturating_add(MOST_OF_A_GROUP)
}

/// Takes the lock of a chain; `None` if another process holds it.
fn lock(disk: &dyn LogDisk, folder: &Path, chain: &str) -> io::Result<Option<DiskLock>> {
    match disk.lock(&folder.join(format!("{chain}.lock")), Duration::ZERO) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates `folder` and the missing folders above it.
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

/// Begins the file behind `chain` with a header and, if there are any, `lines` as its first group. The file
/// is created whole and synced, or not at all.
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
