//! Outcomes: the answers of hooks, and the merge of two answers.
//!
//! Each outcome is a monoid: `Default` is "no opinion", [`Outcome::merge`] is associative, and the stronger
//! answer wins (law 1). Events that can be denied have a [`Judgement`] as outcome; these judgements differ
//! only in their notes. The other events have a [`ContextPatch`], a [`Recovery`] or `()`.

mod context_patch;
mod hold;
mod judgement;
mod notes;
mod recovery;
mod shown;

pub use self::context_patch::{ContextNote, ContextPatch, Directive, Lifetime};
pub use self::hold::{Hold, Holds};
pub use self::judgement::{Judged, Judgement};
pub use self::notes::{CompactNotes, DecisionNotes, Notes, ResultNotes};
pub use self::recovery::Recovery;

use crate::event::{PostToolUse, PreCompact, UserPromptSubmitted};
use crate::verdict::Reason;

/// Whether an event may happen (deny, ask or allow), with context for the model and messages for the user.
pub type Decision<E> = Judgement<E, DecisionNotes>;

/// Whether to go on, or to stop with a reason. For an agent that is about to end, "stop" means that it must
/// not end yet; the reason is the text that the model reads.
pub type Gate<E> = Judgement<E, ()>;

/// The outcome of a user prompt: whether it goes on, and the context added for the model.
pub type PromptOutcome = Judgement<UserPromptSubmitted, ContextPatch>;

/// The outcome of a compaction: a veto, another summary, context that must survive.
pub type CompactOutcome = Judgement<PreCompact, CompactNotes>;

/// The outcome of a tool result: whether it is withheld, and the notes added. A changed result is that of the
/// effective event: it is derived from the result before and after all rewrites, never merged from two
/// rewrites.
pub type ResultPatch = Judgement<PostToolUse, ResultNotes>;

/// The answer of a hook: a monoid with `Default` as its neutral element.
///
/// ```
/// use hooks_core::{Outcome, Recovery};
///
/// let mut merged = Recovery { retry: Some(true), backoff_ms: Some(500), ..Recovery::default() };
/// merged.merge(Recovery { retry: Some(false), backoff_ms: Some(2_000), ..Recovery::default() });
/// assert_eq!((merged.retry, merged.backoff_ms), (Some(false), Some(2_000)));
/// ```
pub trait Outcome: Default + Send + 'static {
    /// Merges a later answer into this one. The operation is associative; the stronger answer wins, and texts
    /// are appended in order.
    fn merge(&mut self, later: Self);

    /// The outcome of a hook that failed: a denial if `closes`, otherwise no opinion with a note about the
    /// failure.
    fn failed(reason: Reason, closes: bool) -> Self;
}

impl Outcome for () {
    fn merge(&mut self, _later: ()) {}

    fn failed(_reason: Reason, _closes: bool) {}
}
