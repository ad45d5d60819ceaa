//! Configuration of a pipeline, in the JSON that Squad's pipeline reads.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::javascript::JsError;

/// Policies of a pipeline, as given: nothing is checked here, because Squad checks nothing.
///
/// A field of the wrong type is not an error but is converted as in JavaScript: `"3"` is a limit of three,
/// `"no"` switches a policy on, a null list means no list. If JavaScript fails, the pipeline fails at the
/// same time: at construction or at the call. Values that JSON cannot express (`undefined` in a list,
/// functions, an infinite limit) cannot be configured. If a field is given twice, the last value counts.
///
/// ```
/// use hooks_policies::squad::{SquadCall, SquadPipeline, SquadPolicy};
/// use serde_json::{Value, json};
///
/// // `"1"` is a limit of one question.
/// let policy: SquadPolicy = serde_json::from_value(json!({"maxAskUserPerSession": "1"}))?;
/// let pipeline = SquadPipeline::new(Some(&policy))?;
/// let arguments = Value::Null;
/// let mut question = SquadCall::new("ask_user", &arguments, "Backend", "session-1");
/// assert!(pipeline.pre(&mut question)?.is_allow());
/// assert_eq!(
///     pipeline.pre(&mut question)?.into_json()["reason"],
///     "ask_user rate limit exceeded: 1/1 calls used for this session. \
///      The agent should proceed without user input.",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct SquadPolicy {
    /// `allowedWritePaths`: patterns, one of which a written path must match. Missing or empty: no guard.
    pub allowed_write_paths: Option<Value>,
    /// `blockedCommands`: texts that no command may contain. Missing: four defaults. Empty: no text.
    pub blocked_commands: Option<Value>,
    /// `maxAskUserPerSession`: number of questions in a session. Missing or not above zero: no limit.
    pub max_ask_user_per_session: Option<Value>,
    /// `scrubPii`: whether addresses are removed from results.
    pub scrub_pii: Option<Value>,
    /// `reviewerLockout`: whether the lockout registry is enforced.
    pub reviewer_lockout: Option<Value>,
    /// Fields that no policy reads, among them `maxAskUser` of the configuration builder.
    pub other: Map<String, Value>,
}

const ALLOWED_WRITE_PATHS: &str = "allowedWritePaths";
const BLOCKED_COMMANDS: &str = "blockedCommands";
const MAX_ASK_USER_PER_SESSION: &str = "maxAskUserPerSession";
const SCRUB_PII: &str = "scrubPii";
const REVIEWER_LOCKOUT: &str = "reviewerLockout";

/// Null is an error; any other value that is not an object is a policy without fields.
impl TryFrom<Value> for SquadPolicy {
    type Error = JsError;

    fn try_from(value: Value) -> Result<Self, JsError> {
        let mut other = match value {
            Value::Null => return Err(JsError::unreadable("null", ALLOWED_WRITE_PATHS)),
            Value::Object(fields) => fields,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
        };
        Ok(Self {
            allowed_write_paths: other.shift_remove(ALLOWED_WRITE_PATHS),
            blocked_commands: other.shift_remove(BLOCKED_COMMANDS),
            max_ask_user_per_session: other.shift_remove(MAX_ASK_USER_PER_SESSION),
            scrub_pii: other.shift_remove(SCRUB_PII),
            reviewer_lockout: other.shift_remove(REVIEWER_LOCKOUT),
            other,
        })
    }
}

impl From<SquadPolicy> for Value {
    fn from(policy: SquadPolicy) -> Self {
        let mut fields = Map::new();
        let known = [
            (ALLOWED_WRITE_PATHS, policy.allowed_write_paths),
            (BLOCKED_COMMANDS, policy.blocked_commands),
            (MAX_ASK_USER_PER_SESSION, policy.max_ask_user_per_session),
            (SCRUB_PII, policy.scrub_pii),
            (REVIEWER_LOCKOUT, policy.reviewer_lockout),
        ];
        for (name, value) in known {
            if let Some(value) = value {
                fields.insert(name.to_owned(), value);
            }
        }
        fields.extend(policy.other);
        Self::Object(fields)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_and_unknown_fields_are_kept() {
        let given = json!({"allowedWritePaths": null, "scrubPii": 1, "maxAskUser": 3});
        let policy: SquadPolicy = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(policy.allowed_write_paths, Some(Value::Null));
        assert_eq!(policy.blocked_commands, None);
        assert_eq!(policy.other.len(), 1);
        assert_eq!(serde_json::to_value(policy).unwrap(), given);
    }

    #[test]
    fn only_null_cannot_be_read() {
        for value in [json!([]), json!("x"), json!(5), json!(true)] {
            assert_eq!(SquadPolicy::try_from(value).unwrap(), SquadPolicy::default());
        }
        let error = serde_json::from_value::<SquadPolicy>(Value::Null).unwrap_err();
        assert!(error.to_string().contains("reading 'allowedWritePaths'"), "{error}");
    }
}
