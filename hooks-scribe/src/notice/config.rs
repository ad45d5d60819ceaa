//! Configuration of notices, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::NoticeSettings;

/// Settings for notices to agents about changes of files that their charters cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NoticesConfig {
    /// Folder of the team, relative to the folder of the session.
    pub team: PathBuf,
    /// Tenants whose agents get notices; if empty, all tenants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// Limit on the files named in one notice; the newest are named.
    pub most: usize,
    /// Limit on the notices that wait for one agent; the newest are kept.
    pub keep: usize,
}

impl NoticesConfig {
    /// Converts the configuration to settings.
    pub const fn settings(&self) -> NoticeSettings {
        NoticeSettings { most: self.most, keep: self.keep }
    }
}

impl Default for NoticesConfig {
    fn default() -> Self {
        let NoticeSettings { most, keep } = NoticeSettings::default();
        Self { team: ".squad".into(), tenants: Vec::new(), most, keep }
    }
}
