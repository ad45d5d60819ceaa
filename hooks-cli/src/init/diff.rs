//! Shows the changes of a file, without the secrets that stand near them.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};

use super::files::Change;
use super::hidden;
use crate::paint::{BAD, GOOD, LOUD, QUIET, one_line};

/// Number of lines around a change.
const AROUND: usize = 3;

/// Maximum characters of a line.
const WIDEST: usize = 400;

/// Prints the difference.
pub(super) fn write(out: &mut impl Write, change: &Change) -> io::Result<()> {
    let name = change.path.display();
    let (was, will) = (change.was.as_deref(), change.will.as_deref());
    let title = match (was, will) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    };
    writeln!(out, "{LOUD}{name}{LOUD:#} {QUIET}({title}){QUIET:#}")?;
    let shown = |text: Option<&str>| hidden::without_secrets(&change.path, text.unwrap_or_default());
    lines(out, &shown(was), &shown(will))
}

/// Prints the lines that differ, with some around them.
pub(crate) fn lines(out: &mut impl Write, was: &str, will: &str) -> io::Result<()> {
    let diff = TextDiff::from_lines(was, will);
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        writeln!(out, "{QUIET}{}{QUIET:#}", hunk.header())?;
        for line in hunk.iter_changes() {
            let text = one_line(line.value().trim_end_matches(['\n', '\r']), WIDEST);
            match line.tag() {
                ChangeTag::Delete => writeln!(out, "{BAD}-{text}{BAD:#}")?,
                ChangeTag::Insert => writeln!(out, "{GOOD}+{text}{GOOD:#}")?,
                ChangeTag::Equal => writeln!(out, " {text}")?,
            }
        }
    }
    Ok(())
}
