//! Parts of a streamed answer.

use std::sync::Arc;

use hooks_core::event::Usage;

use crate::catalog::Model;

/// A part of a streamed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chunk {
    /// Further text.
    Text(String),
    /// Start of a tool call.
    ToolStart {
        /// Id of the call until its end, and in its result.
        id: String,
        /// Name of the tool.
        name: String,
    },
    /// Further arguments of a tool call.
    ToolArgs {
        /// Id of the call.
        id: String,
        /// Part of the JSON.
        json: String,
    },
    /// End of a tool call's arguments.
    ToolEnd {
        /// Id of the call.
        id: String,
    },
    /// Tokens used so far; the last report counts.
    Usage(Usage),
    /// End of the answer, with the provider's stop reason. An answer that ends without it is broken.
    Stop(String),
    /// The answer broke off, and another one continues it; with its model, if known.
    Resumed(Option<Arc<Model>>),
    /// The answer broke off, and another one starts from the beginning: the received parts do not count.
    Restarted(Option<Arc<Model>>),
}
