//! Configuration of boundaries, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Files that each agent may write and read.
///
/// ```
/// use hooks_team_rules::boundaries::{BoundariesConfig, Others};
/// use serde_json::json;
///
/// let config: BoundariesConfig = serde_json::from_value(json!({
///     "agents": {"Backend": {"writes": ["src/api/**"]}},
///     "others": "deny",
/// }))?;
/// assert_eq!(config.others, Others::Deny);
/// assert_eq!(config.team, std::path::Path::new(".squad"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BoundariesConfig {
    /// Folder of the team, relative to the folder of the session. The boundaries in its charters apply too.
    pub team: PathBuf,
    /// Boundaries by agent. They apply together with those of the charter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, BoundaryConfig>,
    /// Judgement on writes of agents without a boundary.
    pub others: Others,
}

/// Boundary of one agent.
///
/// ```
/// use hooks_team_rules::boundaries::BoundaryConfig;
/// use serde_json::json;
///
/// let boundary: BoundaryConfig = serde_json::from_value(json!({"writes": []}))?;
/// assert!(boundary.writes.is_some_and(|globs| globs.is_empty())); // it may write no file
/// assert!(boundary.reads.is_none()); // reads are not limited
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BoundaryConfig {
    /// Globs of files that the agent may write, relative to the root. If empty, it may write no file; if missing, writes are
    /// not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// Globs of files that the agent may read, relative to the root. If empty, it may read no file; if missing, reads are not
    /// limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<Vec<String>>,
}

/// Judgement on writes of agents without a boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Others {
    /// Leave their writes to the other policies.
    #[default]
    Allow,
    /// Deny their writes.
    Deny,
}

impl Default for BoundariesConfig {
    fn default() -> Self {
        Self { team: ".squad".into(), agents: BTreeMap::new(), others: Others::default() }
    }
}
