//! Processor time of other programs.

use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::error::{Error, Result};

/// Measures the processor time of the child processes that end after its start, with those that they waited for.
#[derive(Debug)]
pub(crate) struct ProcessorWatch(Duration);

impl ProcessorWatch {
    /// Starts a watch.
    ///
    /// # Errors
    /// Returns an error if the system does not state the time.
    pub(crate) fn start() -> Result<Self> {
        of_children().map(Self)
    }

    /// The processor time since the start.
    ///
    /// # Errors
    /// Returns an error if the system does not state the time.
    pub(crate) fn elapsed(&self) -> Result<Duration> {
        Ok(of_children()?.saturating_sub(self.0))
    }
}

/// Processor time of all ended child processes so far.
fn of_children() -> Result<Duration> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|cause| Error::doing("the use of the processor", cause))?;
    let all = usage.user_time() + usage.system_time();
    Ok(Duration::from_micros(u64::try_from(all.num_microseconds()).unwrap_or_default()))
}
