//! Rules with a number in every reason.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// Command that the first and the last rule deny.
pub(super) const DENIED: &str = "git push origin main";

/// Rules in a file under load.
pub(super) const COUNT: usize = 30;

/// A configuration of `count` rules, the first and last of which carry `number` in their names.
pub(super) fn text(number: usize, count: usize) -> String {
    let mut text = "version: 1\nwrite_guard: { allow: [src/**, docs/**] }\nrules:\n".to_owned();
    let mut rule = |name: &str, command: &str| {
        // Writing into a text cannot fail.
        let _written = writeln!(
            text,
            "- {{ name: {name}, action: deny, commands: ['{command}'], reason: 'a person does that' }}"
        );
    };
    rule(&format!("first-{number}"), "git push");
    for other in 0..count.saturating_sub(2) {
        rule(&format!("rule-{other}"), &format!("tool{other} --danger"));
    }
    rule(&format!("last-{number}"), "git push");
    text.push_str("...\n");
    text
}

/// Replaces the file as editors do: a new file is renamed over it.
pub(super) fn replace(file: &Path, text: &str) -> Result {
    let new = file.with_extension("new");
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, file));
    written.map_err(|cause| Error::doing("writing the rules", cause))
}
