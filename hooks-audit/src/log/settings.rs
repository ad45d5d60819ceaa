//! Settings of a log.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gaps::Gaps;
use crate::append::AppendSettings;
use crate::checkpoint::Checkpoints;
use crate::keep::Keeping;

/// Events that an acknowledged record survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The end of the process, and a power loss some time later.
    #[default]
    Os,
    /// A power loss.
    Disk,
}

/// Settings of a log: bounds on waiting records, and handling of records that cannot be written.
///
/// ```
/// use std::time::Duration;
/// use hooks_audit::LogSettings;
///
/// let mut settings = LogSettings::new([7; 32]);
/// assert_eq!((settings.queue, settings.sync_within), (8_192, Duration::from_millis(50)));
/// // Records go here if the log cannot be written.
/// settings.spill = Some("/other-device/log".into());
/// settings.files.prefix = "build7-".to_owned();
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogSettings {
    /// Settings for the files.
    pub files: AppendSettings,
    /// Limit on the records that wait to be written.
    pub queue: usize,
    /// Time until a record without a waiting caller is synced after it is written.
    pub sync_within: Duration,
    /// Folder of the spill log, a second log for records that cannot be written to the first; best on another
    /// device.
    pub spill: Option<PathBuf>,
    /// Store for the numbers of missing records until the log can report them. Default: in memory of this
    /// process only.
    pub gaps: Option<Gaps>,
    /// Folder and signer for checkpoints of the chain. They are made at each pause, after at most 1,024
    /// records while more are waiting, and at the end.
    pub checkpoints: Option<Checkpoints>,
    /// Retention settings, applied to the chain by a thread beside the writer while the log is open.
    /// Processes that open a log for a moment leave this to others.
    pub keeping: Option<Keeping>,
    /// Time to wait for the writer if a log is dropped without [`Log::close`](super::Log::close).
    pub drop_wait: Duration,
}

impl LogSettings {
    /// Defaults: 8,192 records, 50 ms, no spill log, no stored counts of missing records, no checkpoints, no
    /// retention settings, 5 s to wait in a drop; the files as in [`AppendSettings::new`].
    pub fn new(secret: [u8; 32]) -> Self {
        Self {
            files: AppendSettings::new(secret),
            queue: 8_192,
            sync_within: Duration::from_millis(50),
            spill: None,
            gaps: None,
            checkpoints: None,
            keeping: None,
            drop_wait: Duration::from_secs(5),
        }
    }
}
