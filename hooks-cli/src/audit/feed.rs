//! Sends the records to the sinks of a configuration.

use std::io::Write;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hooks::audit::sink::{FeedStatus, StatusHandle};
use hooks::config::Config;
use hooks::config::Feeding;
use tokio::time::Instant;

use super::plain::plain;
use crate::eval::runtime;
use crate::failure::{Failure, Status};
use crate::output::{err, out};
use crate::paint::OPEN;

/// Interval of status checks of the sinks.
const LOOK: Duration = Duration::from_secs(1);
/// Minimum time between two messages about a sink's failures, or about the records that it refused.
const QUIET: Duration = Duration::from_secs(60);
/// Maximum time for sending a log; longer than any log needs.
const PATIENCE: Duration = Duration::from_secs(86_400);

/// Feeds the sinks of `config` until the process ends, or with `once` only the existing records. The process
/// can end at any time without loss: the next feed starts after the last record of each sink.
pub(super) fn feed(config: &Config, once: bool) -> Result<Status, Failure> {
    if config.feeds().sinks.is_empty() {
        return Err(Failure::message(format!("`{}` names no sinks; write `sinks:`", config.name())));
    }
    runtime()?.block_on(async {
        let feeding = config.feeding(|name| std::env::var(name).ok());
        let feeding = feeding.map_err(|error| Failure::message(error.to_string()))?;
        let watches = feeding.watches().map(|(name, status)| Watched::new(name, status));
        let watches = watches.collect::<Vec<_>>();
        if once { send_once(feeding, watches).await } else { send(watches).await }
    })
}

/// Sends the existing records, and prints the result of each sink.
async fn send_once(feeding: Feeding, mut sinks: Vec<Watched>) -> Result<Status, Failure> {
    let behind = feeding.shut_down(PATIENCE).await;
    let mut is_well = behind.is_empty();
    for sink in &mut sinks {
        let status = sink.status.get();
        sink.tell_skipped(&status)?;
        let summary = summary(&status, behind.contains(&sink.name));
        writeln!(out(), "{}: {summary}", sink.name)?;
        is_well &= status.refused == 0;
    }
    Ok(if is_well { Status::Well } else { Status::Found })
}

/// Prints the status of the sinks until the process ends; other tasks feed them.
async fn send(mut sinks: Vec<Watched>) -> Result<Status, Failure> {
    loop {
        for sink in &mut sinks {
            let status = sink.status.get();
            sink.tell(&status)?;
            sink.tell_skipped(&status)?;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Feeds the sinks of the rules that `current` returns, in a thread of its own until the process ends. Closing the rules has the rest sent.
pub(crate) fn beside(current: impl Fn() -> Arc<Config> + Send + 'static) -> Result<(), Failure> {
    let runtime = runtime()?;
    let feeding = move || runtime.block_on(send_beside(current));
    thread::Builder::new().name("sinks".to_owned()).spawn(feeding)?;
    Ok(())
}

async fn send_beside(current: impl Fn() -> Arc<Config>) {
    loop {
        let config = current();
        let version = config.rules_version().to_owned();
        let has_sinks = !config.feeds().sinks.is_empty() && config.recording().is_some();
        let feeding = has_sinks.then(|| config.feeding(|name| std::env::var(name).ok())).transpose();
        drop(config);
        let feeding = feeding.unwrap_or_else(|error| {
            // If standard error is closed, the record still has everything.
            drop(writeln!(err(), "no sink is fed: {}", plain(&error.to_string())));
            None
        });
        let watches = feeding.iter().flat_map(Feeding::watches);
        let mut sinks: Vec<_> = watches.map(|(name, status)| Watched::new(name, status)).collect();
        while current().rules_version() == version {
            for sink in &mut sinks {
                let status = sink.status.get();
                drop(sink.tell(&status).and_then(|()| sink.tell_skipped(&status)));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// The result of a sink on one line.
fn summary(status: &FeedStatus, is_behind: bool) -> String {
    let word = match status.refused {
        _ if is_behind => "behind",
        0 => "has everything",
        _ => "has everything but what it refused",
    };
    let mut text = format!("{word}; {} delivered", status.delivered);
    if let Some(refused) = refused(status) {
        text.push_str(&format!(", {refused}"));
    }
    let reason = match &status.last_error {
        _ if status.is_elsewhere => Some("another process feeds it".to_owned()),
        error => error.as_deref().map(plain),
    };
    match reason.filter(|_| is_behind) {
        Some(reason) => format!("{text}; {reason}"),
        None => text,
    }
}

/// The refused records, if there are any: their number, their file, and the reason of the last one.
fn refused(status: &FeedStatus) -> Option<String> {
    let file = status.refused_in.as_ref()?.display().to_string();
    let reason = status.last_refusal.as_deref().unwrap_or_default();
    Some(format!("{} refused for good (in `{}`): {}", status.refused, plain(&file), plain(reason)))
}

/// A sink, with the messages about it so far.
struct Watched {
    name: String,
    status: StatusHandle,
    /// The last failure that was printed; empty after a message that the sink works again.
    failure: String,
    failure_at: Option<Instant>,
    refused: u64,
    refused_at: Option<Instant>,
    skipped: usize,
}

impl Watched {
    fn new(name: &str, status: StatusHandle) -> Self {
        let (failure, failure_at, refused_at) = (String::new(), None, None);
        Self { name: name.to_owned(), status, failure, failure_at, refused: 0, refused_at, skipped: 0 }
    }

    /// Prints a failure of the sink, its recovery, and its refused records: each once, and at most one
    /// message in [`QUIET`].
    fn tell(&mut self, status: &FeedStatus) -> Result<(), Failure> {
        let now = Instant::now();
        let is_quiet = |told: Option<Instant>| told.is_some_and(|told| now - told < QUIET);
        let failing = status.last_error.as_deref().filter(|_| status.failures > 0).unwrap_or_default();
        if failing != self.failure && !is_quiet(self.failure_at) {
            let text = if failing.is_empty() { "well again" } else { failing };
            writeln!(err(), "{}: {}", self.name, plain(text))?;
            (self.failure, self.failure_at) = (failing.to_owned(), Some(now));
        }
        if let Some(text) = refused(status)
            && status.refused != self.refused
            && !is_quiet(self.refused_at)
        {
            writeln!(err(), "{}: {text}", self.name)?;
            (self.refused, self.refused_at) = (status.refused, Some(now));
        }
        Ok(())
    }

    /// Prints which records are missing in the log, once for each file.
    fn tell_skipped(&mut self, status: &FeedStatus) -> Result<(), Failure> {
        for skipped in status.skipped.iter().skip(self.skipped) {
            writeln!(err(), "{OPEN}warning{OPEN:#}: {}: {skipped}", self.name)?;
        }
        self.skipped = status.skipped.len();
        Ok(())
    }
}
