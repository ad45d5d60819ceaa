//! The document, as it is read.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::alert::AlertSettings;
use crate::breaker::BreakerSettings;
use crate::catalog::{Limits, Model, Tier};
use crate::chain::ChainsConfig;
use crate::error::{BreakerVote, ErrorKind};
use crate::fallback::FallbackSettings;
use crate::health::BudgetSettings;
use crate::hedge::HedgeSettings;
use crate::overflow::OverflowSettings;
use crate::retry::RetrySettings;
use crate::stream::StreamSettings;

/// Which models there are, and what is done when one of them fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResilienceConfig {
    /// The models, each with what it can do.
    pub catalog: Vec<ModelConfig>,
    /// Which models a call may use, in order.
    #[serde(default)]
    pub routing: ChainsConfig,
    /// By when a call has to be answered, all attempts and waits together.
    #[serde(default = "ten_minutes", with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub deadline: Duration,
    /// How long one attempt may take, where the model says nothing else.
    #[serde(default = "ten_minutes", with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub attempt_timeout: Duration,
    /// How far a call is taken, and how long it may be parked.
    #[serde(default)]
    pub fallback: FallbackSettings,
    /// How the same model is asked again.
    #[serde(default)]
    pub retry: RetrySettings,
    /// How many attempts beyond the first ones there may be, for each provider.
    #[serde(default)]
    pub budget: BudgetSettings,
    /// When a model that keeps failing is left alone.
    #[serde(default)]
    pub breaker: BreakerSettings,
    /// How calls keep below the provider's limits.
    #[serde(default)]
    pub pacing: PacingConfig,
    /// How many calls of one provider there may be at a time.
    #[serde(default)]
    pub bulkhead: BulkheadConfig,
    /// A second attempt beside a slow one; off unless a delay is given.
    #[serde(default)]
    pub hedge: HedgeSettings,
    /// How a conversation that does not fit is compacted.
    #[serde(default)]
    pub overflow: OverflowSettings,
    /// How streams are watched and brought to their end.
    #[serde(default)]
    pub stream: StreamSettings,
    /// When people are told, and how often.
    #[serde(default)]
    pub alert: AlertSettings,
    /// What is done about each kind of error, where that differs from the defaults.
    #[serde(default)]
    pub treatments: BTreeMap<ErrorKind, TreatmentConfig>,
}

/// As the providers' own clients have it.
const fn ten_minutes() -> Duration {
    Duration::from_secs(600)
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Its name, as the provider knows it.
    pub name: String,
    /// Who serves it; models of one provider fail together.
    pub provider: String,
    /// What class it is.
    #[serde(default)]
    pub tier: Tier,
    /// How many tokens fit, those it answers included.
    #[serde(default)]
    pub context_tokens: Option<u64>,
    /// Whether it can call tools.
    #[serde(default = "yes")]
    pub tools: bool,
    /// Whether it can see pictures.
    #[serde(default)]
    pub vision: bool,
    /// Whether it goes on with an answer that was begun for it.
    #[serde(default)]
    pub prefill: bool,
    /// Whether chains skip it: kept for calls that name it.
    #[serde(default)]
    pub restricted: bool,
    /// What a million tokens cost, in US dollars.
    #[serde(default)]
    pub price: Option<PriceConfig>,
    /// What its provider lets through, for the whole organisation.
    #[serde(default)]
    pub limits: Limits,
    /// Which quota it counts against, where models of its provider share one.
    #[serde(default)]
    pub quota: Option<String>,
    /// How long one attempt may take.
    #[serde(default, with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub attempt_timeout: Option<Duration>,
}

const fn yes() -> bool {
    true
}

/// What a million tokens cost, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PriceConfig {
    /// Of those sent.
    pub input: f64,
    /// Of those received.
    pub output: f64,
}

/// How calls keep below the provider's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PacingConfig {
    /// What comes back in this time may be taken at once.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub burst: Duration,
    /// The longest a provider's word keeps a model from being asked: one that says "a week" is asked before.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub longest_gate: Duration,
    /// How many instances share the limits, roughly: while the shared store is away each keeps to its share.
    pub instances: u32,
}

impl Default for PacingConfig {
    fn default() -> Self {
        let defaults = crate::health::HealthSettings::default();
        Self { burst: defaults.burst, longest_gate: defaults.longest_gate, instances: defaults.instances }
    }
}

/// How many calls of one provider there may be at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BulkheadConfig {
    /// Where `limits.concurrent` of a model says nothing else.
    pub concurrent: u32,
}

impl Default for BulkheadConfig {
    /// More than one process of agents has at work, and fewer than the connections it may hold open (1,024 on most
    /// systems): a bound against what hangs, no limit of the provider's.
    fn default() -> Self {
        Self { concurrent: 256 }
    }
}

/// What is done about one kind of error; what is left out stays as it is by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TreatmentConfig {
    /// How often the same model is asked again, each time after a pause that grows; 0 is not at all.
    pub retries: Option<u32>,
    /// The longest time given by the provider that is waited for on the same model, instead of `retries`.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub wait_at_most: Option<Duration>,
    /// Which other model is asked.
    pub next_model: Option<NextModelWord>,
    /// What the breaker makes of it.
    pub breaker: Option<BreakerVote>,
    /// Whether everybody leaves the model alone until the provider's time has come.
    pub gate: Option<bool>,
    /// Whether people are told at the first one.
    pub alert: Option<bool>,
}

/// Which other model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NextModelWord {
    /// None.
    #[serde(rename = "none")]
    Nobody,
    /// The next of the chain.
    Any,
    /// The next that somebody else provides.
    OtherProvider,
    /// The next with a larger window.
    LargerWindow,
}

impl ModelConfig {
    /// The model it describes, but for its price.
    pub(super) fn to_model(&self) -> Model {
        let mut model = Model::new(self.name.as_str(), self.provider.as_str(), self.tier);
        model.context_tokens = self.context_tokens;
        model.tools = self.tools;
        model.vision = self.vision;
        model.prefill = self.prefill;
        model.restricted = self.restricted;
        model.limits = self.limits;
        model.quota = self.quota.as_deref().map(Into::into);
        model.attempt_timeout = self.attempt_timeout;
        model
    }
}
