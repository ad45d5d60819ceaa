//! Counts how often a session asked the user, and blocks when its limit is reached.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::javascript::{JsError, is_above_zero, to_number, to_text};

/// One counter a session, shared by its agents.
///
/// As in Squad a counter is never reset or freed. Each session that asks costs its id and about 50 bytes
/// for the life of the pipeline, so a process that serves sessions without end should renew its pipeline.
#[derive(Debug)]
pub(super) struct AskLimit {
    limit: f64,
    text: String,
    given: Value,
    counts: Mutex<HashMap<String, u64>>,
}

impl AskLimit {
    /// The limit that a policy's field asks for.
    ///
    /// # Errors
    /// The field cannot be compared with a number.
    pub(super) fn from_policy(field: Option<&Value>) -> Result<Option<Self>, JsError> {
        match field {
            Some(given) if is_above_zero(given)? => Ok(Some(Self {
                limit: to_number(given)?,
                text: to_text(given)?,
                given: given.clone(),
                counts: Mutex::default(),
            })),
            _ => Ok(None),
        }
    }

    /// Counts a call, or says how many were counted when there is no place left.
    pub(super) fn count(&self, session: &str) -> Result<(), u64> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(session).copied().unwrap_or(0);
        // JavaScript counts in doubles as well.
        if count as f64 >= self.limit {
            return Err(count);
        }
        match counts.get_mut(session) {
            Some(count) => *count += 1,
            None => {
                counts.insert(session.to_owned(), 1);
            }
        }
        Ok(())
    }

    pub(super) fn reason(&self, count: u64) -> String {
        let limit = &self.text;
        format!(
            "ask_user rate limit exceeded: {count}/{limit} calls used for this session. \
             The agent should proceed without user input."
        )
    }

    /// The limit as it was given.
    pub(super) fn given(&self) -> &Value {
        &self.given
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_has_a_counter_of_its_own() {
        let limit = AskLimit::from_policy(Some(&json!(1.5))).unwrap().unwrap();
        assert_eq!((limit.count("a"), limit.count("a"), limit.count("a")), (Ok(()), Ok(()), Err(2)));
        assert_eq!(limit.count("a"), Err(2));
        assert_eq!(limit.count("b"), Ok(()));
        assert!(limit.reason(2).starts_with("ask_user rate limit exceeded: 2/1.5 calls"));
    }

    #[test]
    fn what_compares_above_zero_is_a_limit() {
        for (field, text) in [(json!("0x2"), "0x2"), (json!(true), "true"), (json!([3]), "3")] {
            assert_eq!(AskLimit::from_policy(Some(&field)).unwrap().unwrap().text, text);
        }
        for field in [json!(0), json!(-1), json!(null), json!("x"), json!([1, 2]), json!({})] {
            assert!(AskLimit::from_policy(Some(&field)).unwrap().is_none(), "{field}");
        }
        assert!(AskLimit::from_policy(Some(&json!({"toString": 1}))).is_err());
    }
}
