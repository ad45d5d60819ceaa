//! Edits of a file: ranges of bytes with their replacements.

use std::ops::Range;

/// An edit that replaces the bytes in `range` with `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    range: Range<usize>,
    text: Vec<u8>,
}

impl Splice {
    /// Replaces `range` with `text`.
    pub fn replace(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { range, text: text.into() }
    }

    /// Inserts `text` at `at`.
    pub fn insert(at: usize, text: impl Into<Vec<u8>>) -> Self {
        Self::replace(at..at, text)
    }

    /// Removes `range`.
    pub fn remove(range: Range<usize>) -> Self {
        Self::replace(range, Vec::new())
    }
}

/// Applies `edits` to `bytes`. If two edits overlap, the later one replaces only the part of its range that
/// is left.
pub(crate) fn apply(bytes: &[u8], mut edits: Vec<Splice>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.range.start);
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut written = Vec::with_capacity(bytes.len() + added);
    let mut at = 0;
    for edit in edits {
        let start = edit.range.start.clamp(at, bytes.len());
        written.extend_from_slice(bytes.get(at..start).unwrap_or_default());
        written.extend_from_slice(&edit.text);
        at = edit.range.end.clamp(start, bytes.len());
    }
    written.extend_from_slice(bytes.get(at..).unwrap_or_default());
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_where_they_belong() {
        let edits = vec![Splice::remove(4..6), Splice::insert(0, "x"), Splice::replace(1..2, "yy")];
        assert_eq!(apply(b"abcdef", edits), b"xayycd");
        assert_eq!(apply(b"abc", vec![Splice::remove(0..2), Splice::remove(1..9)]), b"");
        assert_eq!(apply(b"abc", vec![Splice::insert(9, "d")]), b"abcd");
    }
}
