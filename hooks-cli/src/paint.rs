//! The colours. They are written as escape codes always; the stream takes them out where the output is no
//! terminal or `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};
use hooks::Strength;

/// What must not happen, and what is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What a person decides, and what changed.
pub(crate) const OPEN: Style = AnsiColor::Yellow.on_default();
/// What may happen.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What goes without saying.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// What is looked for.
pub(crate) const LOUD: Style = Style::new().bold();

/// The colour of a strength.
pub(crate) const fn of(strength: Strength) -> Style {
    match strength {
        Strength::Deny => BAD,
        Strength::Ask => OPEN,
        Strength::Allow => GOOD,
        Strength::NoOpinion => QUIET,
    }
}

/// `text` on one line, without what could steer a terminal, and not longer than `most` characters.
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
