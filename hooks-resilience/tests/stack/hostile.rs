//! Clients, stores, summarisers and settings that misbehave.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use hooks_conversation::{Summariser, SummaryRequest};
use hooks_core::HookFuture;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, Role};
use hooks_core::state::{Memory, Op, OpId, StateStore, StepResult, StoreError};
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Timer, Timestamp};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, Call, Classified, DeadlineLayer, ErrorKind, FallbackConfig, HealthSettings,
    HedgeConfig, HedgeLayer, Model, ModelError, Needs, OverflowConfig, OverflowLayer, RetryConfig,
    RetryLayer,
};
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::rig::*;

/// A client that takes one call at a time; its place is taken until the call's future is dropped.
struct OnePlace {
    client: Client,
    place: Arc<Mutex<SinglePlace>>,
    held: Option<Held>,
}

#[derive(Default)]
struct SinglePlace {
    taken: bool,
    waiting: Vec<Waker>,
}

struct Held(Arc<Mutex<SinglePlace>>);

impl Drop for Held {
    fn drop(&mut self) {
        let waiting = {
            let mut place = self.0.lock().unwrap();
            place.taken = false;
            std::mem::take(&mut place.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Clone for OnePlace {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), place: Arc::clone(&self.place), held: None }
    }
}

struct Holding(
    <Client as Service<Call>>::Future,
    #[expect(dead_code, reason = "given back when it is dropped")] Option<Held>,
);

impl Future for Holding {
    type Output = Result<&'static str, ModelError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl Service<Call> for OnePlace {
    type Response = &'static str;
    type Error = ModelError;
    type Future = Holding;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        if self.held.is_none() {
            let mut place = self.place.lock().unwrap();
            if place.taken {
                place.waiting.push(cx.waker().clone());
                return Poll::Pending;
            }
            place.taken = true;
            self.held = Some(Held(Arc::clone(&self.place)));
        }
        self.client.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Holding {
        Holding(self.client.call(call), self.held.take())
    }
}

#[test]
fn a_hedged_call_of_a_client_with_one_place_lets_go_of_it_when_it_fails() {
    let rig = Rig::new(three());
    rig.client.always("one", Act::fail(ErrorKind::Server).taking(secs(10)));
    let client = OnePlace { client: rig.client.clone(), place: Arc::default(), held: None };
    let hedge = HedgeConfig::after(secs(5));
    let stack = ServiceBuilder::new()
        .layer(DeadlineLayer::new(rig.world.clone(), secs(600)).unwrap())
        .layer(rig.fallback.clone())
        .layer(HedgeLayer::new(rig.chains.clone(), rig.health.clone(), hedge).unwrap())
        .layer(RetryLayer::new(rig.health.clone(), RetryConfig::default().with_max_attempts(1)).unwrap())
        .layer(AttemptLayer::new(rig.world.clone(), AttemptConfig::default(), Classified).unwrap())
        .service(client);
    let replied = rig.time.block_on(stack.oneshot(rig.call())).expect("it does not hang").unwrap();
    assert_eq!((&*replied.model.unwrap().name, rig.now()), ("two", Duration::from_millis(10_100)));
}

fn shared_with(rig: &mut Rig, store: impl StateStore + 'static) {
    rig.health = rig.health.clone().shared(Arc::new(store), "fleet");
}

/// A store in which another instance wrote a text, with a new revision at each read.
struct Says {
    memory: Memory,
    text: Arc<Mutex<Option<&'static str>>>,
    revision: AtomicU64,
}

impl StateStore for Says {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let text = *self.text.lock().unwrap();
        match (&op, text) {
            (Op::Get { .. }, Some(text)) => {
                let revision = self.revision.fetch_add(1, Ordering::Relaxed);
                HookFuture::now(Ok(StepResult::Value(Some((text.into(), revision)))))
            }
            _ => self.memory.apply(op),
        }
    }
}

#[test]
fn a_breaker_that_is_open_stays_open_where_the_store_holds_nonsense() {
    for text in
        ["", "null", "{}", "[]", "nonsense", "{\"at\":1}", "{\"at\":-1,\"breaker\":{},\"gate_for\":0}"]
    {
        let mut rig = Rig::new(alone());
        let message = Arc::default();
        let memory = Memory::new(Arc::new(rig.time.clone()));
        shared_with(&mut rig, Says { memory, text: Arc::clone(&message), revision: AtomicU64::new(1_000) });
        let (model, now) = (Arc::clone(&rig.chains.catalog().models()[0]), rig.time.tick());
        let fail = || {
            let permit = rig.health.admit(&model, now);
            permit.map(|permit| permit.failed(&ModelError::new(ErrorKind::Server, ""), now, secs(1)))
        };
        (0..3).for_each(|_| fail().unwrap());
        assert!(fail().is_err());
        *message.lock().unwrap() = Some(text);
        (0..3).for_each(|_| assert!(fail().is_err(), "{text}"));
    }
}

/// A store that answers late or never.
struct Slow(Memory, VirtualTime, Option<Duration>);

impl StateStore for Slow {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let Some(wait) = self.2 else { return HookFuture::later(std::future::pending()) };
        let (answer, sleep) = (self.0.apply(op), self.1.sleep(wait));
        HookFuture::later(async move {
            sleep.await;
            answer.await
        })
    }
}

fn slow(rig: &Rig, wait: Option<Duration>) -> Slow {
    Slow(Memory::new(Arc::new(rig.time.clone())), rig.time.clone(), wait)
}

fn limited(requests: u32) -> [Model; 1] {
    let mut models = alone();
    models[0].limits.requests_per_minute = Some(requests);
    models
}

#[test]
fn a_store_that_hangs_is_waited_for_once_a_second_and_not_for_long() {
    // An instance starts with a quarter of its share's burst. Two simultaneous calls have to fit into it,
    // since this tests the wait for the store and not that for the rate.
    let mut rig = Rig::new(limited(6_000));
    let store = slow(&rig, None);
    shared_with(&mut rig, store);
    for _ in 0..3 {
        for at_most in [200, 150] {
            let began = rig.now();
            rig.send(rig.call()).unwrap();
            assert!(rig.now().saturating_sub(began) <= Duration::from_millis(at_most));
        }
        rig.wait(secs(2));
    }
}

#[test]
fn a_probe_that_is_dropped_at_any_time_is_sent_by_the_next_call_at_once() {
    for store in [false, true] {
        for millis in (0..200).step_by(10) {
            let mut rig = Rig::impatient(alone());
            if store {
                let store = slow(&rig, Some(Duration::from_millis(10)));
                shared_with(&mut rig, store);
            }
            rig.client.plays("one", [Act::fail(ErrorKind::Network); 3]);
            rig.send(rig.call()).unwrap_err();
            rig.wait(secs(60));
            let probe = Box::pin(rig.stack().oneshot(rig.call()));
            let end =
                rig.time.block_on(select(probe, rig.time.sleep(Duration::from_millis(millis)))).unwrap();
            let was_dropped = matches!(end, Either::Right(_));
            drop(end);
            let began = rig.now();
            rig.send(rig.call()).unwrap();
            let took = rig.now().saturating_sub(began);
            assert!(took <= Duration::from_millis(400), "{store} {millis} {was_dropped}: {took:?}");
        }
    }
}

#[test]
fn a_thousand_calls_at_a_breaker_that_is_open_send_one_probe_and_then_all_are_answered() {
    let rig = Rig::new(alone());
    // A model with fewer failures in a row would be called beside its probe, as a last resort.
    rig.until_it_is_gone();
    let before = rig.client.calls().len();
    let calls = (0..1_000).map(|_| rig.stack().oneshot(rig.call()));
    let answers = rig.time.block_on(join_all(calls)).unwrap();
    assert!(answers.iter().all(Result::is_ok));
    let (times, takes) = (rig.client.times(), Duration::from_millis(100));
    assert_eq!(times.len() - before, 1_000);
    assert!(times[before + 1..].iter().all(|at| *at >= times[before] + takes));
    assert_eq!(rig.fallback.parking().parked(), 0);
}

#[test]
fn settings_without_an_end_are_taken() {
    let mut health = HealthSettings::default();
    health.longest_gate = Duration::MAX;
    let mut rig = Rig::with(alone(), health, FallbackConfig::default().with_max_park(Duration::MAX));
    let memory = Memory::new(Arc::new(rig.time.clone()));
    shared_with(&mut rig, memory);
    rig.client.plays("one", [Act::fail(ErrorKind::Server)]);
    rig.send(rig.call()).unwrap();
    rig.client.plays("one", [Act::fail(ErrorKind::RateLimited).told(Duration::MAX)]);
    let began = rig.now();
    assert_eq!(rig.send(rig.call()).unwrap_err().kind(), ErrorKind::DeadlineExceeded);
    assert!(rig.now().saturating_sub(began) <= secs(1));
}

#[test]
fn a_call_that_allows_for_endless_tokens_does_not_shut_the_quota_for_ever() {
    for is_shared in [false, true] {
        let mut models = alone();
        models[0].limits.tokens_per_minute = Some(1_000);
        let mut rig = Rig::new(models);
        if is_shared {
            let memory = Memory::new(Arc::new(rig.time.clone()));
            shared_with(&mut rig, memory);
        }
        let needs = Needs { input_tokens: 10, output_tokens: u64::MAX, ..Needs::default() };
        rig.send(rig.call().needing(needs)).unwrap();
        let needs = Needs { output_tokens: 10, ..needs };
        rig.send(rig.call().needing(needs)).unwrap();
        assert!((secs(50)..secs(70)).contains(&rig.now()), "{is_shared}: {:?}", rig.now());
    }
}

#[test]
fn a_calendar_that_is_set_back_a_day_stops_no_rate_that_is_shared() {
    const DAY: u64 = 86_400_000;
    for wait in [None, Some(Duration::from_millis(1))] {
        let mut rig = Rig::new(limited(60));
        rig.time.set_calendar(Timestamp(DAY * 1_000));
        match wait {
            None => {
                let memory = Memory::new(Arc::new(rig.time.clone()));
                shared_with(&mut rig, memory);
            }
            Some(_) => {
                let store = slow(&rig, wait);
                shared_with(&mut rig, store);
            }
        }
        rig.send(rig.call()).unwrap();
        rig.time.set_calendar(Timestamp(DAY * 999));
        for _ in 0..20 {
            rig.send(rig.call()).unwrap();
        }
        assert!(rig.now() < secs(30), "{:?}", rig.now());
    }
}

#[test]
fn a_summariser_that_is_of_no_use_costs_the_summary_and_no_more() {
    for what in ["is too long", "is empty", "panics", "panics later", "hangs"] {
        let rig = Rig::new(alone());
        rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
        let summariser = service_fn(move |_: SummaryRequest| {
            assert_ne!(what, "panics");
            async move {
                assert_ne!(what, "panics later");
                match what {
                    "is too long" => Ok::<_, ModelError>("word ".repeat(100_000)),
                    "hangs" => std::future::pending().await,
                    _ => Ok(String::new()),
                }
            }
        });
        let layer = OverflowLayer::new(OverflowConfig::default(), rig.world.clone()).unwrap();
        let service = layer.with_summariser(Summariser::new(summariser)).layer(rig.attempts());
        let message = |role| move |turn| Message::text(role, format!("{turn} {}", "word ".repeat(200)));
        let turns = (0..40).map(message(Role::User)).zip((0..40).map(message(Role::Assistant)));
        let messages = turns.flat_map(|(user, assistant)| [user, assistant]).collect();
        let request = ModelRequest { model: "one".into(), iteration: 1, messages };
        let mut call = Call::new(Arc::default(), request, OpId(1));
        call.model = rig.chains.catalog().get("one").cloned();
        let error = rig.time.block_on(service.oneshot(call)).expect(what).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ContextOverflow, "{what}");
        assert!(rig.now() <= secs(61), "{what}");
    }
}
