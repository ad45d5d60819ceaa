//! A plain model made of a stack.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_conversation::message::is_picture;
use hooks_conversation::{Tokenizer, Tokenizers};
use hooks_core::HookContext;
use hooks_core::drivers::{ModelCall, ModelRequest};
use hooks_core::event::{Message, ModelReply, Role};
use hooks_core::inner_accessors;
use hooks_core::state::OpId;
use pin_project::pin_project;
use serde_json::Value;
use tower_service::Service;

use crate::call::{Call, Needs, Replied};
use crate::error::ModelError;
use crate::world::World;

/// Answers model requests with a stack. See the module docs.
///
/// Each request becomes one [`Call`]. Its id is derived from the session and call id of the context, or is
/// random without them. Its needs are computed: tokens are counted, and images are detected. Tools are
/// assumed to be needed, because messages do not list the offered tools ([`Resilient::needing`]). Ready when
/// the stack is.
#[derive(Clone)]
pub struct Resilient<S> {
    stack: S,
    context: Arc<HookContext>,
    world: World,
    tokenizers: Tokenizers,
    needs: Needs,
    task: Option<Arc<FindTask>>,
    listener: Option<Arc<Listener>>,
}

/// Finds the kind of work of a request.
type FindTask = dyn Fn(&HookContext, &ModelRequest) -> Option<Arc<str>> + Send + Sync;

type Listener = dyn Fn(&Replied<ModelReply>) + Send + Sync;

impl<S> Resilient<S> {
    /// Creates a model that answers with `stack`.
    pub fn new(stack: S, world: World) -> Self {
        let needs = Needs { tools: true, ..Needs::default() };
        Self {
            stack,
            context: Arc::default(),
            world,
            tokenizers: Tokenizers::default(),
            needs,
            task: None,
            listener: None,
        }
    }

    /// Sets the context of requests that come without one, as those of a `GovernModel`. It selects the chain
    /// of the agent.
    #[must_use]
    pub fn in_context(mut self, context: impl Into<Arc<HookContext>>) -> Self {
        self.context = context.into();
        self
    }

    /// Sets the needs of every request beyond those that its messages show: tools, and room for the answer.
    /// The input tokens are added to the counted ones.
    #[must_use]
    pub const fn needing(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    /// Sets the tokenizers that count tokens.
    #[must_use]
    pub fn counting_with(mut self, tokenizers: Tokenizers) -> Self {
        self.tokenizers = tokenizers;
        self
    }

    /// Finds the kind of work of a request with `find`, for the chains of tasks (`routing.tasks`); requests
    /// do not carry it. A host with a model for each kind of work returns the same for every request.
    ///
    /// ```
    /// use hooks_core::drivers::ModelRequest;
    /// use hooks_core::event::{Message, ModelReply, Role, Usage};
    /// use hooks_resilience::{Replied, Call, ModelError, Resilient};
    /// use tower::{ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    ///
    /// let stack = service_fn(async |call: Call| {
    ///     let text = format!("task: {:?}", call.task());
    ///     let response = Message::text(Role::Assistant, text);
    ///     let reply = ModelReply { response, usage: Usage::default(), cost: None };
    ///     Ok::<_, ModelError>(Replied::new(call, reply))
    /// });
    /// let model = Resilient::new(stack, world).finding_task(|context, _request| match &*context.agent_name {
    ///     "namer" => Some("title".into()),
    ///     _ => None,
    /// });
    /// let reply = model.clone().oneshot(ModelRequest::default()).await?;
    /// assert_eq!(reply.response.content, "task: None");
    /// let model = model.in_context(hooks_core::HookContext::new("session-1", "namer"));
    /// let reply = model.oneshot(ModelRequest::default()).await?;
    /// assert_eq!(reply.response.content, r#"task: Some("title")"#);
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    #[must_use]
    pub fn finding_task<F>(mut self, find: F) -> Self
    where
        F: Fn(&HookContext, &ModelRequest) -> Option<Arc<str>> + Send + Sync + 'static,
    {
        self.task = Some(Arc::new(find));
        self
    }

    /// Calls `listener` for each answer, with its model, its failed attempts and its conversation.
    #[must_use]
    pub fn telling(mut self, listener: impl Fn(&Replied<ModelReply>) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    inner_accessors!(stack: S, "The stack");

    fn make_call(&self, context: Arc<HookContext>, request: ModelRequest) -> Call {
        let id = match &context.call_id {
            Some(id) => {
                OpId::from_parts(&["model call", &context.session_id, id, &request.iteration.to_string()])
            }
            None => OpId(self.world.random.next_u128()),
        };
        let tokenizer = self.tokenizers.for_model(Some(&request.model));
        let counted =
            request.messages.iter().map(|message| tokenizer.message(message)).fold(0, u64::saturating_add);
        let needs = Needs {
            input_tokens: self.needs.input_tokens.saturating_add(counted),
            tools: self.needs.tools || request.messages.iter().any(|message| message.role == Role::Tool),
            vision: self.needs.vision || request.messages.iter().any(shows_a_picture),
            ..self.needs
        };
        let task = self.task.as_ref().and_then(|find| find(&context, &request));
        let call = Call::new(context, request, id).needing(needs);
        match task {
            Some(task) => call.for_task(task),
            None => call,
        }
    }
}

impl<S> Service<ModelCall> for Resilient<S>
where
    S: Service<Call, Response = Replied<ModelReply>, Error = ModelError>,
{
    type Response = ModelReply;
    type Error = ModelError;
    type Future = ResilientFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.stack.poll_ready(cx)
    }

    fn call(&mut self, call: ModelCall) -> Self::Future {
        let call = self.make_call(call.context, call.request);
        ResilientFuture { answer: self.stack.call(call), listener: self.listener.clone() }
    }
}

impl<S> Service<ModelRequest> for Resilient<S>
where
    S: Service<Call, Response = Replied<ModelReply>, Error = ModelError>,
{
    type Response = ModelReply;
    type Error = ModelError;
    type Future = ResilientFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.stack.poll_ready(cx)
    }

    fn call(&mut self, request: ModelRequest) -> Self::Future {
        let context = Arc::clone(&self.context);
        Service::<ModelCall>::call(self, ModelCall { context, request })
    }
}

impl<S: fmt::Debug> fmt::Debug for Resilient<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resilient")
            .field("stack", &self.stack)
            .field("needs", &self.needs)
            .finish_non_exhaustive()
    }
}

/// The future of a [`Resilient`].
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResilientFuture<F> {
    #[pin]
    answer: F,
    listener: Option<Arc<Listener>>,
}

impl<F: Future<Output = Result<Replied<ModelReply>, ModelError>>> Future for ResilientFuture<F> {
    type Output = Result<ModelReply, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let replied = ready!(this.answer.poll(cx))?;
        if let Some(listener) = this.listener {
            listener(&replied);
        }
        Poll::Ready(Ok(replied.reply))
    }
}

impl<F> fmt::Debug for ResilientFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResilientFuture").finish_non_exhaustive()
    }
}

/// Whether the message contains an image, also in a tool result.
fn shows_a_picture(message: &Message) -> bool {
    let mut open = vec![&message.content];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) if is_picture(fields) => return true,
            Value::Object(fields) => open.extend(fields.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}
