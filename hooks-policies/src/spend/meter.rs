//! What a budget has to know of a model service: small traits that read its requests and answers.

use std::sync::Arc;

use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply};
use hooks_core::{HookContext, HookFuture, Reason};
use serde_json::Value;

use super::budget::CallSize;
use super::estimate::{estimated_text, estimated_tokens};
use super::hold::Used;

/// Reads and changes the requests of a model service.
pub trait Meter<Request> {
    /// How large the call may become, and where it happens.
    fn size(&self, request: &Request) -> CallSize;

    /// Has another model called; false where that cannot be.
    fn use_model(&self, request: &mut Request, model: &str) -> bool {
        let _unchanged = (request, model);
        false
    }

    /// Whether [`answer_at_most`](Self::answer_at_most) does anything: then no more is held than there is.
    fn can_bound(&self) -> bool {
        false
    }

    /// Has the model told to answer so many tokens at most.
    fn answer_at_most(&self, request: &mut Request, tokens: u64) {
        let _unchanged = (request, tokens);
    }
}

/// Reads the whole answers of a model service.
pub trait MeterReply<Reply> {
    /// What the call took.
    fn used(&self, reply: &Reply) -> Used;
}

/// Reads the pieces of streamed answers.
pub trait MeterPiece<Piece> {
    /// What a piece adds.
    fn piece(&self, piece: &Piece) -> PieceSize;
}

/// What a piece of an answer adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PieceSize {
    /// Tokens received with it, estimated where they are not known.
    pub output_tokens: u64,
    /// What the whole call took up to here, where the provider says so with this piece; its tokens are among it.
    pub so_far: Option<Used>,
}

impl PieceSize {
    /// So many more tokens.
    pub const fn tokens(output_tokens: u64) -> Self {
        Self { output_tokens, so_far: None }
    }

    /// More text, its tokens estimated.
    pub fn text(text: &str) -> Self {
        Self::tokens(estimated_text(text))
    }

    /// The provider says what the call took up to here.
    pub const fn so_far(used: Used) -> Self {
        Self { output_tokens: 0, so_far: Some(used) }
    }
}

/// Asks a person whether a call may be made that a budget asks about.
pub trait SpendApprover: Send + Sync {
    /// Whether it may; an approval stands for the window of the counter.
    fn approve(&self, size: CallSize, reason: Reason) -> HookFuture<'static, bool>;
}

/// Meters a model that takes a [`ModelRequest`] and answers a [`ModelReply`], as inside
/// [`GovernModel`](hooks_core::GovernModel): the requests do not say where they happen, so this does.
#[derive(Clone, Debug)]
pub struct ModelMeter {
    context: Arc<HookContext>,
}

impl ModelMeter {
    /// Meters the calls of a session, or of an agent in it.
    pub fn of(context: impl Into<Arc<HookContext>>) -> Self {
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

/// Whether a message says nothing.
pub(super) fn is_empty(message: &Message) -> bool {
    match &message.content {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
