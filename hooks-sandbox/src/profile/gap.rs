//! Patterns that no mechanism holds as they are written.

use serde::{Deserialize, Serialize};

/// A pattern, or a rule, that the sandbox does not hold as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The pattern, or the name of the rule.
    pub pattern: String,
    /// The reason.
    pub why: String,
    /// Whether a file that may not be read can be read because of it.
    pub breaks_reads: bool,
    /// Whether a file that may not be written can be written because of it.
    pub breaks_writes: bool,
}

impl Gap {
    /// A limit that breaks no promise: it is left to the guards, or less is open than the rules allow.
    ///
    /// ```
    /// use hooks_sandbox::Gap;
    ///
    /// let gap = Gap::limit("docs/**", "it does not exist yet").breaking_reads();
    /// assert!(gap.breaks_reads && !gap.breaks_writes);
    /// ```
    pub fn limit(pattern: impl Into<String>, why: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), why: why.into(), breaks_reads: false, breaks_writes: false }
    }

    /// The same, as one that leaves a file readable which may not be read.
    #[must_use]
    pub fn breaking_reads(mut self) -> Self {
        self.breaks_reads = true;
        self
    }

    /// The same, as one that leaves a file writable which may not be written.
    ///
    /// ```
    /// use hooks_sandbox::{Gap, Places, Profile, Rules, SandboxConfig};
    ///
    /// let gap = Gap::limit("rules[3]", "a rule with conditions on the content").breaking_writes();
    /// let rules = Rules { unexpressed: vec![gap.clone()], ..Rules::default() };
    /// let profile = Profile::new(&Places::default(), rules, &SandboxConfig::default());
    /// assert_eq!(profile.unexpressed, [gap]);
    /// ```
    #[must_use]
    pub fn breaking_writes(mut self) -> Self {
        self.breaks_writes = true;
        self
    }
}
