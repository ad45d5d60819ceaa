//! Services that check whether a layer keeps tower's contract.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

/// An inner hook that is strict about readiness. It must be polled until it is ready before each call; a
/// clone starts unready; a call without readiness panics. It counts calls, clones and held permits.
#[derive(Debug)]
pub struct Probe<S> {
    inner: S,
    log: ProbeLog,
    ready: bool,
    /// Number of polls that return pending before the hook is ready.
    delay: usize,
    polls: usize,
}

/// Counts of a [`Probe`] and its clones.
#[derive(Clone, Debug, Default)]
pub struct ProbeLog {
    calls: Arc<AtomicUsize>,
    clones: Arc<AtomicUsize>,
    /// Number of probes that are ready and were neither called nor dropped.
    held: Arc<AtomicUsize>,
}

impl ProbeLog {
    /// Number of calls.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Number of clones.
    pub fn clones(&self) -> usize {
        self.clones.load(Ordering::Relaxed)
    }

    /// Number of probes that are ready and not called yet: held permits.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

impl<S> Probe<S> {
    /// A probe around `inner`, which answers the calls.
    pub fn new(inner: S) -> (Self, ProbeLog) {
        let log = ProbeLog::default();
        (Self { inner, log: log.clone(), ready: false, delay: 0, polls: 0 }, log)
    }

    /// Sets the number of polls that return pending before the hook is ready.
    #[must_use]
    pub fn ready_after(mut self, polls: usize) -> Self {
        self.delay = polls;
        self
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.ready) {
            self.log.held.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl<S: Clone> Clone for Probe<S> {
    fn clone(&self) -> Self {
        self.log.clones.fetch_add(1, Ordering::Relaxed);
        Self { inner: self.inner.clone(), log: self.log.clone(), ready: false, polls: 0, delay: self.delay }
    }
}

impl<S> Drop for Probe<S> {
    fn drop(&mut self) {
        self.release();
    }
}

impl<S, E> Service<HookRequest<E>> for Probe<S>
where
    E: Event,
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        if !self.ready {
            if self.polls < self.delay {
                self.polls += 1;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            std::task::ready!(self.inner.poll_ready(cx))?;
            self.ready = true;
            self.log.held.fetch_add(1, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }

    #[expect(
        clippy::panic,
        reason = "a layer that calls what it did not make ready is a bug this probe is for"
    )]
    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        if !self.ready {
            panic!("called without being ready: the layer called another clone than the one it polled");
        }
        self.release();
        self.polls = 0;
        self.log.calls.fetch_add(1, Ordering::Relaxed);
        self.inner.call(request)
    }
}

/// A hook whose answer is pending once, so that the futures of a stack are really polled.
#[derive(Clone, Copy, Debug)]
pub struct PendingOnce<S>(pub S);

impl<S, E> Service<HookRequest<E>> for PendingOnce<S>
where
    E: Event,
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = PendingOnceFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        PendingOnceFuture { inner: self.0.call(request), pended: false }
    }
}

pin_project! {
    /// The future of [`PendingOnce`].
    #[derive(Debug)]
    pub struct PendingOnceFuture<F> {
        #[pin]
        inner: F,
        pended: bool,
    }
}

impl<F: Future> Future for PendingOnceFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        if !std::mem::replace(this.pended, true) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        this.inner.poll(cx)
    }
}
