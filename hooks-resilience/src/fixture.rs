//! Shared parts of the tests in this crate: a world with virtual time, and a scripted client.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::drivers::ModelRequest;
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{SeededRandom, Tick};
use tower_service::Service;

use crate::{Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, Tier, World};

pub(crate) fn world(time: &VirtualTime) -> World {
    World {
        clock: Arc::new(time.clone()),
        timer: Arc::new(time.clone()),
        random: Arc::new(SeededRandom::new(7)),
    }
}

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn at(seconds: u64) -> Tick {
    Tick(Duration::from_secs(seconds))
}

/// A catalog of the model `a` of the provider `acme`, after `change`.
pub(crate) fn catalog(change: impl FnOnce(&mut Model)) -> Catalog {
    let mut model = Model::new("a", "acme", Tier::Standard);
    change(&mut model);
    Catalog::new([model]).unwrap()
}

pub(crate) fn health(catalog: &Catalog, time: &VirtualTime) -> Health {
    Health::new(catalog, HealthSettings::default(), world(time)).unwrap()
}

/// A call of the first model of `catalog`.
pub(crate) fn call(catalog: &Catalog) -> Call {
    let request = ModelRequest { model: "a".into(), ..ModelRequest::default() };
    let mut call = Call::new(Arc::default(), request, OpId(1));
    call.model = catalog.models().first().cloned();
    call
}

/// Behaviour of the client for one call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    Answers,
    /// Answers after this time.
    AnswersIn(Duration),
    Fails(ErrorKind),
    /// Fails, and states a wait.
    Tells(ErrorKind, Duration),
    Hangs,
    Panics,
    PanicsLater,
}

/// A client that follows a script, and answers all calls after it. It panics if it is called without being
/// made ready, which tower forbids.
pub(crate) struct Client {
    script: Arc<Mutex<VecDeque<Does>>>,
    calls: Arc<AtomicUsize>,
    /// Number of calls in flight.
    pub(crate) busy: Arc<AtomicUsize>,
    time: VirtualTime,
    ready: bool,
}

impl Client {
    pub(crate) fn new(time: &VirtualTime, script: impl IntoIterator<Item = Does>) -> Self {
        let script = Arc::new(Mutex::new(script.into_iter().collect()));
        let (calls, busy) = (Arc::default(), Arc::default());
        Self { script, calls, busy, time: time.clone(), ready: false }
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Clone for Client {
    fn clone(&self) -> Self {
        Self {
            script: Arc::clone(&self.script),
            calls: Arc::clone(&self.calls),
            busy: Arc::clone(&self.busy),
            time: self.time.clone(),
            ready: false,
        }
    }
}

impl Service<Call> for Client {
    type Response = &'static str;
    type Error = ModelError;
    type Future = HookFuture<'static, Result<&'static str, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _call: Call) -> Self::Future {
        use hooks_core::time::Timer;
        assert!(std::mem::take(&mut self.ready), "called without being made ready");
        self.calls.fetch_add(1, Ordering::Relaxed);
        let does = self.script.lock().unwrap().pop_front().unwrap_or(Does::Answers);
        let time = self.time.clone();
        self.busy.fetch_add(1, Ordering::Relaxed);
        let busy = OnItsWay(Arc::clone(&self.busy));
        match does {
            Does::Answers => HookFuture::now(Ok("answer")),
            Does::Fails(kind) => HookFuture::now(Err(ModelError::new(kind, "scripted"))),
            Does::Tells(kind, wait) => {
                HookFuture::now(Err(ModelError::new(kind, "scripted").with_retry_after(wait)))
            }
            Does::Panics => panic!("scripted"),
            Does::AnswersIn(wait) => HookFuture::later(async move {
                let _busy = busy;
                time.sleep(wait).await;
                Ok("answer")
            }),
            Does::Hangs => HookFuture::later(async move {
                let _busy = busy;
                std::future::pending().await
            }),
            Does::PanicsLater => HookFuture::later(async move {
                let _busy = busy;
                time.sleep(secs(1)).await;
                panic!("scripted")
            }),
        }
    }
}

struct OnItsWay(Arc<AtomicUsize>);

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Makes a service ready and calls it.
pub(crate) fn ask<S: Service<Call>>(service: &mut S, call: Call) -> S::Future {
    let polled = service.poll_ready(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Ok(()))), "a service was not ready");
    service.call(call)
}

/// Polls once.
pub(crate) fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}
