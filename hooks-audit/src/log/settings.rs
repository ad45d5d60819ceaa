//! What may be set about a log.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gaps::Gaps;
use crate::append::Settings;
use crate::checkpoint::Checkpoints;
use crate::keep::Keeping;

/// What an acknowledged record survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The end of the process, and a loss of power some time later.
    #[default]
    Os,
    /// A loss of power.
    Disk,
}

/// How much may wait, for how long, and what becomes of what cannot be written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogSettings {
    /// The files.
    pub files: Settings,
    /// How many records may wait to be written.
    pub queue: usize,
    /// How long a record that nobody waits for may be in the file before it is written through.
    pub sync_within: Duration,
    /// Where records go that cannot be written in the log's folder: another log, in this folder, best on another device.
    pub spill: Option<PathBuf>,
    /// Where it is kept what is missing from the log until it can say so; in the memory of this process, unless told.
    pub gaps: Option<Gaps>,
    /// Where what the chain was at some time is written down, and who vouches for it: after each pause, after 1,024 records
    /// at most while there are more to come, and at the end.
    pub checkpoints: Option<Checkpoints>,
    /// How the files of the chain are kept, by a thread beside the writer, while the log is open; whoever opens one for a
    /// moment leaves that to others.
    pub keeping: Option<Keeping>,
    /// How long a log that is dropped without [`Log::close`](super::Log::close) is waited for.
    pub drop_wait: Duration,
}

impl LogSettings {
    /// 8,192 records, 50 ms, no spill, nothing kept of gaps, no checkpoints, nothing that keeps the files, 5 s when it is
    /// dropped; the files as [`Settings::new`] has them.
    pub fn new(secret: [u8; 32]) -> Self {
        Self {
            files: Settings::new(secret),
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
