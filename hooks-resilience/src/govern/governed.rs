//! Hooks around each attempt.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use hooks_core::drivers::{GovernModel, ModelCall, ModelOutcome, ModelRequest};
use hooks_core::event::ModelReply;
use hooks_core::inner_accessors;
use hooks_core::{BoxError, HookError, HookFuture, Recovery};
use pin_project::pin_project;
use tower_service::Service;

use crate::call::Call;
use crate::error::{ErrorKind, ModelError, Treatment};
use crate::health::{Health, ToldOf};

/// Makes the attempts of a stack with a governed model. See the module docs.
///
/// The answer is the model's, as changed by the hooks. If the hooks stop the call, the error is of kind
/// [`Stopped`](ErrorKind::Stopped). A failure is the client's own [`ModelError`] with the recovery that the
/// hooks propose ([`ModelError::proposal`]). A client with another error type must convert it before
/// (`client.map_err(...)`); otherwise the kind is [`Unknown`](ErrorKind::Unknown), also for the hooks.
///
/// The hooks see the model of this attempt. A hook that writes another model's name sends the attempt to that
/// model, without the stack's knowledge. To forbid a model and leave the choice to the chain, deny the call.
///
/// The cost is a copy of the request, which hooks may rewrite, and the box of the driver. Always ready, as
/// the driver is.
#[derive(Clone, Debug)]
pub struct Governed<S> {
    model: GovernModel<S>,
    health: Option<Health>,
}

impl<S> Governed<S> {
    /// Creates a service that makes attempts with `model`. Replaces the error description of `model` by
    /// [`ModelError::describe`], with the number of attempts that the call made with its model.
    pub const fn new(model: GovernModel<S>) -> Self {
        Self { model, health: None }
    }

    /// Shares `health` with the stack. The hooks then learn from its treatments, instead of the defaults,
    /// whether an error is recoverable. A [`RecoverModel`](crate::RecoverModel) among them leaves the stack's
    /// tasks to the stack: to respect the provider's wait, and to pay for further attempts.
    #[must_use]
    pub fn treating_by(mut self, health: Health) -> Self {
        self.health = Some(health);
        self
    }

    inner_accessors!(model: GovernModel<S>, "The model");
}

impl<S> Service<Call> for Governed<S>
where
    S: Service<ModelRequest, Response = ModelReply, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + 'static,
{
    type Response = ModelReply;
    type Error = ModelError;
    type Future = GovernedFuture<HookFuture<'static, Result<ModelOutcome, HookError>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Service::<ModelCall>::poll_ready(&mut self.model, cx).map_err(|error| not_asked(&error))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let request = call.to_request();
        let context = Arc::clone(call.context());
        let (tried, health) = (call.tried(), self.health.clone());
        let told = health.as_ref().map(|_| Arc::new(OnceLock::new()));
        let (telling, at) = (told.clone(), Arc::clone(&context));
        let outcome = self.model.call_describing(ModelCall { context, request }, move |error, event| {
            let Some(error) = error.downcast_ref::<ModelError>() else { return };
            let treatment = match &health {
                Some(health) => health.treatments().for_kind(error.kind()),
                None => Treatment::default_for(error.kind()),
            };
            error.enter(treatment, tried, event);
            if let (Some(health), Some(telling)) = (&health, telling) {
                telling.get_or_init(|| health.tells_of(&at, event));
            }
        });
        GovernedFuture { outcome, call: Some(call), told }
    }
}

/// The future of a [`Governed`].
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct GovernedFuture<F> {
    #[pin]
    outcome: F,
    /// The call, for the name of its model; `None` once it was reported.
    call: Option<Call>,
    /// Held while the hooks are called for a failure.
    told: Option<Arc<OnceLock<ToldOf>>>,
}

impl<F: Future<Output = Result<ModelOutcome, HookError>>> Future for GovernedFuture<F> {
    type Output = Result<ModelReply, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let outcome = ready!(this.outcome.poll(cx));
        *this.told = None;
        let error = match outcome {
            Ok(ModelOutcome::Replied(_, reply)) => return Poll::Ready(Ok(reply)),
            Ok(ModelOutcome::Stopped(reason)) => ModelError::new(ErrorKind::Stopped, reason),
            Ok(ModelOutcome::Failed(error, recovery)) => failed(error, recovery),
            Ok(_) => ModelError::new(ErrorKind::Unknown, "the driver answered what this stack does not know"),
            Err(error) => not_asked(&error),
        };
        Poll::Ready(Err(match (error.model(), this.call.take()) {
            (None, Some(call)) => error.with_model_of(&call),
            _ => error,
        }))
    }
}

/// The client's error, with the recovery that the hooks propose.
fn failed(error: BoxError, recovery: Recovery) -> ModelError {
    let error = match error.downcast::<ModelError>() {
        Ok(error) => *error,
        Err(error) => ModelError::new(ErrorKind::Unknown, error.to_string()).with_source(error),
    };
    match recovery == Recovery::default() {
        true => error,
        false => error.with_proposal(recovery),
    }
}

/// The error if the hooks could not be called: without an answer from them, nothing is allowed.
fn not_asked(error: &HookError) -> ModelError {
    ModelError::new(ErrorKind::Stopped, format!("the hooks could not be asked: {error}"))
}
