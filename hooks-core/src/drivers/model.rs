//! The driver of model calls.

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
use crate::set::{EventDecision, Live};

/// A model call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRequest {
    /// Name of the model.
    pub model: String,
    /// Number of the turn that the call belongs to, from 1.
    #[serde(default)]
    pub iteration: u64,
    /// Messages to send.
    #[serde(default)]
    pub messages: Vec<Message>,
}

/// A model call with its context.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// Context of the call.
    pub context: Arc<HookContext>,
    /// The call.
    pub request: ModelRequest,
}

/// Outcome of a model call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelOutcome {
    /// The model answered. The call is as it was made; the answer is as the later hooks left it.
    Replied(ModelRequest, ModelReply),
    /// A hook stopped the call or withheld the answer, for this reason.
    Stopped(String),
    /// The call failed, with the error of the model and the proposals of the hooks.
    Failed(BoxError, Recovery),
}

/// Copies details of an error into its event: the type, whether another attempt may succeed, the number of
/// attempts. It leaves the event unchanged for an error that it does not know.
pub type DescribeError = fn(&(dyn std::error::Error + 'static), &mut ErrorOccurred);

/// Governs a model `S`. A hook on `before_model_call` may rewrite or stop the call; one on `after_model_call`
/// may rewrite or withhold the answer. A failure fires `error_occurred` and `notification`.
///
/// If the future is dropped during the call, it fires `after_model_call` with an empty answer, and
/// `error_occurred`. A call without an id gets one, so that its events can be related. The service makes one
/// attempt; retries are left to the host or a resilience layer. The service is always ready: it drives the
/// readiness of a clone of the model after the call was allowed.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{ModelCall, ModelOutcome, ModelRequest};
/// use hooks_core::event::BeforeModelCall;
/// use hooks_core::testing::ScriptedModel;
/// use hooks_core::{GovernModel, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use tower::ServiceExt;
///
/// let small = policy_fn("small", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
///     "small" => Verdict::NO_OPINION,
///     _ => Verdict::deny(Reason::new("small", "model", "use `small`")),
/// });
/// let model = ScriptedModel::saying(["done"]);
/// let governed = GovernModel::new(Hooks::builder().policy(small).build(), model.clone());
/// let context = Arc::new(HookContext::new("session-1", "backend"));
/// # futures_util::FutureExt::now_or_never(async {
/// let call = |name: &str| {
///     let request = ModelRequest { model: name.to_owned(), ..ModelRequest::default() };
///     ModelCall { context: Arc::clone(&context), request }
/// };
/// let stopped = governed.clone().oneshot(call("large")).await.expect("an answer");
/// assert!(matches!(stopped, ModelOutcome::Stopped(why) if why == "use `small`"));
/// let replied = governed.oneshot(call("small")).await.expect("an answer");
/// assert!(matches!(replied, ModelOutcome::Replied(..)));
/// assert_eq!(model.calls().len(), 1, "the denied call never reached the model");
/// # }).expect("no hook waits");
/// ```
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

    /// Adds to the counts of `tally`.
    #[must_use]
    pub fn counting(mut self, tally: Arc<Tally>) -> Self {
        self.tally = tally;
        self
    }

    /// Reads errors of the model with `describe`. Without it, each error has the type `model` and is a first
    /// attempt.
    #[must_use]
    pub fn describing(mut self, describe: DescribeError) -> Self {
        self.describe = Some(describe);
        self
    }

    /// Does the same as [`call`](Service::call), with `describe` for the error of this call. `describe` may
    /// add facts that the error does not contain: the number of attempts, or how the host treats errors.
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
        // Reservations made before the call are settled after it, by this id.
        let id = call.context.call_id.is_none().then(|| call_id(&call.context));
        let moment = Moment::new(self.hooks.snapshot(), call.context.for_call(id.as_deref()));
        let tally = Arc::clone(&self.tally);
        HookFuture::later(async move {
            let ModelRequest { model: name, iteration, messages } = call.request;
            let EventDecision { request, outcome } =
                moment.gate(BeforeModelCall::new(name, iteration, messages)).await;
            if !outcome.goes_ahead() {
                return Ok(ModelOutcome::Stopped(refusal(outcome.text_for_agent())));
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
            let EventDecision { request: after, outcome } = moment.gate(after).await;
            if !outcome.goes_ahead() {
                return Ok(ModelOutcome::Stopped(refusal(outcome.text_for_agent())));
            }
            reply.response = after.event().response.clone();
            Ok(ModelOutcome::Replied(request, reply))
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

/// Makes an id for a call without one. The number keeps ids distinct if two contexts have the same random
/// numbers.
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

/// Fires `after_model_call` with an empty answer, and `error_occurred`, if a call is dropped while the model
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
