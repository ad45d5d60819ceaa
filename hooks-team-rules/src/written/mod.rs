//! Judges a command by the content of the files that it runs, if the session wrote them.
//!
//! Before a call runs, the files that it writes are added to a set of the session and its subagents, which is kept in a
//! [`StateStore`](hooks_core::state::StateStore). When a command runs one of them, its content is read from the disk, and the
//! policies judge the command with it. A script that was there before is not read. If the store fails, a call that runs
//! commands is denied.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_classic_example::policies;
//! # mod hooks_classic_example {
//! #     pub fn policies() -> hooks_core::Hooks {
//! #         use hooks_core::{Evidence, HookRequest, Reason, Verdict, event::PreToolUse, policy_fn};
//! #         use hooks_facts::{calls::CallReader, commands::BlockedPattern};
//! #         let judge = |request: &HookRequest<PreToolUse>| {
//! #             let block = [BlockedPattern::parse("rm -rf").unwrap()];
//! #             let commands = CallReader::default().read(request).commands();
//! #             match commands.found.iter().any(|it| it.analysis.find(&block).is_some()) {
//! #                 true => Verdict::deny(Reason::new("guard", "block", "`rm -rf` is blocked")),
//! #                 false => Verdict::NO_OPINION,
//! #             }
//! #         };
//! #         hooks_core::Hooks::builder().policy(policy_fn("guard", judge)).build()
//! #     }
//! # }
//! use hooks_core::testing::{FakeDisk, world};
//! use hooks_core::{Environment, HookContext, Hooks, Judged, event::PreToolUse, state::Memory};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::written::{JudgedFiles, WrittenFiles};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let disk = FakeDisk::default().with_file("/repo/a.sh", "rm -rf out").with_file("/repo/b.sh", "rm -rf out");
//! let (environment, clock, _) = world(hooks_core::testing::FakeFileSystem::default());
//! let environment = Environment { files: Arc::new(disk), ..environment };
//! let store = Arc::new(Memory::new(clock));
//! let written = WrittenFiles::new(policies, JudgedFiles::OfSession, &CallReader::default(), store);
//! let Ok(builder) = Hooks::builder().config(written);
//! let hooks = builder.build();
//!
//! let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
//! let goes_ahead = async |tool: &str, args| {
//!     let mut decision = hooks.on(context.clone()).pre_tool_use(PreToolUse::new(tool, args)).await;
//!     decision.commit();
//!     decision.outcome.goes_ahead()
//! };
//! assert!(goes_ahead("Write", json!({"file_path": "a.sh", "content": "rm -rf out"})).await);
//! assert!(!goes_ahead("Bash", json!({"command": "sh a.sh"})).await);
//! assert!(goes_ahead("Bash", json!({"command": "sh b.sh"})).await); // it was there before
//! # }
//! ```

mod layer;
mod set;
mod view;

pub use self::layer::{JudgedFiles, WrittenFiles};

#[cfg(test)]
mod tests;
