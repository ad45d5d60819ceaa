//! Counts the questions of each session to the user, and blocks when the limit is reached.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::javascript::{JsError, is_above_zero, to_number, to_text};

/// One counter for each session, shared by its agents.
///
/// As in Squad, a counter is never reset. It is removed after its session has ended, when room is needed for
/// another session. If [`MOST`] sessions that have not ended are counted, the questions of other sessions are
/// blocked.
#[derive(Debug)]
pub(super) struct AskLimit {
    limit: f64,
    text: String,
    given: Value,
    counts: Mutex<Counts>,
}

/// Most sessions that are counted. Squad counts all of them forever.
pub(super) const MOST: usize = 65_536;

/// Questions by session.
#[derive(Debug, Default)]
struct Counts {
    of: HashMap<String, Counter>,
    /// Ended sessions in the order of their ends, each with the number of the end.
    ended: VecDeque<(u64, String)>,
    ends: u64,
}

#[derive(Debug, Default)]
struct Counter {
    count: u64,
    /// Number of the session's end, unless it has asked since then.
    ended: Option<u64>,
}

/// Reason why a question is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocked {
    /// The counter has reached this number.
    Counted(u64),
    /// Too many sessions are counted.
    Sessions,
}

impl Blocked {
    /// Returns the number of questions that were counted.
    pub(super) const fn count(self) -> u64 {
        match self {
            Self::Counted(count) => count,
            Self::Sessions => 0,
        }
    }
}

impl AskLimit {
    /// Creates the limit of a policy's field.
    ///
    /// # Errors
    /// Returns an error if the field cannot be compared with a number.
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

    /// Counts a call, or returns the reason why it is blocked.
    pub(super) fn count(&self, session: &str) -> Result<(), Blocked> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = counts.of.get_mut(session) {
            // The session goes on, although its end was reported.
            counter.ended = None;
            // JavaScript counts in doubles as well.
            if counter.count as f64 >= self.limit {
                return Err(Blocked::Counted(counter.count));
            }
            counter.count += 1;
            return Ok(());
        }
        while counts.of.len() >= MOST {
            let (end, ended) = counts.ended.pop_front().ok_or(Blocked::Sessions)?;
            if counts.of.get(&ended).is_some_and(|counter| counter.ended == Some(end)) {
                counts.of.remove(&ended);
            }
        }
        counts.of.insert(session.to_owned(), Counter { count: 1, ended: None });
        Ok(())
    }

    /// Ends a session: its counter may be removed when room is needed.
    pub(super) fn end_session(&self, session: &str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let Counts { of, ended, ends } = &mut *counts;
        let Some(counter) = of.get_mut(session).filter(|counter| counter.ended.is_none()) else { return };
        *ends += 1;
        counter.ended = Some(*ends);
        ended.push_back((*ends, session.to_owned()));
        // Ends of sessions that went on are not needed.
        if ended.len() > 2 * MOST {
            ended.retain(|(end, session)| of.get(session).is_some_and(|counter| counter.ended == Some(*end)));
        }
    }

    pub(super) fn reason(&self, blocked: Blocked) -> String {
        let limit = &self.text;
        let Blocked::Counted(count) = blocked else {
            return format!(
                "ask_user rate limit: {MOST} sessions that did not end are counted, and there is no room for another. \
                 The agent should proceed without user input."
            );
        };
        format!(
            "ask_user rate limit exceeded: {count}/{limit} calls used for this session. \
             The agent should proceed without user input."
        )
    }

    /// Returns the limit as it was given.
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
        let two = Blocked::Counted(2);
        assert_eq!((limit.count("a"), limit.count("a"), limit.count("a")), (Ok(()), Ok(()), Err(two)));
        assert_eq!(limit.count("a"), Err(two));
        assert_eq!(limit.count("b"), Ok(()));
        assert!(limit.reason(two).starts_with("ask_user rate limit exceeded: 2/1.5 calls"));
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

    #[test]
    fn no_more_sessions_are_counted_than_there_is_room_for_and_none_is_counted_anew() {
        let limit = AskLimit::from_policy(Some(&json!(1))).unwrap().unwrap();
        for session in 0..2 * MOST {
            let wanted = if session < MOST { Ok(()) } else { Err(Blocked::Sessions) };
            assert_eq!(limit.count(&session.to_string()), wanted);
        }
        assert_eq!(limit.count("0"), Err(Blocked::Counted(1)));
        for session in ["7", "8", "9", "9"] {
            limit.end_session(session);
        }
        assert_eq!(limit.count("7"), Err(Blocked::Counted(1)), "it goes on");
        assert_eq!(
            (limit.count("x"), limit.count("y"), limit.count("z")),
            (Ok(()), Ok(()), Err(Blocked::Sessions))
        );
        for _ in 0..5 * MOST {
            limit.end_session("x");
            assert_eq!(limit.count("x"), Err(Blocked::Counted(1)));
        }
        let counts = limit.counts.lock().unwrap();
        assert_eq!(counts.of.len(), MOST);
        assert!(counts.ended.len() <= 2 * MOST);
    }
}
