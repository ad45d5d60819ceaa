//! Configuration of the Scribe, as plain data.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ScribeSettings;

/// Settings of the Scribe, which keeps the team's folder in order: it merges the inbox, writes the logs, and
/// archives old decisions.
///
/// ```
/// use std::time::Duration;
/// use hooks_scribe::ScribeConfig;
/// use serde_json::{from_value, json};
///
/// let config: ScribeConfig = from_value(json!({"settle": "5s", "decisions_above": 0}))?;
/// let settings = config.settings();
/// assert_eq!(settings.settle, Duration::from_secs(5));
/// assert_eq!(settings.decisions_above, 0, "old decisions are not archived at this length");
/// assert_eq!(settings.decisions_far_above, 51_200, "the default");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ScribeConfig {
    /// Folder of the team, relative to the folder of the session.
    pub team: PathBuf,
    /// Tenants whose sessions it handles; if empty, all tenants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// Time between a write and the work for it; further writes in this time are handled together.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub pause: Duration,
    /// Time without a change after which a file of the inbox is merged if no call is known to have written
    /// it.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub settle: Duration,
    /// Time after which a call without a reported end is given up.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub given_up_after: Duration,
    /// Length of `decisions.md` in bytes above which entries older than `older_than` are archived; 0 means
    /// never.
    pub decisions_above: u64,
    /// Age of entries to be archived above `decisions_above`.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub older_than: Duration,
    /// Length of `decisions.md` in bytes above which entries older than `then_older_than` are archived too; 0
    /// means never.
    pub decisions_far_above: u64,
    /// Age of entries to be archived above `decisions_far_above`.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub then_older_than: Duration,
}

impl ScribeConfig {
    /// Converts the configuration to settings.
    ///
    /// ```
    /// use hooks_scribe::{ScribeConfig, ScribeSettings};
    /// use serde_json::{from_value, json};
    ///
    /// assert_eq!(ScribeConfig::default().settings(), ScribeSettings::default());
    /// // A duration without a unit is an error, and so is an unknown option.
    /// assert!(from_value::<ScribeConfig>(json!({"pause": "5"})).is_err());
    /// assert!(from_value::<ScribeConfig>(json!({"paws": "5s"})).is_err());
    /// ```
    pub fn settings(&self) -> ScribeSettings {
        let Self { pause, settle, given_up_after, older_than, then_older_than, .. } = *self;
        ScribeSettings {
            pause,
            settle,
            given_up_after,
            decisions_above: self.decisions_above,
            older_than,
            decisions_far_above: self.decisions_far_above,
            then_older_than,
            ..ScribeSettings::default()
        }
    }
}

impl Default for ScribeConfig {
    fn default() -> Self {
        let settings = ScribeSettings::default();
        Self {
            team: ".squad".into(),
            tenants: Vec::new(),
            pause: settings.pause,
            settle: settings.settle,
            given_up_after: settings.given_up_after,
            decisions_above: settings.decisions_above,
            older_than: settings.older_than,
            decisions_far_above: settings.decisions_far_above,
            then_older_than: settings.then_older_than,
        }
    }
}
