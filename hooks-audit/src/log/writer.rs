//! The thread of a log.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Tick};

use super::queue::{Item, Queue};
use super::settings::LogSettings;
use super::ticket::{Ticket, Unwritten};
use crate::append::{Appender, Entry};
use crate::record::{Record, notes};
use crate::verify::Anchor;

/// How long the writer does not look at what nobody waits for: what gathers meanwhile is one group, and whoever adds to
/// it need not wake a thread.
const NAP: Duration = Duration::from_millis(2);
/// The longest that is waited for those to come by again who waited for the last group.
const LONGEST_GATHERING: Duration = Duration::from_millis(2);
/// The most records of one group.
const MOST_OF_A_GROUP: usize = 1_024;
/// So many records at most are behind the last anchor, while there are more to come.
const MOST_BEHIND_AN_ANCHOR: u64 = 1_024;

/// Writes what is in the queue until that is closed.
pub(super) struct Writer {
    queue: Arc<Queue>,
    appender: Appender,
    settings: LogSettings,
    disk: Arc<dyn LogDisk>,
    clock: Arc<dyn Clock>,
    /// The log beside, once it was needed.
    spill: Option<Appender>,
    /// Since when something is in the file that was not written through, and settled.
    unsettled: Option<Tick>,
    /// How many records are missing of which the log does not say so yet.
    missing: u64,
    /// The number of the last record before the last anchor.
    anchored: u64,
    /// How many waited for the last group, and how long that took.
    gathers: (usize, Duration),
}

impl Writer {
    pub(super) fn new(
        queue: Arc<Queue>,
        appender: Appender,
        settings: LogSettings,
        disk: Arc<dyn LogDisk>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            queue,
            appender,
            settings,
            disk,
            clock,
            spill: None,
            unsettled: None,
            missing: 0,
            anchored: 0,
            gathers: (0, Duration::ZERO),
        }
    }

    pub(super) fn run(mut self) {
        let mut room = Vec::new();
        loop {
            let naps = self.unsettled.is_some() || self.missing > 0;
            let mut taken = self.queue.take(naps.then_some(NAP), self.gathers, room);
            self.missing += taken.refused;
            let is_idle = taken.items.is_empty();
            if is_idle && self.missing > 0 {
                self.write(Vec::new());
            }
            while !taken.items.is_empty() {
                let rest = taken.items.split_off(taken.items.len().min(MOST_OF_A_GROUP));
                self.write(std::mem::replace(&mut taken.items, rest));
            }
            self.settle_if_due(is_idle);
            if taken.is_closed && is_idle {
                break;
            }
            room = taken.items;
        }
        if self.appender.settle().is_ok() {
            self.anchor();
        }
        if let Some(spill) = self.spill {
            drop(spill.close());
        }
        // Whoever opens the chain next finds out what was left undone.
        drop(self.appender.close());
    }

    /// Writes one group, and through if somebody waits for that.
    fn write(&mut self, items: Vec<Item>) {
        let mut tickets: Vec<Ticket> = Vec::new();
        let mut entries = Vec::with_capacity(items.len());
        for item in items {
            tickets.extend(item.ticket);
            match catch_unwind(AssertUnwindSafe(item.make)) {
                Ok(entry) => entries.push(entry),
                Err(_) => self.missing += 1,
            }
        }
        let count = entries.len() as u64;
        if self.missing > 0 {
            entries.push(gap(self.missing, self.clock.now()));
        }
        let waits = !tickets.is_empty();
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
            self.missing += count;
        }
        for ticket in tickets {
            ticket.settle(answer.clone());
        }
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
        let behind = self.appender.durable().seq.saturating_sub(self.anchored);
        if is_done && (is_idle || behind >= MOST_BEHIND_AN_ANCHOR) {
            self.anchor();
        }
        // What was added is kept, and what comes may go elsewhere.
        let failure = done.err().filter(|_| self.settings.spill.is_none());
        self.queue.report(failure.map(|error| self::failure(&error)));
        self.unsettled = if is_idle && is_done { None } else { Some(now) };
    }
}

impl Writer {
    /// Writes down, in the place for that, what the chain is now. A place that is away keeps nothing from the log; the next
    /// anchor covers what this one would have.
    fn anchor(&mut self) {
        let Some(folder) = &self.settings.anchors else { return };
        let chain = self.appender.durable();
        if chain.seq == self.anchored {
            return;
        }
        let anchor = Anchor { chain: chain.name.clone(), size: chain.seq, root: chain.tree.root() };
        let file = folder.join(format!("{}.anchors", chain.name));
        let written = self.disk.append(&file, format!("{anchor}\n").as_bytes());
        self.queue.report_anchor(written.as_ref().err().map(|error| error.to_string().into()));
        if written.is_ok() {
            self.anchored = chain.seq;
        }
    }
}

fn write(appender: &mut Appender, entries: &mut [Entry], through: bool) -> io::Result<()> {
    appender.append(entries)?;
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
