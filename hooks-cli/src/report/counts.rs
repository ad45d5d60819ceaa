//! Sums by name and by time, of bounded size.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::story::short;

/// Most names that are counted each; others count together.
const MOST_NAMES: usize = 20_000;
/// Most rows of a table on the page.
pub(super) const MOST_ROWS: usize = 200;
/// Characters of a name.
pub(super) const NAME: usize = 120;
/// Most parts of the time.
const MOST_PARTS: u64 = 120;
const MINUTE_MS: u64 = 60_000;
/// Lengths of a part of the time in minutes, each a multiple of the one before.
const LENGTHS: [u64; 9] = [1, 5, 15, 60, 180, 360, 1_440, 10_080, 40_320];

/// Sums of one name.
#[derive(Clone, Default)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) denied: u64,
    pub(super) asked: u64,
    pub(super) failed: u64,
    /// Calls with a duration, their sum, and the longest, in milliseconds.
    pub(super) timed: u64,
    pub(super) total_ms: u64,
    pub(super) longest_ms: u64,
    pub(super) cost: u64,
    /// Calls of models that used tokens and have no cost.
    pub(super) unpriced: u64,
    /// Calls that write a file.
    pub(super) written: u64,
}

/// Sums by name.
#[derive(Default)]
pub(super) struct Counts {
    rows: HashMap<String, Sum>,
    /// Events whose name was not kept.
    others: u64,
}

impl Counts {
    /// The sum of a name; `None` if there are too many names.
    pub(super) fn sum(&mut self, name: &str) -> Option<&mut Sum> {
        if !self.rows.contains_key(name) {
            if self.rows.len() >= MOST_NAMES {
                self.others += 1;
                return None;
            }
            self.rows.insert(name.to_owned(), Sum::default());
        }
        self.rows.get_mut(name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.rows.contains_key(name)
    }

    /// The first rows by `order`, and a sentence about those that are left out.
    pub(super) fn rows(&self, what: &str, order: fn(&Sum) -> u64, left_out: &mut Vec<String>) -> Value {
        self.rows_as(what, order, |name| short(name, NAME), left_out)
    }

    /// The same with names as `shown` writes them.
    pub(super) fn rows_as(
        &self,
        what: &str,
        order: fn(&Sum) -> u64,
        shown: impl Fn(&str) -> String,
        left_out: &mut Vec<String>,
    ) -> Value {
        let mut rows: Vec<_> = self.rows.iter().filter(|(_, sum)| order(sum) > 0).collect();
        rows.sort_by_key(|(name, sum)| (std::cmp::Reverse(order(sum)), *name));
        if rows.len() > MOST_ROWS || self.others > 0 {
            let more = if self.others > 0 { "at least " } else { "" };
            left_out.push(format!("The table of {what} has {MOST_ROWS} of {more}{} rows.", rows.len()));
        }
        rows.truncate(MOST_ROWS);
        let rows = rows.into_iter().map(|(name, sum)| {
            json!({
                "name": shown(name), "count": sum.count, "denied": sum.denied, "asked": sum.asked,
                "failed": sum.failed, "timed": sum.timed, "total_ms": sum.total_ms, "longest_ms": sum.longest_ms,
                "cost": sum.cost, "unpriced": sum.unpriced, "written": sum.written,
            })
        });
        rows.collect()
    }
}

/// Calls, denials, questions and cost by time. Parts get longer as the time does, so that their number is bounded.
#[derive(Default)]
pub(super) struct Times {
    longer: u32,
    parts: BTreeMap<u64, [u64; 4]>,
}

impl Times {
    fn length(&self) -> u64 {
        let last = LENGTHS.len() - 1;
        let step = usize::try_from(self.longer).unwrap_or(last);
        let minutes = LENGTHS.get(step).copied().unwrap_or_else(|| {
            let behind = self.longer.saturating_sub(u32::try_from(last).unwrap_or_default());
            LENGTHS.get(last).copied().unwrap_or(1).saturating_mul(4_u64.saturating_pow(behind))
        });
        minutes.saturating_mul(MINUTE_MS)
    }

    pub(super) fn add(&mut self, at: u64, counts: [u64; 4]) {
        add(self.parts.entry(at / self.length()).or_default(), counts);
        while self.range() >= MOST_PARTS {
            let before = self.length();
            self.longer += 1;
            let factor = (self.length() / before).max(2);
            let parts = std::mem::take(&mut self.parts);
            for (part, counts) in parts {
                add(self.parts.entry(part / factor).or_default(), counts);
            }
        }
    }

    fn range(&self) -> u64 {
        let first = self.parts.first_key_value().map_or(0, |(part, _)| *part);
        self.parts.last_key_value().map_or(0, |(part, _)| *part).saturating_sub(first)
    }

    pub(super) fn json(&self) -> Value {
        let length = self.length();
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|(part, [calls, denied, asked, cost])| {
                json!([part.saturating_mul(length), calls, denied, asked, cost])
            })
            .collect();
        json!({"length_ms": length, "parts": parts})
    }
}

fn add(to: &mut [u64; 4], counts: [u64; 4]) {
    for (sum, count) in to.iter_mut().zip(counts) {
        *sum = sum.saturating_add(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_fixed_number_of_parts_and_all_calls() {
        let mut times = Times::default();
        for number in 0..100_000_u64 {
            times.add(number * 97_000, [1, number % 2, 0, 2]);
        }
        times.add(u64::MAX, [1, 1, 1, u64::MAX - 200_000]);
        times.add(0, [1, 0, 0, 7]);
        assert!(times.parts.len() <= 120, "{}", times.parts.len());
        let sum = times.parts.values().fold([0; 4], |mut sum, counts| {
            add(&mut sum, *counts);
            sum
        });
        assert_eq!(sum, [100_002, 50_001, 1, u64::MAX]);
    }

    #[test]
    fn names_have_a_fixed_number_of_rows() {
        let mut counts = Counts::default();
        for number in 0..50_000 {
            if let Some(sum) = counts.sum(&format!("src/{number}.rs")) {
                sum.count += 1;
            }
        }
        let mut left_out = Vec::new();
        let rows = counts.rows("files", |sum| sum.count, &mut left_out);
        assert_eq!((counts.rows.len(), rows.as_array().unwrap().len()), (MOST_NAMES, MOST_ROWS));
        assert_eq!(left_out, ["The table of files has 200 of at least 20000 rows."]);
    }
}
