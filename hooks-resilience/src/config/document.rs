//! The configuration format.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::alert::AlertConfig;
use crate::breaker::BreakerConfig;
use crate::catalog::{Limits, Model, Tier};
use crate::chain::ChainsConfig;
use crate::error::{BreakerVote, ErrorKind};
use crate::fallback::FallbackConfig;
use crate::health::RetryBudgetConfig;
use crate::hedge::HedgeConfig;
use crate::overflow::OverflowConfig;
use crate::retry::RetryConfig;
use crate::stream::StreamConfig;

/// The models, and the reactions to their failures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResilienceConfig {
    /// Models and their abilities.
    pub catalog: Vec<ModelConfig>,
    /// Order of the models for a call.
    #[serde(default)]
    pub routing: ChainsConfig,
    /// Time limit of a call, with all attempts and waits.
    #[serde(default = "ten_minutes", with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub deadline: Duration,
    /// Time limit of one attempt, unless the model sets its own.
    #[serde(default = "ten_minutes", with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub attempt_timeout: Duration,
    /// Limits of attempts and waits for one call.
    #[serde(default)]
    pub fallback: FallbackConfig,
    /// Retries with the same model.
    #[serde(default)]
    pub retry: RetryConfig,
    /// Further attempts beyond the first, for each provider.
    #[serde(default)]
    pub budget: RetryBudgetConfig,
    /// Conditions for no longer calling a model that keeps failing.
    #[serde(default)]
    pub breaker: BreakerConfig,
    /// Pacing below the provider's limits.
    #[serde(default)]
    pub pacing: PacingConfig,
    /// Limit of concurrent calls of one provider.
    #[serde(default)]
    pub bulkhead: BulkheadConfig,
    /// A second attempt beside a slow one; disabled unless a delay is set.
    #[serde(default)]
    pub hedge: HedgeConfig,
    /// Compaction of conversations that do not fit.
    #[serde(default)]
    pub overflow: OverflowConfig,
    /// Timeouts of streams, and their resumption.
    #[serde(default)]
    pub stream: StreamConfig,
    /// Conditions and rate of alerts.
    #[serde(default)]
    pub alert: AlertConfig,
    /// Reactions to error kinds that differ from the defaults.
    #[serde(default)]
    pub treatments: BTreeMap<ErrorKind, TreatmentConfig>,
}

/// Ten minutes, as in the providers' own clients.
const fn ten_minutes() -> Duration {
    Duration::from_secs(600)
}

/// A model.
///
/// ```
/// use hooks_core::event::MicroUsd;
/// use hooks_resilience::config::{Resilience, ResilienceConfig};
///
/// let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
///     "catalog": [{
///         "name": "opus", "provider": "anthropic", "tier": "premium", "context_tokens": 200_000,
///         "price": { "input": 15.0, "output": 75.0 }, "limits": { "requests_per_minute": 50 },
///     }],
/// }))?;
/// let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
/// let opus = resilience.catalog().get("opus").ok_or("the catalog lists it")?;
/// assert_eq!(opus.price.map(|price| price.output), Some(MicroUsd(75_000_000)));
/// assert_eq!((opus.limits.requests_per_minute, opus.tools), (Some(50), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Name of the model, as the provider knows it.
    pub name: String,
    /// Name of the provider. The models of a provider fail together.
    pub provider: String,
    /// Class of the model by cost.
    #[serde(default)]
    pub tier: Tier,
    /// Context window in tokens, including the answer.
    #[serde(default)]
    pub context_tokens: Option<u64>,
    /// Whether the model can call tools.
    #[serde(default = "yes")]
    pub tools: bool,
    /// Whether the model can read images.
    #[serde(default)]
    pub vision: bool,
    /// Whether the model can continue a partial answer.
    #[serde(default)]
    pub prefill: bool,
    /// Whether chains skip the model; only calls that name it use it.
    #[serde(default)]
    pub restricted: bool,
    /// Price of a million tokens, in US dollars.
    #[serde(default)]
    pub price: Option<PriceConfig>,
    /// Rate limits of the provider, for the whole organisation.
    #[serde(default)]
    pub limits: Limits,
    /// Name of the quota, if models of the provider share one.
    #[serde(default)]
    pub quota: Option<String>,
    /// Time limit of one attempt.
    #[serde(default, with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub attempt_timeout: Option<Duration>,
}

const fn yes() -> bool {
    true
}

/// Price of a million tokens, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PriceConfig {
    /// Price of input tokens.
    pub input: f64,
    /// Price of output tokens.
    pub output: f64,
}

/// Pacing of calls below the provider's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PacingConfig {
    /// Amount that may be used at once: that which a limit refills in this time.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub burst: Duration,
    /// Longest time that a provider's stated wait keeps a model from being called. If the provider states "a
    /// week", the model is tried earlier.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub longest_gate: Duration,
    /// Approximate number of instances that share the limits. While the shared store is unavailable, each
    /// instance keeps to its share.
    pub instances: u32,
}

impl Default for PacingConfig {
    fn default() -> Self {
        let defaults = crate::health::HealthSettings::default();
        Self { burst: defaults.burst, longest_gate: defaults.longest_gate, instances: defaults.instances }
    }
}

/// Limit of concurrent calls of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BulkheadConfig {
    /// Most concurrent calls, unless a model sets `limits.concurrent`.
    pub concurrent: u32,
}

impl Default for BulkheadConfig {
    /// More calls than one process of agents has in flight, and fewer than the connections it may hold open
    /// (1,024 on most systems). It bounds the damage of a provider that hangs; it is not a limit of the
    /// provider.
    fn default() -> Self {
        Self { concurrent: 256 }
    }
}

/// Reaction to one kind of error; absent fields keep their default.
///
/// ```
/// use std::time::Duration;
/// use hooks_resilience::config::{Resilience, ResilienceConfig};
///
/// let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
///     "catalog": [{ "name": "small", "provider": "one" }],
///     "treatments": {
///         "rate_limited": { "wait_at_most": "30s" },
///         "server": { "retries": 2, "wait_at_most": "30s" },
///     },
/// }))?;
/// let faults = Resilience::new(&config).expect_err("`server` has two kinds of retries");
/// assert_eq!((faults.len(), &*faults[0].path), (1, "treatments.server"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TreatmentConfig {
    /// Retries with the same model, each after a longer pause; 0 disables them.
    pub retries: Option<u32>,
    /// Longest wait stated by the provider that a call waits for on the same model, instead of `retries`.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub wait_at_most: Option<Duration>,
    /// Model to call next.
    pub next_model: Option<NextModelWord>,
    /// Effect on the breaker.
    pub breaker: Option<BreakerVote>,
    /// Whether all calls avoid the model until the wait that the provider stated is over.
    pub gate: Option<bool>,
    /// Whether the first such error raises an alert.
    pub alert: Option<bool>,
}

/// Model to call next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NextModelWord {
    /// No other model.
    #[serde(rename = "none")]
    Nobody,
    /// The next model of the chain.
    Any,
    /// The next model of another provider.
    OtherProvider,
    /// The next model with a larger window.
    LargerWindow,
}

impl ModelConfig {
    /// Converts to a model, without its price.
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
