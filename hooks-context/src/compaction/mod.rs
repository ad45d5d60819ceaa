//! Keeps important texts when a conversation is compacted.
//!
//! | event | what is done |
//! | --- | --- |
//! | `user_prompt_submitted`, `pre_tool_use`, `post_tool_use`, `before_model_call` | remembers texts that may have to survive |
//! | `pre_compact` | hands over these texts verbatim, with a summary and the exported state; or vetoes the compaction |
//! | `post_compact` | marks the texts as due |
//! | `session_start` (compact), `turn_start`, `before_model_call` | gives the due texts again, once, if the model lacks them |
//!
//! These texts survive, within a budget of tokens: the user's last request, open tasks, the files that were
//! worked on, the output of commands that a rule names, and the context of
//! [`AutoContext`](crate::auto::AutoContext) (decisions, directives).
//!
//! The summary comes from a service of the host. Without a service, or if it fails or is late, it is built
//! without a model: old tool results are left out, repeated texts are given once, and long texts are cut. It
//! takes the newest messages first, until the budget is used.
//!
//! A veto comes from a rule. It is ignored if the model refused the conversation as too long, or if the
//! conversation fills the window: without a compaction the session could not go on.
//!
//! The layer goes on `pre_compact`, `post_compact`, `session_start` and `turn_start`; [`Compacting::add_to`]
//! adds it to all of them, with its observers and its transform.

mod hand_over;
mod moment;
mod settings;
mod survivors;
mod veto;

#[cfg(test)]
mod tests;

pub use self::settings::{Compacting, CompactionSettings};
pub(crate) use self::survivors::Ledger;
pub use self::survivors::{Output, Survivors};
pub use self::veto::Veto;

/// Hands over the texts that have to survive a compaction, while the inner hook runs. A summary of the inner
/// hook takes precedence over ours.
pub type CompactionLayer = hooks_core::beside::BesideLayer<Compacting>;
