//! The parameters of a storm: fleet, traffic, providers and incidents. Each storm is one JSON file; absent
//! fields have the defaults that are documented here.

use std::path::Path;

use hooks_resilience::Tier;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::workspace;

/// A storm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Name of the storm in tables.
    pub(super) name: String,
    /// Description in a sentence.
    pub(super) about: String,
    /// Seed of all random numbers.
    #[serde(default = "one")]
    pub(super) seed: u64,
    /// Number of processes that run agents; they share the credentials, and so the quotas, of one
    /// organisation.
    pub(super) instances: u32,
    /// Length of the storm.
    pub(super) days: f64,
    /// Length of the storm in short runs.
    pub(super) short_days: f64,
    /// Whether instances without shared state are judged too. If only all instances together can keep a
    /// quota, they cannot pass.
    #[serde(default = "yes")]
    pub(super) is_for_loners: bool,
    /// Whether stacks without one of the layers are judged too when all storms run. It is enough that the
    /// lack of each layer shows in one storm.
    #[serde(default = "yes")]
    pub(super) is_for_parts: bool,
    /// Most seconds by which the clocks of the instances are ahead of the providers' or behind them.
    /// Retry-After then holds a date, which an instance compares with its own clock.
    #[serde(default)]
    pub(super) clock_skew_s: f64,
    #[serde(default)]
    pub(super) traffic: Traffic,
    #[serde(default = "Provider::usual")]
    pub(super) providers: Vec<Provider>,
    /// Models, in the order of the chain.
    #[serde(default = "ModelParams::usual")]
    pub(super) models: Vec<ModelParams>,
    #[serde(default)]
    pub(super) everyday: Everyday,
    /// Incidents beyond the everyday errors.
    pub(super) incidents: Vec<IncidentParams>,
}

/// Traffic of the agents.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Traffic {
    /// Average time between the starts of sessions in each instance, whatever the results of earlier
    /// sessions.
    pub(super) session_every_s: f64,
    /// Additional traffic at noon, relative to the average.
    pub(super) day_swing: f64,
    /// Number of model calls in a session.
    pub(super) calls: [f64; 2],
    /// Seconds that tools take between two calls.
    pub(super) think_s: [f64; 2],
    /// Tokens of the first call.
    pub(super) first_tokens: [f64; 2],
    /// Tokens that each call adds to the conversation.
    pub(super) growth_tokens: [f64; 2],
    /// Share of sessions that read a lot; `heavy_factor` is how much more they read.
    pub(super) heavy_share: f64,
    pub(super) heavy_factor: f64,
    /// Tokens of an answer.
    pub(super) output_tokens: [f64; 2],
    /// Factor by which a host's estimate of its tokens is wrong.
    pub(super) estimate: [f64; 2],
    /// Time limit of a call.
    pub(super) deadline_s: f64,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            session_every_s: 720.0,
            day_swing: 0.3,
            calls: [12.0, 28.0],
            think_s: [2.0, 14.0],
            first_tokens: [6_000.0, 20_000.0],
            growth_tokens: [500.0, 7_000.0],
            heavy_share: 0.02,
            heavy_factor: 3.0,
            output_tokens: [100.0, 1_500.0],
            estimate: [0.9, 1.05],
            deadline_s: 600.0,
        }
    }
}

/// A provider of models.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub(super) name: String,
    /// Quota of the organisation, over all models of the provider.
    pub(super) requests_per_minute: u32,
    /// Part of the quota that may be used at once, in seconds.
    #[serde(default = "burst")]
    pub(super) burst_s: f64,
    /// Part of a refused request that counts against the quota, as with some providers.
    #[serde(default = "half")]
    pub(super) refused_counts: f64,
    /// Wait that a refusal of the quota states.
    #[serde(default)]
    pub(super) retry_after: RetryAfter,
}

impl Provider {
    fn usual() -> Vec<Self> {
        let provider = |name: &str, requests_per_minute| Self {
            name: name.into(),
            requests_per_minute,
            burst_s: burst(),
            refused_counts: half(),
            retry_after: RetryAfter::Honest,
        };
        vec![provider("north", 150), provider("east", 120), provider("south", 90)]
    }
}

/// A model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelParams {
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) tier: Tier,
    pub(super) context_tokens: u64,
    /// Price of a million input and output tokens, in US dollars.
    pub(super) price: [f64; 2],
    /// Median time of an answer.
    pub(super) answer_s: f64,
}

impl ModelParams {
    fn usual() -> Vec<Self> {
        let model = |name: &str, provider: &str, tier, context_tokens, price, answer_s| Self {
            name: name.into(),
            provider: provider.into(),
            tier,
            context_tokens,
            price,
            answer_s,
        };
        vec![
            model("north-large", "north", Tier::Premium, 200_000, [5.0, 25.0], 7.0),
            model("east-large", "east", Tier::Premium, 400_000, [4.0, 20.0], 7.5),
            model("south-large", "south", Tier::Standard, 1_000_000, [2.5, 12.0], 8.0),
            model("north-small", "north", Tier::Fast, 200_000, [1.0, 5.0], 4.0),
        ]
    }
}

/// Errors on a good day.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Everyday {
    /// Share of attempts that end in a 5xx or a lost connection.
    pub(super) error: f64,
    /// Share of answers that break off midway.
    pub(super) broken: f64,
    /// Share of calls that a provider's content filter refuses, independently for each provider.
    pub(super) filter: f64,
    /// Share of calls that every provider would reject.
    pub(super) caller_bug: f64,
    /// Spread of the time of an answer.
    pub(super) spread: f64,
}

impl Default for Everyday {
    fn default() -> Self {
        Self { error: 0.002, broken: 0.0015, filter: 0.0001, caller_bug: 0.0001, spread: 0.4 }
    }
}

/// A kind of incident with its times: at random `per_day`, or at the minutes `at_min`, repeated every
/// `every_days`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IncidentParams {
    /// Provider that is hit; if absent, each provider has incidents of its own.
    pub(super) provider: Option<String>,
    /// Model that is hit; all models of the provider if absent.
    pub(super) model: Option<String>,
    /// Whether all providers are hit at the same time: a fault of the fleet's own network.
    #[serde(default)]
    pub(super) at_once: bool,
    pub(super) kind: IncidentKind,
    #[serde(default)]
    pub(super) per_day: f64,
    #[serde(default)]
    pub(super) at_min: Vec<f64>,
    #[serde(default)]
    pub(super) every_days: Option<f64>,
    pub(super) minutes: [f64; 2],
    /// Share of the attempts that is hit.
    #[serde(default = "all")]
    pub(super) share: [f64; 2],
    /// Factor by which answers are slower.
    #[serde(default = "all")]
    pub(super) slower: [f64; 2],
    /// Wait that the errors state.
    #[serde(default)]
    pub(super) retry_after: RetryAfter,
}

/// Effect of an incident on the attempts that it hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IncidentKind {
    /// 503, 529, 500, lost connections, or no answer at all.
    Failing,
    /// Answers are slow.
    Slow,
    /// 429, whatever the state of the quota.
    RateLimited,
    /// The organisation's spending limit is reached: 429 without a wait.
    SpendCap,
}

/// The wait that a 429 states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryAfter {
    /// The real wait.
    #[default]
    Honest,
    /// Always a second.
    TooShort,
    /// No wait.
    Missing,
    /// A week, although the incident is over in minutes.
    Week,
    /// One of these at random, at each refusal.
    Any,
}

impl Params {
    /// Reads the storm in a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or a parameter is invalid.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = workspace::read(path)?;
        let params: Self = serde_json::from_str(&text)
            .map_err(|cause| Error::doing(format!("`{}`", path.display()), cause))?;
        params.check().map_err(|cause| Error::doing(format!("`{}`", path.display()), cause))?;
        Ok(params)
    }

    fn check(&self) -> Result {
        let is_provider = |name: &str| self.providers.iter().any(|provider| provider.name == name);
        let is_model = |name: &str| self.models.iter().any(|model| model.name == name);
        if self.models.is_empty() || self.instances == 0 {
            return Err(Error::new("a storm needs a model and an instance"));
        }
        if !(self.days > 0.0 && self.short_days > 0.0 && self.traffic.session_every_s > 0.0) {
            return Err(Error::new("`days`, `short_days` and `session_every_s` have to be above 0"));
        }
        if self.providers.iter().any(|provider| provider.requests_per_minute == 0) {
            return Err(Error::new("a provider has to let some calls through"));
        }
        for name in self.models.iter().map(|model| &model.provider) {
            if !is_provider(name) {
                return Err(Error::new(format!("a model is of the provider `{name}`, which is not listed")));
            }
        }
        for incident in &self.incidents {
            let unknown = incident.provider.iter().find(|name| !is_provider(name));
            if let Some(name) = unknown.or(incident.model.iter().find(|name| !is_model(name))) {
                return Err(Error::new(format!("an incident is of `{name}`, which is not listed")));
            }
        }
        Ok(())
    }
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

fn burst() -> f64 {
    15.0
}

fn half() -> f64 {
    0.5
}

fn all() -> [f64; 2] {
    [1.0, 1.0]
}
