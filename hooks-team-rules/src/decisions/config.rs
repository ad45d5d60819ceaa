//! Section `decisions` of `hooks.yaml`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Enforces the decisions of the team.
///
/// ```
/// use hooks_team_rules::decisions::DecisionsConfig;
///
/// let config: DecisionsConfig = serde_json::from_str(r#"{"archive": false}"#)?;
/// assert!(!config.archive);
/// assert_eq!(config.team, std::path::Path::new(".squad"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct DecisionsConfig {
    /// Folder of the team, relative to the folder of the session.
    pub team: PathBuf,
    /// Whether archived decisions count as well.
    pub archive: bool,
    /// Agents that may edit `decisions.md` and its archive as they like. Others may add decisions there, and lift none.
    pub editors: Vec<String>,
}

impl Default for DecisionsConfig {
    fn default() -> Self {
        Self { team: ".squad".into(), archive: true, editors: vec!["scribe".to_owned()] }
    }
}
