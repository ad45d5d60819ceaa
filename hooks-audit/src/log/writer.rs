//! Thread of a log.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::{Clock, Tick, Timestamp};

use super::beside::Beside;
use super::chain_folder::ChainFolder;
use super::gaps::{Gaps, Missing};
use super::queue::{Item, Queue, Refused, Work};
use super::ticket::{Ticket, Unwritten};
use crate::append::{Appender, Entry};
use crate::checkpoint::CheckpointWriter;
use crate::record::{Record, notes};

/// Time between two looks at records without a waiting caller: records that gather meanwhile are one group,
/// and callers need not wake the thread.
const NAP: Duration = Duration::from_millis(2);
/// The longest time to wait for the callers of the last group to queue more records.
const LONGEST_GATHERING: Duration = Duration::from_millis(2);
/// The largest accepted difference between the time of a record and the clock.
const MOST_OFF: Duration = Duration::from_secs(3_600);
/// Limit on the records of one group.
const MOST_OF_A_GROUP: usize = 1_024;
/// Time until the writer tries again to record the count of missing records.
const TELLING_PAUSE: Duration = Duration::from_millis(50);
/// Time between two writes of the count of missing records to its own file, while it grows.
const KEEPING_PAUSE: Duration = Duration::from_secs(1);
/// Limit on the records behind the last checkpoint, while more are waiting.
const MOST_BEHIND_A_CHECKPOINT: u64 = 1_024;

/// Writes the content of the queue until it is closed.
pub(super) struct Writer {
    queue: Arc<Queue>,
    /// Folder of the log.
    home: ChainFolder,
    /// Folder of the spill log.
    spill: Option<ChainFolder>,
    /// Applies the retention settings.
    beside: Option<Beside>,
    sync_within: Duration,
    clock: Arc<dyn Clock>,
    /// Time since when the file has records that are not synced and settled.
    unsettled: Option<Tick>,
    /// Counts of missing records. `owes`: whether a record about them, or a successful write after a failure,
    /// is due; then the times of the next attempt to record them and to store them.
    gaps: Gaps,
    owes: bool,
    tell_after: Tick,
    keep_after: Tick,
    /// Number of records lost since the last caller waited for all records.
    lost: u64,
    /// Writer of checkpoints; the number of records in its last checkpoint; whether checkpoints fail.
    checkpoints: Option<CheckpointWriter>,
    anchored: u64,
    is_unanchored: bool,
    /// Whether the checkpoints that the chain mentions were compared with those in the folder.
    is_compared: bool,
    /// Number of tickets in the last group, and the time that its write took.
    gathers: (usize, Duration),
}

/// Parts of a writer.
pub(super) struct Parts {
    pub(super) queue: Arc<Queue>,
    pub(super) home: ChainFolder,
    pub(super) spill: Option<ChainFolder>,
    pub(super) beside: Option<Beside>,
    pub(super) checkpoints: Option<CheckpointWriter>,
    pub(super) gaps: Gaps,
    pub(super) sync_within: Duration,
    pub(super) clock: Arc<dyn Clock>,
}

impl Writer {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { queue, home, spill, beside, checkpoints, gaps, sync_within, clock } = parts;
        let owes = gaps.is_any();
        Self {
            queue,
            home,
            spill,
            beside,
            sync_within,
            clock,
            unsettled: None,
            gaps,
            owes,
            tell_after: Tick::default(),
            keep_after: Tick::default(),
            lost: 0,
            checkpoints,
            anchored: 0,
            is_unanchored: false,
            is_compared: false,
            gathers: (0, Duration::ZERO),
        }
    }

    /// Writes until the queue is closed.
    ///
    /// # Errors
    /// Returns an error if a queued record is not synced.
    pub(super) fn run(mut self) -> Result<(), Unwritten> {
        let mut room = Vec::new();
        loop {
            let nap = if self.unsettled.is_some() { Some(NAP) } else { self.owes.then_some(TELLING_PAUSE) };
            let mut taken = self.queue.take(nap, self.gathers, room);
            if let Some(Refused { count, why }) = taken.refused {
                self.lose(count, &why.to_string());
            }
            let is_idle = taken.items.is_empty();
            if is_idle && self.owes && (taken.is_closed || self.clock.tick() >= self.tell_after) {
                self.tell();
            }
            while !taken.items.is_empty() {
                let rest = taken.items.split_off(taken.items.len().min(MOST_OF_A_GROUP));
                self.write(std::mem::replace(&mut taken.items, rest));
            }
            self.settle_if_due(is_idle);
            self.keep_if_due();
            if let (Some(beside), Some(appender)) = (&mut self.beside, self.home.opened()) {
                beside.start_if_due(appender.chain(), self.clock.tick());
            }
            if taken.is_closed && is_idle {
                break;
            }
            room = taken.items;
        }
        let mut end = match self.home.opened().map(Appender::sync) {
            Some(Err(error)) => Err(failure(&error)),
            Some(Ok(())) => {
                self.checkpoint();
                Ok(())
            }
            None => Ok(()),
        };
        if self.lost > 0 {
            end = end.and(Err(lost(self.lost)));
        }
        // If the counts cannot be stored, they stay in memory, where the host may ask for them.
        drop(self.gaps.keep());
        if let Some(spill) = self.spill {
            spill.close();
        }
        if let Some(beside) = self.beside {
            beside.stop();
        }
        self.home.close();
        end
    }

    /// Writes one group; syncs it if a caller waits for it.
    fn write(&mut self, items: Vec<Item>) {
        let mut tickets: Vec<Ticket> = Vec::new();
        // Tickets of callers that wait for the records before.
        let mut settling: Vec<Ticket> = Vec::new();
        let mut entries = Vec::with_capacity(items.len());
        let mut deeds = Vec::new();
        for item in items {
            let make = match item.work {
                Work::Put(make) => make,
                Work::Settle => {
                    settling.extend(item.ticket);
                    continue;
                }
                Work::Do(deed) => {
                    deeds.push(deed);
                    continue;
                }
            };
            tickets.extend(item.ticket);
            match catch_unwind(AssertUnwindSafe(make)) {
                Ok(mut entry) => {
                    self.set_right(&mut entry);
                    entries.push(entry);
                }
                Err(_) => self.lose(1, "it could not be made"),
            }
        }
        let count = entries.len() as u64;
        let waits = !tickets.is_empty() || !settling.is_empty();
        let start = self.clock.tick();
        let written = self.home.write(&mut entries, waits);
        self.gathers = (tickets.len(), self.clock.tick().since(start).min(LONGEST_GATHERING));
        let is_home = written.is_ok();
        let answer = match written {
            Ok(()) => {
                self.unsettled = self.unsettled.or(Some(self.clock.tick()));
                Ok(())
            }
            Err(error) => {
                self.owes = true;
                self.spill(&mut entries, waits, &error).map_err(|()| failure(&error))
            }
        };
        // A record in the spill log counts as recorded, so no call has to be denied.
        self.queue.report(answer.clone().err());
        if let Err(error) = &answer {
            self.lose(count, &error.to_string());
        }
        // Stored before any caller continues, because this process may be killed at any time afterwards.
        self.keep_if_due();
        if waits && answer.is_ok() {
            self.queue.report_through();
        }
        for ticket in tickets {
            ticket.settle(answer.clone());
        }
        for deed in deeds {
            // The work reports its own result. If it panics, its channel is closed and the waiting caller
            // gets an error.
            drop(catch_unwind(AssertUnwindSafe(|| deed(self.home.appender()))));
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
        if !settling.is_empty() {
            let all = match std::mem::take(&mut self.lost) {
                0 => answer,
                lost => answer.and(Err(self::lost(lost))),
            };
            for ticket in settling {
                ticket.settle(all.clone());
            }
        }
        if is_home && self.owes {
            self.tell();
        }
    }

    /// Replaces the time of a record by the clock's if they differ too much. An event states its own time,
    /// which must not decide over retention or make the record unreadable.
    fn set_right(&self, entry: &mut Entry) {
        let now = self.clock.now();
        if now.since(entry.record.at).max(entry.record.at.since(now)) > MOST_OFF {
            entry.record.at = now;
        }
    }

    /// Counts missing records, which the log has to report.
    fn lose(&mut self, count: u64, why: &str) {
        if count > 0 {
            self.lost += count;
            self.gaps.add(Missing::lost(count, self.clock.now(), why));
            self.owes = true;
        }
    }

    /// Writes `entries` to the spill log, if there is one, after the log failed with the error `why`.
    fn spill(&mut self, entries: &mut [Entry], waits: bool, why: &io::Error) -> Result<(), ()> {
        let Some(spill) = &mut self.spill else { return Err(()) };
        if entries.is_empty() {
            // A caller waits for earlier records: all of them were written and synced, here or in the spill
            // log, or this fails.
            let is_through = self.home.is_through();
            return (is_through && spill.is_through()).then_some(()).ok_or(());
        }
        spill.write(entries, waits).map_err(drop)?;
        // The spill log is settled at once, because its next record may be far away.
        spill.appender().and_then(Appender::settle).map_err(drop)?;
        let (count, folder) = (entries.len() as u64, spill.folder().display().to_string());
        self.gaps.add(Missing::spilled(count, self.clock.now(), &why.to_string(), &folder));
        Ok(())
    }

    /// Records the counts of missing records and syncs that record before the files with the counts are
    /// removed.
    fn tell(&mut self) {
        let found = self.gaps.find(self.clock.now());
        let mut entries = found.missing().entries(self.clock.now());
        if self.home.write(&mut entries, true).is_ok() {
            self.gaps.forget(found);
            (self.owes, self.keep_after) = (false, Tick::default());
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
            self.queue.report(None);
        } else {
            self.gaps.put_back(found);
            self.tell_after = self.clock.tick().after(TELLING_PAUSE);
        }
    }

    /// Stores the counts of missing records in a file for the next process: at once, and again after a pause.
    /// Never waits for other processes that do the same, because callers wait for this thread: the counts
    /// stay in memory then, and the next attempt is soon.
    fn keep_if_due(&mut self) {
        if !self.owes || self.clock.tick() < self.keep_after {
            return;
        }
        let pause = match self.gaps.keep_within(Duration::ZERO) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => TELLING_PAUSE,
            _ => KEEPING_PAUSE,
        };
        // Counted from the end: if storing takes long, records are written in between.
        self.keep_after = self.clock.tick().after(pause);
    }

    /// Syncs records that have waited long enough. If there is nothing else to do, also writes the mark that
    /// states the sync.
    fn settle_if_due(&mut self, is_idle: bool) {
        let now = self.clock.tick();
        let (Some(since), Some(appender)) = (self.unsettled, self.home.opened()) else { return };
        if now.since(since) < self.sync_within {
            return;
        }
        let mut done = appender.sync();
        if done.is_ok() {
            self.queue.report_through();
        }
        let behind = appender.durable().seq.saturating_sub(self.anchored);
        if done.is_ok() && (is_idle || behind >= MOST_BEHIND_A_CHECKPOINT) {
            self.checkpoint();
        }
        // After the checkpoint, so that the mark mentions it.
        if let (true, Ok(()), Some(appender)) = (is_idle, &done, self.home.opened()) {
            done = appender.settle();
        }
        let is_done = done.is_ok();
        // Appended records are not lost, and later ones may go to the spill log.
        let failure = done.err().filter(|_| self.spill.is_none());
        self.queue.report(failure.map(|error| self::failure(&error)));
        self.unsettled = if is_idle && is_done { None } else { Some(now) };
    }
}

impl Writer {
    /// Records an alarm, before the first checkpoint of this process, if checkpoints that the chain mentions
    /// are missing: the next checkpoint would otherwise hide that.
    fn miss_checkpoints(&mut self) {
        let (Some(checkpoints), Some(appender)) = (&mut self.checkpoints, self.home.opened()) else { return };
        let chain = appender.durable();
        let Some(checkpointed) =
            chain.checkpoint.filter(|checkpointed| *checkpointed > 0 && !self.is_compared)
        else {
            return;
        };
        // If the checkpoints cannot be read, making the next one fails with the same error.
        let Ok(last) = checkpoints.last_of(&chain.name) else { return };
        self.is_compared = true;
        if last.unwrap_or(0) < checkpointed {
            let what = format!(
                "checkpoints of `{}` are missing in `{}`: one over {checkpointed} records was made, and the last one there is over {}",
                chain.name,
                checkpoints.folder().display(),
                last.unwrap_or(0)
            );
            // Synced, so that the next checkpoint covers it.
            let _written = self.home.write(&mut [alarm(what, self.clock.now())], true);
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
    }

    /// Makes a checkpoint of the chain. If its folder is unavailable, the log continues, and the next
    /// checkpoint covers the same records. The first failure is recorded.
    fn checkpoint(&mut self) {
        self.miss_checkpoints();
        let (Some(checkpoints), Some(appender)) = (&mut self.checkpoints, self.home.opened()) else { return };
        let chain = appender.durable();
        if chain.seq == self.anchored {
            return;
        }
        let was = |size| appender.root_of(size);
        let failure = match checkpoints.write_chain(&chain.name, chain.seq, chain.tree.root(), was) {
            Ok(()) => {
                let size = chain.seq;
                self.anchored = size;
                appender.mention(size);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        let was_unanchored = std::mem::replace(&mut self.is_unanchored, failure.is_some());
        self.queue.report_anchor(failure.as_deref().map(Into::into));
        if let Some(failure) = failure.filter(|_| !was_unanchored) {
            let alarm = alarm(format!("no checkpoint can be written: {failure}"), self.clock.now());
            // If this record cannot be written either, the next write reports it.
            let _written = self.home.write(&mut [alarm], false);
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
    }
}

/// Creates an alarm record of the log.
fn alarm(what: String, at: Timestamp) -> Entry {
    let mut record = Record::new(notes::ALARM, at);
    (record.note, record.failed) = (Some(what), true);
    record.into()
}

fn lost(records: u64) -> Unwritten {
    Unwritten::Disk(format!("{records} records were lost").into())
}

fn failure(error: &io::Error) -> Unwritten {
    Unwritten::Disk(error.to_string().into())
}
