//! A piece of an answer.

use std::sync::Arc;

use hooks_core::event::Usage;

use crate::catalog::Model;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chunk {
    /// More text.
    Text(String),
    /// A call of a tool begins.
    ToolStart {
        /// What it is called by until its end, and in its result.
        id: String,
        /// Which tool.
        name: String,
    },
    /// More of its arguments.
    ToolArgs {
        /// Of which call.
        id: String,
        /// A piece of JSON.
        json: String,
    },
    /// All of its arguments are there.
    ToolEnd {
        /// Of which call.
        id: String,
    },
    /// The tokens it took so far; the last one counts.
    Usage(Usage),
    /// The model is done, for this reason, as its provider says it. An answer that ends without one is broken.
    Stop(String),
    /// The answer broke off, and another one goes on where it ended, of this model where that is known.
    Resumed(Option<Arc<Model>>),
    /// The answer broke off, and another one begins anew: what was received does not count.
    Restarted(Option<Arc<Model>>),
}
