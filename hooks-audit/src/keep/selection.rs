//! Selections of records for holds and erasure.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::record::Record;

/// A selection of records: all given fields have to match. A selection without fields means all records.
///
/// ```
/// use hooks_audit::Record;
/// use hooks_audit::keep::Selection;
/// use hooks_core::time::Timestamp;
/// use serde_json::{from_value, json};
///
/// let of: Selection = from_value(json!({"session": "s1", "since": "2026-01", "before": "2026-02"}))?;
/// let mut record = Record::new("stop", Timestamp(1_769_852_000_000)); // 31 January 2026
/// assert!(!of.fits(&record), "all fields have to match");
/// record.session = "s1".to_owned();
/// assert!(of.fits(&record));
/// assert_eq!(of.to_string(), "records of session `s1` since `2026-01` before `2026-02`");
/// // `check` refuses times that would select other records than intended.
/// let wrong: Selection = from_value(json!({"since": "31.01.2026"}))?;
/// assert!(wrong.check().is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Selection {
    /// Tenant of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Session of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Agent of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Earliest time (inclusive), as a prefix of the time in a record, such as `2026-01-31T09`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest time (exclusive), in the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Error for a selection with an invalid time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a moment; write one such as `2026-01-31`, `2026-01-31T09:30` or `2026-01-31T09:30:00Z` (UTC)"
)]
pub struct SelectionError(String);

impl Selection {
    /// Checks that the times are valid. An invalid one would be compared as text and select unintended
    /// records.
    ///
    /// # Errors
    /// Returns an error that names the invalid time.
    pub fn check(&self) -> Result<(), SelectionError> {
        let moments = [&self.since, &self.before].into_iter().flatten();
        match moments.into_iter().find(|text| !is_moment(text)) {
            Some(text) => Err(SelectionError(text.chars().take(40).collect())),
            None => Ok(()),
        }
    }

    /// Whether `record` is selected.
    pub fn fits(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let is_in_time = || {
            // The text form sorts by time.
            let at = record.at.to_string();
            self.since.as_ref().is_none_or(|since| *at >= *without_zone(since))
                && self.before.as_ref().is_none_or(|before| *at < *without_zone(before))
        };
        is(&self.tenant, record.tenant.as_deref())
            && is(&self.session, Some(&record.session))
            && is(&self.agent, Some(&record.agent))
            && ((self.since.is_none() && self.before.is_none()) || is_in_time())
    }

    /// Whether no field is given, so that all records are selected.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_everything() {
            return f.write_str("all records");
        }
        f.write_str("records of")?;
        let parts = [
            ("tenant", &self.tenant),
            ("session", &self.session),
            ("agent", &self.agent),
            ("since", &self.since),
            ("before", &self.before),
        ];
        parts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
            .try_for_each(|(name, value)| write!(f, " {name} `{value}`"))
    }
}

/// Whether `text` is a time, or a prefix of one that ends after a complete number: at least a year.
fn is_moment(text: &str) -> bool {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00.000";
    let text = without_zone(text);
    let fits = |(byte, shape): (u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == *shape };
    let is_shaped = matches!(text.len(), 4 | 7 | 10 | 13 | 16 | 19 | 23) && text.bytes().zip(SHAPE).all(fits);
    // A missing part counts as the first possible one.
    let number = |at: usize, first: u64| {
        text.get(at..at + 2).map_or(Some(first), |digits| digits.parse::<u64>().ok()).unwrap_or(u64::MAX)
    };
    let year = text.get(..4).and_then(|digits| digits.parse::<u64>().ok());
    let (month, day) = (number(5, 1), number(8, 1));
    let is_leap = year.is_some_and(|year| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_day = (1..=12).contains(&month) && (1..=days).contains(&day);
    is_shaped && is_day && number(11, 0) < 24 && number(14, 0) < 60 && number(17, 0) < 60
}

/// Removes the `Z` of UTC from a time with seconds, so that the rest is a prefix of the matching times in
/// records.
fn without_zone(text: &str) -> &str {
    text.strip_suffix('Z').filter(|text| text.len() >= 19).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use hooks_core::time::Timestamp;

    use super::*;

    #[test]
    fn all_that_is_said_has_to_fit() {
        let mut record = Record::new("stop", Timestamp(1_769_852_000_000));
        record.session = "s1".to_owned();
        let some = |text: &str| Some(text.to_owned());
        let of = |session: &str| Selection { session: some(session), ..Selection::default() };
        assert!(Selection::default().fits(&record) && of("s1").fits(&record) && !of("s2").fits(&record));
        assert!(!Selection { agent: some("a"), ..of("s1") }.fits(&record));
        assert!(Selection { since: some("2026-01-31"), before: some("2026-02"), ..of("s1") }.fits(&record));
        assert!(!Selection { before: some("2026-01-31T09"), ..of("s1") }.fits(&record));
        assert_eq!(of("s1").to_string(), "records of session `s1`");
    }

    const MOMENTS: [&str; 8] = [
        "2026",
        "2026-12",
        "2026-01-31",
        "2024-02-29",
        "2026-01-31T23",
        "2026-01-31T09:30",
        "2026-01-31T09:30:59Z",
        "2026-01-31T09:30:00.000Z",
    ];
    const NO_MOMENTS: [&str; 16] = [
        "",
        "9",
        "yesterday",
        "31.01.2026",
        "01/31/2026",
        "2026/01",
        "2026-1",
        "2026-00",
        "2026-13-45",
        "2026-02-29",
        "2026-04-31",
        "2026-01-31 09:30",
        "2026-01-31T24",
        "2026-01-31T09:60",
        "2026-01-31T09:30:00+02:00",
        "2026Z",
    ];

    #[test]
    fn the_zone_of_a_moment_changes_nothing() {
        let record = Record::new("stop", Timestamp(1_769_851_800_500));
        let selection = |since: &str, before: &str| Selection {
            since: Some(since.to_owned()),
            before: Some(before.to_owned()),
            ..Selection::default()
        };
        for (since, before, fits) in [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:01Z", true),
            ("2026-01-31T09:30:00.500Z", "2026-01-31T09:30:00.501Z", true),
            ("2026-01-31T09:30:00.501Z", "2027", false),
            ("2026", "2026-01-31T09:30:00.500Z", false),
        ] {
            assert_eq!(selection(since, before).fits(&record), fits, "{since} {before}");
        }
    }

    #[test]
    fn a_moment_is_a_moment() {
        let before = |text: &str| Selection { before: Some(text.to_owned()), ..Selection::default() }.check();
        assert!(MOMENTS.iter().all(|text| before(text).is_ok()));
        for text in NO_MOMENTS {
            assert!(before(text).is_err(), "{text}");
        }
    }
}
