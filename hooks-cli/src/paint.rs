//! The colours of the output. They are always written as escape codes; the stream removes them if the output
//! is not a terminal or `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};
use hooks::Strength;

/// Denials and errors.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Questions to the user, and changes.
pub(crate) const OPEN: Style = AnsiColor::Yellow.on_default();
/// Allowed calls and successes.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Minor details.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// Headings and names.
pub(crate) const LOUD: Style = Style::new().bold();

/// The colour of a strength.
pub(crate) const fn strength_style(strength: Strength) -> Style {
    match strength {
        Strength::Deny => BAD,
        Strength::Ask => OPEN,
        Strength::Allow => GOOD,
        Strength::NoOpinion => QUIET,
    }
}

/// `text` on one line, without control characters, and at most `most` characters long.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut chars = text.chars().map(|c| match c {
        '\n' => '⏎',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    let mut line: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}
