//! Hooks as tower services.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower::ServiceExt;
use tower::util::Oneshot;
use tower_layer::Layer;
use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::failure::FailureLayer;
use crate::future::HookFuture;
use crate::request::HookRequest;

/// A tower service that answers an event. This is a trait alias: every such service implements it.
pub trait Hook<E: Event>: Service<HookRequest<E>, Response = E::Outcome, Error = HookError> {}

impl<E: Event, S> Hook<E> for S where S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError> {}

/// A hook with an erased type. It is boxed once, at the edge of a [`Hooks`](crate::Hooks) slot, so that the
/// layers inside stay static. It is called by reference: each call clones the service and drives the
/// readiness of the clone.
pub struct BoxHook<E: Event>(Arc<dyn Ask<E>>);

impl<E: Event> BoxHook<E> {
    /// Erases the type of `hook` and guards it: an error, a panic or a missed deadline becomes an outcome.
    pub fn new<S>(hook: S, guard: &FailureLayer) -> Self
    where
        S: Hook<E, Future: Send> + Clone + Send + Sync + 'static,
    {
        Self(Arc::new(guard.layer(Driven(Arc::new(hook)))))
    }

    /// Erases the type of a hook around one that is guarded already.
    pub(crate) fn of_guarded<S>(hook: S) -> Self
    where
        S: Hook<E, Future: Send> + Clone + Send + Sync + 'static,
    {
        Self(Arc::new(hook))
    }

    /// Asks the hook about one event.
    pub fn ask(&self, request: HookRequest<E>) -> HookFuture<'static, Result<E::Outcome, HookError>> {
        self.0.ask(request)
    }
}

impl<E: Event> Clone for BoxHook<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E: Event> std::fmt::Debug for BoxHook<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BoxHook<{}>", E::KIND)
    }
}

impl<E: Event> Service<HookRequest<E>> for BoxHook<E> {
    type Response = E::Outcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        self.ask(request)
    }
}

trait Ask<E: Event>: Send + Sync {
    fn ask(&self, request: HookRequest<E>) -> HookFuture<'static, Result<E::Outcome, HookError>>;
}

impl<E, S> Ask<E> for S
where
    E: Event,
    S: Hook<E, Future: Send> + Clone + Send + Sync + 'static,
{
    fn ask(&self, request: HookRequest<E>) -> HookFuture<'static, Result<E::Outcome, HookError>> {
        HookFuture::later(self.clone().oneshot(request))
    }
}

/// Clones a hook for each call, and drives the readiness of the clone within the answer. Thus the guard
/// around it covers a panic in `clone` or `poll_ready`, and a hook that never becomes ready.
struct Driven<S>(Arc<S>);

impl<S> Clone for Driven<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E, S> Service<HookRequest<E>> for Driven<S>
where
    E: Event,
    S: Hook<E> + Clone,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = Oneshot<S, HookRequest<E>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        S::clone(&self.0).oneshot(request)
    }
}

/// Makes a hook of an async closure. Use it for events that inform or recover: context sources,
/// notifications.
///
/// ```
/// use hooks_core::{ContextNote, ContextPatch, HookError, HookRequest, event::SessionStart, hook_fn};
///
/// let greeting = hook_fn(|request: HookRequest<SessionStart>| async move {
///     let agent = &request.context().agent_name;
///     Ok::<_, HookError>(ContextPatch::note(ContextNote::new(format!("you are {agent}"))))
/// });
/// ```
///
/// ```
/// # use hooks_core::{ContextNote, ContextPatch, HookContext, HookError, HookRequest, event::SessionStart, hook_fn};
/// use tower::ServiceExt;
///
/// let greeting = hook_fn(|_: HookRequest<SessionStart>| async {
///     Ok::<_, HookError>(ContextPatch::note(ContextNote::new("welcome")))
/// });
/// let start = HookRequest::new(HookContext::new("session-1", "backend"), SessionStart::default());
/// let patch = futures_util::FutureExt::now_or_never(greeting.oneshot(start)).expect("it does not wait");
/// assert_eq!(patch.expect("it does not fail").additional_context[0].text, "welcome");
/// ```
pub fn hook_fn<E, F, Fut>(hook: F) -> HookFn<F>
where
    E: Event,
    F: FnMut(HookRequest<E>) -> Fut,
    Fut: Future<Output = Result<E::Outcome, HookError>>,
{
    HookFn { hook }
}

/// An async closure as a hook; see [`hook_fn`].
#[derive(Clone, Copy)]
pub struct HookFn<F> {
    hook: F,
}

impl<E, F, Fut> Service<HookRequest<E>> for HookFn<F>
where
    E: Event,
    F: FnMut(HookRequest<E>) -> Fut,
    Fut: Future<Output = Result<E::Outcome, HookError>>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = Fut;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Fut {
        (self.hook)(request)
    }
}

impl<F> std::fmt::Debug for HookFn<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HookFn")
    }
}

/// Polls `future` once, without a waker. Returns the future if it is not ready.
pub(crate) fn poll_once<T>(
    mut future: Pin<Box<dyn Future<Output = T> + Send>>,
) -> Result<T, Pin<Box<dyn Future<Output = T> + Send>>> {
    let mut cx = Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err(future),
    }
}
