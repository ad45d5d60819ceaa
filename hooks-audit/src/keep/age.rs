//! Ages such as `7 years` or `90 days`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Units with their length in days, rounded up, so that nothing is deleted a day too early.
const UNITS: [(&str, u64); 4] = [("day", 1), ("week", 7), ("month", 31), ("year", 366)];

/// A number of days, weeks, months or years. A month has 31 days and a year 366, so that nothing is deleted
/// too early.
///
/// ```
/// use std::time::Duration;
/// use hooks_audit::keep::Age;
///
/// let age: Age = "1 year".parse()?;
/// assert_eq!(age.duration(), Duration::from_secs(366 * 86_400));
/// let error = "90d".parse::<Age>().err().map(|error| error.to_string());
/// assert!(error.is_some_and(|error| error.starts_with("`90d` is not an age; write an integer")));
/// # Ok::<(), hooks_audit::keep::AgeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    count: u32,
    /// Name of the unit, and its days.
    unit: (&'static str, u64),
}

/// Error for a text that is not an age.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an age; write an integer from 1 and a unit, such as `90 days`, `18 months`, `7 years`")]
pub struct AgeError(String);

impl Age {
    /// Length of the age.
    pub fn duration(self) -> Duration {
        Duration::from_secs(u64::from(self.count).saturating_mul(self.unit.1).saturating_mul(86_400))
    }
}

impl FromStr for Age {
    type Err = AgeError;

    fn from_str(text: &str) -> Result<Self, AgeError> {
        let parts = text.split_once(' ').and_then(|(count, unit)| {
            let unit = unit.strip_suffix('s').unwrap_or(unit);
            Some((count.parse().ok()?, UNITS.into_iter().find(|(name, _)| *name == unit)?))
        });
        match parts {
            Some((count, unit)) if count > 0 => Ok(Self { count, unit }),
            _ => Err(AgeError(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", self.count, self.unit.0)
    }
}

impl Serialize for Age {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in ["1 day", "90 days", "1 week", "18 months", "7 years", "4294967295 years"] {
            assert_eq!(text.parse::<Age>().map(|age| age.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("7 years".parse::<Age>().unwrap().duration(), Duration::from_secs(7 * 366 * 86_400));
        for text in
            ["", "7", "years", "0 days", "-1 days", "7 ages", "7  years", "1.5 years", "4294967296 days"]
        {
            assert!(text.parse::<Age>().is_err(), "{text}");
        }
    }
}
