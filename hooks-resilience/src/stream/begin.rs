//! Streams that have begun: the call returns once the first chunk has arrived.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::{Stream, StreamExt, stream};
use hooks_core::BoxError;
use hooks_core::inner_accessors;
use pin_project::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use super::{Chunk, ModelStream};
use crate::call::Call;
use crate::error::{ErrorKind, ModelError};

/// Wraps a client in a [`Begin`]. It belongs inside the `AttemptLayer`.
///
/// ```
/// use futures_util::stream;
/// use hooks_resilience::stream::{BeginLayer, Chunk, ModelStream};
/// use hooks_resilience::{Call, ErrorKind, ModelError};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
/// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
///
/// // The provider answers with status 200 and reports an error in the stream.
/// let client = service_fn(async |_: Call| {
///     let error = ModelError::new(ErrorKind::Overloaded, "come back later");
///     Ok::<_, ModelError>(ModelStream::new(stream::iter([Err::<Chunk, _>(error)])))
/// });
/// let error = BeginLayer.layer(client).oneshot(call).await.expect_err("the call fails, not its stream");
/// assert_eq!(error.to_string(), "overloaded: come back later");
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct BeginLayer;

impl<S> Layer<S> for BeginLayer {
    type Service = Begin<S>;

    fn layer(&self, inner: S) -> Begin<S> {
        Begin::new(inner)
    }
}

/// Returns a stream once it has content. An earlier failure, also an error after a success status, is an
/// error of the attempt: it is retried, counted, and passed on to the next model like any other. The time
/// limit of an attempt then applies to the first chunk.
#[derive(Clone, Copy, Debug)]
pub struct Begin<S> {
    inner: S,
}

impl<S> Begin<S> {
    /// Creates a service that waits for the first chunk of the client `inner`.
    pub const fn new(inner: S) -> Self {
        Self { inner }
    }

    inner_accessors!(inner: S, "The client");
}

impl<S> Service<Call> for Begin<S>
where
    S: Service<Call, Response = ModelStream, Error: Into<BoxError>>,
{
    type Response = ModelStream;
    type Error = BoxError;
    type Future = BeginFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        BeginFuture { calling: self.inner.call(call), begun: None, early: Vec::new() }
    }
}

/// The future of a [`Begin`].
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct BeginFuture<F> {
    #[pin]
    calling: F,
    /// The stream, once the client returned it.
    begun: Option<ModelStream>,
    /// Chunks without content that arrived before.
    early: Vec<Chunk>,
}

/// The most chunks without content before the first with content, so that a client which sends them without
/// end is not waited for.
const EARLY: usize = 64;

impl<F, E> Future for BeginFuture<F>
where
    F: Future<Output = Result<ModelStream, E>>,
    E: Into<BoxError>,
{
    type Output = Result<ModelStream, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let begun = match this.begun {
            Some(begun) => begun,
            None => this.begun.insert(ready!(this.calling.poll(cx)).map_err(Into::into)?),
        };
        loop {
            let Some(chunk) = ready!(Pin::new(&mut *begun).poll_next(cx)) else {
                let message = "the answer ended before anything was in it";
                return Poll::Ready(Err(ModelError::new(ErrorKind::StreamBroken, message).into()));
            };
            let chunk = chunk?;
            let shows = match &chunk {
                Chunk::Text(text) => !text.is_empty(),
                Chunk::Usage(_) => false,
                _ => true,
            };
            this.early.push(chunk);
            if shows || this.early.len() >= EARLY {
                break;
            }
        }
        let early = stream::iter(std::mem::take(this.early).into_iter().map(Ok));
        Poll::Ready(match this.begun.take() {
            Some(begun) => Ok(ModelStream::new(early.chain(begun))),
            None => Err(ModelError::polled_again().into()),
        })
    }
}

impl<F> fmt::Debug for BeginFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BeginFuture").finish_non_exhaustive()
    }
}
