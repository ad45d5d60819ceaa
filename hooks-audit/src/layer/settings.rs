//! What may be set about putting events on the record.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::describe::Describe;
use crate::log::Gaps;

/// What it means for a tool call that the log cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// It is denied.
    Deny,
    /// It runs, and the failure is recorded as that of a hook.
    Warn,
}

/// Tells the tools that cannot be undone.
pub type IsIrreversible = dyn Fn(&str) -> bool + Send + Sync;

/// What is put down how, and what it means that it cannot be.
#[derive(Clone)]
#[non_exhaustive]
pub struct AuditSettings {
    /// How a record is made.
    pub describe: Describe,
    /// What a failing log means for a tool that may change something.
    pub on_error_writing: OnError,
    /// What it means for one that says it only reads.
    pub on_error_reading: OnError,
    /// Of which tools the intent is on the device before they run.
    pub before: Option<Arc<IsIrreversible>>,
    /// Where it is kept what cannot be put down because the log cannot be opened: those of the log that is opened.
    pub gaps: Option<Gaps>,
}

impl Default for AuditSettings {
    /// Without a log nothing is changed, and reading goes on.
    fn default() -> Self {
        Self {
            describe: Describe::default(),
            on_error_writing: OnError::Deny,
            on_error_reading: OnError::Warn,
            before: None,
            gaps: None,
        }
    }
}

impl std::fmt::Debug for AuditSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuditSettings")
            .field("describe", &self.describe)
            .field("on_error_writing", &self.on_error_writing)
            .field("on_error_reading", &self.on_error_reading)
            .field("before", &self.before.is_some())
            .field("gaps", &self.gaps)
            .finish()
    }
}
