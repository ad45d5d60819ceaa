//! Answers of the cache to calls whose results are not recorded yet.

use std::collections::VecDeque;

use hooks_core::cache::CacheAnswer;

use super::key::Key;

/// Limit on calls whose answer is noted at one time; the oldest goes first.
const MOST: usize = 1_024;

/// Answers to calls, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Told(VecDeque<Call>);

#[derive(Debug)]
struct Call {
    key: Key,
    /// The client's id of the call.
    id: Option<String>,
    answer: CacheAnswer,
}

impl Told {
    /// Notes how a call was answered.
    pub(super) fn note(&mut self, key: Key, id: Option<&str>, answer: CacheAnswer) {
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back(Call { key, id: id.map(str::to_owned), answer });
    }

    /// Removes and returns the answer to a call. If several calls have the same key and id, the oldest
    /// counts.
    pub(super) fn take(&mut self, key: Key, id: Option<&str>) -> Option<CacheAnswer> {
        let at = self.0.iter().position(|call| call.key == key && call.id.as_deref() == id)?;
        self.0.remove(at).map(|call| call.answer)
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::HookContext;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nobody_asks_about_makes_room() {
        let key = |number: usize| {
            Key::for_call(&HookContext::new("s", "a"), "search", &json!({ "query": number })).unwrap()
        };
        let mut told = Told::default();
        for number in 0..2 * MOST {
            told.note(key(number), None, CacheAnswer::Miss);
        }
        assert_eq!(told.0.len(), MOST);
        assert_eq!(told.take(key(0), None), None);
        assert_eq!(told.take(key(2 * MOST - 1), None), Some(CacheAnswer::Miss));
    }
}
