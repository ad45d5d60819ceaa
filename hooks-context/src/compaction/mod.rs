//! What survives when a conversation is shortened.
//!
//! | event | what is done |
//! | --- | --- |
//! | `user_prompt_submitted`, `pre_tool_use`, `post_tool_use`, `before_model_call` | what may have to survive is remembered |
//! | `pre_compact` | it is handed over verbatim, with a summary and the state of it; or the compaction is vetoed |
//! | `post_compact` | what was handed over is due again |
//! | `session_start` (compact), `turn_start`, `before_model_call` | it is given again, once, where it is not there |
//!
//! What survives: the user's last request, open tasks, the files that were worked on, the output of commands that a rule
//! names, and what [`AutoContext`](crate::auto::AutoContext) knows (decisions, directives), within a budget of tokens.
//!
//! The summary is that of a service the host gives, or else one without a model: what tools answered longest ago is left
//! out, what was said twice is said once, and long texts are cut, newest first until the room is full.
//!
//! A veto is a rule's. None stands where the model refused the conversation as too long, or it is full: that would be a
//! dead end. The layer goes on `pre_compact`, `post_compact`, `session_start` and `turn_start`;
//! [`Compacting::add_to`] puts all of it in place.

mod hand_over;
mod layer;
mod moment;
mod service;
mod settings;
mod summary;
mod survivors;
mod veto;

#[cfg(test)]
mod tests;

pub use self::layer::CompactionLayer;
pub use self::moment::CompactionMoment;
pub use self::service::CompactionService;
pub use self::settings::{Compacting, CompactionSettings};
pub use self::summary::{SummaryRequest, summarise};
pub(crate) use self::survivors::Ledger;
pub use self::survivors::{Output, Survivors};
pub use self::veto::Veto;
