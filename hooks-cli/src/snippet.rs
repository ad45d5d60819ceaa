//! Shows what is wrong with a file at its place: the line, a caret, the hint.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use hooks::config::{ConfigError, ConfigErrors};

/// A line longer than this is not shown; its place is.
const LONGEST_LINE: usize = 400;

/// Writes all mistakes of a file, and how many there are.
pub(crate) fn write(out: &mut impl Write, errors: &ConfigErrors) -> io::Result<()> {
    for error in errors.errors() {
        writeln!(out, "{}\n", render(errors, error))?;
    }
    let count = errors.errors().len();
    let plural = if count == 1 { "" } else { "s" };
    writeln!(out, "{}: {count} mistake{plural}", errors.name())
}

fn render(errors: &ConfigErrors, error: &ConfigError) -> String {
    let (source, first_line, span) = excerpt(errors.text(), error);
    let title = Level::ERROR.primary_title(error.message.as_str());
    let mut group = if source.len() > LONGEST_LINE {
        let place = format!("{}:{}:{}", errors.name(), error.line, error.column);
        title.element(Level::NOTE.message(place))
    } else {
        let label = AnnotationKind::Primary.span(span).label(error.path.as_str());
        let snippet = Snippet::source(source).path(errors.name()).line_start(first_line).annotation(label);
        title.element(snippet)
    };
    if let Some(hint) = &error.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// The line of the mistake with one before it, the number of the first, and the place within them.
fn excerpt<'t>(text: &'t str, error: &ConfigError) -> (&'t str, usize, std::ops::Range<usize>) {
    let at = error.span.start.min(text.len());
    let before = text.get(..at).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let above = before.get(..line_start.saturating_sub(1)).unwrap_or_default();
    let start = above.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let line_end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end);
    let source = text.get(start..line_end).unwrap_or_default();
    let first = if start < line_start { error.line.saturating_sub(1) } else { error.line };
    let end = error.span.end.clamp(at, line_end).saturating_sub(start);
    (source, first.max(1), at.saturating_sub(start)..end)
}
