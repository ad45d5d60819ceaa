//! Changes of a file, each a range of bytes and what stands there instead.

use std::ops::Range;

/// A change: what stands in `range` is replaced by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    range: Range<usize>,
    text: Vec<u8>,
}

impl Splice {
    /// Puts `text` in the place of `range`.
    pub fn replace(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { range, text: text.into() }
    }

    /// Puts `text` before what stands at `at`.
    pub fn insert(at: usize, text: impl Into<Vec<u8>>) -> Self {
        Self::replace(at..at, text)
    }

    /// Takes `range` away.
    pub fn remove(range: Range<usize>) -> Self {
        Self::replace(range, Vec::new())
    }
}

/// Makes `edits` in `bytes`. Where two overlap, the later one changes what the earlier one left of its range.
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
