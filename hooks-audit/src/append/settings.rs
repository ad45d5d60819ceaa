//! Settings for the files of a chain.

use std::fmt;
use std::time::Duration;

/// Names and limits of the files of a log, and the secret for salts.
///
/// Customised: short files, with a prefix for machines that share the folder.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::{Appender, Record, AppendSettings, segment};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let mut settings = AppendSettings::new([7; 32]);
/// settings.prefix = "build7-".to_owned();
/// settings.file_bytes = 400;
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// let (mut appender, _) = Appender::open(disk.clone(), "/log", settings, clock)?;
/// for event in ["session_start", "stop"] {
///     appender.append(&mut [Record::new(event, Timestamp(1)).into()])?;
/// }
/// appender.close()?;
/// let names: Vec<_> = segment::list(&*disk, Path::new("/log"))?.iter().map(|file| file.name()).collect();
/// assert_eq!(names, ["build7-0.00000001.jsonl", "build7-0.00000002.jsonl"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct AppendSettings {
    /// Prefix of the names of chains; a number follows. Machines that share a folder need different prefixes.
    pub prefix: String,
    /// Limit on the chains with this prefix in the folder, and so on the processes that can write at a time.
    pub most_chains: u32,
    /// Length in bytes at which a file is ended and another one begun.
    pub file_bytes: u64,
    /// Age at which a file is ended and another one begun.
    pub file_age: Duration,
    /// Secret that salts the digests of payloads. Use an unpredictable source, and a new value for each
    /// process: a reader who has the secret can check guesses of erased payloads.
    pub secret: [u8; 32],
    /// Whether checkpoints are made of the chain. If so, its marks state it from then on.
    pub checkpointed: bool,
}

impl AppendSettings {
    /// 64 MiB or a day to a file, 64 writers at a time, chains named `w0`, `w1` and so on, no checkpoints.
    pub fn new(secret: [u8; 32]) -> Self {
        Self {
            prefix: "w".to_owned(),
            most_chains: 64,
            file_bytes: 64 << 20,
            file_age: Duration::from_secs(86_400),
            secret,
            checkpointed: false,
        }
    }
}

impl fmt::Debug for AppendSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("prefix", &self.prefix)
            .field("most_chains", &self.most_chains)
            .field("file_bytes", &self.file_bytes)
            .field("file_age", &self.file_age)
            .field("checkpointed", &self.checkpointed)
            .finish_non_exhaustive()
    }
}

/// State in which the previous writer left the chain.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::{Appender, Record, Recovered, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// let open = || Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock.clone());
/// let (mut appender, recovered) = open()?;
/// assert_eq!(recovered, Recovered::Nothing);
/// appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
/// // The process is killed before it syncs the record.
/// drop(appender);
/// let (appender, recovered) = open()?;
/// assert_eq!(recovered, Recovered::Taken { records: 1, torn: 0 });
/// # appender.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovered {
    /// The previous writer closed the chain, or there was none.
    Nothing,
    /// The previous writer ended without closing the chain.
    Taken {
        /// Records that may not have been synced; they were committed again.
        records: u64,
        /// Bytes of an unfinished write; they are void.
        torn: u64,
    },
    /// The file was damaged by something other than the log. It was moved aside, and the log has an alarm.
    Damaged {
        /// The file.
        file: String,
        /// Description of the damage.
        what: String,
    },
}
