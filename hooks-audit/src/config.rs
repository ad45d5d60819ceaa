//! The section of a configuration file about the log, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::keep::{Age, Keeping};
use crate::layer::OnError;

/// Folder of the log below the folder of a team.
pub const IN_A_TEAM: &str = ".squad/orchestration-log";

/// Settings of the audit log.
///
/// ```
/// use hooks_audit::config::AuditConfig;
/// use serde_json::{from_value, json};
/// use std::time::Duration;
///
/// let config: AuditConfig = from_value(json!({"keep": "90 days", "before": ["deploy", "db_*"]}))?;
/// assert!(config.is_enabled(), "the section exists");
/// assert_eq!(config.keeping().keep, Some(Duration::from_secs(90 * 86_400)));
/// assert!(config.is_irreversible("db_drop") && !config.is_irreversible("deploy2"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether events are recorded. Default: `true` if this section exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Folder of the log, relative to the folder of the configuration. Default: `.squad/orchestration-log` if
    /// there is a team folder, otherwise `audit-log`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Effect of a failed write to the log on tool calls.
    pub on_error: OnErrorConfig,
    /// Tools whose effects cannot be undone: the intent to run them is synced before they run. Names; a `*`
    /// at the end stands for any rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// A second folder, best on another device, for records that cannot be written to the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill: Option<PathBuf>,
    /// Folder and key for checkpoints of the log, with which `hooks audit verify --checkpoints` compares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointsConfig>,
    /// Length in bytes at which a file of the log is ended and another one begun. Default: 64 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// Retention time of records, such as `90 days` or `7 years`: files whose records are all older are
    /// deleted, except those under a legal hold. Default: no deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub keep: Option<Age>,
    /// Whether files are compressed once another one is written. Default: `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<bool>,
}

/// Folder and key for checkpoints of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// Folder of the checkpoints; it has to exist. Best on a system where the agents' machine can add data,
    /// but change nothing.
    pub folder: PathBuf,
    /// Key made by `hooks audit keygen`: the file of an Ed25519 key, or the folder of an evolving key.
    /// Without it, checkpoints are unsigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
}

/// Effect of a failed write to the log on a tool call.
///
/// Customised: without a log, reads are denied too.
///
/// ```
/// use hooks_audit::OnError;
/// use hooks_audit::config::{AuditConfig, OnErrorConfig};
/// use serde_json::{from_value, json};
///
/// let config: AuditConfig = from_value(json!({"on_error": {"reading": "deny"}}))?;
/// assert_eq!(config.on_error, OnErrorConfig { writing: OnError::Deny, reading: OnError::Deny });
/// assert_eq!(OnErrorConfig::default().reading, OnError::Warn);
/// // A mistyped option is an error.
/// let error = from_value::<AuditConfig>(json!({"on_error": {"read": "deny"}})).err();
/// assert!(error.is_some_and(|error| error.to_string().starts_with("unknown field `read`")));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OnErrorConfig {
    /// For a tool that may change something.
    pub writing: OnError,
    /// For a tool that is declared read-only.
    pub reading: OnError,
}

impl Default for OnErrorConfig {
    fn default() -> Self {
        Self { writing: OnError::Deny, reading: OnError::Warn }
    }
}

impl AuditConfig {
    /// Whether events are recorded.
    pub fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }

    /// Retention time and compression of the log.
    pub fn keeping(&self) -> Keeping {
        Keeping { keep: self.keep.map(Age::duration), compress: self.compress != Some(false) }
    }

    /// Whether the intent to run `tool` is synced before it runs.
    pub fn is_irreversible(&self, tool: &str) -> bool {
        self.before.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => name == tool,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_end_in_anything() {
        let config = AuditConfig { before: vec!["deploy".into(), "db_*".into()], ..AuditConfig::default() };
        assert!(config.is_irreversible("deploy") && config.is_irreversible("db_drop"));
        assert!(!config.is_irreversible("deploy2") && !config.is_irreversible("d"));
        assert!(config.is_enabled());
    }
}
