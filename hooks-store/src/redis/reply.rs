//! Replies of the scripts.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Charged, Key, Member, OpId, StepResult};
use hooks_core::time::Timestamp;
use redis::Value;

use super::window;

/// A reply of a script.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// The answer, and the store's time if the answer includes it.
    Step(StepResult, Option<Timestamp>),
    /// The store is not the one that the client knows: nothing was done.
    Epoch,
    /// The store was emptied and grants nothing for this time: nothing was done.
    Settling(Duration),
    /// Reservations of lost holders have to be expired first: nothing was done.
    Due,
}

impl Reply {
    /// Reads a reply; `None` if no script of this version sends such a reply.
    pub(super) fn read(value: Value) -> Option<Self> {
        let Value::Array(values) = value else { return None };
        let mut values = Values(values.into_iter());
        let answer = match values.text()?.as_str() {
            "done" => return Some(Self::Step(StepResult::Done, values.number().map(Timestamp))),
            "granted" => {
                let granted = values.number()?;
                return Some(Self::Step(StepResult::Granted(granted), values.number().map(Timestamp)));
            }
            "epoch" => return Some(Self::Epoch),
            "due" => return Some(Self::Due),
            "settling" => return Some(Self::Settling(Duration::from_millis(values.number()?))),
            "ended" => StepResult::Ended { actual: values.number()? },
            "refused" => {
                let scope = usize::try_from(values.number()?).ok()?;
                StepResult::Refused { scope, used: values.number()?, limit: values.number()? }
            }
            "unknown" => StepResult::Unknown,
            "used" => StepResult::Used { used: values.number()?, held: values.number()? },
            "wait" => StepResult::Wait(Duration::from_micros(values.number()?)),
            "written" => StepResult::Written(values.number()?),
            "conflict" => StepResult::Conflict(values.number()?),
            "value" if values.is_empty() => StepResult::Value(None),
            "value" => StepResult::Value(Some(values.value()?)),
            "present" => StepResult::Present(values.member()?),
            "members" => {
                let now = Timestamp(values.number()?);
                StepResult::Members { members: values.rest(Values::member)?.into(), now }
            }
            "changes" => {
                let revision = values.number()?;
                let mut keys = values.rest(|values| values.text().map(Key::from))?;
                keys.sort_unstable();
                keys.dedup();
                StepResult::Changes { keys, revision }
            }
            "counters" => {
                let mut counters = values.rest(Values::charged)?;
                counters.sort_unstable();
                StepResult::Counters(counters)
            }
            "now" => StepResult::Now(Timestamp(values.number()?)),
            _ => return None,
        };
        Some(Self::Step(answer, None))
    }
}

/// The values of a reply, from first to last.
struct Values(std::vec::IntoIter<Value>);

impl Values {
    fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    fn text(&mut self) -> Option<String> {
        match self.0.next()? {
            Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
            Value::SimpleString(text) => Some(text),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<u64> {
        match self.0.next()? {
            Value::Int(number) => u64::try_from(number).ok(),
            Value::BulkString(bytes) => std::str::from_utf8(&bytes).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// Reads a time; `-1` means no time.
    fn moment(&mut self) -> Option<Option<Timestamp>> {
        match self.0.next()? {
            Value::Int(-1) => Some(None),
            Value::Int(number) => u64::try_from(number).ok().map(|number| Some(Timestamp(number))),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<(Arc<str>, u64)> {
        Some((self.text()?.into(), self.number()?))
    }

    fn member(&mut self) -> Option<Member> {
        let id = u128::from_str_radix(&self.text()?, 16).ok()?;
        Some(Member {
            id: OpId(id),
            name: self.text()?.into(),
            note: self.text()?.into(),
            since: Timestamp(self.number()?),
            until: self.moment()?,
        })
    }

    fn charged(&mut self) -> Option<Charged> {
        Some(Charged {
            key: Key::from(self.text()?),
            window: window::from_text(&self.text()?)?,
            used: self.number()?,
            held: self.number()?,
        })
    }

    /// Reads all remaining values, one after the other.
    fn rest<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while !self.is_empty() {
            all.push(one(self)?);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    #[test]
    fn what_no_script_says_is_not_an_answer() {
        let replies = [
            Value::Nil,
            Value::Okay,
            bulk("done"),
            Value::Array(vec![]),
            Value::Array(vec![bulk("granted")]),
            Value::Array(vec![bulk("used"), Value::Int(-1), Value::Int(0)]),
            Value::Array(vec![bulk("members"), Value::Int(1), bulk("not an id")]),
            Value::Array(vec![bulk("counters"), bulk("key"), bulk("x"), Value::Int(1), Value::Int(1)]),
            Value::Array(vec![bulk("something else")]),
        ];
        for reply in replies {
            assert_eq!(Reply::read(reply.clone()), None, "{reply:?}");
        }
    }
}
