//! A file of checkpoints: notes one after the other, appended at the end. Blank lines before a note do not
//! count.
//!
//! A writer that was interrupted leaves a part of a note, which is ignored. The next writer adds two line
//! ends first, so that its own note is complete.

use super::body::Checkpoint;
use super::note::{DASH, Note};

/// File name extension; the stem is the chain, or `fleet`.
pub const ENDING: &str = "checkpoints";

/// Stem of the file for all chains together. It is not a valid chain name, because those end with a number.
pub(super) const FLEET: &str = "fleet";

/// Separator written if the file may not end with a complete note.
pub(super) const GAP: &str = "\n\n";

/// Iterates over the notes of a file; accepts hostile bytes. Linear.
///
/// ```
/// use hooks_audit::chain::Digest;
/// use hooks_audit::checkpoint::{Checkpoint, Note, Pieces, sum};
///
/// let text = Checkpoint::of_chain("audit", "w0", 3, Digest([1; 32])).to_string();
/// let note = Note { signatures: vec![sum("audit", &text)], text };
/// // The writer of a second note was interrupted.
/// let file = format!("{note}\n\naudit/w0\n4\n");
/// let sizes: Vec<_> =
///     Pieces::new(file.as_bytes()).map(|piece| piece.note.map(|(_, checkpoint)| checkpoint.size)).collect();
/// assert_eq!(sizes, [Some(3), None]);
/// ```
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// A note in a file, or a part of one.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Offset of its first byte.
    pub offset: usize,
    /// Offset of its end.
    pub end: usize,
    /// The note and its checkpoint; `None` if it is not a complete checkpoint.
    pub note: Option<(Note, Checkpoint)>,
}

impl<'a> Pieces<'a> {
    /// Iterates over the notes in `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Consumes the next line with its end, if `fits` accepts it; returns whether it did.
    fn line(&mut self, fits: impl FnOnce(&[u8]) -> bool) -> bool {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let line = rest.split_inclusive(|byte| *byte == b'\n').next().filter(|line| fits(line));
        self.offset += line.map_or(0, <[u8]>::len);
        line.is_some()
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        while self.line(|line| line == b"\n") {}
        let offset = self.offset;
        while self.line(|line| line != b"\n") {}
        if self.line(|line| line == b"\n") {
            while self.line(|line| line.starts_with(DASH.as_bytes())) {}
        }
        let end = self.offset;
        let piece = self.bytes.get(offset..end).filter(|piece| !piece.is_empty())?;
        let note = std::str::from_utf8(piece).ok().and_then(Note::parse);
        let note = note.and_then(|note| Checkpoint::parse(&note.text).map(|says| (note, says)));
        Some(Piece { offset, end, note })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::key::sum;
    use super::*;
    use crate::chain::Digest;

    fn note(size: u64) -> String {
        let text = Checkpoint::of_chain("a", "w0", size, Digest::default()).to_string();
        let signatures = vec![sum("a", &text)];
        Note { text, signatures }.to_string()
    }

    fn sizes(bytes: &[u8]) -> Vec<u64> {
        let notes = Pieces::new(bytes).filter_map(|piece| piece.note);
        // A truncated signature may still be valid base64.
        notes.filter(|(note, _)| note.signatures[0].bytes.len() == 32).map(|(_, says)| says.size).collect()
    }

    #[test]
    fn notes_stand_behind_one_another() {
        let text = [note(1), note(2), "\n\n".to_owned(), note(30)].concat();
        assert_eq!(sizes(text.as_bytes()), [1, 2, 30]);
    }

    proptest! {
        #[test]
        fn a_note_that_was_cut_hides_no_other(cut in 0_usize..200, others: Vec<u8>) {
            let whole = note(2);
            // Without its last line end, the part is completed by the appended line end.
            let part = &whole.as_bytes()[..cut.min(whole.len() - 2)];
            let bytes = [note(1).as_bytes(), part, GAP.as_bytes(), note(3).as_bytes()].concat();
            prop_assert_eq!(sizes(&bytes), [1, 3]);
            let bytes = [note(1).as_bytes(), &others, GAP.as_bytes(), note(3).as_bytes()].concat();
            let found = sizes(&bytes);
            prop_assert!(found.first() == Some(&1) && found.last() == Some(&3));
        }

        #[test]
        fn pieces_of_anything_are_in_order(bytes in "([a\n]|— |\n\n|1\n){0,30}") {
            let mut before = 0;
            for piece in Pieces::new(bytes.as_bytes()) {
                prop_assert!(before <= piece.offset && piece.offset < piece.end);
                before = piece.end;
            }
        }
    }
}
