//! Named sets of files that agents may not read.

use crate::config::ReadSet;

/// The set `secrets`: a line for each pattern, with comments.
const SECRETS: &str = include_str!("../../data/secret_places.txt");

impl ReadSet {
    /// Returns the set as text: a comment for each group of patterns, and a line for each pattern.
    ///
    /// ```
    /// use hooks_policies::config::ReadSet;
    ///
    /// assert!(ReadSet::Secrets.text().lines().any(|line| line == "deny /etc/ssh/ssh_host_*_key"));
    /// ```
    pub fn text(self) -> &'static str {
        match self {
            Self::Secrets => SECRETS,
        }
    }

    /// Returns the patterns of files that may not be read.
    pub fn deny(self) -> impl Iterator<Item = &'static str> {
        self.lines("deny ")
    }

    /// Returns the patterns of files that may be read all the same.
    pub fn except(self) -> impl Iterator<Item = &'static str> {
        self.lines("except ")
    }

    fn lines(self, word: &'static str) -> impl Iterator<Item = &'static str> {
        self.text().lines().filter_map(move |line| line.strip_prefix(word)).map(str::trim)
    }
}
