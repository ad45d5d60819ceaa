use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::request::HookRequest;

/// Work beside the inner hook, for events `E`; see [the module](super).
pub trait Beside<E: Event>: Clone {
    /// The result of the work.
    type Done: Send + 'static;

    /// Starts the work for an event; `None` if there is nothing to do.
    fn start(&self, request: &HookRequest<E>) -> Option<HookFuture<'static, Self::Done>>;

    /// Adds the result to the outcome of the inner hook. By default, the outcome stays as it is.
    #[expect(unused_variables, reason = "the default ignores what it is given")]
    fn add(request: &HookRequest<E>, outcome: &mut E::Outcome, done: Self::Done) {}
}

/// Does the work of a [`Beside`] while the inner hook runs. Put it outermost, so that no other hook has to
/// wait for the work.
#[derive(Clone, Debug)]
pub struct BesideLayer<B> {
    beside: B,
}

impl<B> BesideLayer<B> {
    /// Makes a layer that does the work of `beside`.
    pub const fn new(beside: B) -> Self {
        Self { beside }
    }
}

impl<B: Clone, S> Layer<S> for BesideLayer<B> {
    type Service = BesideService<S, B>;

    fn layer(&self, inner: S) -> Self::Service {
        BesideService::new(inner, self.beside.clone())
    }
}

/// Calls the inner hook and does the work of a [`Beside`] at the same time.
///
/// Readiness is that of the inner hook. The answer waits for both. If the inner hook fails, its error is
/// returned at once, and nothing is added.
#[derive(Clone, Debug)]
pub struct BesideService<S, B> {
    inner: S,
    beside: B,
}

impl<S, B> BesideService<S, B> {
    /// Makes a service that does the work of `beside` while `inner` runs.
    pub const fn new(inner: S, beside: B) -> Self {
        Self { inner, beside }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, B, E> Service<HookRequest<E>> for BesideService<S, B>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    B: Beside<E>,
    E: Event,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, B::Done>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let work = self.beside.start(&request);
        ResponseFuture::new(self.inner.call(request.clone()), work, request, B::add)
    }
}
