//! A file of checkpoints: one note behind the other, added at the end. Blank lines before a note do not count.
//!
//! A writer that was interrupted leaves a part of a note, which counts for nothing. Whoever adds next leaves two line ends
//! first, so that its own note is whole.

use super::body::Checkpoint;
use super::note::{DASH, Note};

/// What the name of such a file ends with, behind a dot; before it stands the chain, or `fleet`.
pub const ENDING: &str = "checkpoints";

/// The file for all chains together. No chain has this name: theirs end with a number.
pub(super) const FLEET: &str = "fleet";

/// What is added where the file may not end with a whole note.
pub(super) const GAP: &str = "\n\n";

/// Goes through the notes of a file, hostile bytes too. Linear.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// A note in a file, or what was to become one.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Where it begins.
    pub offset: usize,
    /// Where it ends.
    pub end: usize,
    /// The note and what it says; `None` where it is no whole checkpoint.
    pub note: Option<(Note, Checkpoint)>,
}

impl<'a> Pieces<'a> {
    /// Those in `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The next line with its end, if it fits.
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
        // A signature that was cut may still be base64.
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
            // Without its last line end it is whole with what is added.
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
