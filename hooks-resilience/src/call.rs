//! A model call on its way through the stack, and its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::Message;
use hooks_core::state::OpId;
use hooks_core::time::Tick;

use crate::breaker::Outstanding;
use crate::catalog::Model;
use crate::error::{ErrorKind, ModelError};
use crate::world::World;

/// Requirements of a call on its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Number of input tokens, as far as the host knows it.
    pub input_tokens: u64,
    /// Most tokens that the answer may take.
    pub output_tokens: u64,
    /// Whether the model must be able to call tools.
    pub tools: bool,
    /// Whether the model must be able to read images.
    pub vision: bool,
    /// Whether the model must be able to continue a partial answer.
    pub prefill: bool,
}

impl Needs {
    /// Input and output tokens together.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The same needs without the number of tokens.
    pub(crate) const fn of_any_length(self) -> Self {
        Self { input_tokens: 0, output_tokens: 0, ..self }
    }
}

/// One logical call of a model. However often it is attempted, and with whichever models, it has one id, one
/// deadline and one answer. Creating it costs one allocation; a clone costs none.
///
/// ```
/// use hooks_core::event::{Message, Role};
/// use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
/// use hooks_resilience::{Call, Needs};
///
/// let request = ModelRequest {
///     model: "opus".to_owned(),
///     messages: vec![Message::text(Role::User, "which tests fail?")],
///     ..ModelRequest::default()
/// };
/// let call = Call::new(HookContext::new("session-1", "lead").into(), request, OpId(1))
///     .needing(Needs { input_tokens: 1_200, output_tokens: 800, tools: true, ..Needs::default() })
///     .for_task("review");
/// assert_eq!((call.model_name(), call.task(), call.needs().tokens()), ("opus", Some("review"), 2_000));
///
/// // A layer that shortens the conversation sends another request under the same id.
/// let shorter = call.clone().with_request(ModelRequest::default());
/// assert_eq!((shorter.id(), shorter.messages().len()), (call.id(), 0));
/// assert_eq!(call.messages().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Call {
    body: Arc<Body>,
    /// Model of this attempt; `None` until a `FallbackLayer` or the host chooses one.
    pub model: Option<Arc<Model>>,
    /// Time by which the call must be answered.
    pub deadline: Option<Tick>,
    /// Last clock reading of this attempt; a layer that waits updates it.
    pub now: Option<Tick>,
    /// Earliest moment at which another model could answer instead, as known when this attempt began. No
    /// layer below waits longer. `None` if there is no other model.
    pub elsewhere: Option<Tick>,
    /// Whether a layer above retries. A second loop inside would multiply the attempts.
    pub(crate) retried: bool,
    /// Turn of the chain above, from 1; 0 without a chain. A second chain inside would multiply the
    /// attempts.
    pub(crate) turn: u32,
    /// Whether no model is ready. A model with an open breaker is then called all the same if it answers some
    /// calls.
    pub(crate) last_resort: bool,
    /// Whether a layer above reads the answer to its end and reports the result.
    pub(crate) watched: bool,
    /// History before this attempt. Boxed, because most calls have none, and a call is moved from layer to
    /// layer.
    before: Option<Box<Before>>,
}

/// History of a call before an attempt.
#[derive(Clone, Debug, Default)]
struct Before {
    tried: u32,
    began: Option<Tick>,
    let_down: Vec<(usize, Tick)>,
}

/// Data shared by all attempts of one call.
#[derive(Debug)]
struct Body {
    context: Arc<HookContext>,
    request: ModelRequest,
    needs: Needs,
    id: OpId,
    task: Option<Arc<str>>,
    /// Whether an effect has happened that a second attempt would repeat.
    effects: AtomicBool,
    /// Whether an attempt below armed a timer that fires at the deadline at the latest.
    timed: AtomicBool,
    /// The body that this one was copied from to change the request. Effects and timers are recorded in the
    /// original, so that all copies see them.
    origin: Option<Arc<Body>>,
}

/// Handle that reports whether an attempt of a call has a timer, for layers that need nothing else of the
/// call.
#[derive(Debug)]
pub(crate) struct Timing(Arc<Body>);

impl Timing {
    /// Whether an attempt below has a timer that fires at the deadline at the latest.
    pub(crate) fn is_timed(&self) -> bool {
        self.0.timed.load(Ordering::Relaxed)
    }
}

impl Call {
    /// Creates a call of `request` in `context`. All attempts share the `id`: providers use it as idempotency
    /// key, and budgets settle by it.
    pub fn new(context: Arc<HookContext>, request: ModelRequest, id: OpId) -> Self {
        let (needs, task, origin) = (Needs::default(), None, None);
        let (effects, timed) = (AtomicBool::new(false), AtomicBool::new(false));
        let body = Arc::new(Body { context, request, needs, id, task, effects, timed, origin });
        Self {
            body,
            model: None,
            deadline: None,
            now: None,
            elsewhere: None,
            retried: false,
            turn: 0,
            last_resort: false,
            watched: false,
            before: None,
        }
    }

    /// Sets the requirements on the model.
    #[must_use]
    pub fn needing(self, needs: Needs) -> Self {
        self.with_body(|body| body.needs = needs)
    }

    /// Sets the kind of work, which may have its own chain.
    #[must_use]
    pub fn for_task(self, task: impl Into<Arc<str>>) -> Self {
        let task = task.into();
        self.with_body(|body| body.task = Some(task))
    }

    /// Sets the time by which the call must be answered.
    #[must_use]
    pub const fn until(mut self, deadline: Tick) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Returns the call with another request, such as one adapted to a model or compacted.
    #[must_use]
    pub fn with_request(self, request: ModelRequest) -> Self {
        self.with_body(|body| body.request = request)
    }

    /// The context of the call.
    pub fn context(&self) -> &Arc<HookContext> {
        &self.body.context
    }

    /// The messages of the conversation.
    pub fn messages(&self) -> &[Message] {
        &self.body.request.messages
    }

    /// The turn of the agent that makes the call, from 1.
    pub fn iteration(&self) -> u64 {
        self.body.request.iteration
    }

    /// Copies the request of this attempt, with the name of its model. To avoid the copy, use
    /// [`messages`](Self::messages) and [`model_name`](Self::model_name).
    pub fn to_request(&self) -> ModelRequest {
        ModelRequest { model: self.model_name().to_owned(), ..self.body.request.clone() }
    }

    /// The request as the host made it: its `model` is the model, chain or tier that the host named.
    pub(crate) fn request(&self) -> &ModelRequest {
        &self.body.request
    }

    /// The requirements on the model.
    pub fn needs(&self) -> &Needs {
        &self.body.needs
    }

    /// The id of the logical call.
    pub fn id(&self) -> OpId {
        self.body.id
    }

    /// The kind of work, if set.
    pub fn task(&self) -> Option<&str> {
        self.body.task.as_deref()
    }

    /// The name of the model of this attempt, or the name in the request if none is chosen.
    pub fn model_name(&self) -> &str {
        self.model.as_ref().map_or(&self.body.request.model, |model| &model.name)
    }

    /// Records an effect that a second attempt would repeat, such as a streamed tool call that was run. From
    /// here on the call is not repeated.
    ///
    /// ```
    /// use hooks_core::state::OpId;
    /// use hooks_resilience::{
    ///     Replied, Call, Catalog, ErrorKind, Health, HealthSettings, ModelError, RetryLayer, RetryConfig,
    /// };
    /// use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
    ///
    /// // A client that runs a tool while the answer arrives, before the connection breaks.
    /// let client = service_fn(async |call: Call| {
    ///     call.mark_effects();
    ///     Err::<Replied<()>, _>(ModelError::new(ErrorKind::Network, "connection reset"))
    /// });
    /// let call = Call::new(Default::default(), Default::default(), OpId(1));
    /// let stack = RetryLayer::new(health, RetryConfig::default())?.layer(client);
    /// let error = stack.oneshot(call.clone()).await.expect_err("the connection breaks");
    /// assert!(call.has_effects() && error.failed().len() <= 1, "the call was not repeated");
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn mark_effects(&self) {
        self.origin().effects.store(true, Ordering::Release);
    }

    /// Whether an effect has happened that a second attempt would repeat.
    pub fn has_effects(&self) -> bool {
        self.origin().effects.load(Ordering::Acquire)
    }

    /// Records whether an attempt has a timer that fires by the deadline, so that the layers above need none.
    pub(crate) fn mark_timed(&self, timed: bool) {
        self.origin().timed.store(timed, Ordering::Relaxed);
    }

    /// A handle that reports whether an attempt has a timer.
    pub(crate) fn timing(&self) -> Timing {
        Timing(Arc::clone(self.origin()))
    }

    /// The time at which this attempt began; reads the clock only if it was not read yet.
    pub fn tick(&mut self, world: &World) -> Tick {
        *self.now.get_or_insert_with(|| world.tick())
    }

    /// The latest time until which the call may wait: its deadline, or when another model could answer.
    pub(crate) fn latest(&self) -> Option<Tick> {
        match (self.deadline, self.elsewhere) {
            (Some(deadline), Some(elsewhere)) => Some(deadline.min(elsewhere)),
            (deadline, elsewhere) => deadline.or(elsewhere),
        }
    }

    /// Clones the call without its model and the data about that model.
    pub(crate) fn without_model(&self) -> Self {
        let Self { deadline, now, elsewhere, retried, turn, last_resort, watched, .. } = *self;
        let (body, before) = (Arc::clone(&self.body), self.before.clone());
        Self { body, model: None, deadline, now, elsewhere, retried, turn, last_resort, watched, before }
    }

    /// Number of attempts with this model in earlier turns of the call.
    pub(crate) fn tried(&self) -> u32 {
        self.before.as_ref().map_or(0, |before| before.tried)
    }

    pub(crate) fn set_tried(&mut self, tried: u32) {
        if tried != self.tried() {
            self.before.get_or_insert_default().tried = tried;
        }
    }

    /// The time at which the call reached the chain above, if that was before this attempt.
    pub(crate) fn began(&self) -> Option<Tick> {
        self.before.as_ref().and_then(|before| before.began)
    }

    pub(crate) fn set_began(&mut self, began: Option<Tick>) {
        if began != self.began() {
            self.before.get_or_insert_default().began = began;
        }
    }

    /// Models whose streams broke for this call, as places in the catalog, each with the time from which it
    /// may be called again. They come after the others.
    pub(crate) fn let_down(&self) -> &[(usize, Tick)] {
        self.before.as_ref().map_or(&[], |before| &before.let_down)
    }

    pub(crate) fn set_let_down(&mut self, let_down: &[(usize, Tick)]) {
        if !let_down.is_empty() || self.before.is_some() {
            self.before.get_or_insert_default().let_down = let_down.to_vec();
        }
    }

    fn origin(&self) -> &Arc<Body> {
        self.body.origin.as_ref().unwrap_or(&self.body)
    }

    fn with_body(mut self, change: impl FnOnce(&mut Body)) -> Self {
        self.change(change);
        self
    }

    fn change(&mut self, change: impl FnOnce(&mut Body)) {
        match Arc::get_mut(&mut self.body) {
            Some(body) => change(body),
            None => {
                let mut body = Body {
                    context: Arc::clone(&self.body.context),
                    request: self.body.request.clone(),
                    needs: self.body.needs,
                    id: self.body.id,
                    task: self.body.task.clone(),
                    effects: AtomicBool::new(false),
                    timed: AtomicBool::new(false),
                    origin: Some(Arc::clone(self.origin())),
                };
                change(&mut body);
                self.body = Arc::new(body);
            }
        }
    }
}

/// An answer, with the history of its call.
///
/// ```
/// use hooks_core::{state::OpId, time::Tick};
/// use hooks_resilience::{Replied, Call, ErrorKind, FailedAttempt, ModelError};
///
/// let call = Call::new(Default::default(), Default::default(), OpId(1));
/// let mut answered = Replied::new(call, "42");
/// let error = ModelError::new(ErrorKind::Server, "500");
/// answered.failed.push(FailedAttempt::new("opus", &error, Tick::default()));
///
/// // The history stays when the reply is converted.
/// let answered = answered.map(str::len);
/// assert_eq!((answered.reply, &*answered.failed[0].message), (2, "500"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replied<R> {
    /// The answer itself.
    pub reply: R,
    /// Model that answered; `None` if the call named no model of the catalog.
    pub model: Option<Arc<Model>>,
    /// Failed attempts, in order. Empty, and not allocated, if the first attempt succeeded.
    pub failed: Vec<FailedAttempt>,
    /// The call as it was answered; its request may have been adapted or compacted.
    pub call: Call,
    /// Receiver of the final result of a streamed answer, if a layer above asked for it.
    pub(crate) outstanding: Option<Outstanding>,
}

impl<R> Replied<R> {
    /// The answer `reply` to `call`, at the first attempt.
    pub fn new(call: Call, reply: R) -> Self {
        Self { reply, model: call.model.clone(), failed: Vec::new(), call, outstanding: None }
    }

    /// Converts the reply.
    pub fn map<T>(self, change: impl FnOnce(R) -> T) -> Replied<T> {
        let Self { reply, model, failed, call, outstanding } = self;
        Replied { reply: change(reply), model, failed, call, outstanding }
    }
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedAttempt {
    /// Name of the model.
    pub model: Arc<str>,
    /// Kind of error.
    pub kind: ErrorKind,
    /// The provider's message, cut to a length; never the contents of the request.
    pub message: String,
    /// Time of the failure.
    pub at: Tick,
}

impl FailedAttempt {
    /// Creates the record of `error`, with which `model` failed at `at`.
    pub fn new(model: impl Into<Arc<str>>, error: &ModelError, at: Tick) -> Self {
        Self { model: model.into(), kind: error.kind(), message: error.message().to_owned(), at }
    }
}
