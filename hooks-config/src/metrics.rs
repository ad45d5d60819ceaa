//! The section about metrics: limits of the labels that they distinguish.

use hooks_metrics::{Metrics, MetricsConfig};

use super::error::Mistakes;
use super::prune::Pruned;

/// Key of the section.
pub(super) const KEY: &str = "metrics";

/// Reports limits of 0, which would put every value under `other`.
pub(super) fn check(config: &MetricsConfig, tree: &Pruned, mistakes: &mut Mistakes) {
    for (field, bound) in [("most_names", config.most_names), ("most_series", config.most_series)] {
        if bound == 0 {
            let path = format!("{KEY}.{field}");
            let problem = "with 0, everything is counted as `other`";
            mistakes.add_with_hint(
                tree.root.locate(&path),
                path,
                problem,
                "write a number from 1, or leave it out",
            );
        }
    }
}

/// Metrics of `config`. If `kept` has the same settings, they continue its counts.
pub(super) fn built(config: &MetricsConfig, kept: Option<&Metrics>) -> Metrics {
    match kept.filter(|kept| kept.config() == config) {
        Some(kept) => kept.clone(),
        None => Metrics::new(config.clone()),
    }
}
