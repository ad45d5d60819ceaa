//! Hooks of the user's own, which run after the built-in ones.
//!
//! Squad's hooks may be asynchronous; they are awaited one after the other, so ordinary functions keep the
//! order.

use serde_json::{Map, Value, json};

use super::call::SquadCall;
use super::javascript::JsError;

/// A hook before a tool runs.
///
/// It may change the call in place; hooks after it see that, and so does the caller of the pipeline,
/// unless an earlier hook replaced the arguments. Functions that take a call and return a result are
/// hooks.
pub trait CustomPreHook: Send + Sync {
    /// Looks at a call.
    ///
    /// # Errors
    /// Whatever the hook raises: the run ends with it, and no other hook runs.
    fn call(&self, call: &mut SquadCall<'_>) -> Result<PreResult, JsError>;
}

/// A hook after a tool has run.
///
/// It may change the arguments in place. Other changes of the call are lost, as is what came before when it
/// answers without a result. Functions that take a call and a result are hooks.
pub trait CustomPostHook: Send + Sync {
    /// Looks at a result, which is `None` where an earlier hook left it out.
    ///
    /// # Errors
    /// Whatever the hook raises: the run ends with it, and no other hook runs.
    fn call(&self, call: &mut SquadCall<'_>, result: Option<Value>) -> Result<Option<Value>, JsError>;
}

impl<F> CustomPreHook for F
where
    F: Fn(&mut SquadCall<'_>) -> Result<PreResult, JsError> + Send + Sync,
{
    fn call(&self, call: &mut SquadCall<'_>) -> Result<PreResult, JsError> {
        self(call)
    }
}

impl<F> CustomPostHook for F
where
    F: Fn(&mut SquadCall<'_>, Option<Value>) -> Result<Option<Value>, JsError> + Send + Sync,
{
    fn call(&self, call: &mut SquadCall<'_>, result: Option<Value>) -> Result<Option<Value>, JsError> {
        self(call, result)
    }
}

/// What a pre hook returned, in the shape of JSON, because any shape has an effect.
///
/// `action` `block` ends the run. `modify` with true `modifiedArguments` replaces the arguments for the
/// hooks that follow. Null fails the run. Everything else, also an action nobody knows, is an allow.
#[derive(Clone, Debug, PartialEq)]
pub struct PreResult(pub Value);

impl PreResult {
    /// No objection.
    #[must_use]
    pub fn allow() -> Self {
        Self(json!({"action": "allow"}))
    }

    /// The tool must not run.
    #[must_use]
    pub fn block(reason: &str) -> Self {
        Self(json!({"action": "block", "reason": reason}))
    }

    /// Other arguments for the hooks that follow; the caller of the pipeline never gets them.
    #[must_use]
    pub fn modify(arguments: Value) -> Self {
        let mut fields = Map::new();
        fields.insert("action".to_owned(), "modify".into());
        fields.insert("modifiedArguments".to_owned(), arguments);
        Self(Value::Object(fields))
    }
}
