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
//!
//! The default: the tester's charter covers `src/api/`, so it gets a notice about the backend's write.
//!
//! ```
//! use std::sync::Arc;
//! use futures_util::FutureExt;
//! use hooks_core::beside::Here;
//! use hooks_core::event::{PostToolUse, PreToolUse, TurnStart};
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks};
//! use hooks_scribe::notice::Notices;
//! use hooks_team::Team;
//! use serde_json::{Value, json};
//!
//! let disk = FakeDisk::default()
//!     .with_file("/p/.squad/agents/tester/charter.md", "# Tester\n\n## What I Own\n\n- `src/api/`\n")
//!     .with_directory("/p/src/api");
//! let (mut environment, ..) = world(FakeFileSystem::default());
//! environment.files = Arc::new(disk.clone());
//! let team = Team::new(Arc::new(disk), "/p/.squad", &environment);
//! let hooks = Notices::new(team, Here).add_to(Hooks::builder()).build();
//! let context = |agent: &str| {
//!     Arc::new(HookContext::new("session-1", agent).in_dir("/p").with_environment(environment.clone()))
//! };
//!
//! let call = PreToolUse::new("edit", json!({"path": "src/api/users.rs"}));
//! let wrote = PostToolUse::after(&call, Value::Null, None, 1);
//! hooks.on(context("Backend")).post_tool_use(wrote).now_or_never().ok_or("waits")?;
//!
//! let turn = || hooks.on(context("Tester")).turn_start(TurnStart::new(1)).now_or_never().ok_or("waits");
//! let note = &turn()?.additional_context[0].text;
//! assert!(note.contains("- `src/api/users.rs`: Backend") && note.contains("(yours by `src/api/`)"));
//! assert!(turn()?.additional_context.is_empty(), "a notice is handed over once");
//! # Ok::<(), &str>(())
//! ```
//!
//! Customised: one file in each hand-over, the newest.
//!
//! ```
//! # use std::sync::Arc;
//! use std::time::Duration;
//! use futures_util::FutureExt;
//! use hooks_core::beside::Here;
//! use hooks_core::event::{PostToolUse, PreToolUse, TurnStart};
//! # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks};
//! use hooks_scribe::notice::{NoticeSettings, Notices};
//! # use hooks_team::Team;
//! use serde_json::{Value, json};
//!
//! # let disk = FakeDisk::default()
//! #     .with_file("/p/.squad/agents/tester/charter.md", "# Tester\n\n## What I Own\n\n- `src/api/`\n")
//! #     .with_directory("/p/src/api");
//! # let (mut environment, clock, _) = world(FakeFileSystem::default());
//! # environment.files = Arc::new(disk.clone());
//! # let team = Team::new(Arc::new(disk), "/p/.squad", &environment);
//! # let context = |agent: &str| {
//! #     Arc::new(HookContext::new("session-1", agent).in_dir("/p").with_environment(environment.clone()))
//! # };
//! let mut settings = NoticeSettings::default();
//! settings.most = 1;
//! let hooks = Notices::new(team, Here).with(settings).add_to(Hooks::builder()).build();
//! for path in ["src/api/users.rs", "src/api/teams.rs"] {
//!     let wrote = PostToolUse::after(&PreToolUse::new("edit", json!({"path": path})), Value::Null, None, 1);
//!     hooks.on(context("Backend")).post_tool_use(wrote).now_or_never().ok_or("waits")?;
//!     clock.advance(Duration::from_secs(60));
//! }
//! let turn = hooks.on(context("Tester")).turn_start(TurnStart::new(1)).now_or_never().ok_or("waits")?;
//! let note = &turn.additional_context[0].text;
//! assert!(note.contains("- `src/api/teams.rs`: Backend") && !note.contains("users.rs"));
//! assert!(note.contains("- and 1 older files; `git log` has them"));
//! # Ok::<(), &str>(())
//! ```

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
