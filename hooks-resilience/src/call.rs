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

/// What a call asks of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// How many tokens are sent, as well as the host knows.
    pub input_tokens: u64,
    /// How many the answer may take.
    pub output_tokens: u64,
    /// Whether the model has to call tools.
    pub tools: bool,
    /// Whether there are pictures to see.
    pub vision: bool,
    /// Whether it has to go on behind the beginning of an answer.
    pub prefill: bool,
}

impl Needs {
    /// Sent and received together.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The same of a conversation of any length.
    pub(crate) const fn of_any_length(self) -> Self {
        Self { input_tokens: 0, output_tokens: 0, ..self }
    }
}

/// One logical call of a model: however often, and of whichever model, it is tried, it is one call, with one id, one
/// deadline and one answer. Made with one allocation; a clone makes none.
#[derive(Clone, Debug)]
pub struct Call {
    body: Arc<Body>,
    /// Which model this attempt goes to. None until a `FallbackLayer`, or the host, chose.
    pub model: Option<Arc<Model>>,
    /// By when it has to be answered.
    pub deadline: Option<Tick>,
    /// When it was last looked at the clock on behalf of this attempt; whoever waits sets it anew.
    pub now: Option<Tick>,
    /// The earliest moment at which another model could answer instead, as it was when this attempt began: nobody
    /// below waits beyond it. None where there is no other.
    pub elsewhere: Option<Tick>,
    /// Whether a layer above tries again: a second loop inside would multiply the attempts.
    pub(crate) retried: bool,
    /// Which turn of a chain above this is, from 1: a chain inside would multiply the attempts too. 0 where there is no
    /// chain.
    pub(crate) turn: u32,
    /// Whether no model is ready: then one whose breaker is open is asked all the same, if it answers some calls.
    pub(crate) last_resort: bool,
    /// Whether a layer above reads the answer to its end, and tells how it went.
    pub(crate) watched: bool,
    /// What came before this attempt. Boxed: of most calls nothing did, and a call is moved from layer to layer.
    before: Option<Box<Before>>,
}

/// What came before an attempt.
#[derive(Clone, Debug, Default)]
struct Before {
    tried: u32,
    began: Option<Tick>,
    let_down: Vec<(usize, Tick)>,
}

/// What all attempts of one call share.
#[derive(Debug)]
struct Body {
    context: Arc<HookContext>,
    request: ModelRequest,
    needs: Needs,
    id: OpId,
    task: Option<Arc<str>>,
    /// Whether something happened that a second attempt would repeat.
    effects: AtomicBool,
    /// Whether an attempt below armed a timer that fires at the deadline at the latest.
    timed: AtomicBool,
    /// The body this one was copied from, to change the request: what happens to one copy of a call happens to all.
    origin: Option<Arc<Body>>,
}

/// Tells whether an attempt of a call has a timer: all that is kept of the call by those who need nothing else of it.
#[derive(Debug)]
pub(crate) struct Timing(Arc<Body>);

impl Timing {
    /// Whether an attempt below has a timer that fires at the deadline at the latest.
    pub(crate) fn is_timed(&self) -> bool {
        self.0.timed.load(Ordering::Relaxed)
    }
}

impl Call {
    /// A call of `request`, in `context`. The `id` is the same for all attempts: what a provider is told, so that
    /// it does a thing once, and what a budget settles by.
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

    /// Says what the model has to be able to do.
    #[must_use]
    pub fn needing(self, needs: Needs) -> Self {
        self.with_body(|body| body.needs = needs)
    }

    /// Says what kind of work it is, for chains of their own.
    #[must_use]
    pub fn for_task(self, task: impl Into<Arc<str>>) -> Self {
        let task = task.into();
        self.with_body(|body| body.task = Some(task))
    }

    /// Sets by when it has to be answered.
    #[must_use]
    pub const fn until(mut self, deadline: Tick) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same call with another request: one that was adapted to a model, or compacted.
    #[must_use]
    pub fn with_request(self, request: ModelRequest) -> Self {
        self.with_body(|body| body.request = request)
    }

    /// Where it happens.
    pub fn context(&self) -> &Arc<HookContext> {
        &self.body.context
    }

    /// The conversation that is sent.
    pub fn messages(&self) -> &[Message] {
        &self.body.request.messages
    }

    /// The turn it belongs to, from 1.
    pub fn iteration(&self) -> u64 {
        self.body.request.iteration
    }

    /// What this attempt sends, naming the model it goes to. A copy: a client that writes the request itself reads
    /// [`messages`](Self::messages) and [`model_name`](Self::model_name).
    pub fn to_request(&self) -> ModelRequest {
        ModelRequest { model: self.model_name().to_owned(), ..self.body.request.clone() }
    }

    /// The request as the host made it: its `model` is the model, chain or tier that the host asked for.
    pub(crate) fn request(&self) -> &ModelRequest {
        &self.body.request
    }

    /// What the model has to be able to do.
    pub fn needs(&self) -> &Needs {
        &self.body.needs
    }

    /// The id of the logical call.
    pub fn id(&self) -> OpId {
        self.body.id
    }

    /// What kind of work it is.
    pub fn task(&self) -> Option<&str> {
        self.body.task.as_deref()
    }

    /// The name of the model that is asked.
    pub fn model_name(&self) -> &str {
        self.model.as_ref().map_or(&self.body.request.model, |model| &model.name)
    }

    /// Says that something happened which a second attempt would do again: a streamed tool call was run. From
    /// here on the call is not repeated.
    pub fn mark_effects(&self) {
        self.origin().effects.store(true, Ordering::Release);
    }

    /// Whether something happened that a second attempt would do again.
    pub fn has_effects(&self) -> bool {
        self.origin().effects.load(Ordering::Acquire)
    }

    /// Says whether an attempt has a timer that fires at the deadline at the latest: nobody above needs another.
    pub(crate) fn mark_timed(&self, timed: bool) {
        self.origin().timed.store(timed, Ordering::Relaxed);
    }

    /// What tells whether an attempt has a timer.
    pub(crate) fn timing(&self) -> Timing {
        Timing(Arc::clone(self.origin()))
    }

    /// When this attempt began, reading the clock only where nobody did.
    pub fn tick(&mut self, world: &World) -> Tick {
        *self.now.get_or_insert_with(|| world.tick())
    }

    /// The latest moment until which it may wait: its deadline, or when another model could answer.
    pub(crate) fn latest(&self) -> Option<Tick> {
        match (self.deadline, self.elsewhere) {
            (Some(deadline), Some(elsewhere)) => Some(deadline.min(elsewhere)),
            (deadline, elsewhere) => deadline.or(elsewhere),
        }
    }

    /// The same call, naming no model: nothing of one is kept.
    pub(crate) fn without_model(&self) -> Self {
        let Self { deadline, now, elsewhere, retried, turn, last_resort, watched, .. } = *self;
        let (body, before) = (Arc::clone(&self.body), self.before.clone());
        Self { body, model: None, deadline, now, elsewhere, retried, turn, last_resort, watched, before }
    }

    /// How often this model was tried already on behalf of this call, in earlier turns.
    pub(crate) fn tried(&self) -> u32 {
        self.before.as_ref().map_or(0, |before| before.tried)
    }

    pub(crate) fn set_tried(&mut self, tried: u32) {
        if tried != self.tried() {
            self.before.get_or_insert_default().tried = tried;
        }
    }

    /// When the call came to the chain above, where that was before this attempt.
    pub(crate) fn began(&self) -> Option<Tick> {
        self.before.as_ref().and_then(|before| before.began)
    }

    pub(crate) fn set_began(&mut self, began: Option<Tick>) {
        if began != self.began() {
            self.before.get_or_insert_default().began = began;
        }
    }

    /// The places in the catalog of models that let this call down already, in streams that broke, and from when on
    /// they may be asked again: after the others.
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

/// An answer, and how it came about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answered<R> {
    /// The answer.
    pub reply: R,
    /// Which model gave it; None where the call named none of the catalog.
    pub model: Option<Arc<Model>>,
    /// What was tried before, in order; empty (and not allocated) where the first attempt served.
    pub failed: Vec<FailedAttempt>,
    /// The call as it was answered: its request may have been adapted or compacted.
    pub call: Call,
    /// Who is to be told how it ended, where it comes in pieces and a layer above asked for that.
    pub(crate) outstanding: Option<Outstanding>,
}

impl<R> Answered<R> {
    /// `reply` to `call`, at the first attempt.
    pub fn new(call: Call, reply: R) -> Self {
        Self { reply, model: call.model.clone(), failed: Vec::new(), call, outstanding: None }
    }

    /// The same with another reply.
    pub fn map<T>(self, change: impl FnOnce(R) -> T) -> Answered<T> {
        let Self { reply, model, failed, call, outstanding } = self;
        Answered { reply: change(reply), model, failed, call, outstanding }
    }
}

/// An attempt that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedAttempt {
    /// Which model was asked.
    pub model: Arc<str>,
    /// What went wrong.
    pub kind: ErrorKind,
    /// In words; what providers say, cut to a length, never what was sent.
    pub message: String,
    /// When it had failed.
    pub at: Tick,
}

impl FailedAttempt {
    /// `error` of `model`, at `at`.
    pub fn new(model: impl Into<Arc<str>>, error: &ModelError, at: Tick) -> Self {
        Self { model: model.into(), kind: error.kind(), message: error.message().to_owned(), at }
    }
}
