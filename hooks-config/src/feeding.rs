//! Sends records to the sinks of a configuration while a service runs.

use std::fmt;
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use hooks_audit::sink::{Feed, FeedStatus, LogSource, OpenError, Opening, Sink, StatusHandle, Step};
use hooks_core::fs::LogDisk;
use hooks_core::{BoxError, Close, HookFuture};
use hooks_system::{PrivateFileSystem, TokioTimer, system};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use crate::Config;

/// Folder below that of the log, with a file for each sink about the records it has got.
const PLACES: &str = "sinks";

/// Longest wait for the sinks when the hooks are closed.
const CLOSING: Duration = Duration::from_secs(10);

/// One task for each sink of a configuration. If it is dropped, all tasks end; no record is lost.
///
/// [`Config::hooks`] starts one by itself in a service. This is for a host that wants to see the state of the sinks.
///
/// ```
/// use std::time::Duration;
/// use hooks_config::ConfigReader;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("hooks.yaml");
/// # std::fs::write(&file, "version: 1\naudit: {}\nsinks: []\n")?;
/// let config = ConfigReader::default().feeding_nothing().read(&file)?;
/// let feeding = config.feeding(|name| std::env::var(name).ok())?;
/// // The service runs; `feeding.statuses()` reports the state of the sinks.
/// let hooks = config.hooks();
/// // At its end, the log is closed and its records are delivered.
/// hooks.close().await?;
/// assert!(feeding.shut_down(Duration::from_secs(10)).await.is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Feeding {
    statuses: Vec<(String, StatusHandle)>,
    tasks: Vec<AbortHandle>,
    shared: Arc<Shared>,
}

/// The tasks and the signal that ends them, shared by a [`Feeding`] and the hooks of its configuration.
struct Shared {
    feeds: Mutex<Vec<Running>>,
    stops: watch::Sender<bool>,
}

/// The task of one sink.
struct Running {
    name: String,
    task: JoinHandle<bool>,
    /// Whether the sink got everything, once the task has ended.
    has_all: Option<bool>,
}

impl Running {
    async fn settle(&mut self) {
        if self.has_all.is_none() {
            self.has_all = Some(matches!((&mut self.task).await, Ok(true)));
        }
    }
}

/// The feedings of a configuration that were started. They are closed with its hooks, after the log.
#[derive(Clone, Default)]
pub(crate) struct Started(Arc<Feedings>);

#[derive(Default)]
struct Feedings {
    all: std::sync::Mutex<Vec<Weak<Shared>>>,
    /// The one that the configuration has started itself, or the reason why it could not. It ends with the hooks.
    own: OnceLock<Result<Feeding, String>>,
}

impl Started {
    fn all(&self) -> MutexGuard<'_, Vec<Weak<Shared>>> {
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure(&self) -> Option<String> {
        self.0.own.get()?.as_ref().err().map(|why| format!("no sink was fed: {why}"))
    }
}

impl Close for Started {
    fn name(&self) -> &str {
        "sinks"
    }

    fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
        // A feeding that was dropped has stopped its tasks, or has delivered everything.
        let all: Vec<_> = self.all().drain(..).filter_map(|shared| shared.upgrade()).collect();
        if let Some(failure) = self.failure() {
            return HookFuture::now(Err(failure.into()));
        }
        if all.is_empty() {
            return HookFuture::now(Ok(()));
        }
        HookFuture::later(async move {
            let mut behind = Vec::new();
            for shared in all {
                behind.extend(shared.shut_down(CLOSING).await);
            }
            match behind.is_empty() {
                true => Ok(()),
                false => Err(format!(
                    "{} did not get everything; the next feed continues there",
                    behind.join(", ")
                )
                .into()),
            }
        })
    }
}

impl Config {
    /// Starts to send records once, if this is a service: a program that has a runtime and its own log.
    pub(crate) fn feed_in_service(&self) {
        if self.feeds().sinks.is_empty() || self.recording().is_none() || Handle::try_current().is_err() {
            return;
        }
        // The host has started one itself.
        if self.started().all().iter().any(|feeding| feeding.strong_count() > 0) {
            return;
        }
        let start = || self.feeding(|name| std::env::var(name).ok()).map_err(|error| error.to_string());
        self.started().0.own.get_or_init(start);
    }

    /// Starts to send records to the sinks of the configuration. Each sink has a task of its own on the
    /// current runtime. `variable` returns the environment variables that hold the sinks' secrets. Nothing
    /// connects yet: the first delivery shows whether a sink can be reached. Of several processes with the
    /// same log one feeds each sink; if it ends, another one continues.
    ///
    /// # Errors
    /// Returns an error if a sink lacks a setting or secret, or if there is no log to feed it from. Then no
    /// sink is started.
    pub fn feeding(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Feeding, OpenError> {
        let sinks = &self.feeds().sinks;
        let metrics = self.metrics().cloned();
        let metrics = metrics.map(|metrics| Arc::new(move |since, now| metrics.otlp(since, now)) as _);
        let opening = Opening::new(system()).with_metrics(metrics);
        let opened = sinks.iter().map(|config| Ok((config, opening.open(config, &variable)?)));
        let opened = opened.collect::<Result<Vec<_>, OpenError>>()?;
        let (stops, _) = watch::channel(false);
        let (mut feeds, mut statuses, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for (config, sink) in opened {
            let Some(log) = self.audit_folder() else {
                let problem = "there is no log that it could be fed from; write `audit: {}`".to_owned();
                return Err(OpenError::Unusable { name: config.name.clone(), problem });
            };
            let disk: Arc<dyn LogDisk> = Arc::new(PrivateFileSystem);
            let (source, settings) = (LogSource::new(disk, &log), config.feed());
            let (places, poll) = (log.join(PLACES), settings.poll);
            let feed =
                Feed::new(source, sink, Arc::new(PrivateFileSystem), places, settings, &system(), TokioTimer);
            let status = feed.status();
            let task = tokio::spawn(run(feed, stops.subscribe(), poll));
            statuses.push((config.name.clone(), status));
            tasks.push(task.abort_handle());
            feeds.push(Running { name: config.name.clone(), task, has_all: None });
        }
        let shared = Arc::new(Shared { feeds: Mutex::new(feeds), stops });
        self.started().all().push(Arc::downgrade(&shared));
        Ok(Feeding { statuses, tasks, shared })
    }
}

impl Feeding {
    /// State of each sink, by its name.
    pub fn statuses(&self) -> impl Iterator<Item = (&str, FeedStatus)> {
        self.statuses.iter().map(|(name, status)| (name.as_str(), status.get()))
    }

    /// Handles to the state of each sink, by its name. They remain usable after this feeding has ended.
    pub fn watches(&self) -> impl Iterator<Item = (&str, StatusHandle)> {
        self.statuses.iter().map(|(name, status)| (name.as_str(), status.clone()))
    }

    /// Delivers the records that are in the log now, and ends: for each sink also after a failure, or if
    /// another process feeds it, and in any case after `patience`. Returns the names of the sinks that did
    /// not get everything; the next process that feeds them continues there.
    ///
    /// Close the log first (drop the hooks): its last records cannot be read until they are written through
    /// to disk. [`Hooks::close`](hooks_core::Hooks::close) does both, with 10 s for the sinks.
    pub async fn shut_down(self, patience: Duration) -> Vec<String> {
        self.shared.shut_down(patience).await
    }
}

impl Shared {
    async fn shut_down(&self, patience: Duration) -> Vec<String> {
        self.stops.send_replace(true);
        let mut feeds = self.feeds.lock().await;
        let all = async {
            for feed in feeds.iter_mut() {
                feed.settle().await;
            }
        };
        let is_late = timeout(patience, all).await.is_err();
        // Sinks behind one that hangs may have finished.
        for feed in feeds.iter_mut().filter(|feed| is_late && feed.task.is_finished()) {
            feed.settle().await;
        }
        let behind = feeds.iter().filter(|feed| feed.has_all != Some(true));
        behind.map(|feed| feed.name.clone()).collect()
    }
}

impl Drop for Feeding {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl fmt::Debug for Feeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.statuses()).finish()
    }
}

/// Feeds until it is stopped, then delivers the rest. Returns whether the sink got everything.
async fn run(
    mut feed: Feed<LogSource, Arc<dyn Sink>>,
    mut stops: watch::Receiver<bool>,
    poll: Duration,
) -> bool {
    while !*stops.borrow() {
        let pause = match feed.step().await {
            Step::Delivered(_) => continue,
            Step::Failed(_, pause) => pause,
            _ => poll,
        };
        if let Ok(Err(_)) = timeout(pause, stops.changed()).await {
            // The `Shared` with the sender was dropped, so no stop signal can come.
            return false;
        }
    }
    feed.catch_up(1).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_host_that_feeds_the_sinks_feeds_them_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.yaml");
        let text = "version: 1\naudit: {}\nsinks: [{ name: ops, webhook: { url: 'http://127.0.0.1:9/' } }]\n";
        std::fs::write(&file, text).unwrap();
        let config = Config::read(&file).unwrap();
        // Without a kind of sinks that is built in, it cannot be started at all.
        let feeding = config.feeding(|_| None).ok();
        drop(config.clone().hooks());
        assert_eq!(config.started().0.own.get().is_none(), feeding.is_some());
        drop(feeding);
        drop(config.clone().hooks());
        assert!(config.started().0.own.get().is_some(), "its feeding has ended");
    }
}
