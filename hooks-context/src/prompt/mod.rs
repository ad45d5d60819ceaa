//! Checks and additions to a user's message before a model sees it.
//!
//! [`PromptLayer`] goes on `user_prompt_submitted`. It removes secrets, adds texts that every message must
//! contain, and keeps standing wishes ([`directive`](crate::directive)) in the team's inbox. The model gets
//! the team's conventions, recent decisions and active ceremonies. A message to a team member ("Ripley,
//! fix the login") gets a hint about its addressee.
//!
//! * When the outcome is there, the wishes are on disk. The same wish is kept once. If a wish repeats or
//!   contradicts a decision, the user gets a message; a contradiction is also reported to the model.
//! * A failure does not keep a message from the model: the user gets a message, and the failure is recorded.
//!   With [`PromptLayer::within`], this includes a disk that hangs and a lock that another process holds.
//! * It reads and writes a few files of the team folder while the inner hook runs. Without a team folder, it
//!   costs one lookup. Put it outside of hooks that have to see the final message.
//!
//! By default, a standing wish is kept for the team, and the user reads where:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::prompt::{PromptConfig, PromptLayer};
//! use hooks_core::event::{PromptKind, UserPromptSubmitted};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{FailureLayer, HookContext, Hooks, Settle};
//! use tower_layer::Layer;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let disk = Arc::new(FakeDisk::default().with_directory("/repo/.squad/decisions/inbox"));
//! let stack = PromptLayer::new(PromptConfig::default(), TeamPlace::below(disk.clone(), ".squad")).layer(Settle);
//! let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), stack).build();
//!
//! let message = UserPromptSubmitted::new("Fix the login, and never log passwords.", PromptKind::Initial);
//! let context = HookContext::new("session-1", "coordinator").in_dir("/repo");
//! let said = hooks.on(context).user_prompt_submitted(message).await;
//! let notes = said.outcome.notes().expect("a wish was found");
//! assert_eq!(notes.directives[0].text, "never log passwords");
//! assert!(notes.system_messages[0].starts_with(
//!     "`never log passwords` (never): kept as a decision of the team in `decisions/inbox/user-directive-"
//! ));
//! assert!(disk.files().into_values().any(|file| file.ends_with(b"**Mode:** never\n")));
//! # }
//! ```
//!
//! Customised: a text that every message contains, and secrets that no model sees.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_context::TeamPlace;
//! use hooks_context::prompt::{PromptConfig, PromptLayer};
//! use hooks_core::event::{PromptKind, UserPromptSubmitted};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{FailureLayer, HookContext, Hooks, Settle};
//! use tower_layer::Layer;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let mut config = PromptConfig::default();
//! config.required = vec!["Answer in English.".to_owned()];
//! config.scrub = true;
//! let stars = |text: &str| text.contains("hunter2").then(|| text.replace("hunter2", "***"));
//! let squad = TeamPlace::below(Arc::new(FakeDisk::default()), ".squad");
//! let stack = PromptLayer::new(config, squad).scrubbed_by(Arc::new(stars)).layer(Settle);
//! let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), stack).build();
//!
//! let message = UserPromptSubmitted::new("Log in with hunter2.", PromptKind::Initial);
//! let said = hooks.on(HookContext::new("session-1", "backend")).user_prompt_submitted(message).await;
//! assert_eq!(said.request.event().prompt, "Log in with ***.\n\nAnswer in English.");
//! let notes = said.outcome.notes().expect("the prompt was completed");
//! assert_eq!(notes.original_prompt.as_deref(), Some("Log in with ***."));
//! # }
//! ```

mod address;
mod config;
mod conventions;
mod future;
mod inbox;
mod layer;
mod meaning;
mod prompts;
mod service;

use crate::directive::Detected;

pub use self::config::{PromptConfig, Wishes};
pub use self::future::ResponseFuture;
pub use self::layer::PromptLayer;
pub(crate) use self::prompts::Told;
pub use self::service::Prompt;

/// Knows the wishes that a policy enforces.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::TeamPlace;
/// use hooks_context::directive::Detected;
/// use hooks_context::prompt::{Enforces, PromptConfig, PromptLayer};
/// use hooks_core::event::{PromptKind, UserPromptSubmitted};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::{FailureLayer, HookContext, Hooks, Settle};
/// use tower_layer::Layer;
///
/// struct Branches;
///
/// impl Enforces for Branches {
///     fn enforcement(&self, wish: &Detected) -> Option<String> {
///         wish.text.contains("push to main").then(|| "the rule `no-push-to-main` denies it".to_owned())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let squad = TeamPlace::below(Arc::new(FakeDisk::default()), ".squad");
/// let layer = PromptLayer::new(PromptConfig::default(), squad).enforced_by(Arc::new(Branches));
/// let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), layer.layer(Settle)).build();
/// let message = UserPromptSubmitted::new("Never push to main.", PromptKind::Initial);
/// let said = hooks.on(HookContext::new("session-1", "backend")).user_prompt_submitted(message).await;
/// assert_eq!(
///     said.outcome.notes().expect("a wish was found").system_messages[0],
///     "`Never push to main.` (never): detected as a standing wish; it is not stored; \
///      enforced: the rule `no-push-to-main` denies it",
/// );
/// # }
/// ```
pub trait Enforces: Send + Sync {
    /// Describes for the user how `wish` is enforced, or returns `None` if it is only advice.
    fn enforcement(&self, wish: &Detected) -> Option<String>;
}

#[cfg(test)]
mod tests;
