//! What is done with a user's message before a model sees it.
//!
//! [`PromptLayer`] stands on `user_prompt_submitted`. It takes secrets out, adds text that has to be in every message,
//! keeps standing wishes ([`directive`](crate::directive)) in the team's inbox, and gives the model what the team
//! agreed on, decided last and holds by itself. A message to somebody ("Ripley, fix the login") gets a hint whom it is
//! for.
//!
//! * When the answer is there, a wish is on disk. The same wish twice is one; what says the same or the contrary of a
//!   decision is told to the user, and a contradiction to the model.
//! * What goes wrong keeps no message from the model: it is told to the user and recorded as a failure. With
//!   [`PromptLayer::within`] that holds for a disk that hangs, too, and for a lock that somebody holds.
//! * It reads and writes a few files of the team folder, beside the inner hook; without such a folder it costs a look.
//!   Put it outside of what has to see the final message.

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

/// Knows which wishes hold by themselves, because a policy judges calls by them.
pub trait Enforces: Send + Sync {
    /// What enforces `wish`, for the user; nothing where it is advice that no call can break.
    fn enforcement(&self, wish: &Detected) -> Option<String>;
}

#[cfg(test)]
mod tests;
