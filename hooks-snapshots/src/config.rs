//! The section `effects` of `hooks.yaml`.

use serde::{Deserialize, Serialize};

/// Treatment of what commands under `hooks exec` did to the workspace.
///
/// ```
/// use hooks_snapshots::{EffectsConfig, OnLoss};
///
/// let config: EffectsConfig = serde_json::from_str(r#"{"loss": "report"}"#)?;
/// assert_eq!(config.loss, OnLoss::Report);
/// assert_eq!(EffectsConfig::default().loss, OnLoss::Undo);
/// assert!(serde_json::from_str::<EffectsConfig>(r#"{"losses": "undo"}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EffectsConfig {
    /// Treatment of a command that destroyed content which exists nowhere else.
    pub loss: OnLoss,
    /// Most megabytes that the snapshots of one workspace take. The oldest are removed first.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub quota_mb: u64,
    /// Days after which a snapshot is removed.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub days: u32,
}

impl Default for EffectsConfig {
    fn default() -> Self {
        Self { loss: OnLoss::default(), quota_mb: 2_048, days: 7 }
    }
}

/// Treatment of a command that destroyed content which exists nowhere else.
///
/// ```
/// use hooks_snapshots::OnLoss;
///
/// assert_eq!(serde_json::from_str::<OnLoss>(r#""ask""#)?, OnLoss::Ask);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnLoss {
    /// The command is undone and fails. If it names each lost file literally, the loss is only reported.
    #[default]
    Undo,
    /// A person at the terminal is asked. Where none can be asked, it is undone.
    Ask,
    /// The loss is printed, and `hooks undo` restores it.
    Report,
    /// No snapshot is taken, so nothing can be undone.
    Unchecked,
}
