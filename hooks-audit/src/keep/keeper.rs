//! Applies the retention settings: deletes files that are too old, then compresses full files.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Timestamp};

use super::Keeping;
use super::files::{Doomed, FullFiles};
use super::hold_notes::HoldNotes;
use super::holds::Holds;
use crate::append::{AppendSettings, Appender, OpenError};
use crate::record::{Record, notes};
use crate::segment;

/// Applies the retention settings to the files of a log.
///
/// Customised: nothing is compressed, and a legal hold keeps a file that is too old.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use hooks_audit::keep::{Hold, Holds, Keeper, Keeping, Selection};
/// use hooks_audit::{Appender, Record, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// const DAY: u64 = 86_400_000;
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(9 * DAY))));
/// let settings = AppendSettings::new([7; 32]);
/// let (mut appender, _) = Appender::open(disk.clone(), "/log", settings.clone(), clock.clone())?;
/// for day in [1, 2] {
///     appender.append(&mut [Record::new("stop", Timestamp(day * DAY)).into()])?;
///     appender.rotate()?;
/// }
/// let second_day: Selection = serde_json::from_value(serde_json::json!({"since": "1970-01-03"}))?;
/// let hold = Hold::new("case-7", "a lawsuit", "ada", second_day);
/// Holds::take(disk.clone(), "/log")?.add(hold, |record| appender.note(record), Timestamp(9 * DAY))?;
/// appender.close()?;
///
/// let mut keeping = Keeping::default();
/// (keeping.keep, keeping.compress) = (Some(Duration::from_secs(2 * 86_400)), false);
/// let report = Keeper::new(disk, "/log", clock, keeping).all(&settings, &|| true)?;
/// assert_eq!(report.deleted, ["w0.00000001.jsonl"]);
/// assert_eq!(report.held, ["w0.00000002.jsonl"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Keeper {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    keeping: Keeping,
    /// Changes of holds according to the log, as far as it was read.
    hold_notes: Arc<Mutex<HoldNotes>>,
}

/// Actions that were taken, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Files that were deleted.
    pub deleted: Vec<String>,
    /// Files that were compressed.
    pub compressed: Vec<String>,
    /// Files that are too old, and held.
    pub held: Vec<String>,
    /// Chains that another process writes; that process applies the settings itself.
    pub busy: Vec<String>,
    /// Whether some actions were left out because the caller stopped the work.
    pub is_unfinished: bool,
}

/// Writes a record and syncs it.
pub(crate) type Note<'a> = dyn FnMut(Record) -> io::Result<()> + 'a;

impl Keeper {
    /// Creates a keeper of the log in `folder`.
    pub fn new(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        clock: Arc<dyn Clock>,
        keeping: Keeping,
    ) -> Self {
        Self { disk, folder: folder.into(), clock, keeping, hold_notes: Arc::default() }
    }

    /// Returns the actions that would be taken, without taking any. Takes no lock.
    ///
    /// # Errors
    /// Returns an error if the disk fails, a file is damaged, the holds cannot be read, or they are not those
    /// of the log.
    pub fn plan(&self) -> io::Result<Report> {
        let holds = Holds::read(&*self.disk, &self.folder)?;
        let is_held = |record: &Record| holds.iter().any(|hold| hold.of.fits(record));
        let mut report = Report::default();
        for chain in self.chains()? {
            let files = self.files(&chain);
            let doomed = self.doomed(files, &is_held)?;
            if !doomed.files.is_empty() {
                self.hold_notes(&|| true)?.1.check(&holds)?;
            }
            report.held.extend(doomed.held.iter().map(segment::Segment::name));
            if self.keeping.compress {
                let stays = files.plain()?.into_iter().filter(|file| !doomed.files.contains(file));
                report.compressed.extend(stays.map(|file| file.name()));
            }
            report.deleted.extend(doomed.files.iter().map(segment::Segment::name));
        }
        Ok(report)
    }

    /// Applies the settings to every chain that no process writes. Calls `goes_on` before each file and stops
    /// if it returns false. Chains without work are not opened. Before the first deletion of each keeper, all
    /// of the log is searched for holds.
    ///
    /// # Errors
    /// Returns an error if the disk fails, a file is damaged, the holds cannot be read, or they are not those
    /// of the log. Completed actions are not undone.
    pub fn all(&self, settings: &AppendSettings, goes_on: &dyn Fn() -> bool) -> Result<Report, OpenError> {
        let error = |source| OpenError::Disk { folder: self.folder.clone(), source };
        let mut report = Report::default();
        for chain in self.chains().map_err(error)? {
            if !goes_on() {
                report.is_unfinished = true;
                break;
            }
            if !self.has_work(&chain).map_err(error)? {
                continue;
            }
            let (disk, clock) = (Arc::clone(&self.disk), Arc::clone(&self.clock));
            let opened = Appender::open_chain(disk, &self.folder, settings.clone(), clock, &chain)?;
            let Some((mut appender, _)) = opened else {
                report.busy.push(chain);
                continue;
            };
            let done = self.chain(&chain, &mut |record| appender.note(record), goes_on, &mut report);
            appender.close().and(done).map_err(error)?;
        }
        Ok(report)
    }

    /// Applies the settings to a chain whose lock the caller holds; adds the actions to `report`.
    pub(crate) fn chain(
        &self,
        chain: &str,
        note: &mut Note<'_>,
        goes_on: &dyn Fn() -> bool,
        report: &mut Report,
    ) -> io::Result<()> {
        let files = self.files(chain);
        let is_due = !self.doomed(files, &|_| false)?.files.is_empty();
        // Most of the log is read before the holds are locked, so that no process waits for it.
        let is_known = !is_due || self.hold_notes(goes_on)?.0;
        report.is_unfinished |= !is_known;
        if is_due && is_known {
            // The lock is held until the files are deleted: a hold acknowledged meanwhile would come too late
            // for them.
            let holds = Holds::take(Arc::clone(&self.disk), &self.folder)?;
            let doomed = self.doomed(files, &|record| holds.hold_on(record).is_some())?;
            report.held.extend(doomed.held.iter().map(segment::Segment::name));
            if !doomed.files.is_empty() {
                let (_, hold_notes) = self.hold_notes(&|| true)?;
                hold_notes.check(holds.all())?;
                // Notes about holds have to outlive the files they are in.
                hold_notes.lost_with(&doomed.files, self.clock.now()).into_iter().try_for_each(&mut *note)?;
                note(self.deletion(&doomed))?;
            }
            for file in &doomed.files {
                files.delete(file)?;
                report.deleted.push(file.name());
            }
        }
        for file in if self.keeping.compress { files.plain()? } else { Vec::new() } {
            if !goes_on() {
                report.is_unfinished = true;
                break;
            }
            // The lock prevents erasure from a file while a compressed copy of it is made.
            let _alone = Holds::take(Arc::clone(&self.disk), &self.folder)?;
            files.compress(&file)?;
            report.compressed.push(file.name());
        }
        Ok(())
    }

    /// Whether a chain may have work. The first record of a file shows whether the file is old enough.
    fn has_work(&self, chain: &str) -> io::Result<bool> {
        let files = self.files(chain);
        if self.keeping.compress && !files.plain()?.is_empty() {
            return Ok(true);
        }
        Ok(!self.doomed(files, &|_| false)?.files.is_empty())
    }

    fn doomed(&self, files: FullFiles<'_>, is_held: &dyn Fn(&Record) -> bool) -> io::Result<Doomed> {
        let Some(keep) = self.keeping.keep else { return Ok(Doomed::default()) };
        let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        files.before(Timestamp(self.clock.now().0.saturating_sub(keep)), is_held)
    }

    /// Returns the changes of holds according to the log, after whether all of the log was read: reading
    /// stops if `goes_on` returns false.
    fn hold_notes(&self, goes_on: &dyn Fn() -> bool) -> io::Result<(bool, HoldNotes)> {
        let mut hold_notes = self.hold_notes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_all = hold_notes.read(&*self.disk, &self.folder, goes_on)?;
        Ok((is_all, hold_notes.clone()))
    }

    fn deletion(&self, doomed: &Doomed) -> Record {
        let names: Vec<_> = doomed.files.iter().map(|file| format!("`{}`", file.name())).collect();
        let days = self.keeping.keep.map_or(0, |keep| keep.as_secs() / 86_400);
        let note = format!("deleted, because all of it is older than {days} days: {}", names.join(", "));
        let covers = doomed.covers.into_iter().collect();
        Record { note: Some(note), covers, ..Record::new(notes::DELETED, self.clock.now()) }
    }

    fn files<'a>(&'a self, chain: &'a str) -> FullFiles<'a> {
        FullFiles { disk: &*self.disk, folder: &self.folder, chain }
    }

    /// The chains of the log; empty if the folder does not exist.
    fn chains(&self) -> io::Result<Vec<String>> {
        let listed = match segment::list(&*self.disk, &self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            listed => listed?,
        };
        let mut chains: Vec<_> = listed.into_iter().map(|file| file.chain).collect();
        chains.dedup();
        Ok(chains)
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper")
            .field("folder", &self.folder)
            .field("keeping", &self.keeping)
            .finish_non_exhaustive()
    }
}
