//! Configuration of sequence rules: plain data.

use std::time::Duration;

use hooks_facts::calls::CallPatternsConfig;
use serde::{Deserialize, Serialize};

/// A rule about the order of calls in a session and its subagents. It has one of three forms: `never` with `after`,
/// `calls` with `at_most`, or `taint`.
///
/// ```
/// use hooks_team_rules::sequences::{SequenceAction, SequenceRuleConfig};
/// use serde_json::json;
///
/// let rule: SequenceRuleConfig = serde_json::from_value(json!({
///     "name": "tested-pushes",
///     "never": {"commands": ["git push"]},
///     "after": {"tools": ["edit", "write"]},
///     "unless": {"commands": ["cargo test"], "failed": false},
/// }))?;
/// assert_eq!(rule.action, SequenceAction::Deny);
/// let misspelt = serde_json::from_value::<SequenceRuleConfig>(json!({"name": "a", "at_least": 3}));
/// assert!(misspelt.expect_err("an unknown field").to_string().starts_with("unknown field `at_least`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SequenceRuleConfig {
    /// Name of the rule in reasons.
    pub name: String,
    /// Judgement on the call that the rule is about.
    pub action: SequenceAction,
    /// Reason that the model and the user read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Calls that may not run after a call that matches `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never: Option<CallPatternsConfig>,
    /// Calls after which `never` applies. With `failed`, they count when their result is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<CallPatternsConfig>,
    /// Calls that lift the rule until the next call that matches `after`. They have to start after it, run nothing else, and
    /// have a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unless: Option<CallPatternsConfig>,
    /// Calls that are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<CallPatternsConfig>,
    /// Number of calls that may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// Time for which a call counts; for the whole session if missing.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(with = "hooks_core::duration::option", skip_serializing_if = "Option::is_none")]
    pub within: Option<Duration>,
    /// Results that must not reach the arguments of other calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taint: Option<TaintConfig>,
}

/// Judgement of a sequence rule.
///
/// ```
/// use std::time::Duration;
/// use hooks_team_rules::sequences::{SequenceAction, SequenceRuleConfig};
/// use serde_json::json;
///
/// let rule: SequenceRuleConfig = serde_json::from_value(json!({
///     "name": "few-pushes", "action": "ask", "calls": {"commands": ["git push"]}, "at_most": 3, "within": "1h",
/// }))?;
/// assert_eq!(rule.action, SequenceAction::Ask);
/// assert_eq!(rule.within, Some(Duration::from_secs(3_600)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SequenceAction {
    /// Deny the call.
    #[default]
    Deny,
    /// Ask the user.
    Ask,
}

/// Results that must not reach the arguments of other calls.
///
/// ```
/// use hooks_team_rules::sequences::{TaintConfig, TaintEvidence};
/// use serde_json::json;
///
/// let taint: TaintConfig = serde_json::from_value(json!({
///     "from": {"reads": ["secrets/**"]}, "to": {"tools": ["web_fetch"]}, "by": "content",
/// }))?;
/// assert_eq!(taint.by, TaintEvidence::Content);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TaintConfig {
    /// Calls whose results are protected.
    pub from: CallPatternsConfig,
    /// Calls that must not get them.
    pub to: CallPatternsConfig,
    /// Evidence that a call got a result.
    pub by: TaintEvidence,
}

/// Evidence that a call got a protected result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaintEvidence {
    /// An earlier call of the session matches `from`.
    #[default]
    Session,
    /// An argument holds a piece of the result, also in base64, hex or URL encoding.
    Content,
}
