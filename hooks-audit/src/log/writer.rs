//! The thread of a log.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::{Clock, Tick, Timestamp};

use super::beside::Beside;
use super::gaps::{Gaps, Missing};
use super::place::Place;
use super::queue::{Item, Queue, Refused, Work};
use super::ticket::{Ticket, Unwritten};
use crate::append::{Appender, Entry};
use crate::checkpoint::CheckpointWriter;
use crate::record::{Record, notes};

/// How long the writer does not look at what nobody waits for: what gathers meanwhile is one group, and whoever adds to
/// it need not wake a thread.
const NAP: Duration = Duration::from_millis(2);
/// The longest that is waited for those to come by again who waited for the last group.
const LONGEST_GATHERING: Duration = Duration::from_millis(2);
/// The most that the moment of a record may be from the clock's.
const MOST_OFF: Duration = Duration::from_secs(3_600);
/// The most records of one group.
const MOST_OF_A_GROUP: usize = 1_024;
/// How long is waited before the log is tried again that has to say what is missing from it.
const TELLING_PAUSE: Duration = Duration::from_millis(50);
/// How often it is kept elsewhere, while there is more and more of it, what is missing.
const KEEPING_PAUSE: Duration = Duration::from_secs(1);
/// So many records at most are behind the last checkpoint, while there are more to come.
const MOST_BEHIND_A_CHECKPOINT: u64 = 1_024;

/// Writes what is in the queue until that is closed.
pub(super) struct Writer {
    queue: Arc<Queue>,
    /// The log's own folder,
    home: Place,
    /// and the one beside.
    spill: Option<Place>,
    /// What keeps the files.
    beside: Option<Beside>,
    sync_within: Duration,
    clock: Arc<dyn Clock>,
    /// Since when something is in the file that was not written through, and settled.
    unsettled: Option<Tick>,
    /// What is missing from the log, whether it has to say so, or to show that it can be written again, and when that is
    /// tried next.
    gaps: Gaps,
    owes: bool,
    tell_after: Tick,
    keep_after: Tick,
    /// How many were lost since somebody waited for all.
    lost: u64,
    /// What writes checkpoints down, the number of the last record before the last one, and whether they fail.
    checkpoints: Option<CheckpointWriter>,
    anchored: u64,
    is_unanchored: bool,
    /// Whether those that the chain says were made have been looked for.
    is_compared: bool,
    /// How many waited for the last group, and how long that took.
    gathers: (usize, Duration),
}

/// Where a log writes.
pub(super) struct Parts {
    pub(super) queue: Arc<Queue>,
    pub(super) home: Place,
    pub(super) spill: Option<Place>,
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
    /// Where something of what was handed over is not on the device.
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
        // Where it cannot be kept, it stays in memory, where whoever ends the process may ask for it.
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

    /// Writes one group, and through if somebody waits for that.
    fn write(&mut self, items: Vec<Item>) {
        let mut tickets: Vec<Ticket> = Vec::new();
        // Of those who wait for what came before.
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
        // What is on the record elsewhere is on the record: nobody need be refused for it.
        self.queue.report(answer.clone().err());
        if let Err(error) = &answer {
            self.lose(count, &error.to_string());
        }
        // Before anybody goes on: nobody knows whether this process lives to do it later.
        self.keep_if_due();
        if waits && answer.is_ok() {
            self.queue.report_through();
        }
        for ticket in tickets {
            ticket.settle(answer.clone());
        }
        for deed in deeds {
            // It says itself how it went; where it does not, whoever waits is told that nobody will.
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

    /// Gives a record whose moment is far from the clock's that of the clock: an event says of itself when it was, and
    /// what it says decides neither what retention deletes nor whether a reader can read the record.
    fn set_right(&self, entry: &mut Entry) {
        let now = self.clock.now();
        if now.since(entry.record.at).max(entry.record.at.since(now)) > MOST_OFF {
            entry.record.at = now;
        }
    }

    /// So many records are not in the log, and it has to say so.
    fn lose(&mut self, count: u64, why: &str) {
        if count > 0 {
            self.lost += count;
            self.gaps.add(Missing::lost(count, self.clock.now(), why));
            self.owes = true;
        }
    }

    /// Writes `entries` into the log beside, where there is to be one, because of what the log's own folder answered.
    fn spill(&mut self, entries: &mut [Entry], waits: bool, why: &io::Error) -> Result<(), ()> {
        let Some(spill) = &mut self.spill else { return Err(()) };
        if entries.is_empty() {
            // Somebody waits for what came before: all of it went elsewhere, unless something is stuck here.
            let is_through = self.home.is_through();
            return (is_through && spill.is_through()).then_some(()).ok_or(());
        }
        spill.write(entries, waits).map_err(drop)?;
        // Nobody comes by again before long.
        spill.appender().and_then(Appender::settle).map_err(drop)?;
        let (count, folder) = (entries.len() as u64, spill.folder().display().to_string());
        self.gaps.add(Missing::spilled(count, self.clock.now(), &why.to_string(), &folder));
        Ok(())
    }

    /// Says in the log what is missing from it, through to the device, before what others have kept of it is taken away.
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

    /// Puts where the next process finds it what the log cannot say yet: at once, and again after a while. Who waits for a
    /// record does not wait for other processes that do the same: it stays in memory then, and is tried again soon.
    fn keep_if_due(&mut self) {
        if !self.owes || self.clock.tick() < self.keep_after {
            return;
        }
        let pause = match self.gaps.keep_within(Duration::ZERO) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => TELLING_PAUSE,
            _ => KEEPING_PAUSE,
        };
        // Counted from its end: where that takes long, records are written in between.
        self.keep_after = self.clock.tick().after(pause);
    }

    /// Writes through what has waited long enough, and says so in the file once there is nothing else to do.
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
        // Behind the checkpoint, so that the mark says that it was made.
        if let (true, Ok(()), Some(appender)) = (is_idle, &done, self.home.opened()) {
            done = appender.settle();
        }
        let is_done = done.is_ok();
        // What was added is kept, and what comes may go elsewhere.
        let failure = done.err().filter(|_| self.spill.is_none());
        self.queue.report(failure.map(|error| self::failure(&error)));
        self.unsettled = if is_idle && is_done { None } else { Some(now) };
    }
}

impl Writer {
    /// Puts on the record, before the first checkpoint of this process, that those are gone which the chain says were made:
    /// the next one would otherwise stand for them.
    fn miss_checkpoints(&mut self) {
        let (Some(checkpoints), Some(appender)) = (&mut self.checkpoints, self.home.opened()) else { return };
        let chain = appender.durable();
        let Some(said) = chain.checkpoint.filter(|said| *said > 0 && !self.is_compared) else { return };
        // Where nobody can say, the checkpoint itself fails.
        let Ok(last) = checkpoints.last_of(&chain.name) else { return };
        self.is_compared = true;
        if last.unwrap_or(0) < said {
            let what = format!(
                "checkpoints of `{}` are missing in `{}`: one over {said} records was made, and the last one there is over {}",
                chain.name,
                checkpoints.folder().display(),
                last.unwrap_or(0)
            );
            // Written through, so that the next checkpoint is over it.
            let _written = self.home.write(&mut [alarm(what, self.clock.now())], true);
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
    }

    /// Writes down, in the place for that, what the chain is now. A place that is away keeps nothing from the log; the next
    /// checkpoint covers what this one would have. That they begin to fail is a record.
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
            // What cannot be written either is reported as what comes next.
            let _written = self.home.write(&mut [alarm], false);
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
    }
}

/// An alarm of the log.
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
