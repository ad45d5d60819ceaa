//! The world of one policy: sessions, virtual time, providers, and an observer that measures everything from
//! outside.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Tick, Timer};
use hooks_resilience::ErrorKind;

use super::meter::{Measures, Meter};
use super::params::Params;
use super::policy::{Mind, Policy, could_answer};
use super::providers::{Fate, Fault, Providers, Quota, Response};
use super::traffic::{self, AgentCall, Arrival, Conversation};
use crate::error::Result;

/// The simulated world.
#[derive(Debug)]
pub(super) struct Sim {
    pub(super) params: Arc<Params>,
    pub(super) time: VirtualTime,
    pub(super) providers: Providers,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    quotas: Vec<Quota>,
    calls: HashMap<u64, Open>,
    meter: Meter,
}

/// A call in progress.
#[derive(Debug)]
struct Open {
    call: AgentCall,
    began: Tick,
    /// When the call was last counted as one that sends attempts.
    counted: Tick,
    attempts: u64,
    /// Models that the call was sent to, as bits.
    tried: u64,
    in_flight: u32,
    /// Time since which nothing was sent, with the models that were evidently well then, as bits.
    asleep: Option<(Tick, u64)>,
}

impl Sim {
    /// Runs all sessions of a storm under `policy`.
    ///
    /// # Errors
    /// Returns an error if the policy does not accept the storm.
    pub(super) fn run(params: &Arc<Params>, policy: Policy) -> Result<Measures> {
        let providers = Providers::new(Arc::clone(params));
        let state = State {
            quotas: params.providers.iter().map(Quota::new).collect(),
            calls: HashMap::new(),
            meter: Meter::new(params, &providers, policy.is_shared()),
        };
        let time = VirtualTime::default();
        let params = Arc::clone(params);
        let sim = Arc::new(Self { params, time: time.clone(), providers, state: Mutex::new(state) });
        let minds = policy.minds(&sim)?;
        time.block_on(sim.live(&minds));
        let measures = sim.lock().meter.measures();
        Ok(measures)
    }

    async fn live(&self, minds: &[Mind]) {
        let mut sessions = FuturesUnordered::new();
        for arrival in traffic::arrivals(&self.params) {
            let mut alarm = pin!(self.time.sleep(arrival.at.since(self.now())));
            std::future::poll_fn(|context| {
                while let Poll::Ready(Some(())) = sessions.poll_next_unpin(context) {}
                alarm.as_mut().poll(context)
            })
            .await;
            if let Some(mind) = minds.get(arrival.instance as usize) {
                sessions.push(self.session(arrival, mind));
            }
        }
        while sessions.next().await.is_some() {}
    }

    async fn session(&self, arrival: Arrival, mind: &Mind) {
        let mut memory = mind.new_session();
        let mut conversation = Conversation::new(&self.params, arrival);
        while let Some(call) = conversation.next(&self.params) {
            self.time.sleep(call.think).await;
            let began = self.begin(call);
            let answer = mind.ask(self, &call, &mut memory).await;
            self.end(&call, began, answer);
            if let Err(kind) = answer {
                let deadline = began.after(Duration::from_secs_f64(self.params.traffic.deadline_s));
                let is_hopeless = !could_answer(self, &call, began, deadline);
                let times = [began, self.now()];
                return self.lock().meter.session_failed(&call, times, kind, is_hopeless);
            }
            if let Some(factor) = memory.compacted.take() {
                conversation.shrink(factor);
            }
        }
        self.lock().meter.session_ended();
    }

    /// The current time.
    pub(super) fn now(&self) -> Tick {
        self.time.tick()
    }

    /// The deadline of a call that begins now.
    pub(super) fn deadline(&self) -> Tick {
        self.now().after(Duration::from_secs_f64(self.params.traffic.deadline_s))
    }

    /// When the quota of the provider of `model` admits the next request.
    pub(super) fn next_slot(&self, model: usize, now: Tick) -> Tick {
        let provider = self.providers.provider_of(model);
        self.lock().quotas.get(provider).map_or(now, |quota| quota.next(now))
    }

    /// Makes one attempt with `model`, which is abandoned after `limit`.
    pub(super) async fn attempt(&self, key: u64, model: usize, limit: Duration) -> Response {
        self.fulfil(key, model, limit, None).await
    }

    /// Makes an attempt at a place in the quota that was taken by [`Sim::book`], with chosen luck.
    pub(super) async fn attempt_booked(&self, key: u64, model: usize, luck: u64) -> Response {
        self.fulfil(key, model, Duration::MAX, Some(luck)).await
    }

    /// Takes a place in the quota at `at`.
    pub(super) fn book(&self, model: usize, at: Tick) {
        let provider = self.providers.provider_of(model);
        if let Some(quota) = self.lock().quotas.get_mut(provider) {
            quota.book(at);
        }
    }

    async fn fulfil(&self, key: u64, model: usize, limit: Duration, luck: Option<u64>) -> Response {
        let Some(fate) = self.start(key, model, luck) else {
            return Err(Fault { kind: ErrorKind::Unknown, retry_after: None });
        };
        let mut attempt = InFlight { sim: self, key, model, began: self.now(), is_over: false };
        let (takes, result) = match fate.takes {
            Some(takes) if takes <= limit => (takes, fate.result),
            _ => (limit, Err(Fault { kind: ErrorKind::AttemptTimeout, retry_after: None })),
        };
        self.time.sleep(takes).await;
        attempt.is_over = true;
        self.finish(key, model, takes, Some(result));
        result
    }

    fn start(&self, key: u64, model: usize, luck: Option<u64>) -> Option<Fate> {
        let now = self.now();
        let provider = self.providers.provider_of(model);
        let mut state = self.lock();
        let State { quotas, calls, meter } = &mut *state;
        let open = calls.get_mut(&key)?;
        if let Some((since, well)) = open.asleep.take() {
            meter.slept(since, now, well & !open.tried);
        }
        open.attempts += 1;
        open.tried |= 1 << model;
        open.in_flight += 1;
        meter.attempted(model, &open.call, now, &self.providers.weather, &mut open.counted);
        let mut fate = self.providers.fate(&open.call, model, luck.unwrap_or(open.attempts), now);
        // Every request counts against the quota, also one that fails.
        if luck.is_none()
            && let Some(Err(wait)) = quotas.get_mut(provider).map(|quota| quota.take(now))
        {
            let retry_after = self.providers.refusal(&open.call, provider, open.attempts, wait);
            let fault = Fault { kind: ErrorKind::RateLimited, retry_after };
            fate = Fate { takes: Some(Duration::from_millis(100)), result: Err(fault) };
        }
        Some(fate)
    }

    fn finish(&self, key: u64, model: usize, took: Duration, result: Option<Response>) {
        let now = self.now();
        let mut state = self.lock();
        let State { quotas, calls, meter } = &mut *state;
        let Some(open) = calls.get_mut(&key) else { return };
        meter.finished(model, &open.call, now, took, result);
        open.in_flight = open.in_flight.saturating_sub(1);
        if open.in_flight == 0 {
            let well = meter.evidently_well(&self.providers, quotas, &open.call, now);
            open.asleep = Some((now, well));
        }
    }

    fn begin(&self, call: AgentCall) -> Tick {
        let now = self.now();
        let mut state = self.lock();
        let State { quotas, calls, meter } = &mut *state;
        meter.began(now, &self.providers.weather);
        let well = meter.evidently_well(&self.providers, quotas, &call, now);
        let asleep = Some((now, well));
        calls.insert(
            call.key,
            Open { call, began: now, counted: now, attempts: 0, tried: 0, in_flight: 0, asleep },
        );
        now
    }

    fn end(&self, call: &AgentCall, began: Tick, answer: std::result::Result<(), ErrorKind>) {
        let now = self.now();
        let mut state = self.lock();
        let Some(open) = state.calls.remove(&call.key) else { return };
        if let Some((since, well)) = open.asleep {
            state.meter.slept(since, now, well & !open.tried);
        }
        let limit = Duration::from_secs_f64(self.params.traffic.deadline_s);
        debug_assert_eq!(began, open.began);
        state.meter.answered(now.since(open.began), limit, answer.is_ok());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt in flight; if it is dropped before its end, it was abandoned.
struct InFlight<'s> {
    sim: &'s Sim,
    key: u64,
    model: usize,
    began: Tick,
    is_over: bool,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.sim.finish(self.key, self.model, self.sim.now().since(self.began), None);
        }
    }
}
