//! Counts of records that are missing from a log, with time and reason.

use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::append::Entry;
use crate::record::{Record, notes};

/// Limit on the length of a stored reason, in characters.
const LONGEST_REASON: usize = 512;

/// Limit on the length of a stored folder name, in characters; systems allow no more.
const LONGEST_FOLDER: usize = 4_096;

/// Counts of records that are missing from the log they belong to.
///
/// ```
/// use hooks_audit::log::Missing;
/// use hooks_core::time::Timestamp;
///
/// let mut missing = Missing::lost(2, Timestamp(0), "no room");
/// missing.add(Missing::spilled(3, Timestamp(1_000), "no room", "/other/log"));
/// assert_eq!(
///     missing.to_string(),
///     "2 records are missing from the audit log, and 3 are in its spill log, \
///      between 1970-01-01T00:00:00.000Z and 1970-01-01T00:00:01.000Z: no room"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Missing {
    /// Number of records that were refused or lost.
    pub lost: u64,
    /// Number of records that are in the spill log instead.
    pub spilled: u64,
    /// Folder of the spill log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill: Option<String>,
    /// Time of the first missing record.
    pub since: Timestamp,
    /// Time of the last missing record.
    pub until: Timestamp,
    /// Reason why the first could not be written.
    pub why: String,
}

impl Missing {
    /// Creates a count of records that were refused or lost at this time.
    pub fn lost(count: u64, at: Timestamp, why: &str) -> Self {
        Self { lost: count, since: at, until: at, why: cut(why, LONGEST_REASON), ..Self::default() }
    }

    /// Creates a count of records that went to the spill log in the folder `spill` at this time.
    pub fn spilled(count: u64, at: Timestamp, why: &str, spill: &str) -> Self {
        Self { lost: 0, spilled: count, spill: Some(cut(spill, LONGEST_FOLDER)), ..Self::lost(0, at, why) }
    }

    /// Limits values that were read from a file, because other programs may have written it: texts are cut to
    /// the lengths used here, and `now` replaces a missing time.
    pub(super) fn bounded(self, now: Timestamp) -> Self {
        let known_or_now = |at: Timestamp| if at == Timestamp::default() { now } else { at };
        let (since, until) = (known_or_now(self.since), known_or_now(self.until));
        Self {
            spill: self.spill.map(|spill| cut(&spill, LONGEST_FOLDER)),
            since: since.min(until),
            until: until.max(since),
            why: cut(&self.why, LONGEST_REASON),
            ..self
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        if self.is_nothing() {
            *self = other;
            return;
        }
        if other.is_nothing() {
            return;
        }
        self.lost = self.lost.saturating_add(other.lost);
        self.spilled = self.spilled.saturating_add(other.spilled);
        self.since = self.since.min(other.since);
        self.until = self.until.max(other.until);
        self.spill = other.spill.or(self.spill.take());
        if self.why.is_empty() {
            self.why = other.why;
        }
    }

    /// Whether no record is missing.
    pub const fn is_nothing(&self) -> bool {
        self.lost == 0 && self.spilled == 0
    }

    /// Returns the records about the missing ones, with the time `at`.
    pub(in crate::log) fn entries(&self, at: Timestamp) -> Vec<Entry> {
        let Self { lost, spilled, spill, since, until, why } = self;
        let note = |event, count: u64, what: String| {
            let mut record = Record::new(event, at);
            (record.note, record.failed, record.covers) = (Some(what), true, vec![(1, count)]);
            Entry::from(record)
        };
        let when = format!("between {since} and {until}: {why}");
        let gap = (*lost > 0).then(|| {
            let what = format!(
                "{lost} records before this one are missing: they were refused, or could not be written, {when}"
            );
            note(notes::GAP, *lost, what)
        });
        let aside = (*spilled > 0).then(|| {
            let folder = spill.as_deref().unwrap_or_default();
            let what = format!("{spilled} records are in the spill log `{folder}` instead of here, {when}");
            note(notes::SPILLED, *spilled, what)
        });
        gap.into_iter().chain(aside).collect()
    }
}

/// The first `most` characters of `text`.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Text for places other than the log, if no log can be written.
impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { lost, spilled, since, until, why, .. } = self;
        write!(f, "{lost} records are missing from the audit log")?;
        if *spilled > 0 {
            write!(f, ", and {spilled} are in its spill log")?;
        }
        write!(f, ", between {since} and {until}: {why}")
    }
}
