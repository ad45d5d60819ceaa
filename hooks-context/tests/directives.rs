//! Standing wishes in sentences that were written before the detection rules, and in texts that are made to
//! be slow.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hooks_context::directive::detect;
use serde_json::Value;

/// Share of the words that two texts have in common, from 0 to 1.
fn likeness(one: &str, other: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let common = one.intersection(&other).count() as f64;
    2.0 * common / (one.len() + other.len()).max(1) as f64
}

#[test]
fn sentences_of_many_trades_are_read_as_people_read_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/directives.jsonl");
    let corpus = fs::read_to_string(path).unwrap();
    let (mut right, mut wrong, mut missed, mut modes) = (0.0, 0.0, 0.0, 0.0);
    let mut report = Vec::new();
    for line in corpus.lines() {
        let sentence: Value = serde_json::from_str(line).unwrap();
        let text = sentence["text"].as_str().unwrap();
        let mut found = detect(text);
        for wanted in sentence["directives"].as_array().unwrap() {
            let words = wanted["text"].as_str().unwrap();
            match found.iter().position(|one| likeness(&one.text, words) >= 0.5) {
                Some(at) => {
                    right += 1.0;
                    modes += f64::from(u8::from(found.remove(at).mode.name() == wanted["mode"]));
                }
                None => {
                    missed += 1.0;
                    report.push(format!("missed: {text}"));
                }
            }
        }
        wrong += found.len() as f64;
        report.extend(found.iter().map(|one| format!("wrong: {} in {text}", one.text)));
    }
    let (precision, recall, mode) = (right / (right + wrong), right / (right + missed), modes / right);
    assert!(
        right > 380.0 && precision > 0.98 && recall > 0.98 && mode > 0.98,
        "{precision} {recall} {mode}\n{}",
        report.join("\n")
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
fn no_text_takes_more_than_its_length() {
    let pieces = [
        "always ",
        "never, ",
        "from now on ",
        "don't stop ",
        "'",
        "\"a",
        "`",
        "(",
        "- never x\n",
        "you must ",
        "and ",
        "it is ",
        "-",
        ".",
        "/",
        "@@a",
        "no ",
        "avoid x ",
        "rule: x ",
        "each time x ",
        "add a rule: ",
        "as a rule, ",
        "_-",
        "никогда не пуш. ",
        "Push nie auf main, und immer. ",
        "绝不提交，",
        "絶対に、",
        "translate this:\n",
        "    never do it\n\n",
        "hint: never\n",
        "i like x, ",
    ];
    for piece in pieces {
        let time = |length: usize| {
            let text = piece.repeat(length / piece.len());
            let best = (0..3).map(|_| {
                let start = Instant::now();
                std::hint::black_box(detect(&text));
                start.elapsed()
            });
            best.min().unwrap()
        };
        let (short, long) = (time(4_000), time(40_000));
        assert!(
            long < short * 40 + Duration::from_millis(20),
            "{piece:?}: {short:?}, ten times as long: {long:?}"
        );
    }
}
