//! The section about metrics: how much is told apart.

use hooks_audit::metrics::{Metrics, MetricsConfig};

/// The key it stands under.
pub(super) const KEY: &str = "metrics";

/// The counters that `config` asks for: those that were kept, where nothing else is asked for than before.
pub(super) fn built(config: &MetricsConfig, kept: Option<&Metrics>) -> Metrics {
    match kept.filter(|kept| kept.config() == config) {
        Some(kept) => kept.clone(),
        None => Metrics::new(config.clone()),
    }
}
