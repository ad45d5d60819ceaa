//! Configuration of a budget: plain data. Amounts are in US dollars and in tokens.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::window::LimitWindow;

/// Budget for calls of models. A budget without limits only counts, for its report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendBudgetConfig {
    /// Limits on spending. A call goes ahead only if all limits that apply to it have room.
    pub limits: Vec<SpendLimitConfig>,
    /// Prices of models.
    pub prices: Vec<ModelPriceConfig>,
    /// Assumed price of a model that is not listed. Without it, calls of such a model are denied if a limit
    /// on money applies.
    pub price_ceiling: Option<PriceCeilingConfig>,
    /// Roles of agents, for limits of roles: names of agents, by role.
    pub roles: BTreeMap<String, Vec<String>>,
    /// Cheaper models, by the model that each replaces after the threshold `cheaper` is reached.
    pub cheaper: BTreeMap<String, String>,
    /// Actions before a limit is reached.
    pub thresholds: SpendThresholdsConfig,
    /// Amounts that are reserved for a call until its real cost is known.
    pub hold: SpendHoldConfig,
    /// Place where the budget is enforced: in the hooks on model calls, or in a layer around the model.
    pub enforce: SpendEnforcement,
}

/// Limit on money, tokens or both.
///
/// A limit for the agents of a role; an agent without the role is not limited by it:
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::spend::{ReplyBound, CallSize, SpendBudget};
/// use hooks_core::{HookContext, state::Memory, time::StoppedClock};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = serde_json::json!({
///     "roles": {"interns": ["ash", "kane"]},
///     "limits": [{"of": "role", "named": ["interns"], "per": "day", "tokens": 100}],
/// });
/// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
/// let budget = SpendBudget::new(&serde_json::from_value(config)?, store)?;
/// let reserve = async |agent: &str| {
///     let context = Arc::new(HookContext::new("session-1", agent));
///     let size = CallSize::new(context, "large", 60).replying_at_most(Some(0));
///     budget.hold(&size, ReplyBound::Nothing).await
/// };
/// let _first = reserve("ash").await?;
/// assert_eq!(
///     reserve("Kane").await.expect_err("the role has 40 tokens left").to_string(),
///     "the budget of role `interns` on this day is used up: 60 tokens of 100 tokens are charged, \
///      and this needs 60 tokens more",
/// );
/// assert!(reserve("ripley").await.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpendLimitConfig {
    /// Level at which spending is counted; each agent, role, session or model has a counter of its own.
    pub of: SpendLevel,
    /// Names to which the limit applies, without regard to case; if missing, all.
    #[serde(default)]
    pub named: Vec<String>,
    /// Time at which the counter starts anew.
    pub per: LimitWindow,
    /// US dollars, to a millionth; with 0, nothing may be spent.
    #[serde(default)]
    pub usd: Option<f64>,
    /// Tokens, sent and received together; with 0, none may be used.
    #[serde(default)]
    pub tokens: Option<u64>,
}

/// Level at which spending is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpendLevel {
    /// All of a tenant together.
    Team,
    /// Each agent.
    Agent,
    /// The agents of a role together.
    Role,
    /// A session, with all sessions below it.
    Session,
    /// The calls of a model.
    Model,
}

/// Price of a model from a date on, in US dollars for a million tokens.
///
/// A price from a day on, and tokens that cost less because the provider has them in its cache:
///
/// ```
/// use hooks_budgets::spend::SpendBudgetConfig;
/// use serde_json::json;
///
/// let config: SpendBudgetConfig = serde_json::from_value(json!({"prices": [
///     {"model": "small-*", "input": 3, "output": 15},
///     {"model": "small-2", "from": "2026-01-31", "input": 2, "output": 10, "cached": 0.2},
/// ]}))?;
/// assert_eq!((config.prices[0].cached, config.prices[1].cached), (None, Some(0.2)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelPriceConfig {
    /// Name of the model; with a star at the end, a prefix.
    pub model: String,
    /// First day of the price, as `2026-01-31`, in UTC; if missing, it always applies.
    #[serde(default)]
    pub from: Option<String>,
    /// Price of tokens sent.
    pub input: f64,
    /// Price of tokens received.
    pub output: f64,
    /// Price of tokens sent that the provider had in its cache; if missing, as `input`.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Price of tokens received that were spent on reasoning; if missing, as `output`.
    #[serde(default)]
    pub reasoning: Option<f64>,
    /// Most tokens that the model returns in one answer.
    #[serde(default)]
    pub most_output_tokens: Option<u64>,
}

/// Assumed price of a model that is not listed, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PriceCeilingConfig {
    /// Price of tokens sent.
    pub input: f64,
    /// Price of tokens received.
    pub output: f64,
}

/// Actions before a limit is reached, each at a percentage of the limit. Reserved amounts count as spent. 100
/// means never.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendThresholdsConfig {
    /// Warn, once for each counter and window.
    pub warn: u64,
    /// Use cheaper models, if `cheaper` names one.
    pub cheaper: u64,
    /// Ask the user to approve the next call, once for each counter and window.
    pub ask: u64,
    /// Deny the start of further agents.
    pub pause_spawns: u64,
}

impl Default for SpendThresholdsConfig {
    fn default() -> Self {
        Self { warn: 50, cheaper: 70, ask: 100, pause_spawns: 90 }
    }
}

/// Amounts that are reserved for a call until its real cost is known.
///
/// ```
/// use hooks_budgets::spend::{SpendHoldConfig, UnansweredCharge};
///
/// let config = SpendHoldConfig::default();
/// assert_eq!((config.output_tokens, config.expires_seconds), (4_000, 900));
/// assert_eq!(config.unanswered, UnansweredCharge::Input); // a call that fails without an answer
/// let known: SpendHoldConfig = serde_json::from_str(r#"{"most_output_tokens": 8192, "unanswered": "nothing"}"#)?;
/// assert_eq!(known.most_output_tokens, Some(8_192));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendHoldConfig {
    /// Tokens of an answer that are reserved in addition to the input. If a stream grows beyond them, the
    /// same number is reserved again; if there is no room for that, the stream is cut.
    pub output_tokens: u64,
    /// Assumed limit of an answer in tokens, if neither the request nor the model has one. Without it, a call
    /// of unknown size is denied if a limit applies and the answer cannot be cut.
    pub most_output_tokens: Option<u64>,
    /// Whether the whole possible answer is reserved from the start, also for streams.
    pub worst_case: bool,
    /// Seconds without a sign of life after which the caller of a model is presumed lost. The reserved amount
    /// is charged then.
    pub expires_seconds: u64,
    /// Charge for a call that was sent, but failed or was dropped before any of its answer arrived.
    pub unanswered: UnansweredCharge,
}

impl Default for SpendHoldConfig {
    fn default() -> Self {
        Self {
            output_tokens: 4_000,
            most_output_tokens: None,
            worst_case: false,
            expires_seconds: 900,
            unanswered: UnansweredCharge::default(),
        }
    }
}

/// Charge for a call without an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UnansweredCharge {
    /// Nothing: for models that charge only for answers.
    Nothing,
    /// The input.
    #[default]
    Input,
    /// The whole reserved amount.
    Held,
}

/// Place where a budget is enforced.
///
/// If a layer around the model enforces the budget, the hooks on model calls are left out:
///
/// ```
/// use hooks_budgets::spend::{SpendBudgetConfig, SpendEnforcement};
/// use hooks_budgets::BudgetsSettings;
/// use hooks_core::{EventKind, Hooks};
///
/// for (enforce, is_hooked) in [(SpendEnforcement::Events, true), (SpendEnforcement::Layer, false)] {
///     let budget = Some(SpendBudgetConfig { enforce, ..SpendBudgetConfig::default() });
///     let hooks = Hooks::from_policy(BudgetsSettings { budget, ..BudgetsSettings::default() })?;
///     assert_eq!(hooks.hooked().contains(&EventKind::BeforeModelCall), is_hooked);
/// }
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpendEnforcement {
    /// In the hooks on `before_model_call` and `after_model_call`.
    #[default]
    Events,
    /// In a layer that the host puts around its model. With both, a call would be charged twice.
    Layer,
}
