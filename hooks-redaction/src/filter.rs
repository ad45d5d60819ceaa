//! One pass over the bytes of a text that finds every position where a finding may start.
//!
//! Sixteen buckets of patterns, each four sets of bytes. A table holds for each byte in which sets it is, so that
//! eight positions are checked at once, without branches and without dependence between them. Most text passes at
//! more than a gigabyte a second.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::literals::{LITERALS, Literal};

/// Number of positions that are checked at once.
const STEP: usize = 8;
/// Bytes that a position looks at.
const WINDOW: usize = 4;

/// Bit of digits in a number.
pub(super) const DIGITS: u64 = 1 << 0;
/// Bit of the start of an account number.
pub(super) const IBAN: u64 = 1 << 1;
/// Bit of `@`.
pub(super) const AT: u64 = 1 << 2;
/// Bit of the byte before the colons of an address.
pub(super) const COLON: u64 = 1 << 3;
/// Bit of characters that may hide others.
pub(super) const HIDDEN: u64 = 1 << 4;
/// Bit of escapes of characters.
pub(super) const ESCAPE: u64 = 1 << 5;
/// Bits of literals that may stand anywhere.
pub(super) const LITERAL: u64 = 0x07c0;
/// Bits of the byte before a literal that stands at the start of a word.
pub(super) const WORD: u64 = 0xf800;
/// Bits of all buckets.
const ALL: u64 = 0xffff;

/// Positions that may start a finding, by bucket.
pub(super) struct Filter {
    /// For each byte, four times sixteen bits: the buckets that accept it as their first to fourth byte.
    table: Vec<u64>,
    /// A bit for each hash of three bytes that a literal has at its place.
    hashes: Vec<u64>,
    /// Those three bytes with the indices of their literals, sorted by the bytes.
    literals: Vec<([u8; KEY], Vec<usize>)>,
}

/// Bytes by which the literals at a place are looked up.
const KEY: usize = 3;
/// Number of words in the table of hashes.
const HASH_WORDS: usize = 512;

/// The filter for every label.
pub(super) static FILTER: LazyLock<Filter> = LazyLock::new(Filter::new);

impl Filter {
    fn new() -> Self {
        let mut filter = Self { table: vec![0; 256], hashes: vec![0; HASH_WORDS], literals: Vec::new() };
        let separator = |b: u8| b.is_ascii_digit() || b" -.()/\xc2".contains(&b);
        filter.add(DIGITS, |place, b| if place == 0 { b.is_ascii_digit() } else { separator(b) });
        filter.add(IBAN, |place, b| if place < 2 { b.is_ascii_alphabetic() } else { b.is_ascii_digit() });
        filter.add(AT, |place, b| place > 0 || b == b'@');
        filter.add(COLON, |place, b| match place {
            0 => b.is_ascii_hexdigit() || b == b':',
            1 => b == b':',
            2 => b.is_ascii_hexdigit() || b == b':',
            _ => true,
        });
        filter.add(HIDDEN, is_hidden);
        filter.add(ESCAPE, is_escape);
        filter.add_literals();
        filter
    }

    /// Adds a pattern to the bucket of the bit `bucket`.
    fn add(&mut self, bucket: u64, accepts: impl Fn(usize, u8) -> bool) {
        for (byte, row) in (0..=u8::MAX).zip(&mut self.table) {
            for place in 0..WINDOW {
                if accepts(place, byte) {
                    *row |= bucket << (16 * place);
                }
            }
        }
    }

    fn add_bytes(&mut self, bucket: u64, place: usize, bytes: &[u8]) {
        for byte in bytes {
            if let Some(row) = self.table.get_mut(usize::from(*byte)) {
                *row |= bucket << (16 * place);
            }
        }
    }

    /// Puts literals with a similar start into the same bucket, so that a bucket accepts little else.
    fn add_literals(&mut self) {
        let mut keys: BTreeMap<[u8; KEY], Vec<usize>> = BTreeMap::new();
        let boundary: Vec<u8> = (0..=u8::MAX).filter(|b| !b.is_ascii_alphanumeric()).collect();
        for (at_word, bits) in [(false, LITERAL), (true, WORD)] {
            let mut order: Vec<(&[u8], usize, &Literal)> = (LITERALS.iter().enumerate())
                .filter(|(_, literal)| literal.at_word == at_word)
                .map(|(index, literal)| {
                    (literal.text.as_bytes().get(literal.offset..).unwrap_or_default(), index, literal)
                })
                .collect();
            order.sort_by_key(|(text, ..)| *text);
            let size = order.len().div_ceil(bits.count_ones() as usize).max(1);
            let buckets = (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| bits & bit != 0);
            for (bucket, chunk) in buckets.zip(order.chunks(size)) {
                for (_, index, literal) in chunk {
                    if at_word {
                        self.add_bytes(bucket, 0, &boundary);
                    }
                    for place in usize::from(at_word)..WINDOW {
                        self.add_bytes(bucket, place, &literal.choices(place - usize::from(at_word)));
                    }
                    for key in literal.keys() {
                        keys.entry(key).or_default().push(*index);
                    }
                }
            }
        }
        for (key, indices) in &mut keys {
            indices.sort_unstable();
            let (word, bit) = place_of(*key);
            if let Some(word) = self.hashes.get_mut(word) {
                *word |= 1 << bit;
            }
        }
        self.literals = keys.into_iter().collect();
    }

    /// Returns the literals that may stand at the start of `bytes`, the longer ones first.
    #[inline]
    pub(super) fn literals(&self, bytes: &[u8]) -> &[usize] {
        let Some(key) = bytes.first_chunk::<KEY>() else { return &[] };
        let (word, bit) = place_of(*key);
        if self.hashes.get(word).is_none_or(|word| word >> bit & 1 == 0) {
            return &[];
        }
        let at = self.literals.binary_search_by_key(key, |(key, _)| *key).ok();
        at.and_then(|at| self.literals.get(at)).map_or(&[], |(_, indices)| indices.as_slice())
    }

    /// Calls `tell` with each position and its bits, in order of the positions.
    #[inline]
    pub(super) fn each(&self, bytes: &[u8], mut tell: impl FnMut(usize, u64)) {
        let Ok(table) = <&[u64; 256]>::try_from(self.table.as_slice()) else { return };
        let row = |b: u8| table.get(usize::from(b)).copied().unwrap_or_default();
        let mut report = |at: usize, bits: u64| {
            if bits & ALL != 0 {
                tell(at, bits & ALL);
            }
        };
        let mut at = 0;
        while let Some(window) = bytes.get(at..).and_then(|rest| rest.first_chunk::<{ STEP + WINDOW - 1 }>())
        {
            let [a, b, c, d, e, f, g, h, i, j, k] = *window;
            let rows =
                [row(a), row(b), row(c), row(d), row(e), row(f), row(g), row(h), row(i), row(j), row(k)];
            let hits = hits_of(rows);
            if hits.iter().fold(0, |all, hit| all | hit) & ALL != 0 {
                for (place, hit) in hits.iter().enumerate() {
                    report(at + place, *hit);
                }
            }
            at += STEP;
        }
        // The rest, with zeros behind the end; they belong to any set that is not tested.
        let mut tail = [u64::MAX; STEP + 2 * WINDOW];
        let rest = bytes.get(at..).unwrap_or_default();
        for (slot, b) in tail.iter_mut().zip(rest) {
            *slot = row(*b);
        }
        for place in 0..rest.len() {
            let rows: [u64; WINDOW] =
                std::array::from_fn(|i| tail.get(place + i).copied().unwrap_or_default());
            report(at + place, one(rows));
        }
    }
}

/// Returns the place of a key in the table of hashes.
#[inline]
fn place_of([a, b, c]: [u8; KEY]) -> (usize, u32) {
    let key = u32::from_le_bytes([a, b, c, 0]);
    let hash = key.wrapping_mul(0x9e37_79b1) >> 17;
    ((hash >> 6) as usize, hash & 63)
}

/// Returns for each position the buckets whose four sets have the bytes from there on.
#[inline(always)]
fn hits_of([a, b, c, d, e, f, g, h, i, j, k]: [u64; STEP + WINDOW - 1]) -> [u64; STEP] {
    // Pairs first, so that each is shared by two positions.
    let (ab, bc, cd, de, ef) = (pair(a, b), pair(b, c), pair(c, d), pair(d, e), pair(e, f));
    let (fg, gh, hi, ij, jk) = (pair(f, g), pair(g, h), pair(h, i), pair(i, j), pair(j, k));
    [
        ab & cd >> 32,
        bc & de >> 32,
        cd & ef >> 32,
        de & fg >> 32,
        ef & gh >> 32,
        fg & hi >> 32,
        gh & ij >> 32,
        hi & jk >> 32,
    ]
}

#[inline(always)]
const fn pair(first: u64, second: u64) -> u64 {
    first & (second >> 16)
}

#[inline]
const fn one([a, b, c, d]: [u64; WINDOW]) -> u64 {
    a & (b >> 16) & (c >> 32) & (d >> 48)
}

/// Returns whether `b` may be byte `place` of a terminal code or of an invisible character.
fn is_hidden(place: usize, b: u8) -> bool {
    match place {
        // Escape; soft hyphen; combining joiner; the zero-width characters; the byte order mark.
        0 => matches!(b, 0x1b | 0xc2 | 0xcd | 0xe2 | 0xef),
        1 => matches!(b, b'[' | b']' | 0xad | 0x8f | 0x80 | 0x81 | 0xbb),
        2 => !matches!(b, 0x90..=0x9f | 0xa2 | 0xa5..=0xa9 | 0xb0..=0xbe),
        _ => true,
    }
}

/// Returns whether `b` may be byte `place` of `%41`, `&#65;`, `&lowbar;`, `\u0041` or `\x41`.
fn is_escape(place: usize, b: u8) -> bool {
    match place {
        0 => matches!(b, b'%' | b'&' | b'\\'),
        1 => b.is_ascii_digit() || b"#abcdefhlmnprstuwxzABCDEFZ".contains(&b),
        2 => b.is_ascii_alphanumeric() || b == b'-',
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::literals::{Kind, LITERALS};
    use super::*;

    fn hits(text: &str) -> Vec<(usize, u64)> {
        let mut hits = Vec::new();
        FILTER.each(text.as_bytes(), |at, bits| hits.push((at, bits)));
        hits
    }

    fn has(text: &str, at: usize, bits: u64) -> bool {
        hits(text).iter().any(|(place, there)| *place == at && there & bits != 0)
    }

    proptest! {
        #[test]
        fn each_literal_is_reported_at_its_place(
            index in any::<prop::sample::Index>(),
            before in "[a-z]{0,20} ",
            after in "[A-Za-z0-9]{4,20}",
            is_large in any::<bool>(),
        ) {
            let index = index.index(LITERALS.len());
            let literal = &LITERALS[index];
            let spelled = if is_large && !literal.exact { literal.text.to_ascii_uppercase() } else { literal.text.to_owned() };
            // A body of digits is in every alphabet.
            let body = if matches!(literal.kind, Kind::Discord) { "Ax00" } else { "0000" };
            let text = format!("{before}{spelled}{body}{after}");
            let at = before.len() + literal.offset;
            let bits = if literal.at_word { WORD } else { LITERAL };
            prop_assert!(has(&text, at - usize::from(literal.at_word), bits), "{text}");
            prop_assert!(FILTER.literals(&text.as_bytes()[at..]).contains(&index), "{text}");
        }

        #[test]
        fn positions_come_in_order(text in "\\PC{0,64}") {
            prop_assert!(hits(&text).is_sorted_by_key(|(at, _)| *at));
        }
    }

    #[test]
    fn numbers_and_addresses_are_reported() {
        for (text, at, bit) in [
            ("call 303-555-0110", 5, DIGITS),
            ("DE89 3704", 0, IBAN),
            ("a@b", 1, AT),
            ("2001:db8::1", 3, COLON),
            ("::ffff:1.2.3.4", 0, COLON),
            ("a\u{200b}b", 1, HIDDEN),
            ("a\u{ad}b", 1, HIDDEN),
            ("\u{1b}[31mx", 0, HIDDEN),
            ("a%41b", 1, ESCAPE),
            ("a&#65;", 1, ESCAPE),
            ("a\\nghp", 1, ESCAPE),
        ] {
            assert!(has(text, at, bit), "{text}: {:?}", hits(text));
        }
        let plain = hits("plain words, a comma and (a bracket)");
        assert!(plain.iter().all(|(_, bits)| bits & !(LITERAL | WORD) == 0), "{plain:?}");
    }
}
