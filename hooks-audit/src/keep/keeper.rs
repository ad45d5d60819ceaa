//! Keeps a log as it is to be kept: deletes what is too old, then compresses what is full.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Timestamp};

use super::Keeping;
use super::files::{Doomed, FullFiles};
use super::holds::Holds;
use super::said::Said;
use crate::append::{Appender, OpenError, Settings};
use crate::record::{Record, notes};
use crate::segment;

/// Keeps the files of a log as they are to be kept.
#[derive(Clone)]
pub struct Keeper {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    keeping: Keeping,
    /// What the record says of holds, as far as it was read.
    said: Arc<Mutex<Said>>,
}

/// What was done, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Files that were deleted.
    pub deleted: Vec<String>,
    /// Files that were compressed.
    pub compressed: Vec<String>,
    /// Files that are too old, and held.
    pub held: Vec<String>,
    /// Chains that another process writes, which has to keep them itself.
    pub busy: Vec<String>,
    /// Whether there was no time for all of it.
    pub is_unfinished: bool,
}

/// Puts a record down, through to the device.
pub(crate) type Note<'a> = dyn FnMut(Record) -> io::Result<()> + 'a;

impl Keeper {
    /// Keeps the log in `folder`.
    pub fn new(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        clock: Arc<dyn Clock>,
        keeping: Keeping,
    ) -> Self {
        Self { disk, folder: folder.into(), clock, keeping, said: Arc::default() }
    }

    /// What would be done: nothing is, and nobody's lock is asked for.
    ///
    /// # Errors
    /// Whatever the disk answers, and where a file is damaged, or the holds cannot be read or are not those of the record.
    pub fn plan(&self) -> io::Result<Report> {
        let holds = Holds::read(&*self.disk, &self.folder)?;
        let is_held = |record: &Record| holds.iter().any(|hold| hold.of.fits(record));
        let mut report = Report::default();
        for chain in self.chains()? {
            let files = self.files(&chain);
            let doomed = self.doomed(files, &is_held)?;
            if !doomed.files.is_empty() {
                self.said(&|| true)?.1.check(&holds)?;
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

    /// Does it for every chain that nobody writes, as long as `goes_on` says so: it is asked before each file. Before anything
    /// is deleted all of the log is looked through for holds, once for each keeper. Chains in
    /// which there is nothing to do are not opened.
    ///
    /// # Errors
    /// Whatever the disk answers, and where a file is damaged, or the holds cannot be read or are not those of the record.
    /// What was done stays done.
    pub fn all(&self, settings: &Settings, goes_on: &dyn Fn() -> bool) -> Result<Report, OpenError> {
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

    /// Does it for a chain whose lock the caller holds; what was done is added to `report`.
    pub(crate) fn chain(
        &self,
        chain: &str,
        note: &mut Note<'_>,
        goes_on: &dyn Fn() -> bool,
        report: &mut Report,
    ) -> io::Result<()> {
        let files = self.files(chain);
        let is_due = !self.doomed(files, &|_| false)?.files.is_empty();
        // Most of the record is read while nobody waits for the holds.
        let is_known = !is_due || self.said(goes_on)?.0;
        report.is_unfinished |= !is_known;
        if is_due && is_known {
            // Kept until the files are gone: a hold that is acknowledged meanwhile would come too late for them.
            let holds = Holds::take(Arc::clone(&self.disk), &self.folder)?;
            let doomed = self.doomed(files, &|record| holds.of(record).is_some())?;
            report.held.extend(doomed.held.iter().map(segment::Segment::name));
            if !doomed.files.is_empty() {
                let (_, said) = self.said(&|| true)?;
                said.check(holds.all())?;
                // What the record says of holds outlives the files in which it stood.
                said.lost_with(&doomed.files, self.clock.now()).into_iter().try_for_each(&mut *note)?;
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
            // Nobody erases from a file while another one is made of it.
            let _alone = Holds::take(Arc::clone(&self.disk), &self.folder)?;
            files.compress(&file)?;
            report.compressed.push(file.name());
        }
        Ok(())
    }

    /// Whether anything may be to be done in a chain. Files that are not old enough are seen by their first record.
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

    /// What the record says of holds, and before it whether that is all of it: it is read on as long as `goes_on` says so.
    fn said(&self, goes_on: &dyn Fn() -> bool) -> io::Result<(bool, Said)> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_all = said.read(&*self.disk, &self.folder, goes_on)?;
        Ok((is_all, said.clone()))
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

    /// The chains of the log; those of a log that is not there are none.
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
