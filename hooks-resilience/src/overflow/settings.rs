//! How conversations are compacted.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A way to make a conversation shorter. See the module docs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Means {
    /// The oldest tool results give way to a mark.
    DropToolResults,
    /// What stands there several times stays once.
    Deduplicate,
    /// The older part becomes a summary.
    Summarise,
}

impl Means {
    /// Its word in configuration, events and logs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DropToolResults => "drop_tool_results",
            Self::Deduplicate => "deduplicate",
            Self::Summarise => "summarise",
        }
    }
}

/// How conversations are compacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OverflowSettings {
    /// What is tried, in order, each once.
    pub means: Vec<Means>,
    /// How much of the window, or of the size that did not fit, a compacted conversation may take, in percent:
    /// what is left over is room to go on in.
    pub target_percent: u8,
    /// How long a summary may take.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub summary_timeout: Duration,
}

impl Default for OverflowSettings {
    /// What costs nothing first. A third of the window is for going on in, so that the next turn does not overflow again.
    /// A minute for a summary, as for an answer that is not slow.
    fn default() -> Self {
        Self {
            means: vec![Means::DropToolResults, Means::Deduplicate, Means::Summarise],
            target_percent: 70,
            summary_timeout: Duration::from_secs(60),
        }
    }
}

/// The most means there can be: each is an attempt.
const MOST_MEANS: usize = 8;

impl OverflowSettings {
    /// Sets what is tried, in order.
    #[must_use]
    pub fn with_means(mut self, means: impl IntoIterator<Item = Means>) -> Self {
        self.means = means.into_iter().collect();
        self
    }

    /// Sets how much of the window a compacted conversation may take, in percent.
    #[must_use]
    pub const fn with_target_percent(mut self, percent: u8) -> Self {
        self.target_percent = percent;
        self
    }

    /// Sets how long a summary may take.
    #[must_use]
    pub const fn with_summary_timeout(mut self, timeout: Duration) -> Self {
        self.summary_timeout = timeout;
        self
    }

    /// Checks that they make sense.
    ///
    /// # Errors
    /// Says which does not.
    pub fn validate(&self) -> Result<(), OverflowSettingsError> {
        match self.means.len() {
            0 => return Err(OverflowSettingsError::NoMeans),
            1..=MOST_MEANS => {}
            many => return Err(OverflowSettingsError::TooManyMeans(many)),
        }
        if !(1..=95).contains(&self.target_percent) {
            return Err(OverflowSettingsError::Target(self.target_percent));
        }
        if self.summary_timeout.is_zero() {
            return Err(OverflowSettingsError::Timeout);
        }
        Ok(())
    }
}

/// What is wrong with [`OverflowSettings`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverflowSettingsError {
    /// Nothing would be done.
    #[error("`means` is empty; name at least one of `drop_tool_results`, `deduplicate`, `summarise`")]
    NoMeans,
    /// Each is an attempt.
    #[error("`means` has {0} entries; each is one more attempt, so give at most 8")]
    TooManyMeans(usize),
    /// Nothing would be left, or nothing would be won.
    #[error("`target_percent` is `{0}`; give 1 to 95, such as 70")]
    Target(u8),
    /// No summary would ever be there in time.
    #[error("`summary_timeout` is zero; give a time such as `60s`, or leave `summarise` out of `means`")]
    Timeout,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused() {
        let fine = OverflowSettings::default();
        assert_eq!(fine.validate(), Ok(()));
        let refused = |settings: OverflowSettings| settings.validate().unwrap_err();
        assert_eq!(refused(fine.clone().with_means([])), OverflowSettingsError::NoMeans);
        let many = fine.clone().with_means([Means::Deduplicate; 9]);
        assert_eq!(refused(many), OverflowSettingsError::TooManyMeans(9));
        for percent in [0, 96, 255] {
            let error = refused(fine.clone().with_target_percent(percent));
            assert_eq!(error, OverflowSettingsError::Target(percent));
        }
        assert_eq!(refused(fine.with_summary_timeout(Duration::ZERO)), OverflowSettingsError::Timeout);
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        let read: OverflowSettings =
            serde_json::from_str(r#"{ "means": ["summarise"], "summary_timeout": "30s" }"#).unwrap();
        let wanted = OverflowSettings::default()
            .with_means([Means::Summarise])
            .with_summary_timeout(Duration::from_secs(30));
        assert_eq!(read, wanted);
        assert!(serde_json::from_str::<OverflowSettings>(r#"{ "mean": [] }"#).is_err());
        for means in wanted.means {
            assert_eq!(serde_json::to_value(means).unwrap(), means.word());
        }
    }
}
