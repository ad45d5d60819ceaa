//! Commands: their working directory and environment, and how they are started and ended.

mod expand;
#[cfg(feature = "process")]
mod shell;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::expand::{NoVariables, Variables, expand_variables, folder_of};
#[cfg(feature = "process")]
pub use self::shell::{Limits, Processes};
pub use crate::engine::Runner;

use crate::config::Handler;

/// A command to start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Start {
    /// The handler of the command.
    pub handler: Arc<Handler>,
    /// Working directory of the command.
    pub folder: PathBuf,
    /// Variables to add to the environment.
    pub env: BTreeMap<String, String>,
    /// Object for the command's standard input.
    pub input: Arc<Map<String, Value>>,
    /// Whether to wait for processes that the command left running and that hold its output: they could still
    /// write a decision.
    pub is_awaited: bool,
}

impl Start {
    /// A command in `folder`, with empty input and no further variables.
    pub fn new(handler: impl Into<Arc<Handler>>, folder: impl Into<PathBuf>) -> Self {
        Self {
            handler: handler.into(),
            folder: folder.into(),
            env: BTreeMap::new(),
            input: Arc::new(Map::new()),
            is_awaited: false,
        }
    }
}
