//! The counts of findings, a line for each folder and rule.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rules::Rule;
use crate::error::{Error, Result};

/// Findings by folder and rule.
pub(super) type Counts = BTreeMap<(String, Rule), usize>;

/// Reads the counts.
///
/// # Errors
/// Returns an error that names the line if a line is not `COUNT FOLDER RULE`, separated by tabs.
pub(super) fn read(text: &str) -> Result<Counts> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split('\t');
            let count = fields.next().and_then(|count| count.parse().ok());
            let folder = fields.next().map(str::to_owned);
            let rule = fields.next().and_then(Rule::from_name);
            count
                .zip(folder.zip(rule))
                .map(|(count, key)| (key, count))
                .ok_or_else(|| Error::new(format!("`{}`: the line `{line}` is not a count", super::BASELINE)))
        })
        .collect()
}

/// Writes the counts.
pub(super) fn write(counts: &Counts) -> String {
    let mut text = String::from(
        "# findings of `cargo xtask tidy prose FOLDER`; they may only fall; written by `cargo xtask tidy --bless`\n",
    );
    for ((folder, rule), count) in counts {
        // Writing to a `String` cannot fail.
        let _infallible = writeln!(text, "{count}\t{folder}\t{rule}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_are_written() {
        let counts =
            Counts::from([(("docs".to_owned(), Rule::Length), 3), ((".".to_owned(), Rule::Word), 1)]);
        assert_eq!(read(&write(&counts)).unwrap(), counts);
        assert!(read("three\tdocs\tlength\n").is_err());
        assert!(read("3\tdocs\tspelling\n").is_err());
    }
}
