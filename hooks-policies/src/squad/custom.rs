//! Custom hooks, which run after the built-in ones.
//!
//! Squad's hooks may be asynchronous, but they are awaited one after the other, so ordinary functions keep
//! the order.

use serde_json::{Map, Value, json};

use super::call::SquadCall;
use super::javascript::JsError;

/// Hook before a tool runs.
///
/// It may change the call in place. Hooks after it see the change, and so does the caller of the pipeline,
/// unless an earlier hook replaced the arguments. Functions that take a call and return a result are hooks.
pub trait CustomPreHook: Send + Sync {
    /// Judges a call.
    ///
    /// # Errors
    /// Returns the error of the hook, which ends the run: no other hook runs.
    fn call(&self, call: &mut SquadCall<'_>) -> Result<PreResult, JsError>;
}

/// Hook after a tool has run.
///
/// It may change the arguments in place; other changes of the call are lost. If it returns no result, the
/// earlier result is lost. Functions that take a call and a result are hooks.
pub trait CustomPostHook: Send + Sync {
    /// Processes a result, which is `None` if an earlier hook left it out.
    ///
    /// # Errors
    /// Returns the error of the hook, which ends the run: no other hook runs.
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

/// Return value of a pre hook, as JSON, because any value has an effect.
///
/// `action` `block` ends the run. `modify` with truthy `modifiedArguments` replaces the arguments for the
/// hooks that follow. Null fails the run. Everything else, also an unknown action, is an allow.
#[derive(Clone, Debug, PartialEq)]
pub struct PreResult(pub Value);

impl PreResult {
    /// Allows the call.
    #[must_use]
    pub fn allow() -> Self {
        Self(json!({"action": "allow"}))
    }

    /// Blocks the call.
    #[must_use]
    pub fn block(reason: &str) -> Self {
        Self(json!({"action": "block", "reason": reason}))
    }

    /// Replaces the arguments for the hooks that follow; the caller of the pipeline never gets them.
    ///
    /// A change of the arguments reaches the hooks that follow, but not the caller of the pipeline:
    ///
    /// ```
    /// use hooks_policies::squad::{JsError, PreResult, SquadCall, SquadPipeline};
    /// use serde_json::json;
    ///
    /// let mut pipeline = SquadPipeline::new(None)?;
    /// pipeline.add_pre_hook(|_: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
    ///     Ok(PreResult::modify(json!({"path": "b.rs"})))
    /// });
    /// pipeline.add_pre_hook(|call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
    ///     Ok(if call.arguments["path"] == "b.rs" { PreResult::block("b") } else { PreResult::allow() })
    /// });
    /// let arguments = json!({"path": "a.rs"});
    /// let mut call = SquadCall::new("edit", &arguments, "Backend", "session-1");
    /// assert_eq!(pipeline.pre(&mut call)?.reason(), Some("b"));
    /// assert_eq!(call.arguments["path"], "a.rs");
    /// # Ok::<(), JsError>(())
    /// ```
    #[must_use]
    pub fn modify(arguments: Value) -> Self {
        let mut fields = Map::new();
        fields.insert("action".to_owned(), "modify".into());
        fields.insert("modifiedArguments".to_owned(), arguments);
        Self(Value::Object(fields))
    }
}
