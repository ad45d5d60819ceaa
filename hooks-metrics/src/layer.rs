use tower_layer::Layer;

use super::registry::Metrics;
use super::service::MetricsService;

/// Counts the events and outcomes of a stack of hooks; see [`MetricsService`].
#[derive(Clone, Debug)]
pub struct MetricsLayer {
    metrics: Metrics,
}

impl MetricsLayer {
    /// Creates a layer that counts in `metrics`.
    pub const fn new(metrics: Metrics) -> Self {
        Self { metrics }
    }
}

impl<S> Layer<S> for MetricsLayer {
    type Service = MetricsService<S>;

    fn layer(&self, inner: S) -> MetricsService<S> {
        MetricsService::new(inner, self.metrics.clone())
    }
}
