//! Tells an agent that another one wrote what its charter covers.
//!
//! | event | what is done |
//! | --- | --- |
//! | `post_tool_use` | each file that the call wrote is held against what every agent covers; a notice is left for each other one that covers it |
//! | `session_start`, `turn_start`, `subagent_start` | the agent that begins is given its notices, once |
//!
//! What an agent covers is said by the team's own files, and by nothing else:
//!
//! * **modules** of `routing.md`: a path or pattern, its primary and its secondary owner;
//! * **the charter**, below `What I Own` and in what it handles (`I handle`): every word in backticks, and every other
//!   word that is plainly a path. `src/api/` stands for all below it, `src/**/*.rs` and `*.sql` are patterns,
//!   `Cargo.toml` is a file of that name anywhere, and a plain word in backticks is a folder of that name anywhere.
//!   Prose is not guessed at, and what a charter leaves to others counts for nothing.
//!
//! Notices lie in the team's folder, in a queue for each agent, so that they reach it in whatever process it works
//! next. They are bounded: of an agent that never works the oldest are forgotten, and one hand-over names so many
//! files. What an agent is given is taken away first, by exactly one of those who ask at once; a child that is denied
//! after that has its notices put back. Nobody is told of what it wrote itself.
//!
//! The layer never decides and never fails a call: what goes wrong is told to the failure sink.

mod config;
mod coverage;
mod hand_over;
mod layer;
mod moment;
mod queue;
mod service;
mod settings;

#[cfg(test)]
mod tests;

pub use self::config::NoticesConfig;
pub use self::coverage::Coverage;
pub use self::layer::NoticeLayer;
pub use self::moment::Noticed;
pub use self::service::NoticeService;
pub use self::settings::{NoticeSettings, Notices};
