//! Feeds one sink from the log.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hooks_core::Environment;
use hooks_core::fs::{Disk, DiskLock};
use hooks_core::time::{Random, Timer};

use super::backoff::pause;
use super::bookmark::{Bookmark, FeedPosition};
use super::chains::Chains;
use super::config::FeedSettings;
use super::source::Source;
use super::status::StatusHandle;
use super::{Sink, SinkError};
use crate::read::{Committed, Kept};

/// Feeds one sink from the log; see the [module](super).
///
/// Run it in its own task ([`Feed::run`]); dropping it loses nothing. If several processes on one machine use
/// the same folder and name, one of them feeds, and the others wait for it to end. Reading the log and
/// writing the position are short file operations in the task that runs it.
///
/// If a sink fails, the feed pauses and delivers the batch again:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use hooks_audit::sink::{Feed, FeedSettings, LogSource, Sink, SinkError, Step};
/// use hooks_audit::{Appender, Committed, Record, AppendSettings};
/// use hooks_core::testing::{FakeDisk, VirtualTime};
/// use hooks_core::time::{StoppedClock, Timestamp};
/// use hooks_core::{Environment, HookFuture};
///
/// /// Fails once.
/// #[derive(Default)]
/// struct Restarting(AtomicUsize);
///
/// impl Sink for Restarting {
///     fn deliver<'a>(&'a self, _records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
///         let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
///         HookFuture::now(if is_first { Err(SinkError::again("restarting")) } else { Ok(()) })
///     }
/// }
///
/// # let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// # let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
/// # appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
/// # appender.close()?;
/// let (source, time) = (LogSource::new(disk.clone(), "/log"), VirtualTime::default());
/// let (settings, world) = (FeedSettings::new("host"), Environment::detached());
/// let mut feed = Feed::new(source, Restarting::default(), disk, "/feeds", settings, &world, time.clone());
/// assert!(matches!(time.block_on(feed.step()), Some(Step::Failed(1, _))));
/// assert_eq!(feed.status().get().last_error.as_deref(), Some("restarting"));
/// assert_eq!(time.block_on(feed.step()), Some(Step::Delivered(1)));
/// assert_eq!(time.block_on(feed.step()), Some(Step::Idle));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Feed<R, S> {
    source: R,
    sink: S,
    bookmark: Bookmark,
    chains: Chains,
    settings: FeedSettings,
    timer: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    status: StatusHandle,
    /// Present while this process feeds.
    held: Option<Held>,
}

/// State of a feed that has the lock.
struct Held {
    #[expect(dead_code, reason = "it is held until it is dropped")]
    lock: DiskLock,
    /// Position behind the records that the sink has, with the ids of their chains.
    place: FeedPosition,
    /// Records that were read for the sink and are not delivered, in order.
    batch: Vec<Committed>,
    /// Position behind the records that were read.
    end: FeedPosition,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The sink took this many records, or refused them permanently.
    Delivered(usize),
    /// There are no new records.
    Idle,
    /// The step failed, for this many times in a row; call again after the pause.
    Failed(u32, Duration),
    /// Another process feeds the sink.
    Elsewhere,
}

impl<R: Source, S: Sink> Feed<R, S> {
    /// Feeds `sink` from `source`. The position is stored in `folder` on `disk`, under the name in the
    /// settings.
    pub fn new(
        source: R,
        sink: S,
        disk: Arc<dyn Disk>,
        folder: impl Into<PathBuf>,
        settings: FeedSettings,
        environment: &Environment,
        timer: impl Timer + 'static,
    ) -> Self {
        let folder = folder.into();
        let chains = Chains::new(Arc::clone(&disk), folder.clone());
        let bookmark = Bookmark::new(disk, folder, settings.name.clone());
        let random = Arc::clone(&environment.random);
        let status = StatusHandle::default();
        Self { source, sink, bookmark, chains, settings, timer: Arc::new(timer), random, status, held: None }
    }

    /// Returns a handle to the status of the feed while it runs.
    pub fn status(&self) -> StatusHandle {
        self.status.clone()
    }

    /// Feeds until this is dropped.
    pub async fn run(mut self) {
        loop {
            let pause = match self.step().await {
                Step::Delivered(_) => continue,
                Step::Idle | Step::Elsewhere => self.settings.poll,
                Step::Failed(_, pause) => pause,
            };
            self.timer.sleep(pause).await;
        }
    }

    /// Feeds until there are no new records, or until `attempts` failures in a row. Returns whether the sink
    /// has everything.
    pub async fn catch_up(&mut self, attempts: u32) -> bool {
        loop {
            match self.step().await {
                Step::Delivered(_) => {}
                Step::Idle => return true,
                Step::Elsewhere => return false,
                Step::Failed(failures, _) if failures >= attempts => return false,
                Step::Failed(_, pause) => self.timer.sleep(pause).await,
            }
        }
    }

    /// Reads a batch and delivers it, or tries again to deliver the present one.
    pub async fn step(&mut self) -> Step {
        match self.advance().await {
            Ok(step) => {
                self.status.change(|status| {
                    status.failures = 0;
                    status.is_elsewhere = step == Step::Elsewhere;
                });
                step
            }
            Err(error) => self.failed(&error),
        }
    }

    async fn advance(&mut self) -> Result<Step, SinkError> {
        let local = |error: io::Error| SinkError::again(error.to_string());
        if self.held.is_none() {
            let Some(lock) = self.bookmark.lock().map_err(local)? else { return Ok(Step::Elsewhere) };
            let was = self.bookmark.read().map_err(local)?;
            let mut place = was.clone();
            self.chains.check(&mut self.source, &mut place, &self.bookmark.name()).map_err(local)?;
            if place != was {
                self.bookmark.write(&place).map_err(local)?;
            }
            self.source.seek(place.positions.clone());
            self.held = Some(Held { lock, end: place.clone(), place, batch: Vec::new() });
        }
        let Some(held) = &mut self.held else { return Ok(Step::Idle) };
        if held.batch.is_empty() {
            let read = self.source.next(self.settings.batch);
            let skipped = self.source.take_skipped();
            if !skipped.is_empty() {
                self.status.change(|status| status.skipped.extend(skipped));
            }
            let read = read.map_err(|error| SinkError::again(error.to_string()))?;
            if read.is_empty() {
                within(&*self.timer, self.settings.timeout, self.sink.idle()).await?;
                return Ok(Step::Idle);
            }
            held.read(read, &self.settings);
        }
        held.identify(&self.chains, &mut self.source).map_err(local)?;
        let Delivered { taken, refused, last_refusal, rest } =
            deliver(&self.sink, &self.bookmark, &self.settings, &*self.timer, &held.batch).await;
        for record in held.batch.drain(..taken) {
            held.place.pass(&record);
            self.status.change(|status| status.last_record = Some(record.record.at));
        }
        if held.batch.is_empty() {
            // The position also moves behind records that are not for the sink.
            held.place.go_to(&held.end);
        }
        let delivered = taken.saturating_sub(refused);
        self.status.change(|status| {
            status.delivered = status.delivered.saturating_add(delivered as u64);
            status.refused = status.refused.saturating_add(refused as u64);
            if last_refusal.is_some() {
                (status.last_refusal, status.refused_in) = (last_refusal, Some(self.bookmark.refusals()));
            }
        });
        if taken > 0 || rest.is_ok() {
            self.bookmark.write(&held.place).map_err(local)?;
        }
        rest?;
        // A log that is written constantly has no idle steps, so the sink gets its idle call here too.
        within(&*self.timer, self.settings.timeout, self.sink.idle()).await?;
        Ok(Step::Delivered(taken))
    }

    fn failed(&mut self, error: &SinkError) -> Step {
        let mut failures = 0;
        self.status.change(|status| {
            status.failures = status.failures.saturating_add(1);
            status.last_error = Some(error.to_string());
            failures = status.failures;
        });
        let FeedSettings { least_pause, most_pause, .. } = self.settings;
        let own = pause(failures, least_pause, most_pause, &*self.random);
        let delay = match error {
            SinkError::Again { after, .. } => after.unwrap_or_default(),
            SinkError::Refused { .. } | SinkError::Partly { .. } => Duration::ZERO,
        };
        Step::Failed(failures, own.max(delay.min(most_pause)))
    }
}

impl Held {
    /// Sets the log id of each record. If it fails, the next step repeats it before the batch is delivered.
    fn identify(&mut self, chains: &Chains, source: &mut impl Source) -> io::Result<()> {
        for record in &mut self.batch {
            if let Some(id) = self.place.logs.get(&*record.chain) {
                record.log = Arc::clone(id);
            } else if let Some(id) = chains.identify(source, &record.chain)? {
                record.log = Arc::clone(&id);
                self.place.logs.insert(record.chain.to_string(), id);
            }
        }
        Ok(())
    }

    /// Adds the records for the sink to the batch.
    fn read(&mut self, read: Vec<Committed>, settings: &FeedSettings) {
        for mut record in read {
            self.end.pass(&record);
            if settings.wants(&record) {
                if !settings.payload {
                    record.payload = Kept::Nothing;
                }
                self.batch.push(record);
            }
        }
    }
}

impl<R, S> fmt::Debug for Feed<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Result of a delivery.
struct Delivered {
    /// Number of records that the sink took or refused.
    taken: usize,
    /// Number of refused records among them.
    refused: usize,
    /// Reason of the last refusal.
    last_refusal: Option<String>,
    /// Error that stopped the delivery of the rest.
    rest: Result<(), SinkError>,
}

/// Delivers `records` in order. A refused part is halved until it is a single record, which is noted as
/// refused.
async fn deliver(
    sink: &impl Sink,
    bookmark: &Bookmark,
    settings: &FeedSettings,
    timer: &dyn Timer,
    records: &[Committed],
) -> Delivered {
    let mut part = records.len();
    let mut all = Delivered { taken: 0, refused: 0, last_refusal: None, rest: Ok(()) };
    while let Some(rest) = records.get(all.taken..).filter(|rest| !rest.is_empty()) {
        part = part.clamp(1, rest.len());
        let now = rest.get(..part).unwrap_or(rest);
        let answer = within(timer, settings.timeout, sink.deliver(now)).await;
        let (refused, message) = match (answer, now) {
            (Ok(()), _) => {
                all.taken += part;
                part = part.saturating_mul(2);
                continue;
            }
            (Err(SinkError::Refused { message }), [_]) => (1, message),
            (Err(SinkError::Refused { .. }), _) => {
                part /= 2;
                continue;
            }
            (Err(SinkError::Partly { refused, message }), _) => {
                (usize::try_from(refused).unwrap_or(part).min(part), message)
            }
            (Err(error), _) => {
                all.rest = Err(error);
                break;
            }
        };
        if let Err(error) = bookmark.refuse(now, &message) {
            all.rest = Err(SinkError::again(error.to_string()));
            break;
        }
        (all.taken, all.refused) = (all.taken + part, all.refused + refused);
        all.last_refusal = Some(message);
    }
    all
}

/// Returns the answer of a sink, or an error if it takes longer than `limit`.
async fn within(
    timer: &dyn Timer,
    limit: Duration,
    answer: impl Future<Output = Result<(), SinkError>>,
) -> Result<(), SinkError> {
    let (mut answer, mut sleep) = (pin!(answer), None);
    poll_fn(|cx| {
        if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
            return Poll::Ready(answer);
        }
        let sleep = sleep.get_or_insert_with(|| timer.sleep(limit));
        Pin::new(sleep).poll(cx).map(|()| {
            let limit = hooks_core::duration::write(limit);
            Err(SinkError::again(format!("there was no answer within {limit}")))
        })
    })
    .await
}
