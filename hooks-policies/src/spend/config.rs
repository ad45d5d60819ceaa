//! What a budget is configured by: plain data. Amounts are in US dollars and in tokens, as people write them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::window::LimitWindow;

/// What may be spent on models. A budget without limits only counts, for its report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendBudgetConfig {
    /// What may be spent, by whom, in which time. All limits that a call falls under have to have room for it.
    pub limits: Vec<SpendLimitConfig>,
    /// What models cost.
    pub prices: Vec<ModelPriceConfig>,
    /// What a model is taken to cost whose price is not listed. Without it, calls of such a model are refused where
    /// money is limited.
    pub price_ceiling: Option<PriceCeilingConfig>,
    /// The roles of agents, for limits of roles: names of agents, by role.
    pub roles: BTreeMap<String, Vec<String>>,
    /// Which model is used in place of which, once the threshold `cheaper` is reached.
    pub cheaper: BTreeMap<String, String>,
    /// What is done before a limit is reached.
    pub thresholds: SpendThresholdsConfig,
    /// What is held for a call until it is known what it took.
    pub hold: SpendHoldConfig,
    /// Who enforces it: the hooks on model calls, or a layer around the model.
    pub enforce: SpendEnforcement,
}

/// A limit on money, tokens or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpendLimitConfig {
    /// Whose spending is limited; each has a counter of its own.
    pub of: SpendLevel,
    /// Only these, by name without regard to case; everyone where absent.
    #[serde(default)]
    pub named: Vec<String>,
    /// When the counter begins anew.
    pub per: LimitWindow,
    /// US dollars, to a millionth; 0 means none at all.
    #[serde(default)]
    pub usd: Option<f64>,
    /// Tokens, sent and received together; 0 means none at all.
    #[serde(default)]
    pub tokens: Option<u64>,
}

/// Whose spending is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpendLevel {
    /// All of a tenant together.
    Team,
    /// An agent.
    Agent,
    /// The agents of a role together.
    Role,
    /// A session, with all sessions below it.
    Session,
    /// The calls of a model.
    Model,
}

/// What a model costs from a date on, in US dollars for a million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelPriceConfig {
    /// Its name; a star at the end stands for any rest.
    pub model: String,
    /// From which day on, as `2026-01-31`, in UTC; always where absent.
    #[serde(default)]
    pub from: Option<String>,
    /// Tokens sent.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
    /// Of those sent, the ones that the provider had in its cache; as `input` where absent.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Of those received, the ones spent on reasoning; as `output` where absent.
    #[serde(default)]
    pub reasoning: Option<f64>,
    /// The most tokens that it answers.
    #[serde(default)]
    pub most_output_tokens: Option<u64>,
}

/// What a model is taken to cost whose price is not listed, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PriceCeilingConfig {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
}

/// What is done before a limit is reached, in percent of it: what is held counts as spent. 100 is never.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendThresholdsConfig {
    /// Say so, once for each counter and window.
    pub warn: u64,
    /// Use cheaper models, where `cheaper` names one.
    pub cheaper: u64,
    /// Have a person approve the next call, once for each counter and window.
    pub ask: u64,
    /// Start no further agents.
    pub pause_spawns: u64,
}

impl Default for SpendThresholdsConfig {
    fn default() -> Self {
        Self { warn: 50, cheaper: 70, ask: 100, pause_spawns: 90 }
    }
}

/// What is held for a call until it is known what it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpendHoldConfig {
    /// How many tokens of an answer are held beside the input: a stream that grows beyond them holds so many more
    /// each time, and is cut where there is no more.
    pub output_tokens: u64,
    /// The most tokens that an answer takes of which neither its request nor its model says it. Without it, calls of
    /// unknown size are refused where something is limited and nobody cuts the answer.
    pub most_output_tokens: Option<u64>,
    /// Whether all that an answer may take is held from the start, also for streams.
    pub worst_case: bool,
    /// After how many seconds without a sign the caller of a model is taken for lost. What its call holds is charged
    /// then.
    pub expires_seconds: u64,
    /// What is charged for a call that was sent, and failed or was given up before any of its answer came.
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

/// What is charged for a call of which no answer came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UnansweredCharge {
    /// Nothing: for models that do not charge for what they did not answer.
    Nothing,
    /// What was sent.
    #[default]
    Input,
    /// All that was held.
    Held,
}

/// Who enforces a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpendEnforcement {
    /// The hooks on `before_model_call` and `after_model_call`.
    #[default]
    Events,
    /// A layer that the host puts around its model; both would charge a call twice.
    Layer,
}
