//! Events of a tool call: before it, at the decision, after it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::verdict::{Reason, Strength};

/// A tool is about to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PreToolUse {
    /// Name of the tool, as the client has it.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Arguments of the call.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// Id of the call, given by the client.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// Kind of tool, as the client classifies it.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the tool changes nothing, according to the client.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
}

impl PreToolUse {
    /// A call of `tool` with `args`.
    pub fn new(tool: impl Into<String>, args: Value) -> Self {
        Self { tool_name: tool.into(), tool_args: args, ..Self::default() }
    }

    pub(super) fn rewrite(&mut self, args: Value) {
        self.tool_args = args;
    }
}

/// The user is about to be asked for permission for a tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Name of the tool.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Arguments that the tool would run with.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// Id of the call, given by the client.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// Kind of tool, as the client classifies it.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the tool changes nothing, according to the client.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
}

impl PermissionRequest {
    /// The question about `call`.
    ///
    /// ```
    /// use hooks_core::event::{PermissionRequest, PreToolUse};
    ///
    /// let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
    /// assert_eq!(PermissionRequest::about(&call).tool_args, call.tool_args);
    /// ```
    pub fn about(call: &PreToolUse) -> Self {
        let PreToolUse { tool_name, tool_args, tool_use_id, category, read_only } = call.clone();
        Self { tool_name, tool_args, tool_use_id, category, read_only }
    }
}

/// A tool call was decided; the tool did not run yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolDecided {
    /// Name of the tool.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Arguments that the tool will run with.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// Id of the call, given by the client.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// Kind of tool, as the client classifies it.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the tool changes nothing, according to the client.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
    /// Allow if the tool runs, otherwise deny.
    pub verdict: Strength,
    /// Source of the decision.
    pub source: VerdictSource,
    /// All reasons of the hooks.
    #[serde(default)]
    pub reasons: Vec<Reason>,
}

impl ToolDecided {
    /// The verdict about `call`.
    pub fn about(call: &PreToolUse, verdict: Strength, source: VerdictSource, reasons: &[Reason]) -> Self {
        let PreToolUse { tool_name, tool_args, tool_use_id, category, read_only } = call.clone();
        Self {
            tool_name,
            tool_args,
            tool_use_id,
            category,
            read_only,
            verdict,
            source,
            reasons: reasons.to_vec(),
        }
    }
}

/// Source of the decision about a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VerdictSource {
    /// No hook had an opinion; the default of the host applies.
    #[default]
    Settled,
    /// A policy or a deciding hook.
    Hooks,
    /// A hook on `permission_request` answered in place of the user.
    PermissionHook,
    /// The user, or the service that the host uses in place of the user.
    Approver,
    /// The user had to be asked, but no answer was available.
    Unanswered,
    /// A budget or limit.
    Reservation,
    /// The call was dropped before it was decided.
    Canceled,
}

/// A tool ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PostToolUse {
    /// Name of the tool.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Arguments that the tool ran with.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// Id of the call, given by the client.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// Kind of tool, as the client classifies it.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the tool changes nothing, according to the client.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
    /// Result of the tool; null if it failed without a result.
    #[serde(default, alias = "toolResult")]
    pub tool_result: Value,
    /// Error message, if the tool failed.
    #[serde(default)]
    pub error: Option<String>,
    /// Duration of the call in milliseconds.
    #[serde(default, alias = "durationMs")]
    pub duration_ms: u64,
    /// Number of findings that hooks removed from the result and the error, by label, such as `EMAIL`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redacted: BTreeMap<String, u64>,
}

impl PostToolUse {
    /// The event for the result of `call`.
    pub fn after(call: &PreToolUse, result: Value, error: Option<String>, duration_ms: u64) -> Self {
        let PreToolUse { tool_name, tool_args, tool_use_id, category, read_only } = call.clone();
        Self {
            tool_name,
            tool_args,
            tool_use_id,
            category,
            read_only,
            tool_result: result,
            error,
            duration_ms,
            redacted: BTreeMap::new(),
        }
    }

    pub(super) fn rewrite(&mut self, rewrite: ResultRewrite) {
        for (label, count) in rewrite.redacted {
            *self.redacted.entry(label).or_default() += count;
        }
        if let Some(result) = rewrite.result {
            self.tool_result = result;
        }
        // A hook cannot change whether the tool failed: it can only replace the text of an existing error.
        if let (Some(error), Some(text)) = (&mut self.error, rewrite.error) {
            *error = text;
        }
    }
}

/// Change of a tool result. It cannot change whether the tool failed.
///
/// ```
/// use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite};
/// use hooks_core::{HookContext, HookRequest};
/// use serde_json::json;
///
/// let call = PreToolUse::new("fetch", json!({}));
/// let mut request = HookRequest::new(HookContext::default(), PostToolUse::after(&call, json!("text"), None, 12));
/// request.rewrite(ResultRewrite { error: Some("failed".to_owned()), ..ResultRewrite::from(json!("…")) });
/// assert_eq!(request.event().tool_result, "…");
/// assert_eq!(request.event().error, None); // the tool did not fail
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultRewrite {
    /// Another result.
    pub result: Option<Value>,
    /// Another error message. It is ignored if the tool did not fail.
    pub error: Option<String>,
    /// Number of findings that were removed, by label; added to those of the event.
    pub redacted: BTreeMap<String, u64>,
}

impl From<Value> for ResultRewrite {
    /// Another result; an error message stays.
    fn from(result: Value) -> Self {
        Self { result: Some(result), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rewrite_changes_what_it_names_and_never_whether_the_tool_failed() {
        let call = PreToolUse::new("fetch", json!({}));
        let rewritten = |error: Option<&str>, rewrite| {
            let mut event = PostToolUse::after(&call, json!("old"), error.map(str::to_owned), 1);
            event.rewrite(rewrite);
            (event.tool_result, event.error)
        };
        let error = || ResultRewrite { error: Some("new".to_owned()), ..ResultRewrite::default() };
        assert_eq!(rewritten(Some("old"), error()), (json!("old"), Some("new".to_owned())));
        assert_eq!(rewritten(None, error()), (json!("old"), None));
        assert_eq!(rewritten(Some("old"), json!("new").into()), (json!("new"), Some("old".to_owned())));
    }
}
