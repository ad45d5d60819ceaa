//! Series of one family, limited in number.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::family::{Instrument, MOST_LABELS};
use super::names::NameId;

/// Labels that identify a series within its family; labels that the family does not have are absent.
pub(super) type SeriesKey = [NameId; MOST_LABELS];

/// Series of a family.
pub(super) struct SeriesTable {
    most: usize,
    hasher: DefaultHashBuilder,
    table: RwLock<HashTable<Series>>,
}

/// One series.
struct Series {
    key: SeriesKey,
    cell: Cell,
}

/// Value of a series.
pub(super) enum Cell {
    /// A number.
    Number(AtomicU64),
    /// Number of durations in each bucket and beyond the last bound, and their sum in microseconds.
    Durations(Box<[AtomicU64]>, AtomicU64),
}

impl SeriesTable {
    /// Creates a table of at most `most` series.
    pub(super) fn new(most: usize) -> Self {
        Self { most, hasher: DefaultHashBuilder::default(), table: RwLock::default() }
    }

    /// Records in the series with this key, or in the series `other` if the table is full. Returns whether it
    /// was full.
    pub(super) fn record(
        &self,
        key: &SeriesKey,
        labels: usize,
        instrument: Instrument,
        record: impl Fn(&Cell),
    ) -> bool {
        let hash = self.hasher.hash_one(key);
        {
            let known = self.table.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(series) = known.find(hash, |series| series.key == *key) {
                record(&series.cell);
                return false;
            }
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let is_full = table.len() >= self.most;
        let key = if is_full { others(labels) } else { *key };
        let hash = self.hasher.hash_one(key);
        let hasher = |series: &Series| self.hasher.hash_one(series.key);
        let entry = table.entry(hash, |series| series.key == key, hasher);
        record(&entry.or_insert_with(|| Series { key, cell: Cell::new(instrument) }).get().cell);
        is_full
    }

    /// Calls `look` with every series.
    pub(super) fn each(&self, mut look: impl FnMut(&SeriesKey, &Cell)) {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.iter().for_each(|series| look(&series.key, &series.cell));
    }
}

impl Cell {
    fn new(instrument: Instrument) -> Self {
        match instrument {
            Instrument::Counter | Instrument::Money => Self::Number(AtomicU64::new(0)),
            Instrument::Histogram(bounds) => {
                Self::Durations((0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(), AtomicU64::new(0))
            }
        }
    }

    pub(super) fn add(&self, count: u64) {
        if let Self::Number(number) = self {
            number.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(super) fn took(&self, instrument: Instrument, duration: Duration) {
        if let (Self::Durations(buckets, sum), Instrument::Histogram(bounds)) = (self, instrument) {
            let seconds = duration.as_secs_f64();
            let at = bounds.partition_point(|bound| *bound < seconds);
            if let Some(bucket) = buckets.get(at) {
                bucket.fetch_add(1, Ordering::Relaxed);
            }
            sum.fetch_add(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// Key of the series for values above the limit.
fn others(labels: usize) -> SeriesKey {
    std::array::from_fn(|at| if at < labels { NameId::OTHER } else { NameId::ABSENT })
}
