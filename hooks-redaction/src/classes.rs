//! Classes of bytes, as one bit for each of 64 positions: a few vector comparisons for each class.

use wide::u8x16;

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
    pub(super) dash: u64,
    pub(super) colon: u64,
    /// Line feed and carriage return.
    pub(super) line_end: u64,
    /// Bytes that are rare and decide alone: `@%&\~` and control characters.
    pub(super) rare: u64,
    /// Bytes of characters beyond ASCII.
    pub(super) beyond: u64,
    pub(super) k: u64,
    pub(super) e: u64,
    pub(super) i: u64,
    pub(super) p: u64,
    pub(super) a: u64,
    /// `s` and `w`.
    pub(super) s_w: u64,
    pub(super) c: u64,
    pub(super) r: u64,
    pub(super) z: u64,
}

/// Number of classes.
const ROWS: usize = 18;
/// Bytes in a vector.
const WIDTH: usize = 16;

impl Classes {
    /// Classifies a block.
    #[inline(always)]
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let (quarters, _) = block.as_chunks::<WIDTH>();
        let [first, second, third, fourth] = quarters else { return Self::default() };
        let (first, second, third, fourth) = (quarter(first), quarter(second), quarter(third), quarter(fourth));
        let mut rows = [0; ROWS];
        for (row, (((a, b), c), d)) in rows.iter_mut().zip(first.into_iter().zip(second).zip(third).zip(fourth)) {
            *row = a | b << 16 | c << 32 | d << 48;
        }
        Self::from_rows(rows)
    }

    /// Returns the classes of the first `count` positions only.
    pub(super) fn first(self, count: usize) -> Self {
        let mask =
            u32::try_from(count).ok().and_then(|count| 1_u64.checked_shl(count)).map_or(!0, |bit| bit - 1);
        Self::from_rows(self.rows().map(|row| row & mask))
    }

    const fn rows(self) -> [u64; ROWS] {
        let Self { letter, digit, token, number, dash, colon, line_end, rare, beyond, .. } = self;
        let Self { k, e, i, p, a, s_w, c, r, z, .. } = self;
        [letter, digit, token, number, dash, colon, line_end, rare, beyond, k, e, i, p, a, s_w, c, r, z]
    }

    #[inline(always)]
    const fn from_rows(rows: [u64; ROWS]) -> Self {
        let [letter, digit, token, number, dash, colon, line_end, rare, beyond, k, e, i, p, a, s_w, c, r, z] = rows;
        Self { letter, digit, token, number, dash, colon, line_end, rare, beyond, k, e, i, p, a, s_w, c, r, z }
    }
}

/// Positions in a block of the first bytes of characters that hide something or look like others: soft hyphen, marks of
/// direction, zero-width characters, full width.
#[inline(never)]
pub(super) fn openers(block: &[u8; BLOCK]) -> u64 {
    let (quarters, _) = block.as_chunks::<WIDTH>();
    quarters.iter().zip([0_u32, 16, 32, 48]).fold(0, |all, (bytes, shift)| {
        let v = u8x16::from(*bytes);
        let two = is(v, 0xc2) | is(v, 0xcd) | is(v, 0xd8);
        let more = within(v, 0xe1, 0xe3) | is(v, 0xef) | is(v, 0xf0) | is(v, 0xf3);
        all | bits(two | more) << shift
    })
}

#[inline(always)]
fn is(vector: u8x16, b: u8) -> u8x16 {
    vector.simd_eq(u8x16::splat(b))
}

/// Bytes from `first` to `last`.
#[inline(always)]
fn within(vector: u8x16, first: u8, last: u8) -> u8x16 {
    let moved = vector - u8x16::splat(first);
    moved.min(u8x16::splat(last - first)).simd_eq(moved)
}

#[inline(always)]
fn bits(vector: u8x16) -> u64 {
    u64::from(vector.to_bitmask())
}

#[inline(always)]
fn quarter(bytes: &[u8; WIDTH]) -> [u64; ROWS] {
    let v = u8x16::from(*bytes);
    let small = v | u8x16::splat(0x20);
    let letter = within(small, b'a', b'z');
    let (dash, colon, percent, tilde) = (is(v, b'-'), is(v, b':'), is(v, b'%'), is(v, b'~'));
    let token = letter | within(v, b'-', b':') | is(v, b'=') | is(v, b'_') | is(v, b'+') | percent | tilde;
    let brackets = is(v & u8x16::splat(0xfe), b'(');
    let number = within(v, b'-', b'9') | is(v, b' ') | brackets;
    let control = within(v, 0, 8) | within(v, 14, 31);
    let rare = is(v, b'@') | is(v, b'&') | is(v, b'\\') | control | percent | tilde;
    [
        bits(letter),
        bits(within(v, b'0', b'9')),
        bits(token),
        bits(number),
        bits(dash),
        bits(colon),
        bits(is(v, b'\n') | is(v, b'\r')),
        bits(rare),
        bits(v),
        bits(is(small, b'k')),
        bits(is(small, b'e')),
        bits(is(small, b'i')),
        bits(is(small, b'p')),
        bits(is(small, b'a')),
        bits(is(small | u8x16::splat(4), b'w')),
        bits(is(small, b'c')),
        bits(is(small, b'r')),
        bits(is(small, b'z')),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes of a byte, as a definition.
    fn rows(b: u8) -> [bool; ROWS] {
        let small = b.to_ascii_lowercase();
        [
            b.is_ascii_alphabetic(),
            b.is_ascii_digit(),
            b.is_ascii_alphanumeric() || b"+-./:=_%~".contains(&b),
            b.is_ascii_digit() || b" ()-./".contains(&b),
            b == b'-',
            b == b':',
            b == b'\n' || b == b'\r',
            b"@%&\\~".contains(&b) || b < 9 || (14..32).contains(&b),
            b >= 0x80,
            small == b'k',
            small == b'e',
            small == b'i',
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
                let there = Classes::of(&block).rows().map(|row| row >> place & 1 == 1);
                assert_eq!(there, rows(byte), "{byte:#x} at {place}");
            }
        }
    }

    #[test]
    fn only_the_first_positions_are_kept() {
        let classes = Classes::of(&[b'a'; BLOCK]);
        assert_eq!(classes.first(3).letter, 7);
        assert_eq!(classes.first(BLOCK), classes);
    }

    #[test]
    fn characters_that_hide_something_are_seen() {
        let mut block = [b' '; BLOCK];
        block[5..8].copy_from_slice("\u{200b}".as_bytes());
        block[60..62].copy_from_slice("\u{ad}".as_bytes());
        block[30..32].copy_from_slice("п".as_bytes());
        assert_eq!(openers(&block), 1 << 5 | 1 << 60);
    }
}
