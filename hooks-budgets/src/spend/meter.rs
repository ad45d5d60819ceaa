//! Traits through which a budget reads the requests and answers of a model service.

use std::sync::Arc;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply};
use hooks_core::{HookContext, HookFuture, Reason};
use serde_json::Value;

use super::budget::CallSize;
use super::estimate::{estimated_text, estimated_tokens};
use super::hold::Used;

/// Reads and changes the requests of a model service.
///
/// A host with requests of its own gives their size, and bounds an answer to the rest of the budget:
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::spend::{CallSize, Meter, estimated_text};
/// use hooks_core::HookContext;
///
/// struct Completion { prompt: String, max_tokens: Option<u64> }
///
/// struct Completions(Arc<HookContext>);
///
/// impl Meter<Completion> for Completions {
///     fn size(&self, request: &Completion) -> CallSize {
///         CallSize::new(Arc::clone(&self.0), "large", estimated_text(&request.prompt))
///             .replying_at_most(request.max_tokens)
///     }
///
///     fn can_bound(&self) -> bool {
///         true
///     }
///
///     fn reply_at_most(&self, request: &mut Completion, tokens: u64) {
///         request.max_tokens = Some(request.max_tokens.map_or(tokens, |most| most.min(tokens)));
///     }
/// }
///
/// let meter = Completions(Arc::new(HookContext::new("session-1", "backend")));
/// let mut request = Completion { prompt: "Hello, model".into(), max_tokens: Some(500) };
/// assert_eq!(meter.size(&request).input_tokens, 4);
/// meter.reply_at_most(&mut request, 80);
/// assert_eq!(meter.size(&request).most_output_tokens, Some(80));
/// ```
pub trait Meter<Request> {
    /// Returns the estimated size and the context of the call.
    fn size(&self, request: &Request) -> CallSize;

    /// Switches to another model; returns false if that is not possible.
    fn use_model(&self, request: &mut Request, model: &str) -> bool {
        let _unchanged = (request, model);
        false
    }

    /// Returns whether [`reply_at_most`](Self::reply_at_most) has an effect. If so, no more than the
    /// remaining budget is reserved.
    fn can_bound(&self) -> bool {
        false
    }

    /// Limits the answer of the model to `tokens`.
    fn reply_at_most(&self, request: &mut Request, tokens: u64) {
        let _unchanged = (request, tokens);
    }
}

/// Reads the whole answers of a model service.
pub trait MeterReply<Reply> {
    /// Returns the usage of the call.
    fn used(&self, reply: &Reply) -> Used;
}

/// Reads the pieces of streamed answers.
pub trait MeterPiece<Piece> {
    /// Returns the usage that a piece adds.
    fn piece(&self, piece: &Piece) -> PieceSize;
}

/// Usage that a piece of an answer adds.
///
/// ```
/// use hooks_budgets::spend::{PieceSize, Used};
/// use hooks_core::event::Usage;
///
/// assert_eq!(PieceSize::text("a piece of text").output_tokens, 5); // an estimate
/// let usage = Usage { input_tokens: 900, output_tokens: 40, ..Usage::default() };
/// let reported = PieceSize::so_far(Used::tokens(usage));
/// assert_eq!(reported.so_far.map(|used| used.usage.output_tokens), Some(40));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PieceSize {
    /// Tokens received with it; estimated if they are not known.
    pub output_tokens: u64,
    /// Usage of the whole call up to here, including this piece, if the provider reports it.
    pub so_far: Option<Used>,
}

impl PieceSize {
    /// Creates a piece of so many tokens.
    pub const fn tokens(output_tokens: u64) -> Self {
        Self { output_tokens, so_far: None }
    }

    /// Creates a piece of text, with estimated tokens.
    pub fn text(text: &str) -> Self {
        Self::tokens(estimated_text(text))
    }

    /// Creates a piece in which the provider reports the usage up to here.
    pub const fn so_far(used: Used) -> Self {
        Self { output_tokens: 0, so_far: Some(used) }
    }
}

/// Asks the user whether a call may be made that needs approval.
pub trait SpendApprover: Send + Sync {
    /// Returns whether the call may be made; an approval applies to the current window of the counter.
    fn approve(&self, size: CallSize, reason: Reason) -> HookFuture<'static, bool>;
}

/// Meters a model that takes a [`ModelRequest`] and returns a [`ModelReply`], as inside
/// [`GovernModel`](hooks_core::GovernModel). The requests do not carry a context, so the meter does.
#[derive(Clone, Debug)]
pub struct ModelMeter {
    context: Arc<HookContext>,
}

impl ModelMeter {
    /// Creates a meter for the calls of a session, or of an agent in it.
    pub fn new(context: impl Into<Arc<HookContext>>) -> Self {
        Self { context: context.into() }
    }
}

impl Meter<ModelRequest> for ModelMeter {
    fn size(&self, request: &ModelRequest) -> CallSize {
        let input_tokens = estimated_tokens(&request.messages);
        CallSize::new(Arc::clone(&self.context), request.model.as_str(), input_tokens)
    }

    fn use_model(&self, request: &mut ModelRequest, model: &str) -> bool {
        model.clone_into(&mut request.model);
        true
    }
}

impl MeterReply<ModelReply> for ModelMeter {
    fn used(&self, reply: &ModelReply) -> Used {
        Used::tokens(reply.usage).costing(reply.cost)
    }
}

/// Returns whether a message has no content.
pub(super) fn is_empty(message: &Message) -> bool {
    match &message.content {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
