//! What hooks answer, and what two answers mean together.
//!
//! Each outcome is a monoid: `Default` is "no opinion", [`Outcome::merge`] is associative, and strength
//! absorbs (law 1). Events that policies decide about answer a [`Judgement`], which differs between them
//! only in the notes it carries; the others answer a [`ContextPatch`], a [`Recovery`] or nothing.

mod context_patch;
mod hold;
mod judgement;
mod notes;
mod recovery;

pub use self::context_patch::{ContextNote, ContextPatch, Directive, Lifetime};
pub use self::hold::{Hold, Holds};
pub use self::judgement::{Judged, Judgement};
pub use self::notes::{CompactNotes, DecisionNotes, Notes, ResultNotes};
pub use self::recovery::Recovery;

use crate::event::{PostToolUse, PreCompact, UserPromptSubmitted};
use crate::verdict::Reason;

/// May it happen: deny, ask, allow; with context for the model and messages for the user.
pub type Decision<E> = Judgement<E, DecisionNotes>;

/// Go on, or stop with a reason. For an agent that is about to end, "stop" means: do not end yet, and the
/// reason is what it is told.
pub type Gate<E> = Judgement<E, ()>;

/// What hooks say to a user message: whether it goes on, and what is added for the model.
pub type PromptOutcome = Judgement<UserPromptSubmitted, ContextPatch>;

/// What hooks say to a compaction: a veto, a summary of their own, context that must survive.
pub type CompactOutcome = Judgement<PreCompact, CompactNotes>;

/// What hooks say to a tool result: withheld or not, and what is added. The changed result is that of the
/// effective event: a patch is derived from before and after, never merged from two rewrites.
pub type ResultPatch = Judgement<PostToolUse, ResultNotes>;

/// What a hook answers: a monoid, whose neutral element is `Default`.
pub trait Outcome: Default + Send + 'static {
    /// What both mean together. Associative; the stronger absorbs, what informs is appended in order.
    fn merge(&mut self, later: Self);

    /// What remains of a hook that failed: a denial where `closes`, otherwise no opinion with a note of it.
    fn failed(reason: Reason, closes: bool) -> Self;
}

impl Outcome for () {
    fn merge(&mut self, _later: ()) {}

    fn failed(_reason: Reason, _closes: bool) {}
}
