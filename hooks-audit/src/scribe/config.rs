//! What a configuration file says about the Scribe: plain data.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ScribeSettings;

/// Keeps the team's folder in order: merges the inbox, writes the logs, puts old decisions away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ScribeConfig {
    /// The team's folder, from the folder on that a session works in.
    pub team: PathBuf,
    /// Whose sessions it looks after; everybody's, where nobody is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// So long after something was written the work begins, for all that is written meanwhile.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub pause: Duration,
    /// A file of the inbox that no call is known to have written is merged once it did not change for so long.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub settle: Duration,
    /// So long after it began, a call whose end nobody told is given up.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub given_up_after: Duration,
    /// Above so many bytes of `decisions.md`, entries older than `older_than` are put away; never where it is 0.
    pub decisions_above: u64,
    /// How old they are then.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub older_than: Duration,
    /// Above so many bytes, those older than `then_older_than` go too; never where it is 0.
    pub decisions_far_above: u64,
    /// How old they are then.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub then_older_than: Duration,
}

impl ScribeConfig {
    /// The same as settings.
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
