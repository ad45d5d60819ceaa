//! Metrics that a sink sends beside the records.

use hooks_core::time::Timestamp;
use serde_json::Value;

/// Returns metrics for a sink, as `Metrics::otlp` of `hooks-metrics` does. This crate counts nothing itself.
pub trait MetricsSource: Send + Sync {
    /// All metrics at `now`, counted since `since`: the elements of `metrics` in an OTLP request.
    fn otlp(&self, since: Timestamp, now: Timestamp) -> Vec<Value>;
}

impl<F: Fn(Timestamp, Timestamp) -> Vec<Value> + Send + Sync> MetricsSource for F {
    fn otlp(&self, since: Timestamp, now: Timestamp) -> Vec<Value> {
        self(since, now)
    }
}
