//! Hooks around each attempt of a client that takes calls.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::drivers::{GovernModel, ModelOutcome, ModelRequest};
use hooks_core::event::ModelReply;
use hooks_core::{HookError, HookFuture, Live, inner_accessors};
use pin_project::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use super::{Governed, GovernedFuture};
use crate::call::Call;
use crate::classify::Classify;
use crate::error::ModelError;
use crate::health::Health;

/// Governs each attempt of the client behind it by hooks. `C` classifies the client's errors, so that the hooks get their kinds.
///
/// ```
/// use hooks_core::event::{BeforeModelCall, ModelReply, Usage};
/// use hooks_core::{HookRequest, Hooks, Reason, Verdict, drivers::ModelRequest, policy_fn, state::OpId};
/// use hooks_resilience::{
///     Call, Catalog, Classified, ErrorKind, GovernAttemptLayer, Health, HealthSettings, ModelError,
/// };
/// use tower::{Layer, ServiceExt, service_fn};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
/// # time.clone().block_on(async {
///
/// let rule = policy_fn("region", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
///     "opus" => Verdict::deny(Reason::new("region", "model", "`opus` is not offered in this region")),
///     _ => Verdict::NO_OPINION,
/// });
/// let client = service_fn(async |call: Call| {
///     Ok::<_, ModelError>(ModelReply::text(call.model_name(), Usage::default()))
/// });
/// let hooks = Hooks::builder().policy(rule).build();
/// let governed = GovernAttemptLayer::new(hooks, health, Classified).layer(client);
/// let call = |model: &str| {
///     let request = ModelRequest { model: model.to_owned(), ..ModelRequest::default() };
///     Call::new(Default::default(), request, OpId(1))
/// };
/// assert_eq!(governed.clone().oneshot(call("gpt")).await?.response.content, "gpt");
/// let error = governed.oneshot(call("opus")).await.expect_err("the rule forbids it");
/// assert_eq!(error.kind(), ErrorKind::Stopped);
/// # Ok::<(), BoxError>(())
/// # }).ok_or("no hook waits")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GovernAttemptLayer<C> {
    hooks: Live,
    health: Health,
    classify: C,
}

impl<C> GovernAttemptLayer<C> {
    /// Governs attempts by `hooks`. `health` is that of the stack; see [`Governed::treating_by`].
    pub fn new(hooks: impl Into<Live>, health: Health, classify: C) -> Self {
        Self { hooks: hooks.into(), health, classify }
    }
}

impl<S, C: Clone> Layer<S> for GovernAttemptLayer<C> {
    type Service = GovernAttempt<S, C>;

    fn layer(&self, client: S) -> Self::Service {
        GovernAttempt { client, layer: self.clone() }
    }
}

/// Governs each attempt of a client that takes a [`Call`], as [`Governed`] does for one that takes a [`ModelRequest`].
#[derive(Clone, Debug)]
pub struct GovernAttempt<S, C> {
    client: S,
    layer: GovernAttemptLayer<C>,
}

impl<S, C> GovernAttempt<S, C> {
    inner_accessors!(client: S, "The client");
}

impl<S, C> Service<Call> for GovernAttempt<S, C>
where
    S: Service<Call, Response = ModelReply, Future: Send> + Clone + Send + 'static,
    C: Classify<S::Error> + Clone + Send + 'static,
{
    type Response = ModelReply;
    type Error = ModelError;
    type Future = GovernedFuture<HookFuture<'static, Result<ModelOutcome, HookError>>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let GovernAttemptLayer { hooks, health, classify } = self.layer.clone();
        let client = OneCall { client: self.client.clone(), classify, call: call.clone() };
        Governed::new(GovernModel::new(hooks, client)).treating_by(health).call(call)
    }
}

/// A client as a model for the requests of one call.
#[derive(Clone)]
struct OneCall<S, C> {
    client: S,
    classify: C,
    call: Call,
}

impl<S, C> Service<ModelRequest> for OneCall<S, C>
where
    S: Service<Call>,
    C: Classify<S::Error> + Clone,
{
    type Response = S::Response;
    type Error = ModelError;
    type Future = Classifying<S::Future, C>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.client.poll_ready(cx).map_err(|error| self.classify.classify(error))
    }

    fn call(&mut self, request: ModelRequest) -> Self::Future {
        let mut call = self.call.clone();
        if request.model != call.model_name() {
            // A hook wrote another name.
            call.model = None;
        }
        let inner = self.client.call(call.with_request(request));
        Classifying { inner, classify: self.classify.clone() }
    }
}

/// The future of a client, with classified errors.
#[pin_project]
struct Classifying<F, C> {
    #[pin]
    inner: F,
    classify: C,
}

impl<F, T, E, C> Future for Classifying<F, C>
where
    F: Future<Output = Result<T, E>>,
    C: Classify<E>,
{
    type Output = Result<T, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        Poll::Ready(ready!(this.inner.poll(cx)).map_err(|error| this.classify.classify(error)))
    }
}
