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
//!
//! By default, these texts are handed over to a compaction:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::compaction::{Compacting, CompactionSettings};
//! use hooks_core::event::{PreCompact, PreToolUse, PromptKind, UserPromptSubmitted};
//! use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, Hooks};
//! use serde_json::json;
//!
//! let time = VirtualTime::default();
//! let compacting = Compacting::new(CompactionSettings::default(), Arc::new(time.clone()));
//! let hooks = compacting.add_to(Hooks::builder()).build();
//! # time.block_on(async {
//! let at = hooks.on(HookContext::new("session-1", "backend"));
//! at.user_prompt_submitted(UserPromptSubmitted::new("Fix the parser", PromptKind::Initial)).await;
//! at.pre_tool_use(PreToolUse::new("edit", json!({"path": "src/parser.rs"}))).await;
//! at.pre_tool_use(PreToolUse::new("TodoWrite", json!({"todos": [{"content": "add a test"}]}))).await;
//!
//! let compaction = at.pre_compact(PreCompact::default()).await;
//! let notes = compaction.outcome.notes().expect("something has to survive");
//! let texts: Vec<_> = notes.context.additional_context.iter().map(|note| &*note.text).collect();
//! assert_eq!(
//!     texts,
//!     [
//!         "## The user's last request\n\nFix the parser",
//!         "## Open tasks\n\n- add a test",
//!         "## Files worked on, the last first\n\n- src/parser.rs",
//!     ],
//! );
//! # }).expect("nothing waits");
//! ```
//!
//! Customised: the output of some commands survives as well, and a rule forbids to compact automatically.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::compaction::{Compacting, CompactionSettings};
//! use hooks_core::event::{CompactionSource, PostToolUse, PreCompact, PreToolUse};
//! use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, Hooks, Judged};
//! use serde_json::json;
//!
//! let time = VirtualTime::default();
//! let mut settings = CompactionSettings::default();
//! settings.outputs = vec!["cargo test".to_owned()];
//! let compacting = Compacting::new(settings, Arc::new(time.clone())).unless(|_: &HookContext, asked: &PreCompact| {
//!     (asked.source == CompactionSource::Auto).then(|| "not in the middle of a release".to_owned())
//! });
//! let hooks = compacting.add_to(Hooks::builder()).build();
//! # time.block_on(async {
//! let context = HookContext::new("session-1", "backend");
//! let at = hooks.on(context.clone());
//! let test = PreToolUse::new("bash", json!({"command": "cargo test -p parser"}));
//! at.post_tool_use(PostToolUse::after(&test, json!("3 tests failed"), None, 900)).await;
//! assert_eq!(compacting.survivors(&context).outputs[0].text, "3 tests failed");
//!
//! let vetoed = at.pre_compact(PreCompact::default()).await.outcome;
//! assert_eq!(vetoed.shown_reason().expect("a veto has a reason").message, "not in the middle of a release");
//! # }).expect("nothing waits");
//! ```

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
