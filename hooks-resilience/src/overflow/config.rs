//! Settings of compaction.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A way to shorten a conversation. See the module docs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Means {
    /// Replaces the oldest tool results with a mark.
    DropToolResults,
    /// Keeps only the last of identical contents.
    Deduplicate,
    /// Replaces the older part with a summary.
    Summarise,
}

impl Means {
    /// The name of the means in configuration, events and logs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DropToolResults => "drop_tool_results",
            Self::Deduplicate => "deduplicate",
            Self::Summarise => "summarise",
        }
    }
}

/// Settings of compaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OverflowConfig {
    /// Means that are tried, in order, each once.
    pub means: Vec<Means>,
    /// Part of the window, or of the size that did not fit, that a compacted conversation may take, in per
    /// cent. The rest is room for further turns.
    pub target_percent: u8,
    /// Time limit of a summary.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub summary_timeout: Duration,
}

impl Default for OverflowConfig {
    /// Means that cost nothing come first. A third of the window is left for further turns, so that the next
    /// turn does not overflow again. A summary has a minute, like an answer that is not slow.
    fn default() -> Self {
        Self {
            means: vec![Means::DropToolResults, Means::Deduplicate, Means::Summarise],
            target_percent: 70,
            summary_timeout: Duration::from_secs(60),
        }
    }
}

/// Most entries of `means`: each is an attempt.
const MOST_MEANS: usize = 8;

impl OverflowConfig {
    /// Sets the means, in order.
    #[must_use]
    pub fn with_means(mut self, means: impl IntoIterator<Item = Means>) -> Self {
        self.means = means.into_iter().collect();
        self
    }

    /// Sets the part of the window that a compacted conversation may take, in per cent.
    #[must_use]
    pub const fn with_target_percent(mut self, percent: u8) -> Self {
        self.target_percent = percent;
        self
    }

    /// Sets the time limit of a summary.
    #[must_use]
    pub const fn with_summary_timeout(mut self, timeout: Duration) -> Self {
        self.summary_timeout = timeout;
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Returns the first invalid setting.
    ///
    /// ```
    /// use hooks_resilience::OverflowConfig;
    ///
    /// assert_eq!(OverflowConfig::default().validate(), Ok(()));
    /// let error = OverflowConfig::default().with_target_percent(100).validate().expect_err("nothing is gained");
    /// assert_eq!(error.to_string(), "`target_percent` is `100`; give 1 to 95, such as 70");
    /// ```
    pub fn validate(&self) -> Result<(), OverflowConfigError> {
        match self.means.len() {
            0 => return Err(OverflowConfigError::NoMeans),
            1..=MOST_MEANS => {}
            many => return Err(OverflowConfigError::TooManyMeans(many)),
        }
        if !(1..=95).contains(&self.target_percent) {
            return Err(OverflowConfigError::Target(self.target_percent));
        }
        if self.summary_timeout.is_zero() {
            return Err(OverflowConfigError::Timeout);
        }
        Ok(())
    }
}

/// Reasons why [`OverflowConfig`] are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverflowConfigError {
    /// `means` is empty.
    #[error("`means` is empty; name at least one of `drop_tool_results`, `deduplicate`, `summarise`")]
    NoMeans,
    /// `means` has too many entries, each of which is an attempt.
    #[error("`means` has {0} entries; each is one more attempt, so give at most 8")]
    TooManyMeans(usize),
    /// `target_percent` is out of range: nothing would be left, or nothing would be gained.
    #[error("`target_percent` is `{0}`; give 1 to 95, such as 70")]
    Target(u8),
    /// `summary_timeout` is zero, so no summary could be in time.
    #[error("`summary_timeout` is zero; give a time such as `60s`, or leave `summarise` out of `means`")]
    Timeout,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused() {
        let fine = OverflowConfig::default();
        assert_eq!(fine.validate(), Ok(()));
        let refused = |settings: OverflowConfig| settings.validate().unwrap_err();
        assert_eq!(refused(fine.clone().with_means([])), OverflowConfigError::NoMeans);
        let many = fine.clone().with_means([Means::Deduplicate; 9]);
        assert_eq!(refused(many), OverflowConfigError::TooManyMeans(9));
        for percent in [0, 96, 255] {
            let error = refused(fine.clone().with_target_percent(percent));
            assert_eq!(error, OverflowConfigError::Target(percent));
        }
        assert_eq!(refused(fine.with_summary_timeout(Duration::ZERO)), OverflowConfigError::Timeout);
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        let read: OverflowConfig =
            serde_json::from_str(r#"{ "means": ["summarise"], "summary_timeout": "30s" }"#).unwrap();
        let wanted = OverflowConfig::default()
            .with_means([Means::Summarise])
            .with_summary_timeout(Duration::from_secs(30));
        assert_eq!(read, wanted);
        assert!(serde_json::from_str::<OverflowConfig>(r#"{ "mean": [] }"#).is_err());
        for means in wanted.means {
            assert_eq!(serde_json::to_value(means).unwrap(), means.word());
        }
    }
}
