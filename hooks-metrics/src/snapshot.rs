//! Counted values as plain data.

use std::sync::Arc;
use std::time::Duration;

use super::family::Family;

/// Series of a family.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FamilySnapshot {
    /// Description of the family.
    pub family: &'static Family,
    /// Series, sorted by their labels.
    pub series: Vec<SeriesSnapshot>,
}

/// One series.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeriesSnapshot {
    /// Names and values of its labels.
    pub labels: Vec<(&'static str, Arc<str>)>,
    /// Counted value.
    pub value: Value,
}

/// Counted value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A number; for money, in millionths of a US dollar.
    Number(u64),
    /// Durations by bucket, the last one without a bound, and their sum.
    Durations {
        /// Number of durations in each bucket, not cumulative.
        buckets: Vec<u64>,
        /// Sum of all durations.
        sum: Duration,
    },
}
