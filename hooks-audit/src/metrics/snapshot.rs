//! What was counted, as plain data.

use std::sync::Arc;
use std::time::Duration;

use super::family::Family;

/// The series of a family.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FamilySnapshot {
    /// Which family.
    pub family: &'static Family,
    /// Its series, sorted by their labels.
    pub series: Vec<SeriesSnapshot>,
}

/// One series.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeriesSnapshot {
    /// Names and values of the labels it has.
    pub labels: Vec<(&'static str, Arc<str>)>,
    /// What was counted.
    pub value: Value,
}

/// What was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A number; of money, in millionths of a US dollar.
    Number(u64),
    /// How many durations there were in each bucket, the last one without a bound; and their sum.
    Durations {
        /// By bucket, each by itself.
        buckets: Vec<u64>,
        /// All together.
        sum: Duration,
    },
}
