//! Sends the record to the sinks of a configuration, while a service runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_audit::sink::{Feed, FeedStatus, LogSource, OpenError, Opening, Sink, StatusHandle, Step};
use hooks_core::fs::LogDisk;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::config::Config;
use crate::system::{PrivateFileSystem, TokioTimer, system};

/// Where below the folder of a log the places of its sinks are.
const PLACES: &str = "sinks";

/// One task for each sink of a configuration; dropped, all of them end and lose nothing.
///
/// ```
/// use std::time::Duration;
/// use hooks::config::Config;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("hooks.yaml");
/// # std::fs::write(&file, "version: 1\naudit: {}\nsinks: []\n")?;
/// let config = Config::read(&file)?;
/// let feeding = config.feeding(|name| std::env::var(name).ok())?;
/// // The service runs; `feeding.statuses()` tells how the sinks are doing.
/// let hooks = config.hooks();
/// // It ends: the log is closed with the last of the hooks, and what is in it is delivered.
/// drop(hooks);
/// let behind = feeding.shut_down(Duration::from_secs(10)).await;
/// assert!(behind.is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Feeding {
    feeds: Vec<Running>,
    stops: watch::Sender<bool>,
}

/// The task of one sink.
struct Running {
    name: String,
    status: StatusHandle,
    /// Whether the sink has everything, in the end.
    task: JoinHandle<bool>,
    has_all: Option<bool>,
}

impl Running {
    async fn settle(&mut self) {
        if self.has_all.is_none() {
            self.has_all = Some(matches!((&mut self.task).await, Ok(true)));
        }
    }
}

impl Config {
    /// Starts to send the record to the sinks of the configuration, each in a task of its own on the runtime this is called
    /// in; `variable` knows the environment variables in which their secrets are. Nothing is connected yet: whether it can
    /// be, the first delivery tells. Of several processes with the same log one feeds, and another one goes on when it ends.
    ///
    /// # Errors
    /// Where a sink lacks what it needs, or there is no log to feed it from. None is started then.
    pub fn feeding(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Feeding, OpenError> {
        let sinks = &self.feeds().sinks;
        let opening = Opening::new(system()).with_metrics(self.metrics().cloned());
        let opened = sinks.iter().map(|config| Ok((config, opening.open(config, &variable)?)));
        let opened = opened.collect::<Result<Vec<_>, OpenError>>()?;
        let (stops, _) = watch::channel(false);
        let mut feeds = Vec::with_capacity(opened.len());
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
            feeds.push(Running { name: config.name.clone(), status, task, has_all: None });
        }
        Ok(Feeding { feeds, stops })
    }
}

impl Feeding {
    /// How each sink is doing, by its name.
    pub fn statuses(&self) -> impl Iterator<Item = (&str, FeedStatus)> {
        self.feeds.iter().map(|feed| (feed.name.as_str(), feed.status.get()))
    }

    /// What tells how each sink is doing, by its name, also when this has ended.
    pub fn watches(&self) -> impl Iterator<Item = (&str, StatusHandle)> {
        self.feeds.iter().map(|feed| (feed.name.as_str(), feed.status.clone()))
    }

    /// Has every sink get what is in the log by now, and ends: after a failure, where another process feeds it, and after
    /// `patience` at the latest. The names of the sinks that do not have everything: whoever feeds them next goes on there.
    ///
    /// Close the log before (drop the hooks): its last records are given to nobody until they are written through.
    pub async fn shut_down(mut self, patience: Duration) -> Vec<String> {
        self.stops.send_replace(true);
        let all = async {
            for feed in &mut self.feeds {
                feed.settle().await;
            }
        };
        let is_late = timeout(patience, all).await.is_err();
        // One that hangs stood before others that did not.
        for feed in self.feeds.iter_mut().filter(|feed| is_late && feed.task.is_finished()) {
            feed.settle().await;
        }
        let behind = self.feeds.iter().filter(|feed| feed.has_all != Some(true));
        behind.map(|feed| feed.name.clone()).collect()
    }
}

impl Drop for Feeding {
    fn drop(&mut self) {
        self.feeds.iter().for_each(|feed| feed.task.abort());
    }
}

impl fmt::Debug for Feeding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.statuses()).finish()
    }
}

/// Feeds until it is stopped, then what is there; whether the sink has all of it.
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
            // Nobody is left to stop it.
            return false;
        }
    }
    feed.catch_up(1).await
}
