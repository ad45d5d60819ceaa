//! Splits findings that reach over literals, lines or cells, so that what stands between their parts stays.

use super::{
    cells, joint,
    label::Label,
    margins,
    span::Span,
    text::{byte, line_before, run_end},
};

/// Most blanks behind a line end.
const MAX_BLANK: usize = 256;

/// Returns whether a finding may consist of several parts.
pub(super) fn is_apart(text: &str, span: &Span) -> bool {
    let inside = text.as_bytes().get(span.start..span.end).unwrap_or_default();
    memchr::memchr3(b'"', b'\'', b'\n', inside).is_some()
}

/// Splits a finding: where one literal ends and the next one starts, and around the margins and the borders of tables behind
/// its line ends.
pub(super) fn parts(text: &str, span: &Span) -> Vec<Span> {
    // A private key reaches from its first line to its last one, with all that stands in front of them.
    if span.label == Label::PrivateKey {
        return vec![span.clone()];
    }
    joint::split(text, span).into_iter().flat_map(|part| lines(text.as_bytes(), part)).collect()
}

fn lines(bytes: &[u8], span: Span) -> Vec<Span> {
    let inside = bytes.get(span.start..span.end).unwrap_or_default();
    if memchr::memchr(b'\n', inside).is_none() {
        return vec![span];
    }
    let mut parts = Vec::new();
    let mut start = span.start;
    for newline in memchr::memchr_iter(b'\n', inside).map(|at| span.start + at) {
        if let Some((end, from)) = gap(bytes, newline).filter(|(end, from)| *end > start && *from < span.end)
        {
            parts.push(Span::new(start, end, span.label.clone()));
            start = from;
        }
    }
    parts.push(Span::new(start, span.end, span.label));
    parts
}

/// Returns where the text of the line behind the line end at `newline` begins.
fn behind_margin(bytes: &[u8], newline: usize) -> usize {
    let (above, next) = (margins::line_start(bytes, newline), newline + 1);
    margins::behind_both(bytes, above, next).map_or(next, |(_, below)| below)
}

/// Returns the extent of the borders and the margin around the line end at `newline`, if there are any.
fn gap(bytes: &[u8], newline: usize) -> Option<(usize, usize)> {
    let line = line_before(bytes, newline, margins::MAX_MARGIN);
    let end = newline - line.len() + without_bars(line).len();
    let from = behind_bars(bytes, behind_margin(bytes, newline));
    let signs = bytes.get(end..from)?.iter().filter(|b| !b.is_ascii_whitespace()).count();
    (signs >= 2 && !b"\\=".contains(&byte(bytes, end.saturating_sub(1)))).then_some((end, from))
}

/// Returns a line without the blanks and borders at its end.
fn without_bars(mut line: &[u8]) -> &[u8] {
    loop {
        line = line.trim_ascii_end();
        match line.strip_suffix(b"|").or_else(|| line.strip_suffix("│".as_bytes())) {
            Some(rest) => line = rest,
            None => return line,
        }
    }
}

/// Returns the position behind the blanks and borders at `from`.
fn behind_bars(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        at = run_end(bytes, at, MAX_BLANK, |b| b" \t\r".contains(&b));
        match cells::bar(bytes, at).filter(|_| at < from + MAX_BLANK) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression test: bytes of a border were taken for one inside another character, and the finding was lost.
    #[test]
    fn characters_at_a_line_end_stay_whole() {
        let text = "Cookie: sid=31d4d96e—|\n 56ef78ab\n";
        let out = super::super::Scrubber::all().scrub(text).into_owned();
        assert!(!out.contains("31d4d96e") && !out.contains("56ef78ab"), "{out}");
        let text = "ab—|\n |—cd";
        let parts = lines(text.as_bytes(), Span::new(0, text.len(), Label::ApiKey));
        let parts: Vec<_> = parts.iter().map(|part| text.get(part.start..part.end)).collect();
        assert_eq!(parts, [Some("ab—"), Some("—cd")]);
        let drawn = "ab │\n │ cd";
        let parts = lines(drawn.as_bytes(), Span::new(0, drawn.len(), Label::ApiKey));
        let parts: Vec<_> = parts.iter().map(|part| drawn.get(part.start..part.end)).collect();
        assert_eq!(parts, [Some("ab"), Some("cd")]);
    }

    #[test]
    fn borders_of_cells_stay() {
        let text = "| key | abcd |\n|     | efgh |";
        let span = Span::new(8, 27, Label::ApiKey);
        assert_eq!(
            lines(text.as_bytes(), span)
                .iter()
                .map(|part| text.get(part.start..part.end).unwrap())
                .collect::<Vec<_>>(),
            ["abcd", "efgh"]
        );
        let quoted = "abcd\n> efgh";
        assert_eq!(lines(quoted.as_bytes(), Span::new(0, quoted.len(), Label::ApiKey)).len(), 1);
    }
}
