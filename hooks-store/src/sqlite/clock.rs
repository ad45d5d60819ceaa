//! The store's time: a clock that cannot be set, the same for all processes of a machine.
//!
//! A calendar may jump by an hour; limits and reservations must not. So the calendar is read once per boot
//! and written to the database; from then on, the time follows the machine's uptime. It never goes back: if
//! the calendar is earlier after a restart than the latest time of the store, the store continues from that
//! time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::LATEST;
use hooks_core::time::{Clock, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::error::Fault;
use super::number::{self, Column as _};

/// Returns the store's time.
pub(super) struct StoreClock {
    source: Source,
    /// Latest time that was returned or read.
    latest: Timestamp,
    /// Latest time that is in the database.
    written: Timestamp,
}

enum Source {
    /// The machine's uptime, anchored in the database.
    Machine { epoch: Timestamp },
    /// A given clock; its calendar is used as long as it does not go back.
    Given(Arc<dyn Clock>),
}

impl StoreClock {
    /// The clock of the database of `connection`, which has an open transaction.
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

    /// Returns the current time. Now and then it is written to the database, for use after a restart.
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

    /// Returns the latest time that is in the database.
    pub(super) fn written(&self) -> Timestamp {
        self.written
    }

    /// Marks the time as unwritten, after a transaction failed.
    pub(super) fn forget_written(&mut self) {
        self.written = Timestamp(0);
    }
}

impl fmt::Debug for StoreClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreClock").field("latest", &self.latest).finish_non_exhaustive()
    }
}

/// Returns the machine's uptime, to measure durations.
pub(super) fn uptime() -> Duration {
    machine::boot_time()
}

/// Precision of the time in the database after a restart.
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
    //! Linux counts from its start, also while the machine sleeps, and has an id for each boot.

    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    /// Returns the id of this boot and the time since.
    pub(super) fn boot() -> (String, Duration) {
        let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        (name.trim().to_owned(), boot_time())
    }

    /// Returns the time since the machine started.
    pub(super) fn boot_time() -> Duration {
        let time = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    }
}

#[cfg(not(target_os = "linux"))]
mod machine {
    //! On other systems, the calendar is the only clock that processes share; it is used as long as it does
    //! not go back.

    use std::time::Duration;

    pub(super) fn boot() -> (String, Duration) {
        ("calendar".to_owned(), boot_time())
    }

    pub(super) fn boot_time() -> Duration {
        Duration::from_millis(super::calendar().0)
    }
}
