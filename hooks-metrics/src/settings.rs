//! Settings of metrics: limits on label values, series and sessions.

use serde::{Deserialize, Serialize};

/// Settings of metrics, which are the section `metrics` of `hooks.yaml`: limits on label values, series and
/// sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// Limit on the values of each label; later ones are counted as `other`.
    pub most_names: usize,
    /// Limit on the series of each metric; later ones are counted as `other`.
    pub most_series: usize,
    /// Limit on the sessions with a summary at one time.
    pub most_sessions: usize,
    /// Tenants whose events are counted; if empty, all tenants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
}

impl Default for MetricsConfig {
    /// Limits for a large team; a monitoring system handles that many series of one process easily.
    fn default() -> Self {
        Self { most_names: 200, most_series: 2_000, most_sessions: 4_096, tenants: Vec::new() }
    }
}

impl MetricsConfig {
    /// Sets the limits on the values of each label, and on the series of each metric.
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
