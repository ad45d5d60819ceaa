//! How much is told apart.

use serde::{Deserialize, Serialize};

/// How much is told apart: the section `metrics` of `hooks.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// The most values of each label; later ones are counted as `other`.
    pub most_names: usize,
    /// The most series of each metric; later ones are counted as `other`.
    pub most_series: usize,
    /// The most sessions that are summed up at one time.
    pub most_sessions: usize,
    /// Whose events are counted; everybody's, where nobody is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
}

impl Default for MetricsConfig {
    /// Ours: a large team, in what a monitoring system takes from one process without a thought.
    fn default() -> Self {
        Self { most_names: 200, most_series: 2_000, most_sessions: 4_096, tenants: Vec::new() }
    }
}

impl MetricsConfig {
    /// Tells so many values of each label apart, and so many series of each metric.
    #[must_use]
    pub const fn within(mut self, most_names: usize, most_series: usize) -> Self {
        (self.most_names, self.most_series) = (most_names, most_series);
        self
    }

    /// Counts only events of these tenants.
    #[must_use]
    pub fn of_tenants(mut self, tenants: impl IntoIterator<Item = String>) -> Self {
        self.tenants.extend(tenants);
        self
    }
}
