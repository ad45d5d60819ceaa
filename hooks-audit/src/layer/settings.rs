//! Settings for the recording of events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::describe::Describe;
use crate::log::Gaps;

/// Effect of a failed write to the log on a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The call is denied.
    Deny,
    /// The call runs, and the failure is reported as a failed hook.
    Warn,
}

/// Returns whether the effects of a tool cannot be undone.
pub type IsIrreversible = dyn Fn(&str) -> bool + Send + Sync;

/// Settings for records, and the effect of a failed write.
///
/// Customised: the intent to deploy is synced before the tool runs, and without a log reads are denied too.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::{AuditSettings, OnError};
///
/// let mut settings = AuditSettings::default();
/// assert_eq!((settings.on_error_writing, settings.on_error_reading), (OnError::Deny, OnError::Warn));
/// settings.before = Some(Arc::new(|tool| tool == "deploy"));
/// settings.on_error_reading = OnError::Deny;
/// assert!(settings.before.is_some_and(|is_irreversible| is_irreversible("deploy")));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct AuditSettings {
    /// Settings for making a record.
    pub describe: Describe,
    /// Effect of a failed write on a tool that may change something.
    pub on_error_writing: OnError,
    /// Effect of a failed write on a tool that is declared read-only.
    pub on_error_reading: OnError,
    /// Tools whose intent is synced before they run.
    pub before: Option<Arc<IsIrreversible>>,
    /// Store for the numbers of records that are lost because the log cannot be opened: the same one as that
    /// of the opened log.
    pub gaps: Option<Gaps>,
}

impl Default for AuditSettings {
    /// Without a log, tools that change something are denied and reading tools run.
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
