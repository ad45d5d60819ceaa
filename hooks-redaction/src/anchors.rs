//! One pass over the bytes of a text that finds every position where a finding may start.
//!
//! An anchor is a property of a few bytes that each finding of a kind has, and that prose and source rarely have: a
//! long run after the start of a word for keys, seven digits and separators for numbers, pairs of letters for the
//! names of secrets. The classes of 64 bytes are bits of a word, so a property of 64 positions costs a few shifts.

use super::classes::{BLOCK, Classes, fill};

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
    let mut last = Edge::default();
    // One block more than a batch: an anchor may go on in the next block.
    let mut classes = [Classes::default(); BATCH + 1];
    let mut at = 0;
    while at < bytes.len() {
        classify(bytes.get(at..).unwrap_or_default(), &mut classes);
        for (here, next) in classes.iter().zip(classes.iter().skip(1)) {
            let hits = Hits::in_block(&last, here, next);
            let mut open = hits.any();
            while open != 0 {
                let place = open.trailing_zeros();
                open &= open - 1;
                tell(at + place as usize, hits.at(place));
            }
            last = Edge::at_end(here);
            at += BLOCK;
        }
    }
}

/// Classifies the blocks at the start of `rest`; positions after its end have no class.
fn classify(rest: &[u8], out: &mut [Classes; BATCH + 1]) {
    let whole = rest.len() / BLOCK;
    fill(rest, out);
    if let Some(tail) = out.get_mut(whole..) {
        tail.fill(Classes::default());
        let after = rest.get(whole * BLOCK..).unwrap_or_default();
        if let Some(first) = tail.first_mut().filter(|_| !after.is_empty()) {
            let mut padded_out = [Classes::default()];
            fill(&padded(after), &mut padded_out);
            let [classes] = padded_out;
            *first = classes.first(after.len());
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

/// Classes of the byte before a block, as its lowest bit.
#[derive(Clone, Copy, Default)]
struct Edge {
    word: u64,
    token: u64,
    colon: u64,
}

impl Edge {
    #[inline(always)]
    const fn at_end(block: &Classes) -> Self {
        let last = BLOCK - 1;
        Self {
            word: (block.letter | block.digit) >> last,
            token: block.token >> last,
            colon: block.colon >> last,
        }
    }
}

/// Positions of a block with each anchor.
#[derive(Clone, Copy)]
struct Hits {
    name: u64,
    number: u64,
    account: u64,
    colon: u64,
    rare: u64,
    opener: u64,
    word: u64,
    encoded: u64,
    option: u64,
    dashes: u64,
    line_end: u64,
}

/// Moves the class of the byte `by` positions after each byte to it.
#[inline(always)]
const fn after(here: u64, next: u64, by: u32) -> u64 {
    here >> by | next << (64 - by)
}

/// A class over two blocks, for runs.
#[inline(always)]
const fn both(here: u64, next: u64) -> u128 {
    (next as u128) << 64 | here as u128
}

impl Hits {
    #[inline(always)]
    fn in_block(last: &Edge, here: &Classes, next: &Classes) -> Self {
        let letters = |by: u32| after(here.letter, next.letter, by);
        let word = here.letter | here.digit;
        let starts = word & !(word << 1 | last.word);
        let digits = |by: u32| after(here.digit, next.digit, by);
        let token_after = after(here.token, next.token, 1);
        let colon_after = after(here.colon, next.colon, 1);
        let first_colon = here.colon & !(here.colon << 1 | last.colon);
        let apart = !(here.token << 1 | last.token);
        let (long, encoded, tail) = runs(here, next);
        let (dash, next_dash) = (dashes(here), dashes(next));
        let dash_after = after(dash, next_dash, 1);
        let numbers = both(here.number, next.number);
        let numbers = numbers & numbers >> 1;
        let numbers = numbers & numbers >> 2;
        let numbers = (numbers & numbers >> 3) as u64;
        Self {
            name: names(here, next),
            number: here.digit & starts & numbers,
            account: here.letter & starts & letters(1) & digits(2) & digits(3),
            colon: first_colon & token_after & (!colon_after | near_digits(here, next)),
            rare: here.rare,
            opener: here.opener,
            word: starts & long,
            encoded: starts & encoded,
            option: dash & apart & (letters(1) | dash_after & letters(2)),
            dashes: five_dashes(dash, next_dash) & letters(5),
            line_end: tail & after(here.line_end, next.line_end, TAIL as u32),
        }
    }

    #[inline(always)]
    const fn any(&self) -> u64 {
        let Self { name, number, account, colon, rare, opener, word, encoded, option, dashes, line_end } =
            *self;
        name | number | account | colon | rare | opener | word | encoded | option | dashes | line_end
    }

    #[inline(always)]
    const fn at(&self, place: u32) -> Anchors {
        let bit = 1 << place;
        Anchors {
            name: self.name & bit != 0,
            number: self.number & bit != 0,
            account: self.account & bit != 0,
            colon: self.colon & bit != 0,
            rare: self.rare & bit != 0,
            opener: self.opener & bit != 0,
            word: self.word & bit != 0,
            encoded: self.encoded & bit != 0,
            option: self.option & bit != 0,
            dashes: self.dashes & bit != 0,
            line_end: self.line_end & bit != 0,
        }
    }
}

/// Positions of `ke`, `ki`, `pas`, `ps`, `pw`, `cre`, `riz` and `eare`, of which each name of a secret has one, and of
/// "identified". Where `e` or `i` is meant, `f`, `g` and `h` count too.
#[inline(always)]
const fn names(here: &Classes, next: &Classes) -> u64 {
    let (e1, e2) = (after(here.e_i, next.e_i, 1), after(here.e_i, next.e_i, 2));
    let a1 = after(here.a, next.a, 1);
    let (s1, s2) = (after(here.s_w, next.s_w, 1), after(here.s_w, next.s_w, 2));
    let (r1, r2) = (after(here.r, next.r, 1), after(here.r, next.r, 2));
    let key_token_cookie = here.k & e1;
    let password = here.p & (s1 | a1 & s2);
    let credential = here.c & r1 & e2;
    let authorization = here.r & e1 & after(here.z, next.z, 2);
    let bearer = here.e_i & a1 & r2 & after(here.e_i, next.e_i, 3);
    let two = here.e_i & e1;
    let identified =
        here.e_i & e2 & after(two, next.e_i & next.e_i >> 1, 5) & after(two, next.e_i & next.e_i >> 1, 7);
    key_token_cookie | password | credential | authorization | bearer | identified
}

/// Positions from which all bytes belong to a run: sixteen bytes, [`ENCODED`] bytes, [`TAIL`] bytes.
#[inline(always)]
const fn runs(here: &Classes, next: &Classes) -> (u64, u64, u64) {
    let one = both(here.token, next.token);
    let two = one & one >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let long = eight & eight >> 8;
    ((long as u64), (long & long >> 15) as u64, (four & two >> 4) as u64)
}

/// Positions with a digit at most five bytes away, on either side within the block.
#[inline(always)]
const fn near_digits(here: &Classes, next: &Classes) -> u64 {
    let one = both(here.digit, next.digit);
    let two = one | one >> 1;
    let four = two | two >> 2;
    let ahead = (four | two >> 4) as u64;
    let behind = here.digit | here.digit << 1;
    let behind = behind | behind << 2;
    // The block before is not here: its digits count for the first positions.
    ahead | behind | behind << 1 | 0b1_1111
}

/// Positions of `-`, `.` and `/`.
#[inline(always)]
const fn dashes(block: &Classes) -> u64 {
    block.token & block.number & !block.digit
}

/// Positions of five dashes.
#[inline(always)]
const fn five_dashes(here: u64, next: u64) -> u64 {
    let one = both(here, next);
    let two = one & one >> 1;
    let four = two & two >> 2;
    (four & one >> 4) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str) -> Vec<(usize, Anchors)> {
        let mut hits = Vec::new();
        each(text.as_bytes(), |at, anchors| hits.push((at, anchors)));
        hits
    }

    /// Each anchor is found at each distance from the borders of a block.
    #[test]
    fn anchors_are_found_wherever_they_stand() {
        type Is = fn(&Anchors) -> bool;
        let cases: [(&str, usize, Is); 22] = [
            ("key", 0, |a| a.name),
            ("token", 2, |a| a.name),
            ("Cookie", 3, |a| a.name),
            ("PASSWORD", 0, |a| a.name),
            ("psk", 0, |a| a.name),
            ("pwd", 0, |a| a.name),
            ("secret", 2, |a| a.name),
            ("Authorization", 5, |a| a.name),
            ("bearer", 1, |a| a.name),
            ("identified by", 0, |a| a.name),
            ("303-555", 0, |a| a.number),
            ("1.2.3.4", 0, |a| a.number),
            ("DE89", 0, |a| a.account),
            ("://x", 0, |a| a.colon),
            ("fd00::1", 4, |a| a.colon),
            ("::ffff:1.2.3.4", 6, |a| a.colon),
            ("@", 0, |a| a.rare),
            ("\u{200b}", 0, |a| a.opener),
            ("ghp_0123456789ab", 0, |a| a.word),
            ("-u a", 0, |a| a.option),
            ("-----BEGIN", 0, |a| a.dashes),
            ("abcdef\n", 0, |a| a.line_end),
        ];
        for (text, at, is) in cases {
            for before in 1..140 {
                let text = format!("{}{text} {}", " ".repeat(before), "y".repeat(before % 7));
                let there = hits(&text).into_iter().find(|(place, _)| *place == before + at);
                assert!(there.is_some_and(|(_, anchors)| is(&anchors)), "{text:?} at {before}");
            }
        }
    }

    #[test]
    fn plain_words_have_no_anchor() {
        assert_eq!(hits("plain words, a comma and (a comment); three::colons, 12 of 500"), []);
    }
}
