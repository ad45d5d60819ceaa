//! Checks and additions to a user's message before a model sees it.
//!
//! [`PromptLayer`] goes on `user_prompt_submitted`. It removes secrets, adds texts that every message must
//! contain, and keeps standing wishes ([`directive`](crate::directive)) in the team's inbox. The model gets
//! the team's conventions, recent decisions and automatic ceremonies. A message to a team member ("Ripley,
//! fix the login") gets a hint about its addressee.
//!
//! * When the outcome is there, the wishes are on disk. The same wish is kept once. If a wish repeats or
//!   contradicts a decision, the user gets a message; a contradiction is also reported to the model.
//! * A failure does not keep a message from the model: the user gets a message, and the failure is recorded.
//!   With [`PromptLayer::within`], this includes a disk that hangs and a lock that another process holds.
//! * It reads and writes a few files of the team folder while the inner hook runs. Without a team folder, it
//!   costs one lookup. Put it outside of hooks that have to see the final message.

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
pub trait Enforces: Send + Sync {
    /// Describes for the user how `wish` is enforced, or returns `None` if it is only advice.
    fn enforcement(&self, wish: &Detected) -> Option<String>;
}

#[cfg(test)]
mod tests;
