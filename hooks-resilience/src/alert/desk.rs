//! Decides which alerts are sent, and sends them: shared by all services of a layer.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::time::Tick;
use hooks_core::{Background, HookContext, HookFuture};

use super::config::AlertConfig;
use super::sink::AlertSink;
use super::{Alert, AlertKind};
use crate::breaker::BreakerState;
use crate::call::FailedAttempt;
use crate::duration;
use crate::error::{ErrorKind, ModelError, Treatments};
use crate::health::Transition;
use crate::world::World;

pub(super) struct Desk {
    pub(super) settings: AlertConfig,
    pub(super) treatments: Treatments,
    pub(super) world: World,
    pub(super) sink: Arc<dyn AlertSink>,
    pub(super) background: Mutex<Option<Arc<dyn Background>>>,
    pub(super) dropped: AtomicU64,
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// Times of failed attempts, oldest first; at most as many as raise an alert.
    errors: VecDeque<Tick>,
    /// When each alert was last raised, by kind and subject.
    sent: HashMap<(AlertKind, Option<Arc<str>>), Tick>,
    /// When the alerts of the last minute were raised.
    made: VecDeque<Tick>,
    held_back: u64,
    queue: VecDeque<Alert>,
    /// Whether a task is sending the queued alerts.
    at_work: bool,
}

const MINUTE: Duration = Duration::from_secs(60);

/// The most alerts whose last time is remembered.
const REMEMBERED: usize = 1_024;

impl Desk {
    /// Records a failed call and its failed attempts (`error.failed()`).
    pub(super) fn failed(self: &Arc<Self>, context: &Arc<HookContext>, error: &ModelError) {
        let now = self.world.tick();
        self.attempts(context, error.failed(), now);
        self.attempt(context, error.kind(), error.model(), error.message(), now);
        if error.is_exhausted() {
            self.raise(context, AlertKind::ChainExhausted, None, format!("no model is left: {error}"), now);
        }
    }

    /// Records the failed attempts of a call that was answered.
    pub(super) fn replied(self: &Arc<Self>, context: &Arc<HookContext>, failed: &[FailedAttempt]) {
        self.attempts(context, failed, self.world.tick());
    }

    /// Records a breaker's change of state.
    pub(super) fn breaker(self: &Arc<Self>, change: &Transition) {
        if change.from == BreakerState::Closed && change.to == BreakerState::Open {
            let subject = change.model.as_ref().unwrap_or(&change.provider);
            let text = "its breaker opened: it is left alone for a while".to_owned();
            self.raise(&Arc::default(), AlertKind::BreakerOpened, Some(subject), text, change.at);
        }
    }

    fn attempts(self: &Arc<Self>, context: &Arc<HookContext>, failed: &[FailedAttempt], now: Tick) {
        for failed in failed {
            self.attempt(context, failed.kind, Some(&failed.model), &failed.message, now);
        }
    }

    fn attempt(
        self: &Arc<Self>,
        context: &Arc<HookContext>,
        kind: ErrorKind,
        model: Option<&Arc<str>>,
        message: &str,
        now: Tick,
    ) {
        // No request was sent, or the caller stopped it on purpose.
        if matches!(kind, ErrorKind::NotAdmitted | ErrorKind::Stopped) {
            return;
        }
        if self.treatments.for_kind(kind).alert {
            self.raise(context, AlertKind::Mend(kind), model, format!("{kind}: {message}"), now);
        }
        if self.is_too_many(now) {
            let window = duration::write(self.settings.window);
            let text = format!("{} attempts failed within {window}", self.settings.errors);
            self.raise(context, AlertKind::TooManyErrors, None, text, now);
        }
    }

    fn is_too_many(&self, now: Tick) -> bool {
        let mut state = self.lock();
        state.errors.push_back(now);
        let too_many = state.errors.len() >= self.settings.errors
            && state.errors.front().is_some_and(|first| now.since(*first) <= self.settings.window);
        if too_many {
            state.errors.clear();
        } else if state.errors.len() >= self.settings.errors {
            state.errors.pop_front();
        }
        too_many
    }

    /// Queues an alert, unless the same one was raised within the quiet time or the rate is used up.
    fn raise(
        self: &Arc<Self>,
        context: &Arc<HookContext>,
        kind: AlertKind,
        subject: Option<&Arc<str>>,
        message: String,
        now: Tick,
    ) {
        let mut state = self.lock();
        if !state.may_say((kind, subject.cloned()), now, &self.settings) {
            state.held_back = state.held_back.saturating_add(1);
            return;
        }
        if state.queue.len() >= self.settings.queue {
            self.drop_one();
            return;
        }
        let held_back = std::mem::take(&mut state.held_back);
        let (subject, at, context) = (subject.cloned(), self.world.clock.now(), Arc::clone(context));
        state.queue.push_back(Alert { kind, subject, message, at, context, held_back });
        if std::mem::replace(&mut state.at_work, true) {
            return;
        }
        drop(state);
        self.work_off();
    }

    /// Sends the queued alerts: in the background, or without one in a single poll here.
    fn work_off(self: &Arc<Self>) {
        let mut work = Work { desk: Arc::clone(self), sending: None, is_done: false };
        let background = self.background.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(background) = background else {
            // A sink that has to wait is dropped, and its alert is lost.
            let _nothing = Pin::new(&mut work).poll(&mut Context::from_waker(Waker::noop()));
            return;
        };
        // If the background panics, the work is dropped; the next alert starts it again.
        let _run = catch_unwind(AssertUnwindSafe(|| background.run(HookFuture::later(work))));
    }

    fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn may_say(&mut self, what: (AlertKind, Option<Arc<str>>), now: Tick, settings: &AlertConfig) -> bool {
        let is_quiet = |sent: &Tick| now.since(*sent) < settings.quiet;
        if self.sent.get(&what).is_some_and(is_quiet) {
            return false;
        }
        while self.made.front().is_some_and(|made| now.since(*made) >= MINUTE) {
            self.made.pop_front();
        }
        if self.sent.len() >= REMEMBERED {
            self.sent.retain(|_, sent| is_quiet(sent));
        }
        if self.made.len() >= settings.per_minute || self.sent.len() >= REMEMBERED {
            return false;
        }
        self.made.push_back(now);
        self.sent.insert(what, now);
        true
    }
}

/// Sends the queued alerts, one after the other.
struct Work {
    desk: Arc<Desk>,
    sending: Option<HookFuture<'static, ()>>,
    is_done: bool,
}

impl Future for Work {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(sending) = self.sending.as_mut() {
                // An alert whose sink panics is not sent again.
                match catch_unwind(AssertUnwindSafe(|| Pin::new(sending).poll(cx))) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(())) => {}
                    Err(_) => self.desk.drop_one(),
                }
                self.sending = None;
            }
            let mut state = self.desk.lock();
            let Some(alert) = state.queue.pop_front() else {
                state.at_work = false;
                drop(state);
                self.is_done = true;
                return Poll::Ready(());
            };
            drop(state);
            match catch_unwind(AssertUnwindSafe(|| self.desk.sink.send(alert))) {
                Ok(sending) => self.sending = Some(sending),
                Err(_) => self.desk.drop_one(),
            }
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.sending.take().is_some() {
            self.desk.drop_one();
        }
        // The next alert sends what is left in the queue.
        if !self.is_done {
            self.desk.lock().at_work = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_is_remembered_and_what_is_quiet_makes_room() {
        let settings = AlertConfig { per_minute: usize::MAX, ..AlertConfig::default() };
        let mut state = State::default();
        let mut say = |model: usize, now: Tick| {
            let what = (AlertKind::BreakerOpened, Some(Arc::from(format!("model-{model}"))));
            (state.may_say(what, now, &settings), state.sent.len())
        };
        for model in 0..2 * REMEMBERED {
            assert_eq!(say(model, Tick::default()).0, model < REMEMBERED);
        }
        let later = Tick::default().after(settings.quiet);
        assert_eq!(say(0, later), (true, 1));
    }
}
