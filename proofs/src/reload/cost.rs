//! CPU time of one reload.

use std::fs;
use std::time::Duration;

use hooks::config::{LiveConfig, Reloaded};

use super::rules;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// Least CPU time of a reload of `count` rules, over `times` reloads.
///
/// # Errors
/// Returns an error if a change is not noticed.
pub(super) fn measure(count: usize, times: usize) -> Result<Duration> {
    let folder = tempfile::tempdir().map_err(|cause| Error::doing("making a folder", cause))?;
    let file = folder.path().join("hooks.yaml");
    rules::replace(&file, &rules::text(0, count))?;
    let config = LiveConfig::read(&file).map_err(|errors| Error::new(errors.to_string()))?;
    let mut least = Duration::MAX;
    for number in 1..=times {
        rules::replace(&file, &rules::text(number, count))?;
        let (watch, before) = (Stopwatch::start(), cpu_time());
        config.check();
        let Some(Reloaded::Swapped { .. }) = config.check() else {
            return Err(Error::new("a change was not noticed"));
        };
        // Without a count of CPU time, the whole time is an upper bound.
        let spent = cpu_time().zip(before).map_or_else(|| watch.elapsed(), |(after, before)| after - before);
        least = least.min(spent);
    }
    Ok(least)
}

/// CPU time of this thread, if the system reports it.
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
