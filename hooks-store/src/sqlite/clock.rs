//! The store's time: of a clock that nobody sets, the same for all processes of a machine.
//!
//! A calendar may jump by an hour; limits and holds must not. So the calendar is asked once per boot, what it said is
//! written into the database, and from there on time goes as the machine counts since it started. Time never goes
//! back: where the calendar shows less after a restart than the store has seen, it goes on from what was seen.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::LATEST;
use hooks_core::time::{Clock, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::error::Fault;
use super::number::{self, Column as _};

/// Tells the store's time.
pub(super) struct StoreClock {
    source: Source,
    /// The latest time that was told or read.
    latest: Timestamp,
    /// What of it is in the database.
    written: Timestamp,
}

enum Source {
    /// The machine's own, anchored in the database.
    Machine { epoch: Timestamp },
    /// One that was given; its calendar is believed, as long as it goes on.
    Given(Arc<dyn Clock>),
}

impl StoreClock {
    /// The clock of the database behind `connection`, which has a transaction open.
    pub(super) fn anchored(connection: &Connection, given: Option<&Arc<dyn Clock>>) -> Result<Self, Fault> {
        let read = "SELECT boot, epoch, latest FROM clock";
        let row = connection
            .query_row(read, [], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let (boot, epoch, latest) = row.unwrap_or_default();
        let (epoch, latest) = (number::time(epoch)?, number::time(latest)?);
        if let Some(clock) = given {
            return Ok(Self { source: Source::Given(Arc::clone(clock)), latest, written: latest });
        }
        let (this_boot, since_boot) = machine::boot();
        let epoch = if boot == this_boot && !this_boot.is_empty() {
            epoch
        } else {
            let began = calendar().max(latest).0.saturating_sub(millis(since_boot));
            let write = "INSERT INTO clock (id, boot, epoch, latest) VALUES (1, ?1, ?2, ?3)
                ON CONFLICT (id) DO UPDATE SET boot = excluded.boot, epoch = excluded.epoch";
            let began = Timestamp(began);
            connection.execute(write, params![this_boot, began.column(), latest.column()])?;
            began
        };
        Ok(Self { source: Source::Machine { epoch }, latest, written: latest })
    }

    /// Now. Writes down how late it is, now and then, for whoever reads it after a restart.
    pub(super) fn now(&mut self, connection: &Connection) -> Result<Timestamp, Fault> {
        let (now, precision) = match &self.source {
            Source::Machine { epoch } => (epoch.after(machine::boot_time()), WRITTEN_EVERY),
            Source::Given(clock) => (clock.now(), Duration::ZERO),
        };
        self.latest = self.latest.max(now.min(LATEST));
        if self.latest > self.written && self.latest.since(self.written) >= precision {
            let write = "INSERT INTO clock (id, boot, epoch, latest) VALUES (1, '', 0, ?1)
                ON CONFLICT (id) DO UPDATE SET latest = max(latest, excluded.latest)";
            connection.prepare_cached(write)?.execute([self.latest.column()])?;
            self.written = self.latest;
        }
        Ok(self.latest)
    }

    /// The latest time that is in the database.
    pub(super) fn written(&self) -> Timestamp {
        self.written
    }

    /// What was written since the last commit was not written.
    pub(super) fn forget_written(&mut self) {
        self.written = Timestamp(0);
    }
}

impl fmt::Debug for StoreClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreClock").field("latest", &self.latest).finish_non_exhaustive()
    }
}

/// How long the machine runs: to tell how long something took.
pub(super) fn uptime() -> Duration {
    machine::boot_time()
}

/// How exactly a restart has to know what was seen.
const WRITTEN_EVERY: Duration = Duration::from_secs(1);

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one question to the calendar, once per boot of the machine"
)]
fn calendar() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Timestamp(since.map(millis).unwrap_or_default())
}

#[cfg(target_os = "linux")]
mod machine {
    //! Linux counts from its start, also while the machine sleeps, and names each boot.

    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    /// The name of this boot, and how long ago it was.
    pub(super) fn boot() -> (String, Duration) {
        let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        (name.trim().to_owned(), boot_time())
    }

    /// How long ago the machine started.
    pub(super) fn boot_time() -> Duration {
        let time = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    }
}

#[cfg(not(target_os = "linux"))]
mod machine {
    //! Elsewhere the calendar is all that processes share: it is believed as long as it goes on.

    use std::time::Duration;

    pub(super) fn boot() -> (String, Duration) {
        ("calendar".to_owned(), boot_time())
    }

    pub(super) fn boot_time() -> Duration {
        Duration::from_millis(super::calendar().0)
    }
}
