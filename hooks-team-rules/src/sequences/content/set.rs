//! Set of pieces with a bounded size, as a store keeps it: sorted numbers of a fixed width.

use std::collections::BTreeSet;

/// Most pieces of one rule in a session: those of about 10,000 letters and digits.
pub(super) const MOST: usize = 4_096;

/// Digits of a piece in the text.
const WIDTH: usize = 12;

/// Pieces of the results that a rule protects in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Pieces(BTreeSet<u64>);

impl Pieces {
    /// Parses a stored set; `None` for a text that is not one.
    pub(in super::super) fn read(text: &str) -> Option<Self> {
        if !text.len().is_multiple_of(WIDTH) {
            return None;
        }
        let numbers = text.as_bytes().chunks_exact(WIDTH).map(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u64::from_str_radix(digits, 16).ok()
        });
        numbers.collect::<Option<_>>().map(Self)
    }

    /// Formats the set.
    pub(in super::super) fn write(&self) -> String {
        use std::fmt::Write as _;
        self.0.iter().fold(String::with_capacity(self.0.len() * WIDTH), |mut text, piece| {
            // Writing to a `String` cannot fail.
            let _written = write!(text, "{piece:012x}");
            text
        })
    }

    /// Adds pieces and returns whether the set has changed; `None` if it would be too large.
    pub(in super::super) fn add(&mut self, pieces: &BTreeSet<u64>) -> Option<bool> {
        let before = self.0.len();
        self.0.extend(pieces);
        (self.0.len() <= MOST).then_some(self.0.len() > before)
    }

    /// Returns whether one of `pieces` is in the set.
    pub(in super::super) fn contains_any(&self, pieces: &[u64]) -> bool {
        pieces.iter().any(|piece| self.0.contains(piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_as_it_was_written_and_bounded() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.add(&[7, 1 << 47, 0].into()), Some(true));
        assert_eq!(pieces.add(&[7].into()), Some(false));
        assert_eq!(Pieces::read(&pieces.write()), Some(pieces.clone()));
        assert!(pieces.contains_any(&[1, 7]) && !pieces.contains_any(&[1, 2]));
        assert_eq!(pieces.add(&(0..5_000).collect()), None);
        for damaged in ["0", "00000000000g", "0000000000000"] {
            assert_eq!(Pieces::read(damaged), None);
        }
    }
}
