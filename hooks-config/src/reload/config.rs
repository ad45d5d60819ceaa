//! The section `reload`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time between two checks, if the section has none.
const EVERY: Duration = Duration::from_secs(1);

/// Least time between two checks.
pub(crate) const LEAST: Duration = Duration::from_millis(10);

/// Behaviour of a host that runs while the configuration changes.
///
/// ```
/// use std::time::Duration;
/// use hooks_config::{Config, OnBadRules};
///
/// let config = Config::parse("version: 1\nreload: { every: 5s, on_error: deny }", "hooks.yaml")?;
/// assert_eq!((config.reload().interval(), config.reload().on_error), (Duration::from_secs(5), OnBadRules::Deny));
/// let config = Config::parse("version: 1", "hooks.yaml")?;
/// assert_eq!((config.reload().interval(), config.reload().on_error), (Duration::from_secs(1), OnBadRules::Keep));
/// # Ok::<(), hooks_config::ConfigErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReloadConfig {
    /// Time between two looks at the files, `1s` by default. A change is in force after two of them.
    #[serde(with = "hooks_core::duration::option")]
    #[schemars(with = "Option<String>")]
    pub every: Option<Duration>,
    /// Treatment of calls while the files cannot be used.
    pub on_error: OnBadRules,
}

/// Treatment of calls while the files of the rules cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnBadRules {
    /// The rules that were read last go on.
    #[default]
    Keep,
    /// Everything that can be denied is denied.
    Deny,
}

impl ReloadConfig {
    /// Time between two looks at the files.
    pub fn interval(&self) -> Duration {
        self.every.unwrap_or(EVERY).max(LEAST)
    }
}
