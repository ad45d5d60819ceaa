//! Model calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use serde::{Deserialize, Serialize};
use tower::ServiceExt;
use tower_service::Service;

use super::moment::Moment;
use super::{Tally, refusal};
use crate::context::HookContext;
use crate::error::{BoxError, HookError};
use crate::event::{
    AfterModelCall, BeforeModelCall, ErrorOccurred, ErrorType, EventKind, Message, ModelReply, Role,
};
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::outcome::{Judged, Recovery};
use crate::set::{Decided, Live};

/// A call of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRequest {
    /// Which model.
    pub model: String,
    /// The turn it belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// What is sent.
    #[serde(default)]
    pub messages: Vec<Message>,
}

/// A call, and where it happens.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// Where.
    pub context: Arc<HookContext>,
    /// What.
    pub request: ModelRequest,
}

/// What came of a model call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelOutcome {
    /// The model answered; the call as it was made, and the answer as the hooks after it left it.
    Answered(ModelRequest, ModelReply),
    /// A hook stopped the call, or withheld the answer, for this reason.
    Stopped(String),
    /// It failed; the model's error, and what the hooks propose.
    Failed(BoxError, Recovery),
}

/// Enters what an error says of itself into the event of it: its type, whether it may pass, how often it was
/// tried. An error that it does not know it leaves as it is.
pub type DescribeError = fn(&(dyn std::error::Error + 'static), &mut ErrorOccurred);

/// Governs a model `S`: `before_model_call` may rewrite or stop it, `after_model_call` may rewrite or withhold
/// the answer; a failure fires `error_occurred` and `notification`. Dropped while the model is called, it fires
/// `after_model_call`, with an empty answer, and `error_occurred`. A call that has no id is given one, so that its
/// events are known to belong together. Whether to try again is left to the host or a resilience layer. Always ready:
/// a clone of the model is made ready once the call is let through.
#[derive(Clone, Debug)]
pub struct GovernModel<S> {
    model: S,
    hooks: Live,
    tally: Arc<Tally>,
    describe: Option<DescribeError>,
}

impl<S> GovernModel<S> {
    /// Governs `model` by `hooks`.
    pub fn new(hooks: impl Into<Live>, model: S) -> Self {
        Self { model, hooks: hooks.into(), tally: Arc::default(), describe: None }
    }

    /// Counts into `tally`.
    #[must_use]
    pub fn counting(mut self, tally: Arc<Tally>) -> Self {
        self.tally = tally;
        self
    }

    /// Reads the model's errors by `describe`; without it, each is one of the model's, at its first attempt.
    #[must_use]
    pub fn describing(mut self, describe: DescribeError) -> Self {
        self.describe = Some(describe);
        self
    }

    /// Serves one call as [`call`](Service::call) does, reading its error by `describe`, which may know of this call
    /// what the error does not: how often it was tried, or how its host treats errors.
    pub fn call_describing<D>(
        &mut self,
        call: ModelCall,
        describe: D,
    ) -> HookFuture<'static, Result<ModelOutcome, HookError>>
    where
        S: Service<ModelRequest, Response = ModelReply, Error: Into<BoxError>, Future: Send>
            + Clone
            + Send
            + 'static,
        D: FnOnce(&(dyn std::error::Error + 'static), &mut ErrorOccurred) + Send + 'static,
    {
        let model = self.model.clone();
        // What is held before the call is settled after it by its id.
        let id = call.context.call_id.is_none().then(|| call_id(&call.context));
        let moment = Moment::new(self.hooks.snapshot(), call.context.for_call(id.as_deref()));
        let tally = Arc::clone(&self.tally);
        HookFuture::later(async move {
            let ModelRequest { model: name, iteration, messages } = call.request;
            let Decided { request, outcome } =
                moment.gate(BeforeModelCall::new(name, iteration, messages)).await;
            if !outcome.goes_ahead() {
                return Ok(ModelOutcome::Stopped(refusal(outcome.shown_reason())));
            }
            let BeforeModelCall { model: name, iteration, messages } = request.event().clone();
            let request = ModelRequest { model: name, iteration, messages };
            let pending = PendingReply::new(&moment, &request);
            let answer = model.oneshot(request.clone()).await.map_err(Into::into);
            pending.disarm();
            let moment = moment.later();
            let mut reply = match answer {
                Ok(reply) => reply,
                Err(error) => {
                    let error: BoxError = error;
                    let mut event = model_error(&request, error.to_string());
                    describe(&*error, &mut event);
                    let recovery = moment.fail(event).await;
                    return Ok(ModelOutcome::Failed(error, recovery));
                }
            };
            tally.add_tokens(reply.usage.total());
            let after = AfterModelCall::new(request.model.clone(), request.iteration, &reply);
            let Decided { request: after, outcome } = moment.gate(after).await;
            if !outcome.goes_ahead() {
                return Ok(ModelOutcome::Stopped(refusal(outcome.shown_reason())));
            }
            reply.response = after.event().response.clone();
            Ok(ModelOutcome::Answered(request, reply))
        })
    }

    inner_accessors!(model: S, "The model");
}

impl<S> Service<ModelCall> for GovernModel<S>
where
    S: Service<ModelRequest, Response = ModelReply, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + 'static,
{
    type Response = ModelOutcome;
    type Error = HookError;
    type Future = HookFuture<'static, Result<ModelOutcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ModelCall) -> Self::Future {
        let describe = self.describe;
        self.call_describing(call, move |error, event| {
            if let Some(describe) = describe {
                describe(error, event);
            }
        })
    }
}

/// An id for a call that its host gave none. The number tells calls apart whose contexts have the same randomness.
fn call_id(context: &HookContext) -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    format!("model-{:032x}-{number}", context.environment.random.next_u128())
}

fn model_error(request: &ModelRequest, error: impl Into<String>) -> ErrorOccurred {
    let mut event = ErrorOccurred::new(error, ErrorType::Model);
    event.current_model = Some(request.model.clone());
    event
}

/// Fires `after_model_call` with an empty answer, and `error_occurred`, where a call is dropped while the model
/// works.
struct PendingReply(Option<(Moment, ModelRequest)>);

impl PendingReply {
    fn new(moment: &Moment, request: &ModelRequest) -> Self {
        Self(Some((moment.clone(), request.clone())))
    }

    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        let Some((moment, request)) = self.0.take() else { return };
        let context = Arc::clone(&moment.context);
        Moment::abandon(&context, EventKind::AfterModelCall, async move {
            let moment = moment.later();
            let reply = ModelReply {
                response: Message::text(Role::Assistant, ""),
                usage: Default::default(),
                cost: None,
            };
            moment.gate(AfterModelCall::new(request.model.clone(), request.iteration, &reply)).await;
            moment.fail(model_error(&request, "canceled while the model was called")).await;
        });
    }
}
