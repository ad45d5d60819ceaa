//! Notifies an agent that another agent changed files which its charter covers.
//!
//! | event | action |
//! | --- | --- |
//! | `post_tool_use` | leaves a notice for each other agent that covers a file which the call wrote |
//! | `session_start`, `turn_start`, `subagent_start` | hands the starting agent its notices, once |
//!
//! Only the team's own files define the files that an agent covers:
//!
//! * **modules** of `routing.md`: a path or pattern, its primary and its secondary owner;
//! * **the charter**, below `What I Own` and in what it handles (`I handle`): every word in backticks, and
//!   every other word that is clearly a path. `src/api/` covers everything below it, `src/**/*.rs` and
//!   `*.sql` are patterns, `Cargo.toml` is a file of that name anywhere, and a plain word in backticks is a
//!   folder of that name anywhere. Prose is not interpreted, and the parts that a charter leaves to other
//!   agents are ignored.
//!
//! Notices are stored in the team's folder, in one queue for each agent, so that they reach the agent in any
//! process. Both their number and the files in one hand-over are limited: if an agent never works, its oldest
//! notices are dropped. Notices are removed from the queue before they are handed over, by exactly one
//! process. If a child agent is denied after that, its notices are put back. Agents get no notices about
//! their own writes.
//!
//! The layer never decides and never fails a call; errors go to the failure sink.

mod config;
mod coverage;
mod hand_over;
mod moment;
mod queue;
mod settings;

#[cfg(test)]
mod tests;

pub use self::config::NoticesConfig;
pub use self::coverage::Coverage;
pub use self::settings::{NoticeSettings, Notices};

/// Leaves notices, and adds those for the agent to the outcome, while the inner hook runs.
pub type NoticeLayer = hooks_core::beside::BesideLayer<Notices>;
