//! Classes of bytes, as one bit for each of 64 positions: a few vector comparisons for each class.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, u8x64, u64x8};

/// Positions that are classified at once.
pub(super) const BLOCK: usize = 64;

/// Blocks whose anchors are found at once.
pub(super) const LANES: usize = 8;

/// The classes of 64 bytes, or of several times 64 in the lanes of `T`: bit `n` of a class belongs to byte `n`. Letters
/// count in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes<T> {
    /// ASCII letters.
    pub(super) letter: T,
    /// ASCII digits.
    pub(super) digit: T,
    /// Bytes of credentials, paths and addresses: letters, digits and `+-./:=_%~`.
    pub(super) token: T,
    /// Digits, and what separates them in numbers: ` ()-./`.
    pub(super) number: T,
    pub(super) colon: T,
    /// Line feed and carriage return.
    pub(super) line_end: T,
    /// Bytes that are rare and decide alone: `@%&\~` and control characters.
    pub(super) rare: T,
    /// First bytes of the characters beyond ASCII that hide something or look like others: soft hyphen, marks of direction,
    /// zero-width characters, full width.
    pub(super) opener: T,
    pub(super) k: T,
    /// `e` to `i`.
    pub(super) e_i: T,
    pub(super) p: T,
    pub(super) a: T,
    /// `s` and `w`.
    pub(super) s_w: T,
    pub(super) c: T,
    pub(super) r: T,
    pub(super) z: T,
    /// Both quotation marks of ASCII.
    pub(super) quote: T,
}

/// Number of classes.
const ROWS: usize = 17;

/// Classes of `N` blocks: for each class, the bits of all blocks.
#[derive(Debug)]
pub(super) struct Columns<const N: usize>([[u64; N]; ROWS]);

impl<const N: usize> Columns<N> {
    pub(super) const EMPTY: Self = Self([[0; N]; ROWS]);

    /// Sets the classes of the blocks from `first` on: those of `bytes`, then none. The widest vectors of the processor
    /// do it.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, simd: S, first: usize, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (place, block) in (first..N).zip(blocks) {
            self.set(place, Classes::classify(simd, block));
        }
        for place in first + blocks.len()..N {
            self.set(place, Classes::default());
        }
        if !rest.is_empty() {
            self.set(first + blocks.len(), Classes::classify(simd, &padded(rest)).first(rest.len()));
        }
    }

    /// Moves the classes of the block at `from` to the block at `to`.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        for column in &mut self.0 {
            if let (Some(classes), true) = (column.get(from).copied(), to < N)
                && let Some(slot) = column.get_mut(to)
            {
                *slot = classes;
            }
        }
    }

    fn set(&mut self, place: usize, classes: Classes<u64>) {
        for (column, class) in self.0.iter_mut().zip(classes.rows()) {
            if let Some(slot) = column.get_mut(place) {
                *slot = class;
            }
        }
    }

    /// Returns the classes of the [`LANES`] blocks from `first` on.
    #[inline(always)]
    pub(super) fn lanes<S: Simd>(&self, simd: S, first: usize) -> Classes<u64x8<S>> {
        let lanes = |column: &[u64; N]| {
            let lanes = column.get(first..).and_then(<[u64]>::first_chunk::<LANES>);
            u64x8::simd_from(simd, lanes.copied().unwrap_or_default())
        };
        let [letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z, quote] =
            &self.0;
        // Not `map`: vectors must not pass through a function that is compiled for all processors.
        Classes {
            letter: lanes(letter),
            digit: lanes(digit),
            token: lanes(token),
            number: lanes(number),
            colon: lanes(colon),
            line_end: lanes(line_end),
            rare: lanes(rare),
            opener: lanes(opener),
            k: lanes(k),
            e_i: lanes(e_i),
            p: lanes(p),
            a: lanes(a),
            s_w: lanes(s_w),
            c: lanes(c),
            r: lanes(r),
            z: lanes(z),
            quote: lanes(quote),
        }
    }
}

fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (slot, b) in block.iter_mut().zip(rest) {
        *slot = *b;
    }
    block
}

impl<T> Classes<T> {
    #[inline(always)]
    fn from_rows(rows: [T; ROWS]) -> Self {
        let [letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z, quote] =
            rows;
        Self {
            letter,
            digit,
            token,
            number,
            colon,
            line_end,
            rare,
            opener,
            k,
            e_i,
            p,
            a,
            s_w,
            c,
            r,
            z,
            quote,
        }
    }

    #[inline(always)]
    fn rows(self) -> [T; ROWS] {
        let Self {
            letter,
            digit,
            token,
            number,
            colon,
            line_end,
            rare,
            opener,
            k,
            e_i,
            p,
            a,
            s_w,
            c,
            r,
            z,
            quote,
        } = self;
        [letter, digit, token, number, colon, line_end, rare, opener, k, e_i, p, a, s_w, c, r, z, quote]
    }
}

impl Classes<u64> {
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
            quote: is(b'"') | is(b'\''),
        }
    }

    /// Returns the classes of the first `count` positions only.
    pub(super) fn first(self, count: usize) -> Self {
        let mask =
            u32::try_from(count).ok().and_then(|count| 1_u64.checked_shl(count)).map_or(!0, |bit| bit - 1);
        Self::from_rows(self.rows().map(|row| row & mask))
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    fn classes(block: &[u8; BLOCK]) -> Classes<u64> {
        let mut columns = Columns::<1>::EMPTY;
        dispatch!(Level::new(), simd => columns.fill(simd, 0, block));
        Classes::from_rows(columns.0.map(|[class]| class))
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
            b == b'"' || b == b'\'',
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
