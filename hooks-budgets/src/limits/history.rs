//! History of an agent's latest calls, and detection of repeated rounds.

use std::fmt::Write as _;

use hooks_core::state::OpId;
use serde_json::Value;

/// Hashes of a call, without and with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    call: u64,
    done: u64,
}

/// The latest calls of an agent, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History(Vec<Step>);

/// Repeated round: the number of calls in it and the number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Circle {
    pub(super) calls: usize,
    pub(super) rounds: usize,
}

impl Step {
    /// Creates the step of a call that returned a result.
    pub(super) fn new(tool: &str, args: &Value, result: &Value, error: Option<&str>) -> Self {
        let call = call(tool, args);
        let parts = [&*format!("{call:x}"), &canonical(result), error.unwrap_or_default()];
        Self { call, done: folded(OpId::from_parts(&parts)) }
    }
}

impl History {
    /// Parses a stored history. Steps that cannot be parsed are skipped.
    pub(super) fn read(text: &str) -> Self {
        let step = |text: &str| {
            let (call, done) = text.split_once('.')?;
            Some(Step {
                call: u64::from_str_radix(call, 16).ok()?,
                done: u64::from_str_radix(done, 16).ok()?,
            })
        };
        Self(text.split(' ').filter_map(step).collect())
    }

    pub(super) fn write(&self) -> String {
        let mut text = String::new();
        for Step { call, done } in &self.0 {
            let separator = if text.is_empty() { "" } else { " " };
            // Writing to a `String` cannot fail.
            let _written = write!(text, "{separator}{call:x}.{done:x}");
        }
        text
    }

    /// Adds a step and removes all but the last `most`.
    pub(super) fn push(&mut self, step: Step, most: usize) {
        self.0.push(step);
        let over = self.0.len().saturating_sub(most);
        self.0.drain(..over);
    }

    /// Returns the shortest round that a call of `tool` would start again, after `rounds` rounds of at most
    /// `longest` calls.
    pub(super) fn circle(&self, tool: &str, args: &Value, rounds: usize, longest: usize) -> Option<Circle> {
        let next = call(tool, args);
        (1..=longest).find_map(|calls| {
            let first = self.0.len().checked_sub(calls.checked_mul(rounds)?)?;
            let last = self.0.get(first..)?;
            let begins = last.first()?.call == next;
            let goes_round = last.iter().zip(last.iter().skip(calls)).all(|(one, other)| one == other);
            (begins && goes_round).then_some(Circle { calls, rounds })
        })
    }
}

fn call(tool: &str, args: &Value) -> u64 {
    folded(OpId::from_parts(&[tool, &canonical(args)]))
}

/// Folds an id to 64 bits, which are enough to keep calls apart.
fn folded(id: OpId) -> u64 {
    let [high, low] = [id.0 >> 64, id.0 & u128::from(u64::MAX)];
    u64::try_from(high ^ low).unwrap_or_default()
}

/// Formats a value independently of the order of its keys. Walks values of any depth without recursion.
fn canonical(value: &Value) -> String {
    enum Part<'v> {
        Value(&'v Value),
        Key(&'v str),
        Close,
    }
    let (mut text, mut open) = (String::new(), vec![Part::Value(value)]);
    while let Some(part) = open.pop() {
        match part {
            Part::Close => text.push(')'),
            Part::Key(key) => {
                // The length separates the key from the text around it.
                let _written = write!(text, "{}:{key}=", key.len());
            }
            Part::Value(Value::Array(items)) => {
                text.push('[');
                open.push(Part::Close);
                open.extend(items.iter().rev().map(Part::Value));
            }
            Part::Value(Value::Object(fields)) => {
                text.push('{');
                open.push(Part::Close);
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
                for (key, value) in fields {
                    open.push(Part::Value(value));
                    open.push(Part::Key(key));
                }
            }
            Part::Value(Value::String(string)) => {
                let _written = write!(text, "{}:{string},", string.len());
            }
            Part::Value(plain) => {
                let _written = write!(text, "{plain},");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn history(steps: &str) -> History {
        let mut history = History::default();
        for step in steps.chars() {
            // A capital letter is the same call with another result.
            let tool = step.to_ascii_lowercase().to_string();
            history.push(Step::new(&tool, &json!({}), &json!(step.to_string()), None), 100);
        }
        history
    }

    #[test]
    fn circles_are_found_and_nothing_else_is() {
        for (steps, next, calls) in [
            ("aaa", 'a', Some(1)),
            ("xaaa", 'a', Some(1)),
            ("aaa", 'b', None),
            ("aa", 'a', None),
            ("aAa", 'a', None),
            ("ababab", 'a', Some(2)),
            ("ababab", 'b', None),
            ("babababa", 'b', Some(2)),
            ("ababaB", 'a', None),
            ("abcdabcdabcd", 'a', Some(4)),
            ("abcdeabcdeabcde", 'a', None),
            ("", 'a', None),
        ] {
            let found = history(steps).circle(&next.to_string(), &json!({}), 3, 4);
            assert_eq!(found.map(|circle| circle.calls), calls, "{steps} {next}");
        }
    }

    #[test]
    fn the_order_of_arguments_makes_no_difference_and_their_kind_does() {
        assert_eq!(call("t", &json!({"a": 1, "b": [2]})), call("t", &json!({"b": [2], "a": 1})));
        let others = [
            json!({"a": "1"}),
            json!({"a": 1}),
            json!(["a", 1]),
            json!({"a": [1]}),
            json!("a1"),
            json!(null),
        ];
        let calls: std::collections::BTreeSet<_> = others.iter().map(|args| call("t", args)).collect();
        assert_eq!(calls.len(), others.len());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(steps in "[a-dA-D]{0,40}") {
            let history = history(&steps);
            prop_assert_eq!(History::read(&history.write()), history);
        }

        #[test]
        fn no_text_is_too_odd(text in ".{0,80}", rounds in 0usize..5, longest in 0usize..5) {
            let _no_panic = History::read(&text).circle("t", &json!({}), rounds, longest);
        }
    }
}
