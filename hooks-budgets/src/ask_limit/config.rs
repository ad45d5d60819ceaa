//! Configuration of the limit on questions: plain data.

use serde::{Deserialize, Serialize};

/// Limit on questions to the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskUserConfig {
    /// Questions per session; with 0, no question is allowed.
    pub max_per_session: u64,
    /// Questions that are counted.
    #[serde(default)]
    pub counts: AskCounting,
    /// Sessions whose questions are counted together.
    #[serde(default)]
    pub of: AskLevel,
}

/// Sessions whose questions to the user are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskLevel {
    /// Questions of all agents of a session; a child session has its own counter.
    #[default]
    Session,
    /// Questions of a session and of all sessions below it.
    Tree,
}

/// Questions to the user that are counted.
///
/// With `attempted`, a question that another hook denies counts too:
///
/// ```
/// use hooks_budgets::{AskCounting, AskUserConfig, BudgetsSettings};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Hooks, Judged, Reason, Verdict, policy_fn};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// for (counts, goes_ahead) in [(AskCounting::Asked, true), (AskCounting::Attempted, false)] {
///     let polite = policy_fn("polite", |request: &HookRequest<PreToolUse>| match &request.event().tool_args["q"] {
///         q if q == "now!" => Verdict::deny(Reason::new("polite", "tone", "ask politely")),
///         _ => Verdict::NO_OPINION,
///     });
///     let ask_user = Some(AskUserConfig { max_per_session: 1, counts, ..AskUserConfig::default() });
///     let config = BudgetsSettings { ask_user, ..BudgetsSettings::default() };
///     let hooks = Hooks::builder().policy(polite).config(config)?.build();
///     let context = HookContext::new("session-1", "lead");
///     let rude = PreToolUse::new("ask_user", json!({"q": "now!"}));
///     assert!(hooks.on(context.clone()).pre_tool_use(rude).await.outcome.is_denied());
///     let question = PreToolUse::new("ask_user", json!({"q": "which port?"}));
///     assert_eq!(hooks.on(context).pre_tool_use(question).await.outcome.goes_ahead(), goes_ahead);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskCounting {
    /// Questions that are asked.
    #[default]
    Asked,
    /// Also questions that another hook denies, as Squad counts them.
    Attempted,
}
