//! Shows the mistakes of a file: the line, a caret, the hint.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use hooks::config::{ConfigError, ConfigErrors, Gravity};

/// Maximum length of a line that is shown; of a longer line, only the position is shown.
const LONGEST_LINE: usize = 400;

/// Prints all mistakes of a file, and their number.
pub(crate) fn write(out: &mut impl Write, errors: &ConfigErrors) -> io::Result<()> {
    for error in errors.errors() {
        writeln!(out, "{}\n", render(errors, error))?;
    }
    let count = errors.errors().iter().filter(|error| error.gravity == Gravity::Error).count();
    let plural = if count == 1 { "" } else { "s" };
    writeln!(out, "{}: {count} mistake{plural}", errors.name())
}

fn render(errors: &ConfigErrors, error: &ConfigError) -> String {
    let (source, span) = line(errors.text(), error);
    let level = if error.gravity == Gravity::Warning { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(error.message.as_str());
    let mut group = if source.len() > LONGEST_LINE {
        let place = format!("{}:{}:{}", errors.name(), error.line, error.column);
        title.element(Level::NOTE.message(place))
    } else {
        let label = AnnotationKind::Primary.span(span).label(error.path.as_str());
        let snippet = Snippet::source(source).path(errors.name()).line_start(error.line).annotation(label);
        title.element(snippet)
    };
    if let Some(hint) = &error.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// The line of the mistake, and the position within it.
fn line<'t>(text: &'t str, error: &ConfigError) -> (&'t str, Range<usize>) {
    let at = error.span.start.min(text.len());
    let start =
        text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline.saturating_add(1));
    let end =
        text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at.saturating_add(end));
    let line = text.get(start..end).unwrap_or_default();
    (line, at.saturating_sub(start)..error.span.end.clamp(at, end).saturating_sub(start))
}
