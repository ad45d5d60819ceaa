//! What a configuration file says about notices: plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::NoticeSettings;

/// Tells agents that others wrote what their charters cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NoticesConfig {
    /// The team's folder, from the folder on that a session works in.
    pub team: PathBuf,
    /// Whose agents are told; everybody's, where nobody is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// So many files are named at once, the newest.
    pub most: usize,
    /// So many notices wait for one agent, the newest.
    pub keep: usize,
}

impl NoticesConfig {
    /// The same as settings.
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
