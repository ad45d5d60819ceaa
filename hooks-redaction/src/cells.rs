//! Reads the cells of drawn tables whose text goes on in the row below, as programs wrap long values.
//!
//! A token over two rows:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let table = "| token | ghp_0123456789abcdefghij |\n|       | KLMNOPqrstuvwxyz         |\n";
//! let wanted = "| token | [GITHUB_TOKEN_REDACTED] |\n|       | [GITHUB_TOKEN_REDACTED]         |\n";
//! assert_eq!(Scrubber::default().scrub(table), wanted);
//! ```

use super::text::{byte, line_before, run_end};

/// Longest row.
pub(super) const MAX_ROW: usize = 1024;

/// Returns the length of the bar between two cells at `at`.
pub(super) fn bar(bytes: &[u8], at: usize) -> Option<usize> {
    let drawn = "│".as_bytes();
    if byte(bytes, at) == b'|' { Some(1) } else { bytes.get(at..)?.starts_with(drawn).then_some(drawn.len()) }
}

fn blank(bytes: &[u8], from: usize) -> usize {
    run_end(bytes, from, MAX_ROW, |b| b == b' ' || b == b'\t')
}

/// Returns the extent of a cell without the blanks around it.
pub(super) fn trimmed(bytes: &[u8], from: usize, to: usize) -> (usize, usize) {
    let cell = bytes.get(from..to).unwrap_or_default();
    let start = from + cell.len() - cell.trim_ascii_start().len();
    (start, start + cell.trim_ascii().len())
}

/// Returns the extents of the cells of the row that starts at `start`, without the blanks around them.
pub(super) fn of_row(bytes: &[u8], start: usize) -> Option<Vec<(usize, usize)>> {
    let mut at = blank(bytes, start);
    at += bar(bytes, at)?;
    let newline = run_end(bytes, at, MAX_ROW, |b| b != b'\n' && b != b'\r');
    let mut cells = Vec::new();
    let mut from = at;
    while at < newline {
        let Some(length) = bar(bytes, at) else {
            at += 1;
            continue;
        };
        cells.push(trimmed(bytes, from, at));
        at += length;
        from = at;
    }
    (blank(bytes, from) == newline).then_some(cells)
}

/// Returns the cell of the row below in which the text of the one that ends at `end` goes on: its first cell, or else every other
/// one, is empty.
pub(super) fn below(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    bar(bytes, blank(bytes, end))?;
    let start = end - line_before(bytes, end, MAX_ROW).len();
    let row = of_row(bytes, start)?;
    let place = row.iter().position(|(from, to)| *from < end && end == *to)?;
    let next = run_end(bytes, end, MAX_ROW, |b| b != b'\n') + 1;
    let cells = of_row(bytes, next).filter(|cells| cells.len() == row.len())?;
    let goes_on = if place == 0 { is_rest_of_first(&cells) } else { is_empty(cells.first()?) };
    cells.get(place).copied().filter(|cell| goes_on && !is_empty(cell))
}

fn is_empty((from, to): &(usize, usize)) -> bool {
    from == to
}

/// Returns whether a row has text in its first cell only.
fn is_rest_of_first(cells: &[(usize, usize)]) -> bool {
    cells.iter().skip(1).all(is_empty)
}

/// Returns whether the row at `start` goes on with the one above it.
pub(super) fn is_rest(bytes: &[u8], start: usize) -> bool {
    of_row(bytes, start).is_some_and(|cells| cells.first().is_some_and(is_empty) || is_rest_of_first(&cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_goes_on_in_the_row_below() {
        let table = "| key | abcd |\n|     | efgh |\n| x   | y    |\n";
        let end = table.find("abcd").unwrap() + 4;
        assert_eq!(below(table.as_bytes(), end).map(|(from, _)| from), table.find("efgh"));
        assert_eq!(below(table.as_bytes(), table.find("efgh").unwrap() + 4), None);
        let drawn = "│ key │ abcd │\n│     │ efgh │\n";
        let cell = below(drawn.as_bytes(), drawn.find("abcd").unwrap() + 4);
        assert_eq!(cell.map(|(from, to)| drawn.get(from..to)), Some(Some("efgh")));
        assert_eq!(below(b"a | b", 1), None);
    }
}
