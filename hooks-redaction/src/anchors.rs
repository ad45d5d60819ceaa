//! One pass over the bytes of a text that finds every position where a finding may start.
//!
//! An anchor is a property of a few bytes that each finding of a kind has, and that prose and source rarely have: a
//! long run after the start of a word for keys, seven digits and separators for numbers, pairs of letters for the
//! names of secrets. The classes of 64 bytes are bits of a word, so a property of 64 positions costs a few shifts.

use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

use fearless_simd::{Level, Simd, dispatch, u64x8};

use super::classes::{BLOCK, Classes, Columns, LANES};

/// Anchors at one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Anchors {
    /// Letters that occur in the names of secrets.
    pub(super) name: bool,
    /// Digit at the start of seven digits and separators.
    pub(super) number: bool,
    /// Two letters and two digits at the start of a word.
    pub(super) account: bool,
    /// First colon of an address, of a password in a URL, or of a token.
    pub(super) colon: bool,
    /// Colon behind a blank, perhaps of a caption that ends with a letter beyond ASCII.
    pub(super) caption: bool,
    /// Perhaps a word for a password with letters beyond ASCII.
    pub(super) mixed: bool,
    /// Byte that decides alone: `@%&\~` or a control character.
    pub(super) rare: bool,
    /// First byte of a character beyond ASCII that may hide something.
    pub(super) opener: bool,
    /// Start of a word with at least sixteen bytes of a run from there.
    pub(super) word: bool,
    /// The same with [`ENCODED`] bytes.
    pub(super) encoded: bool,
    /// Dash of an option, or a full stop or slash there.
    pub(super) option: bool,
    /// First of five dashes, full stops or slashes in front of a letter.
    pub(super) dashes: bool,
    /// The sixth byte before a line end, all of a run.
    pub(super) line_end: bool,
    /// Quotation mark behind a run that ends a literal, where another may go on; `=` and two digits inside a run, as in mail.
    pub(super) joint: bool,
}

/// Shortest run from the start of a credential; a test of the forms reads it.
#[cfg(test)]
pub(super) const LONG: usize = 16;
/// Shortest run of base64 that is decoded.
pub(super) const ENCODED: usize = 31;
/// Bytes of a run in front of a line end that are looked at.
pub(super) const TAIL: usize = 6;

/// Blocks that are classified together.
const BATCH: usize = 32;

/// Calls `tell` with each position that has an anchor, in order.
#[inline]
pub(super) fn each(bytes: &[u8], mut tell: impl FnMut(usize, Anchors)) {
    let level = Level::new();
    // With the block before a batch and the one after it: anchors depend on their neighbours.
    let mut columns = Columns::<{ BATCH + 2 }>::EMPTY;
    let mut hits = [Hits::default(); BATCH / LANES];
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        columns.copy(BATCH, 0);
        let around = bytes.get(at.saturating_sub(BLOCK)..bytes.len().min(at + (BATCH + 1) * BLOCK));
        let rare = RareAnchors::around(around.unwrap_or_default());
        dispatch!(level, simd => in_batch(simd, rest, rare, &mut columns, &mut hits));
        for hits in &hits {
            for lane in 0..LANES {
                let mut any = hits.any.get(lane).copied().unwrap_or_default();
                while any != 0 {
                    let bit = any & any.wrapping_neg();
                    any ^= bit;
                    tell(at + bit.trailing_zeros() as usize, hits.at(lane, bit));
                }
                at += BLOCK;
            }
        }
    }
}

/// Anchors that only texts with some letters beyond ASCII have, and whether a batch may have them.
#[derive(Clone, Copy, Debug)]
struct RareAnchors {
    mixed: bool,
    caption: bool,
}

impl RareAnchors {
    /// Looks for their bytes in a batch and the blocks around it.
    #[inline]
    fn around(bytes: &[u8]) -> Self {
        let is_ascii = bytes.is_ascii();
        Self {
            // First byte of "ł", "Ł", "ş" and "Ş".
            mixed: !is_ascii && memchr::memchr(0xc5, bytes).is_some(),
            caption: !is_ascii && memchr::memmem::find(bytes, b" :").is_some(),
        }
    }
}

/// Finds the anchors of the batch at the start of `rest`. The first column is that of the block before it.
#[inline(always)]
fn in_batch<S: Simd>(
    simd: S,
    rest: &[u8],
    rare: RareAnchors,
    columns: &mut Columns<{ BATCH + 2 }>,
    hits: &mut [Hits<[u64; LANES]>; BATCH / LANES],
) {
    columns.fill(simd, 1, rest.get(..(BATCH + 1) * BLOCK).unwrap_or(rest));
    for (group, hits) in hits.iter_mut().enumerate() {
        let lanes = |first: usize| columns.lanes(simd, group * LANES + first);
        *hits = Hits::in_blocks(&lanes(0), &lanes(1), &lanes(2), rare).map(<[u64; LANES]>::from);
    }
}

/// Bits of one block, or of several in the lanes of a vector.
trait Bits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOr<u64, Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
}

impl<S: Simd> Bits for u64x8<S> {}

/// Positions of a block with each anchor.
#[derive(Clone, Copy, Debug, Default)]
struct Hits<T> {
    name: T,
    number: T,
    account: T,
    colon: T,
    caption: T,
    mixed: T,
    rare: T,
    opener: T,
    word: T,
    encoded: T,
    option: T,
    dashes: T,
    line_end: T,
    joint: T,
    /// Positions with one of them.
    any: T,
}

/// Moves the class of the byte `by` positions after each byte to it.
#[inline(always)]
fn after<T: Bits>(here: T, next: T, by: u32) -> T {
    here >> by | next << (64 - by)
}

/// Moves the class of the byte before each byte to it.
#[inline(always)]
fn before<T: Bits>(last: T, here: T) -> T {
    here << 1 | last >> 63
}

/// A class over two blocks, for runs.
#[derive(Clone, Copy)]
struct Both<T> {
    here: T,
    next: T,
}

impl<T: Bits> Both<T> {
    /// Positions from which this class and the one `by` positions after it hold.
    #[inline(always)]
    fn and(self, other: Self, by: u32) -> Self {
        Self { here: self.here & after(other.here, other.next, by), next: self.next & other.next >> by }
    }

    /// Positions at which this class or the one `by` positions after it holds.
    #[inline(always)]
    fn or(self, other: Self, by: u32) -> Self {
        Self { here: self.here | after(other.here, other.next, by), next: self.next | other.next >> by }
    }
}

impl<T: Bits> Hits<T> {
    #[inline(always)]
    fn in_blocks(last: &Classes<T>, here: &Classes<T>, next: &Classes<T>, rare: RareAnchors) -> Self {
        let letters = |by: u32| after(here.letter, next.letter, by);
        let word = here.letter | here.digit;
        let starts = word & !before(last.letter | last.digit, word);
        let digits = |by: u32| after(here.digit, next.digit, by);
        let token_after = after(here.token, next.token, 1);
        let colon_after = after(here.colon, next.colon, 1);
        let first_colon = here.colon & !before(last.colon, here.colon);
        let apart = !before(last.token, here.token);
        let (long, encoded, tail) = runs(here, next);
        let dash = Both { here: dashes(here), next: dashes(next) };
        let numbers = Both { here: here.number, next: next.number };
        let two = numbers.and(numbers, 1);
        let four = two.and(two, 2);
        let seven = four.and(four, 3);
        let no_bits = here.rare & !here.rare;
        let behind_other = before(other(last), other(here));
        let mixed_names = if rare.mixed { mixed_names(here, next, starts, behind_other) } else { no_bits };
        let behind_blank = if rare.caption { behind_blank(last, here) } else { no_bits };
        let hits = Self {
            name: names(here, next) | more_names(here, next, starts),
            number: here.digit & starts & seven.here,
            account: here.letter & starts & letters(1) & digits(2) & digits(3),
            colon: first_colon & (token_after & (!colon_after | near_digits(here, next)) | behind_other),
            caption: first_colon & behind_blank,
            mixed: mixed_names,
            rare: here.rare,
            opener: here.opener,
            word: starts & long,
            encoded: starts & encoded,
            option: dash.here & apart & (letters(1) | after(dash.here, dash.next, 1) & letters(2)),
            dashes: five(dash) & letters(5),
            line_end: tail & after(here.line_end, next.line_end, TAIL as u32),
            joint: before(last.token, here.token)
                & (joints(here, next) | mail_escapes(here, next) | elements(here, next)),
            any: here.rare,
        };
        Self { any: hits.all(), ..hits }
    }

    #[inline(always)]
    fn all(&self) -> T {
        let Self {
            name,
            number,
            account,
            colon,
            caption,
            mixed,
            rare,
            opener,
            word,
            encoded,
            option,
            dashes,
            line_end,
            joint,
            ..
        } = *self;
        name | number
            | account
            | colon
            | caption
            | mixed
            | rare
            | opener
            | word
            | encoded
            | option
            | dashes
            | line_end
            | joint
    }
}

impl<T> Hits<T> {
    #[inline(always)]
    fn map<U>(self, by: impl Fn(T) -> U) -> Hits<U> {
        Hits {
            name: by(self.name),
            number: by(self.number),
            account: by(self.account),
            colon: by(self.colon),
            caption: by(self.caption),
            mixed: by(self.mixed),
            rare: by(self.rare),
            opener: by(self.opener),
            word: by(self.word),
            encoded: by(self.encoded),
            option: by(self.option),
            dashes: by(self.dashes),
            line_end: by(self.line_end),
            joint: by(self.joint),
            any: by(self.any),
        }
    }
}

impl Hits<[u64; LANES]> {
    #[inline(always)]
    fn at(&self, lane: usize, bit: u64) -> Anchors {
        let is = |lanes: &[u64; LANES]| lanes.get(lane).is_some_and(|hits| hits & bit != 0);
        Anchors {
            name: is(&self.name),
            number: is(&self.number),
            account: is(&self.account),
            colon: is(&self.colon),
            caption: is(&self.caption),
            mixed: is(&self.mixed),
            rare: is(&self.rare),
            opener: is(&self.opener),
            word: is(&self.word),
            encoded: is(&self.encoded),
            option: is(&self.option),
            dashes: is(&self.dashes),
            line_end: is(&self.line_end),
            joint: is(&self.joint),
        }
    }
}

/// Positions of `ke`, `ki`, `pas`, `ps`, `pw`, `cre`, `riz` and `eare`, of which each name of a secret has one, and of
/// "identified". Where `e` or `i` is meant, `f`, `g` and `h` count too.
#[inline(always)]
fn names<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> T {
    let (e1, e2) = (after(here.e_i, next.e_i, 1), after(here.e_i, next.e_i, 2));
    let a1 = after(here.a, next.a, 1);
    let (s1, s2) = (after(here.s_w, next.s_w, 1), after(here.s_w, next.s_w, 2));
    let (r1, r2) = (after(here.r, next.r, 1), after(here.r, next.r, 2));
    let key_token_cookie = here.k & e1;
    let password = here.p & (s1 | a1 & s2);
    let credential = here.c & r1 & e2;
    let authorization = here.r & e1 & after(here.z, next.z, 2);
    let bearer = here.e_i & a1 & r2 & after(here.e_i, next.e_i, 3);
    let two = Both { here: here.e_i & e1, next: next.e_i & next.e_i >> 1 };
    let identified = here.e_i & e2 & after(two.here, two.next, 5) & after(two.here, two.next, 7);
    key_token_cookie | password | credential | authorization | bearer | identified
}

/// Positions of what else leads to a password. Names: `auth`, `login`, `connect`, `asic` of "basic", `plainauth`, `asterauth` of
/// Redis, `assword` of "password" in a script, `cn=` of a directory, `concat` and `.join`. Programs: `sqlplus`, `impdp`, `expdp`
/// and `rabbitmqctl`. Other languages: "contraseña", "senha", "wachtwoord", "parola". Only the letters that have a class
/// are compared, and not all of them.
#[inline(always)]
fn more_names<T: Bits>(here: &Classes<T>, next: &Classes<T>, starts: T) -> T {
    let (a1, a2) = (after(here.a, next.a, 1), after(here.a, next.a, 2));
    let (a4, a5) = (after(here.a, next.a, 4), after(here.a, next.a, 5));
    let (s1, s2) = (after(here.s_w, next.s_w, 1), after(here.s_w, next.s_w, 2));
    let s6 = after(here.s_w, next.s_w, 6);
    let (e1, e2) = (after(here.e_i, next.e_i, 1), after(here.e_i, next.e_i, 2));
    let (e3, e4) = (after(here.e_i, next.e_i, 3), after(here.e_i, next.e_i, 4));
    let r4 = after(here.r, next.r, 4);
    let (ends4, ends5) = (!after(here.letter, next.letter, 4), !after(here.letter, next.letter, 5));
    let p3 = after(here.p, next.p, 3);
    let signs = after(signs(here), signs(next), 2);
    let auth = here.a & e3 & ends4;
    let login = e2 & e3 & ends5 & !ends4 & !a1 & !e1;
    let senha = here.s_w & e1 & e3 & a4 & ends5;
    let directory = here.c & signs;
    let words = starts & (auth | login | senha | directory);
    let connect = here.c & e4 & after(here.c, next.c, 5);
    let concat = here.c & after(here.c, next.c, 3) & a4;
    let contrasena = here.c & r4 & a5 & s6;
    let basic = here.a & s1 & e2 & after(here.c, next.c, 3);
    let asked = here.a & s1 & s2 & after(here.s_w, next.s_w, 3);
    let master_auth = here.a & s1 & e3 & r4 & a5;
    let plain_auth = here.p & a2 & e3 & a5;
    let parola = here.p & a1 & after(here.r, next.r, 2) & a5;
    let sqlplus = here.s_w & p3 & s6;
    let wachtwoord = here.s_w & a1 & after(here.c, next.c, 2) & e3;
    let dump = here.e_i & after(here.p, next.p, 2) & after(here.p, next.p, 4);
    let rabbit = here.r & a1 & e4 & after(here.c, next.c, 8);
    let join = dashes(here) & e3 & !ends4 & ends5 & after(here.quote, next.quote, 6);
    let first = connect | concat | contrasena | basic | asked | master_auth | plain_auth;
    words | first | parola | sqlplus | wachtwoord | dump | rabbit | join
}

/// Positions of words for a password with letters beyond ASCII: "hasło", and the part of "şifre" behind its first letter, at a
/// start behind such a letter.
#[inline(always)]
fn mixed_names<T: Bits>(here: &Classes<T>, next: &Classes<T>, starts: T, behind_other: T) -> T {
    let e_i = |by: u32| after(here.e_i, next.e_i, by);
    let others = |by: u32| after(other(here), other(next), by);
    let haslo = starts & after(here.a, next.a, 1) & after(here.s_w, next.s_w, 2) & others(3) & others(4);
    let sifre = starts & behind_other & e_i(1) & after(here.r, next.r, 2) & e_i(3);
    here.e_i & (haslo | sifre)
}

/// Positions of a quotation mark in front of another one or a line end. Those with one at most five bytes away count too, if a
/// blank or a sign that joins literals is between them.
#[inline(always)]
fn joints<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> T {
    let one = after(joining(here), joining(next), 1);
    let ends = Both { here: here.quote | here.line_end, next: next.quote | next.line_end };
    let two = ends.or(ends, 1);
    let four = after(two.or(two, 2).here, two.or(two, 2).next, 2);
    here.quote & (after(ends.here, ends.next, 1) | one & four)
}

/// Positions of blanks, full stops, `+` and `&`, and what is alike.
#[inline(always)]
fn joining<T: Bits>(block: &Classes<T>) -> T {
    (block.number | block.token | block.rare) & !block.digit & !block.letter & !block.colon
}

/// Positions of `=` and two digits of which the second may be a letter, in front of a letter: `=40` and `=3D` of mail.
#[inline(always)]
fn mail_escapes<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> T {
    let word = Both { here: here.letter | here.digit, next: next.letter | next.digit };
    let two = word.and(word, 1);
    signs(here) & after(here.digit, next.digit, 1) & after(two.here, two.next, 2)
}

/// Positions behind a blank and a byte that has no class, as those of letters beyond ASCII.
#[inline(always)]
fn behind_blank<T: Bits>(last: &Classes<T>, here: &Classes<T>) -> T {
    let blank = |block: &Classes<T>| block.number & !block.token;
    let apart = other(here) << 2 | other(last) >> 62;
    apart & before(blank(last), blank(here))
}

/// Positions of bytes that have no class.
#[inline(always)]
fn other<T: Bits>(block: &Classes<T>) -> T {
    !(block.token | block.number | block.quote | block.line_end | block.rare | block.opener)
}

/// Positions of a byte without a class that may start an element with a short name, such as `<wbr>`, `<b>` and `</span>`. Only
/// some letters of the longer names are compared.
#[inline(always)]
fn elements<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> T {
    let others = Both { here: other(here), next: other(next) };
    let s1 = after(here.s_w, next.s_w, 1);
    let open = s1 & (after(here.r, next.r, 3) | after(here.a, next.a, 3));
    let short = after(here.letter, next.letter, 1) & after(others.here, others.next, 2);
    others.here & (open | short | after(dashes(here), dashes(next), 1))
}

/// Positions of `+`, `=`, `_`, `%` and `~`.
#[inline(always)]
fn signs<T: Bits>(block: &Classes<T>) -> T {
    block.token & !block.letter & !block.digit & !block.number & !block.colon
}

/// Positions from which all bytes belong to a run: sixteen bytes, [`ENCODED`] bytes, [`TAIL`] bytes.
#[inline(always)]
fn runs<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> (T, T, T) {
    let one = Both { here: here.token, next: next.token };
    let two = one.and(one, 1);
    let four = two.and(two, 2);
    let eight = four.and(four, 4);
    let long = eight.and(eight, 8);
    (long.here, long.and(long, 15).here, four.and(two, 4).here)
}

/// Positions with a digit at most five bytes away, on either side within the block.
#[inline(always)]
fn near_digits<T: Bits>(here: &Classes<T>, next: &Classes<T>) -> T {
    let one = Both { here: here.digit, next: next.digit };
    let two = one.or(one, 1);
    let four = two.or(two, 2);
    let ahead = four.or(two, 4).here;
    let behind = here.digit | here.digit << 1;
    let behind = behind | behind << 2;
    // The block before is not here: its digits count for the first positions.
    ahead | behind | behind << 1 | 0b1_1111
}

/// Positions of `-`, `.` and `/`.
#[inline(always)]
fn dashes<T: Bits>(block: &Classes<T>) -> T {
    block.token & block.number & !block.digit
}

/// Positions of five dashes.
#[inline(always)]
fn five<T: Bits>(dash: Both<T>) -> T {
    let two = dash.and(dash, 1);
    two.and(two, 2).and(dash, 4).here
}

#[cfg(test)]
mod tests;
