//! Compacts a conversation that does not fit into the model's window, and tries again.
//!
//! If the model answers [`ContextOverflow`](crate::ErrorKind::ContextOverflow), the layer tries shorter and
//! shorter conversations. Each [`Means`] is applied to the result of the one before. Whenever the result is
//! small enough, the call is attempted again. A call that cannot fit according to the catalog is not sent in
//! the first place.
//!
//! | means | effect |
//! | --- | --- |
//! | `drop_tool_results` | replaces the oldest tool results with a mark of one line, until the rest fits |
//! | `deduplicate` | keeps only the last of identical contents |
//! | `summarise` | replaces the rest, except the newest turns, with a summary by hooks or by a model |
//!
//! System messages, the newest user request and the messages that [`Keep`] selects (decisions and pinned
//! text) stay verbatim. A call and its result stay or go together. `pre_compact` fires before the first
//! means. Its hooks may veto the compaction, return a summary of their own, or return text that has to
//! survive. `post_compact` fires when a compacted conversation was answered.
//!
//! Each means is tried once, so the recovery ends: with an answer, or with the overflow error. A
//! `FallbackLayer` outside then tries a larger window with the original conversation. A call that fits costs
//! one clone of the service and no allocation; the recovery is one boxed future. The layer belongs inside
//! `FallbackLayer` and outside `RetryLayer`.
//!
//! ```
//! use hooks_resilience::{OverflowLayer, OverflowConfig, World};
//!
//! # fn layer(world: World, hooks: hooks_core::Hooks) -> Result<OverflowLayer, hooks_resilience::OverflowConfigError> {
//! let overflow = OverflowLayer::new(OverflowConfig::default(), world)?.with_hooks(hooks);
//! # Ok(overflow)
//! # }
//! ```

mod budget;
mod config;
mod conversation;
mod future;
mod keep;
mod layer;
mod recovery;
mod service;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use self::config::{Means, OverflowConfig, OverflowConfigError};
pub use self::future::ResponseFuture;
pub use self::keep::{Keep, Marked};
pub use self::layer::{Compacted, OverflowLayer};
pub use self::service::Overflow;
