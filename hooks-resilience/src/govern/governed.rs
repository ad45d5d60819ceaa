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

/// Serves attempts of a stack by a governed model. See the module docs.
///
/// An answer is the model's, as the hooks left it. A stop is an error of kind [`Stopped`](ErrorKind::Stopped). A failure
/// is the client's own [`ModelError`] with what the hooks propose ([`ModelError::proposal`]); a client with other
/// errors has them classified before (`client.map_err(...)`), else they are of kind [`Unknown`](ErrorKind::Unknown), also
/// to the hooks. The hooks see the model that this attempt goes to. One that writes another model's name sends the attempt
/// there, which the stack does not learn: to forbid a model and leave the choice to the chain, deny.
///
/// Costs a copy of the request, which hooks may rewrite, and the driver's own box. Always ready, as the driver is.
#[derive(Clone, Debug)]
pub struct Governed<S> {
    model: GovernModel<S>,
    health: Option<Health>,
}

impl<S> Governed<S> {
    /// Serves attempts by `model`. Its errors are described as [`ModelError::describe`] does, with how often the call
    /// tried its model, whatever the model is told to describe them by.
    pub const fn new(model: GovernModel<S>) -> Self {
        Self { model, health: None }
    }

    /// Shares `health` with the stack: the hooks hear by its treatments whether an error may pass, instead of by the
    /// defaults, and a [`RecoverModel`](crate::RecoverModel) among them leaves to the stack what the stack does: to keep
    /// to the provider's word, and to pay for further attempts.
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
                Some(health) => health.treatments().of(error.kind()),
                None => Treatment::of(error.kind()),
            };
            error.enter(treatment, tried, event);
            if let (Some(health), Some(telling)) = (&health, telling) {
                telling.get_or_init(|| health.tells_of(&at, event));
            }
        });
        GovernedFuture { outcome, call: Some(call), told }
    }
}

/// The answer of a [`Governed`].
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct GovernedFuture<F> {
    #[pin]
    outcome: F,
    /// For the name of its model; none once it was told.
    call: Option<Call>,
    /// Held while the hooks hear of a failure.
    told: Option<Arc<OnceLock<ToldOf>>>,
}

impl<F: Future<Output = Result<ModelOutcome, HookError>>> Future for GovernedFuture<F> {
    type Output = Result<ModelReply, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let outcome = ready!(this.outcome.poll(cx));
        *this.told = None;
        let error = match outcome {
            Ok(ModelOutcome::Answered(_, reply)) => return Poll::Ready(Ok(reply)),
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

/// The client's error, with what the hooks propose.
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

/// Hooks that cannot be asked have not allowed anything.
fn not_asked(error: &HookError) -> ModelError {
    ModelError::new(ErrorKind::Stopped, format!("the hooks could not be asked: {error}"))
}
