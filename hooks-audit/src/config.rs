//! What a configuration file says about the log: plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::keep::{Age, Keeping};
use crate::layer::OnError;

/// The place of a log below the folder of a team.
pub const IN_A_TEAM: &str = ".squad/orchestration-log";

/// What a configuration says about the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether events are put on the record; they are where this section stands, unless it says `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The folder of the log, relative to that of the configuration: `.squad/orchestration-log` where there is a team
    /// folder, `audit-log` elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// What a log that cannot be written means.
    pub on_error: OnErrorConfig,
    /// Tools that cannot be undone: the intent to run them is on the device before they do. Names; `*` at the end stands
    /// for any rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// A second folder, best on another device, for what cannot be written in the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill: Option<PathBuf>,
    /// Where it is written down what the log was, and who vouches for it: what `hooks audit verify --checkpoints` compares
    /// with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointsConfig>,
    /// How many bytes a file of the log has before another one is begun; 64 MiB unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// For how long records are kept, such as `90 days` or `7 years`: files all of whose records are older are deleted, but
    /// for those under a legal hold. For ever, unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub keep: Option<Age>,
    /// Whether files are compressed once another one is written; they are, unless it says `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compress: Option<bool>,
}

/// Where checkpoints of the log are kept, and who vouches for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// A folder, best where the agents' machine can add, but change nothing. It has to be there.
    pub folder: PathBuf,
    /// What `hooks audit keygen` made: the file of an Ed25519 key, or the folder of an evolving one. Without it nobody vouches
    /// for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
}

/// What a log that cannot be written means for a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OnErrorConfig {
    /// Of a tool that may change something.
    pub writing: OnError,
    /// Of a tool that says it only reads.
    pub reading: OnError,
}

impl Default for OnErrorConfig {
    fn default() -> Self {
        Self { writing: OnError::Deny, reading: OnError::Warn }
    }
}

impl AuditConfig {
    /// Whether events are put on the record.
    pub fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }

    /// For how long the log is kept, and how.
    pub fn keeping(&self) -> Keeping {
        Keeping { keep: self.keep.map(Age::duration), compress: self.compress != Some(false) }
    }

    /// Whether the intent to run `tool` is on the device before it runs.
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
