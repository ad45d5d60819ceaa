//! What may be set about the files of a chain.

use std::fmt;
use std::time::Duration;

/// How the files of a log are named, how long they get, and what salts the payloads.
#[derive(Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What the names of chains begin with; a number follows. Machines that share a folder need different ones.
    pub prefix: String,
    /// How many chains there may be in the folder under this prefix: how many processes may write at a time.
    pub most_chains: u32,
    /// A file of so many bytes is ended, and another one begun.
    pub file_bytes: u64,
    /// So is one of this age.
    pub file_age: Duration,
    /// What salts the digests of payloads. From a source that nobody can guess, and new for each process: who has it can
    /// check guesses of what was erased.
    pub secret: [u8; 32],
    /// Whether checkpoints are made of the chain, which its marks say from then on.
    pub checkpointed: bool,
}

impl Settings {
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

impl fmt::Debug for Settings {
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

/// What the writer before had left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovered {
    /// It had closed the chain, or there was none.
    Nothing,
    /// It ended without closing it.
    Taken {
        /// Records that may not have been written through; they were committed again.
        records: u64,
        /// Bytes of what it was writing when it ended; they are void.
        torn: u64,
    },
    /// The file was damaged behind its back. It was moved aside, and the log has an alarm.
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
}
