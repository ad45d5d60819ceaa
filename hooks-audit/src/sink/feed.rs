//! Feeds one sink from the log.

use std::fmt;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hooks_core::Environment;
use hooks_core::fs::{Disk, DiskLock};
use hooks_core::time::{Random, Timer};

use super::backoff::pause;
use super::bookmark::Bookmark;
use super::settings::FeedSettings;
use super::source::Source;
use super::status::StatusHandle;
use super::{Sink, SinkError};
use crate::read::{Committed, Kept, Positions};

/// Feeds one sink from the log; see the [module](super).
///
/// Run it as a task of its own ([`Feed::run`]); dropped, it loses nothing. Of several processes on one machine with the
/// same folder and name, one feeds; the others wait for it to end. Reading the log and writing the place are short
/// file operations in the task that runs it.
pub struct Feed<R, S> {
    source: R,
    sink: S,
    bookmark: Bookmark,
    settings: FeedSettings,
    timer: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    status: StatusHandle,
    /// While this process feeds.
    held: Option<Held>,
}

/// What a feed has in hand.
struct Held {
    #[expect(dead_code, reason = "it is held until it is dropped")]
    lock: DiskLock,
    /// Behind what the sink has.
    positions: Positions,
    /// What was read, is for the sink and is not delivered, in order.
    batch: Vec<Committed>,
    /// Behind what was read.
    end: Positions,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The sink took so many records, or refused them for good.
    Delivered(usize),
    /// There is nothing new.
    Idle,
    /// It failed, for so many times in a row; ask again after a pause of this length.
    Failed(u32, Duration),
    /// Another process feeds the sink.
    Elsewhere,
}

impl<R: Source, S: Sink> Feed<R, S> {
    /// Feeds `sink` from `source`; its place is in `folder`, on `disk`, under the name of the settings.
    pub fn new(
        source: R,
        sink: S,
        disk: Arc<dyn Disk>,
        folder: impl Into<PathBuf>,
        settings: FeedSettings,
        environment: &Environment,
        timer: impl Timer + 'static,
    ) -> Self {
        let bookmark = Bookmark::new(disk, folder.into(), settings.name.clone());
        let random = Arc::clone(&environment.random);
        let status = StatusHandle::default();
        Self { source, sink, bookmark, settings, timer: Arc::new(timer), random, status, held: None }
    }

    /// Tells how it is doing while it runs.
    pub fn status(&self) -> StatusHandle {
        self.status.clone()
    }

    /// Feeds for ever: until this is dropped.
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

    /// Feeds until there is nothing new, for `attempts` failures in a row at most. Whether the sink has everything.
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

    /// Reads a batch and delivers it, or tries again to deliver the one at hand.
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
        let local = |error: std::io::Error| SinkError::again(error.to_string());
        if self.held.is_none() {
            let Some(lock) = self.bookmark.lock().map_err(local)? else { return Ok(Step::Elsewhere) };
            let positions = self.bookmark.read().map_err(local)?;
            self.source.seek(positions.clone());
            self.held = Some(Held { lock, end: positions.clone(), positions, batch: Vec::new() });
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
        let (taken, refused, rest) =
            deliver(&self.sink, &self.bookmark, &self.settings, &*self.timer, &held.batch).await;
        for record in held.batch.drain(..taken) {
            held.positions.advance(&record.chain, record.record.seq);
            self.status.change(|status| status.last_record = Some(record.record.at));
        }
        if held.batch.is_empty() {
            // Also behind what is not for the sink.
            held.positions = held.end.clone();
        }
        let delivered = taken.saturating_sub(refused);
        self.status.change(|status| {
            status.delivered = status.delivered.saturating_add(delivered as u64);
            status.refused = status.refused.saturating_add(refused as u64);
        });
        if taken > 0 || rest.is_ok() {
            self.bookmark.write(&held.positions).map_err(local)?;
        }
        rest.map(|()| Step::Delivered(taken))
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
        let asked = match error {
            SinkError::Again { after, .. } => after.unwrap_or_default(),
            SinkError::Refused { .. } => Duration::ZERO,
        };
        Step::Failed(failures, own.max(asked.min(most_pause)))
    }
}

impl Held {
    /// Takes in hand what was read, as far as it is for the sink.
    fn read(&mut self, read: Vec<Committed>, settings: &FeedSettings) {
        for mut record in read {
            self.end.advance(&record.chain, record.record.seq);
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

/// Delivers `records` in order. A part that is refused is halved until it is one record, which is written down. How many
/// of them are dealt with, how many of those were refused, and what keeps the rest back.
async fn deliver(
    sink: &impl Sink,
    bookmark: &Bookmark,
    settings: &FeedSettings,
    timer: &dyn Timer,
    records: &[Committed],
) -> (usize, usize, Result<(), SinkError>) {
    let (mut done, mut refused, mut part) = (0, 0, records.len());
    while let Some(rest) = records.get(done..).filter(|rest| !rest.is_empty()) {
        part = part.clamp(1, rest.len());
        let now = rest.get(..part).unwrap_or(rest);
        let answer = within(timer, settings.timeout, sink.deliver(now)).await;
        match (answer, now) {
            (Ok(()), _) => {
                done += part;
                part = part.saturating_mul(2);
            }
            (Err(SinkError::Refused { message }), [only]) => {
                if let Err(error) = bookmark.refuse(only, &message) {
                    return (done, refused, Err(SinkError::again(error.to_string())));
                }
                (done, refused) = (done + 1, refused + 1);
            }
            (Err(SinkError::Refused { .. }), _) => part /= 2,
            (Err(error), _) => return (done, refused, Err(error)),
        }
    }
    (done, refused, Ok(()))
}

/// What `sink` answers within `limit`.
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
