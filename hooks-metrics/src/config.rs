//! Settings of metrics: limits on label values, series and sessions.

use serde::{Deserialize, Serialize};

/// Settings of metrics, which are the section `metrics` of `hooks.yaml`: limits on label values, series and
/// sessions.
///
/// A missing field has its default; an unknown one is an error.
///
/// ```
/// use hooks_metrics::MetricsConfig;
/// use serde_json::{from_value, json};
///
/// let config: MetricsConfig = from_value(json!({"most_names": 50}))?;
/// assert_eq!((config.most_names, config.most_series), (50, 2_000));
/// assert!(from_value::<MetricsConfig>(json!({"most_name": 50})).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
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
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::cache::{CacheAnswer, CacheWatch};
    /// use hooks_metrics::{Metrics, MetricsConfig};
    ///
    /// let metrics = Metrics::new(MetricsConfig::default().within(2, 100));
    /// for tool in ["search", "fetch", "lookup", "list"] {
    ///     metrics.answered(&HookContext::new("session-1", "backend"), tool, CacheAnswer::Miss);
    /// }
    /// let text = metrics.prometheus();
    /// assert!(text.contains(r#"hooks_cache_calls_total{tool="search",outcome="miss"} 1"#));
    /// // Names beyond the limit share one series, so the sum stays correct.
    /// assert!(text.contains(r#"tool="other""#) && !text.contains(r#"tool="list""#));
    /// ```
    #[must_use]
    pub const fn within(mut self, most_names: usize, most_series: usize) -> Self {
        (self.most_names, self.most_series) = (most_names, most_series);
        self
    }

    /// Counts only events of these tenants.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::cache::{CacheAnswer, CacheWatch};
    /// use hooks_metrics::{Metrics, MetricsConfig};
    ///
    /// let metrics = Metrics::new(MetricsConfig::default().of_tenants(["acme".to_owned()]));
    /// // An event without a tenant is not counted.
    /// metrics.answered(&HookContext::new("session-1", "backend"), "search", CacheAnswer::Hit);
    /// assert_eq!(metrics.prometheus(), "");
    /// metrics.answered(&HookContext::new("session-1", "backend").for_tenant("acme"), "search", CacheAnswer::Hit);
    /// assert!(metrics.prometheus().contains(r#"tenant="acme""#));
    /// ```
    #[must_use]
    pub fn of_tenants(mut self, tenants: impl IntoIterator<Item = String>) -> Self {
        self.tenants.extend(tenants);
        self
    }
}
