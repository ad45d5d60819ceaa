//! Compacts a conversation that does not fit into the model's window, and tries again.
//!
//! A [`ContextOverflow`](crate::ErrorKind::ContextOverflow) from below is answered with shorter and shorter
//! conversations: each [`Means`] is applied in turn to what the one before left, and whenever the result is small
//! enough the call is tried once more. What the catalog already says cannot fit is not sent in the first place.
//!
//! | means | what it does |
//! | --- | --- |
//! | `drop_tool_results` | the oldest tool results give way to a mark of one line, until it fits |
//! | `deduplicate` | what stands there several times stays once, where it came last |
//! | `summarise` | the rest becomes a summary, by hooks or by a model, except for the newest turns |
//!
//! Verbatim stay system messages, the newest user request, and what [`Keep`] keeps: decisions and pinned text. A call
//! and its result stay or go together. `pre_compact` fires before the first means (a hook may veto, give a summary of
//! its own, or text that has to survive), `post_compact` when a compacted conversation was answered.
//!
//! Each means is tried once, so that it ends: in an answer, or in the overflow error, upon which a `FallbackLayer`
//! outside goes to a larger window with the conversation as it was. A healthy call pays for one clone of the service
//! and allocates nothing; the recovery is one boxed future. Goes inside `FallbackLayer` and outside `RetryLayer`.
//!
//! ```
//! use hooks_resilience::{OverflowLayer, OverflowSettings, World};
//!
//! # fn layer(world: World, hooks: hooks_core::Hooks) -> Result<OverflowLayer, hooks_resilience::OverflowSettingsError> {
//! let overflow = OverflowLayer::new(OverflowSettings::default(), world)?.with_hooks(hooks);
//! # Ok(overflow)
//! # }
//! ```

mod budget;
mod conversation;
mod future;
mod keep;
mod layer;
mod recovery;
mod service;
mod settings;
mod summary;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use self::future::ResponseFuture;
pub use self::keep::{Keep, Marked};
pub use self::layer::{Compacted, OverflowLayer};
pub use self::service::Overflow;
pub use self::settings::{Means, OverflowSettings, OverflowSettingsError};
pub use self::summary::SummaryRequest;
pub use crate::message::{CountTokens, Estimate};
