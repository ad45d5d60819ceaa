//! Commands: where they run, with what, and how they are started and ended.

mod expand;
#[cfg(feature = "process")]
mod shell;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::expand::{NoVariables, Variables, expand_path, expand_variables, folder_of};
#[cfg(feature = "process")]
pub use self::shell::{Limits, Processes};
pub use crate::engine::Runner;

use crate::config::Handler;

/// A command to start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Start {
    /// The handler that it is of.
    pub handler: Arc<Handler>,
    /// Where it runs.
    pub folder: PathBuf,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    /// What it reads from its standard input.
    pub input: Arc<Map<String, Value>>,
    /// Whether what it left running, and what holds its output, is waited for: a decision may still come from there.
    pub is_awaited: bool,
}
