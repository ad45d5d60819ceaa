//! Literals that may start a secret, and what each asks for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{body::Body, forms::Form, text::byte, vendors::FORMS};

/// Other spellings of `@`: percent-encoding once and twice, HTML, JSON, full width, small form.
const ENCODED_AT: &[&str] =
    &["%40", "%2540", "&#64;", "&#x40;", "&#X40;", "&commat;", "\\u0040", "\u{ff20}", "\u{fe6b}"];

/// Kind of finding that a literal may start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Form(&'static Form),
    Jwt,
    SlackWebhook,
    Discord,
    Terraform,
    EncodedAt,
}

/// Literal that is searched for, always in this case.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) text: &'static str,
    /// Position of the bytes by which it is looked up.
    pub(super) offset: usize,
    pub(super) kind: Kind,
}

/// Every literal, the longer ones first, so that the most specific form is tried.
pub(super) static LITERALS: LazyLock<Vec<Literal>> = LazyLock::new(|| {
    let literal = |text, offset, kind| Literal { text, offset, kind };
    // The word after a blank is the one with the long run.
    let offset = |prefix: &str| prefix.find(' ').map_or(0, |blank| blank + 1);
    let mut literals: Vec<Literal> =
        FORMS.iter().map(|form| literal(form.prefix, offset(form.prefix), Kind::Form(form))).collect();
    literals.extend(ENCODED_AT.iter().map(|text| literal(text, 0, Kind::EncodedAt)));
    literals.extend([
        literal("eyJ", 0, Kind::Jwt),
        literal("hooks.slack", 0, Kind::SlackWebhook),
        literal(".atlasv1.", 1, Kind::Terraform),
    ]);
    // The identifier of a bot is a number in base64, which begins with one of these.
    let bots = ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
    literals.extend(bots.map(|text| literal(text, 0, Kind::Discord)));
    literals.sort_by_key(|literal| std::cmp::Reverse(literal.text.len()));
    literals
});

impl Literal {
    /// Returns the bytes that may stand at `place` bytes after the offset.
    fn choices(&self, place: usize) -> Vec<u8> {
        let any = |class: fn(u8) -> bool| (0..=u8::MAX).filter(|b| class(*b)).collect();
        match self.text.as_bytes().get(self.offset + place) {
            Some(wanted) => vec![*wanted],
            None => match self.kind {
                Kind::Form(form) => (0..=u8::MAX).filter(|b| form.body.has(*b)).collect(),
                Kind::Discord => any(|b| Body::Url.has(b)),
                _ => any(|_| true),
            },
        }
    }

    /// Returns every spelling of its first three bytes at the offset.
    fn keys(&self) -> Vec<[u8; KEY]> {
        let (first, second, third) = (self.choices(0), self.choices(1), self.choices(2));
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
        pairs.flat_map(|(a, b)| third.iter().map(move |c| [a, b, *c])).collect()
    }

    /// Returns the start of the literal that was looked up at `at`.
    pub(super) fn start(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let start = at.checked_sub(self.offset)?;
        let there = bytes.get(start..start + self.text.len())?;
        (there == self.text.as_bytes()).then_some(start)
    }
}

/// Bytes by which the literals at a place are looked up.
const KEY: usize = 3;
/// Number of words in the table of hashes.
const HASH_WORDS: usize = 512;

/// The literals by their first bytes.
pub(super) struct Index {
    /// A bit for each hash of three bytes that a literal has at its place.
    hashes: Vec<u64>,
    /// Those three bytes with the indices of their literals, sorted by the bytes.
    literals: Vec<([u8; KEY], Vec<usize>)>,
}

/// The index of all literals.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

impl Index {
    fn new() -> Self {
        let mut keys: BTreeMap<[u8; KEY], Vec<usize>> = BTreeMap::new();
        for (index, literal) in LITERALS.iter().enumerate() {
            for key in literal.keys() {
                keys.entry(key).or_default().push(index);
            }
        }
        let mut hashes = vec![0; HASH_WORDS];
        for key in keys.keys() {
            let (word, bit) = place_of(*key);
            if let Some(word) = hashes.get_mut(word) {
                *word |= 1 << bit;
            }
        }
        Self { hashes, literals: keys.into_iter().collect() }
    }

    /// Returns the literals that may stand at the start of `bytes`, the longer ones first.
    #[inline]
    pub(super) fn at(&self, bytes: &[u8]) -> &[usize] {
        let Some(key) = bytes.first_chunk::<KEY>() else { return &[] };
        let (word, bit) = place_of(*key);
        if self.hashes.get(word).is_none_or(|word| word >> bit & 1 == 0) {
            return &[];
        }
        let at = self.literals.binary_search_by_key(key, |(key, _)| *key).ok();
        at.and_then(|at| self.literals.get(at)).map_or(&[], |(_, indices)| indices.as_slice())
    }
}

/// Returns the place of a key in the table of hashes.
#[inline]
fn place_of([a, b, c]: [u8; KEY]) -> (usize, u32) {
    let key = u32::from_le_bytes([a, b, c, 0]);
    let hash = key.wrapping_mul(0x9e37_79b1) >> 17;
    ((hash >> 6) as usize, hash & 63)
}

/// Returns the parts of names that have their anchor at this letter, and what else leads to a password: a part of each, whose
/// anchor is so many bytes after its start.
fn names_by(anchor: u8) -> &'static [(&'static str, usize)] {
    match anchor {
        b'k' => &[("key", 0), ("token", 2), ("cookie", 3), ("kennwort", 0), ("kinit", 0)],
        b'p' => {
            &[("pass", 0), ("pwd", 0), ("psw", 0), ("psk", 0), ("pw", 0), ("parola", 0), ("plainauth", 0)]
        }
        b'c' => &[("secret", 2), ("cred", 0), ("connect", 0), ("contrase", 0), ("cn=", 0)],
        b'r' => &[("authorization", 5), ("rabbitmqctl", 0)],
        b'e' => &[("bearer", 1), ("expdp", 0)],
        b'a' => &[("auth", 0), ("assword", 0), ("basic", 1), ("masterauth", 1)],
        b'l' => &[("login", 0)],
        b's' => &[("senha", 0), ("sqlplus", 0)],
        b'w' => &[("wachtwoord", 0)],
        b'i' => &[("impdp", 0), ("ifre", 0)],
        b'h' => &[("has", 0)],
        _ => &[],
    }
}

/// Returns whether the anchor of a name at `at` belongs to a part of a name.
pub(super) fn is_name(bytes: &[u8], at: usize) -> bool {
    let anchor = byte(bytes, at).to_ascii_lowercase();
    names_by(anchor).iter().any(|(name, offset)| {
        let start = at.checked_sub(*offset);
        let there = start.and_then(|start| bytes.get(start..start + name.len()));
        there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_literal_is_looked_up() {
        for (index, literal) in LITERALS.iter().enumerate() {
            // A body of digits is in every alphabet.
            let body = if matches!(literal.kind, Kind::Discord) { "Ax00" } else { "0000" };
            let text = format!("{}{body}", literal.text);
            assert!(INDEX.at(&text.as_bytes()[literal.offset..]).contains(&index), "{text}");
            assert_eq!(literal.start(text.as_bytes(), literal.offset), Some(0), "{text}");
        }
    }

    #[test]
    fn each_form_is_long_enough_for_its_anchor() {
        for form in FORMS.iter() {
            assert!(form.prefix.len() + form.least >= super::super::anchors::LONG, "{}", form.prefix);
        }
    }
}
