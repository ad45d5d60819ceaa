//! Report of a scrubber: counts and positions of what it removed, never values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{label::Label, span::Span};

/// Text after scrubbing, with a report.
///
/// ```
/// use hooks_redaction::Scrubber;
///
/// let scrubbed = Scrubber::all().scrub_reported("10.1.2.3 and a@b.org and c@d.org");
/// assert_eq!(scrubbed.text, "[IPV4_REDACTED] and [EMAIL_REDACTED] and [EMAIL_REDACTED]");
/// assert_eq!(serde_json::to_string(&scrubbed.report)?, r#"{"EMAIL":2,"IPV4":1}"#);
/// assert_eq!(scrubbed.spans[1].start, 13); // where it was in the text
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scrubbed<'t> {
    /// The text without what was found; borrowed if nothing was.
    pub text: Cow<'t, str>,
    /// Positions of the findings in the text before scrubbing.
    pub spans: Vec<Span>,
    /// Number of findings by label.
    pub report: Report,
}

/// Number of findings by label; serialises as an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Report {
    counts: BTreeMap<String, u64>,
}

impl Report {
    /// Returns how often a label was found.
    #[must_use]
    pub fn count(&self, label: &Label) -> u64 {
        self.counts.get(label.as_str()).copied().unwrap_or(0)
    }

    /// Returns the number of all findings.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Iterates over the labels that were found, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(label, count)| (label.as_str(), *count))
    }

    /// Returns the numbers by label.
    #[must_use]
    pub fn into_counts(self) -> BTreeMap<String, u64> {
        self.counts
    }

    /// Adds the findings of another report.
    pub fn merge(&mut self, other: &Self) {
        for (label, count) in &other.counts {
            *self.counts.entry(label.clone()).or_default() += count;
        }
    }

    pub(super) fn add(&mut self, spans: &[Span]) {
        for span in spans {
            *self.counts.entry(span.label.as_str().to_owned()).or_default() += 1;
        }
    }
}
