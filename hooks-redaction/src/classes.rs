//! Classes of bytes, as one bit for each of 64 positions: a few vector comparisons for each class.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u8x64};

/// Positions that are classified at once.
pub(super) const BLOCK: usize = 64;

/// The classes of 64 bytes: bit `n` of a class belongs to byte `n`. Letters count in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    /// ASCII letters.
    pub(super) letter: u64,
    /// ASCII digits.
    pub(super) digit: u64,
    /// Bytes of credentials, paths and addresses: letters, digits and `+-./:=_%~`.
    pub(super) token: u64,
    /// Digits, and what separates them in numbers: ` ()-./`.
    pub(super) number: u64,
    pub(super) colon: u64,
    /// Line feed and carriage return.
    pub(super) line_end: u64,
    /// Bytes that are rare and decide alone: `@%&\~` and control characters.
    pub(super) rare: u64,
    /// First bytes of the characters beyond ASCII that hide something or look like others: soft hyphen, marks of direction,
    /// zero-width characters, full width.
    pub(super) opener: u64,
    pub(super) k: u64,
    /// `e` to `i`.
    pub(super) e_i: u64,
    pub(super) p: u64,
    pub(super) a: u64,
    /// `s` and `w`.
    pub(super) s_w: u64,
    pub(super) c: u64,
    pub(super) r: u64,
    pub(super) z: u64,
}

/// Number of classes.
const ROWS: usize = 16;

/// Classifies whole blocks: each block of `bytes` into one of `out`. The widest vectors of the processor do it.
pub(super) fn fill(bytes: &[u8], out: &mut [Classes]) {
    let level = Level::new();
    dispatch!(level, simd => fill_with(simd, bytes, out));
}

#[inline(always)]
fn fill_with<S: Simd>(simd: S, bytes: &[u8], out: &mut [Classes]) {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    for (block, classes) in blocks.iter().zip(out) {
        *classes = Classes::classify(simd, block);
    }
}

impl Classes {
    #[inline(always)]
    fn classify<S: Simd>(simd: S, block: &[u8; BLOCK]) -> Self {
        let v = u8x64::from_slice(simd, block);
        let every = |b: u8| u8x64::splat(simd, b);
        // Capital letters become small ones.
        let small = v | every(0x20);
        let is = |b: u8| v.simd_eq(every(b)).to_bitmask();
        let letter_is = |b: u8| small.simd_eq(every(b)).to_bitmask();
        let within =
            |v: u8x64<S>, first: u8, last: u8| (v - every(first)).simd_le(every(last - first)).to_bitmask();
        let letter = within(small, b'a', b'z');
        let digit = within(v, b'0', b'9');
        let (slashes, colon) = (within(v, b'-', b'/'), is(b':'));
        let (percent, tilde) = (is(b'%'), is(b'~'));
        let signs = is(b'=') | is(b'_') | is(b'+') | percent | tilde;
        let control = within(v, 0, 8) | within(v, 14, 31);
        Self {
            letter,
            digit,
            token: letter | digit | slashes | colon | signs,
            number: digit | slashes | is(b' ') | within(v, b'(', b')'),
            colon,
            line_end: is(b'\n') | is(b'\r'),
            rare: is(b'@') | is(b'&') | is(b'\\') | percent | tilde | control,
            opener: is(0xc2) | is(0xcd) | is(0xd8) | within(v, 0xe1, 0xe3) | is(0xef) | is(0xf0) | is(0xf3),
            k: letter_is(b'k'),
            e_i: within(small, b'e', b'i'),
            p: letter_is(b'p'),
            a: letter_is(b'a'),
            s_w: (small | every(4)).simd_eq(every(b'w')).to_bitmask(),
            c: letter_is(b'c'),
            r: letter_is(b'r'),
            z: letter_is(b'z'),
        }
    }

    /// Returns the classes of the first `count` positions only.
    pub(super) fn first(self, count: usize) -> Self {
        let mask =
            u32::try_from(count).ok().and_then(|count| 1_u64.checked_shl(count)).map_or(!0, |bit| bit - 1);
        let [letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z] =
            self.rows().map(|row| row & mask);
        Self { letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z }
    }

    const fn rows(self) -> [u64; ROWS] {
        let Self { letter, digit, token, number, colon, line_end, rare, opener, .. } = self;
        let Self { k, e_i, p, a, s_w, c, r, z, .. } = self;
        [letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(block: &[u8; BLOCK]) -> Classes {
        let mut out = [Classes::default()];
        fill(block, &mut out);
        out[0]
    }

    /// The classes of a byte, as a definition.
    fn rows(b: u8) -> [bool; ROWS] {
        let small = b.to_ascii_lowercase();
        [
            b.is_ascii_alphabetic(),
            b.is_ascii_digit(),
            b.is_ascii_alphanumeric() || b"+-./:=_%~".contains(&b),
            b.is_ascii_digit() || b" ()-./".contains(&b),
            b == b':',
            b == b'\n' || b == b'\r',
            b"@%&\\~".contains(&b) || b < 9 || (14..32).contains(&b),
            matches!(b, 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3),
            small == b'k',
            (b'e'..=b'i').contains(&small),
            small == b'p',
            small == b'a',
            small == b's' || small == b'w',
            small == b'c',
            small == b'r',
            small == b'z',
        ]
    }

    #[test]
    fn each_byte_has_its_classes_at_each_place() {
        for byte in 0..=u8::MAX {
            for place in [0, 1, 15, 16, 31, 40, 63] {
                let mut block = [b'x'; BLOCK];
                block[place] = byte;
                let there = classes(&block).rows().map(|row| row >> place & 1 == 1);
                assert_eq!(there, rows(byte), "{byte:#x} at {place}");
            }
        }
    }

    #[test]
    fn only_the_first_positions_are_kept() {
        let classes = classes(&[b'a'; BLOCK]);
        assert_eq!(classes.first(3).letter, 7);
        assert_eq!(classes.first(BLOCK), classes);
    }
}
