//! The thread of a log.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Tick};

use super::beside::Beside;
use super::queue::{Item, Queue, Work};
use super::settings::LogSettings;
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
/// So many records at most are behind the last checkpoint, while there are more to come.
const MOST_BEHIND_A_CHECKPOINT: u64 = 1_024;

/// Writes what is in the queue until that is closed.
pub(super) struct Writer {
    queue: Arc<Queue>,
    appender: Appender,
    /// What keeps the files.
    beside: Option<Beside>,
    settings: LogSettings,
    disk: Arc<dyn LogDisk>,
    clock: Arc<dyn Clock>,
    /// The log beside, once it was needed.
    spill: Option<Appender>,
    /// Since when something is in the file that was not written through, and settled.
    unsettled: Option<Tick>,
    /// How many records are missing of which the log does not say so yet.
    missing: u64,
    /// How many were lost since somebody waited for all.
    lost: u64,
    /// What writes checkpoints down, the number of the last record before the last one, and whether they fail.
    checkpoints: Option<CheckpointWriter>,
    anchored: u64,
    is_unanchored: bool,
    /// How many waited for the last group, and how long that took.
    gathers: (usize, Duration),
}

impl Writer {
    pub(super) fn new(
        queue: Arc<Queue>,
        appender: Appender,
        checkpoints: Option<CheckpointWriter>,
        beside: Option<Beside>,
        settings: LogSettings,
        disk: Arc<dyn LogDisk>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            queue,
            appender,
            beside,
            settings,
            disk,
            clock,
            spill: None,
            unsettled: None,
            missing: 0,
            lost: 0,
            checkpoints,
            anchored: 0,
            is_unanchored: false,
            gathers: (0, Duration::ZERO),
        }
    }

    pub(super) fn run(mut self) {
        let mut room = Vec::new();
        loop {
            let naps = self.unsettled.is_some() || self.missing > 0;
            let mut taken = self.queue.take(naps.then_some(NAP), self.gathers, room);
            self.lose(taken.refused);
            let is_idle = taken.items.is_empty();
            if is_idle && self.missing > 0 {
                self.write(Vec::new());
            }
            while !taken.items.is_empty() {
                let rest = taken.items.split_off(taken.items.len().min(MOST_OF_A_GROUP));
                self.write(std::mem::replace(&mut taken.items, rest));
            }
            self.settle_if_due(is_idle);
            if let Some(beside) = &mut self.beside {
                beside.start_if_due(self.appender.chain().segment, self.clock.tick());
            }
            if taken.is_closed && is_idle {
                break;
            }
            room = taken.items;
        }
        if self.appender.settle().is_ok() {
            self.checkpoint();
        }
        if let Some(spill) = self.spill {
            drop(spill.close());
        }
        if let Some(beside) = self.beside {
            beside.stop();
        }
        // Whoever opens the chain next finds out what was left undone.
        drop(self.appender.close());
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
                Err(_) => self.lose(1),
            }
        }
        let count = entries.len() as u64;
        if self.missing > 0 {
            entries.push(gap(self.missing, self.clock.now()));
        }
        let waits = !tickets.is_empty() || !settling.is_empty();
        let start = self.clock.tick();
        let written = write(&mut self.appender, &mut entries, waits);
        self.gathers = (tickets.len(), self.clock.tick().since(start).min(LONGEST_GATHERING));
        let answer = match written {
            Ok(()) => {
                self.missing = 0;
                self.unsettled = self.unsettled.or(Some(self.clock.tick()));
                Ok(())
            }
            Err(error) => self.spill(&mut entries, waits).map_err(|()| failure(&error)),
        };
        // What is on the record elsewhere is on the record: nobody need be refused for it.
        self.queue.report(answer.clone().err());
        if answer.is_err() {
            self.lose(count);
        }
        for ticket in tickets {
            ticket.settle(answer.clone());
        }
        for deed in deeds {
            // It says itself how it went; where it does not, whoever waits is told that nobody will.
            drop(catch_unwind(AssertUnwindSafe(|| deed(&mut self.appender))));
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
        if settling.is_empty() {
            return;
        }
        let all = match std::mem::take(&mut self.lost) {
            0 => answer,
            lost => answer.and(Err(Unwritten::Disk(format!("{lost} records were lost").into()))),
        };
        for ticket in settling {
            ticket.settle(all.clone());
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
    fn lose(&mut self, count: u64) {
        self.missing += count;
        self.lost += count;
    }

    /// Writes `entries` into the log beside, where there is to be one.
    fn spill(&mut self, entries: &mut [Entry], waits: bool) -> Result<(), ()> {
        let Some(folder) = self.settings.spill.as_ref().filter(|_| !entries.is_empty()) else {
            return Err(());
        };
        if self.spill.is_none() {
            let folder: PathBuf = folder.clone();
            let settings = self.settings.files.clone();
            let opened = Appender::open(Arc::clone(&self.disk), folder, settings, Arc::clone(&self.clock));
            self.spill = opened.ok().map(|(appender, _)| appender);
        }
        let Some(spill) = &mut self.spill else { return Err(()) };
        write(spill, entries, waits).map_err(drop)?;
        // Nobody comes by again before long.
        spill.settle().map_err(drop)
    }

    /// Writes through what has waited long enough, and says so in the file once there is nothing else to do.
    fn settle_if_due(&mut self, is_idle: bool) {
        let now = self.clock.tick();
        let Some(since) = self.unsettled else { return };
        if now.since(since) < self.settings.sync_within {
            return;
        }
        let done = if is_idle { self.appender.settle() } else { self.appender.sync() };
        let is_done = done.is_ok();
        // What was added is kept, and what comes may go elsewhere.
        let failure = done.err().filter(|_| self.settings.spill.is_none());
        self.queue.report(failure.map(|error| self::failure(&error)));
        self.unsettled = if is_idle && is_done { None } else { Some(now) };
        let behind = self.appender.durable().seq.saturating_sub(self.anchored);
        if is_done && (is_idle || behind >= MOST_BEHIND_A_CHECKPOINT) {
            self.checkpoint();
        }
    }
}

impl Writer {
    /// Writes down, in the place for that, what the chain is now. A place that is away keeps nothing from the log; the next
    /// checkpoint covers what this one would have. That they begin to fail is a record.
    fn checkpoint(&mut self) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        let chain = self.appender.durable();
        if chain.seq == self.anchored {
            return;
        }
        let was = |size| self.appender.root_of(size);
        let failure = match checkpoints.write_chain(&chain.name, chain.seq, chain.tree.root(), was) {
            Ok(()) => {
                self.anchored = chain.seq;
                None
            }
            Err(error) => Some(error.to_string()),
        };
        let was_unanchored = std::mem::replace(&mut self.is_unanchored, failure.is_some());
        self.queue.report_anchor(failure.as_deref().map(Into::into));
        if let Some(failure) = failure.filter(|_| !was_unanchored) {
            let alarm = alarm(&failure, self.clock.now());
            // What cannot be written either is reported as what comes next.
            let _written = write(&mut self.appender, &mut [alarm], false);
            self.unsettled = self.unsettled.or(Some(self.clock.tick()));
        }
    }
}

/// Says that no checkpoint can be written.
fn alarm(failure: &str, at: hooks_core::time::Timestamp) -> Entry {
    let mut record = Record::new(notes::ALARM, at);
    (record.note, record.failed) = (Some(format!("no checkpoint can be written: {failure}")), true);
    record.into()
}

fn write(appender: &mut Appender, entries: &mut [Entry], through: bool) -> io::Result<()> {
    if !entries.is_empty() {
        appender.append(entries)?;
    }
    if through { appender.sync() } else { Ok(()) }
}

fn failure(error: &io::Error) -> Unwritten {
    Unwritten::Disk(error.to_string().into())
}

/// Says that so many records are missing.
fn gap(refused: u64, at: hooks_core::time::Timestamp) -> Entry {
    let note =
        format!("{refused} records before this one are missing: they were refused, or could not be written");
    let mut record = Record::new(notes::GAP, at);
    (record.note, record.failed, record.covers) = (Some(note), true, vec![(1, refused)]);
    record.into()
}
