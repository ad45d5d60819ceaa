//! A tool is called: before, at the decision, after.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::verdict::{Reason, Strength};

/// A tool is about to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PreToolUse {
    /// The tool's name, as the client has it.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Its arguments.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// The client's id of the call.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// What kind of tool the client takes it for.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the client says that it changes nothing.
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

/// A person would be asked about a tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The tool's name.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Its arguments, as they would run.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// The client's id of the call.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// What kind of tool the client takes it for.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the client says that it changes nothing.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
}

impl PermissionRequest {
    /// The question about `call`.
    pub fn about(call: &PreToolUse) -> Self {
        let PreToolUse { tool_name, tool_args, tool_use_id, category, read_only } = call.clone();
        Self { tool_name, tool_args, tool_use_id, category, read_only }
    }
}

/// The verdict about a tool call is known; the tool did not run yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolDecided {
    /// The tool's name.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Its arguments, as they will run.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// The client's id of the call.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// What kind of tool the client takes it for.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the client says that it changes nothing.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
    /// Whether it runs: allow or deny.
    pub verdict: Strength,
    /// Who decided.
    pub source: VerdictSource,
    /// All reasons that were given.
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

/// Who decided about a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VerdictSource {
    /// Nobody had an opinion; what the host settled on stands.
    #[default]
    Settled,
    /// A policy or a deciding hook.
    Hooks,
    /// A hook on `permission_request` answered in place of a person.
    PermissionHook,
    /// A person, or whatever the host put in their place.
    Approver,
    /// There was a question and nobody to answer it.
    Unanswered,
    /// A budget or limit.
    Reservation,
    /// The call was dropped before there was a verdict.
    Canceled,
}

/// A tool ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PostToolUse {
    /// The tool's name.
    #[serde(alias = "toolName")]
    pub tool_name: String,
    /// Its arguments, as it ran.
    #[serde(default, alias = "toolArgs")]
    pub tool_args: Value,
    /// The client's id of the call.
    #[serde(default, alias = "toolUseId")]
    pub tool_use_id: Option<String>,
    /// What kind of tool the client takes it for.
    #[serde(default)]
    pub category: Option<String>,
    /// Whether the client says that it changes nothing.
    #[serde(default, alias = "readOnly")]
    pub read_only: Option<bool>,
    /// What it gave back; null where it failed without a result.
    #[serde(default, alias = "toolResult")]
    pub tool_result: Value,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(default, alias = "durationMs")]
    pub duration_ms: u64,
}

impl PostToolUse {
    /// What came of `call`.
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
        }
    }

    pub(super) fn rewrite(&mut self, rewrite: ResultRewrite) {
        if let Some(result) = rewrite.result {
            self.tool_result = result;
        }
        // Whether it failed is not for a hook to say: there must be an error to change.
        if let (Some(error), Some(text)) = (&mut self.error, rewrite.error) {
            *error = text;
        }
    }
}

/// What may be changed about what a tool gave back. Whether it failed stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultRewrite {
    /// Another result.
    pub result: Option<Value>,
    /// Another text of the error, where there is one.
    pub error: Option<String>,
}

impl From<Value> for ResultRewrite {
    /// Another result; the text of an error stays.
    fn from(result: Value) -> Self {
        Self { result: Some(result), error: None }
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
