//! The parameters of a storm: fleet, traffic, providers, and what goes wrong when. One JSON file each; what a file
//! leaves out has the value that is documented here.

use std::path::Path;

use hooks_resilience::Tier;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::workspace;

/// A storm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Its name in tables.
    pub(super) name: String,
    /// What it stands for, in a sentence.
    pub(super) about: String,
    /// What all chance follows from.
    #[serde(default = "one")]
    pub(super) seed: u64,
    /// How many processes run agents; they share the credentials, and so the quotas, of one organisation.
    pub(super) instances: u32,
    /// How long it lasts.
    pub(super) days: f64,
    /// How long it lasts where the run has to be short.
    pub(super) short_days: f64,
    /// Whether instances that know nothing of each other are judged too. On a quota that only all together can keep,
    /// they cannot hold out.
    #[serde(default = "yes")]
    pub(super) is_for_loners: bool,
    /// Whether the parts of the layers are judged too, each taken out, where all storms run: it is enough that each is missed in one.
    #[serde(default = "yes")]
    pub(super) is_for_parts: bool,
    /// By how many seconds the clocks of the instances are ahead of the providers' or behind them, at most. Providers name a date in
    /// Retry-After then, which an instance compares with its own clock.
    #[serde(default)]
    pub(super) clock_skew_s: f64,
    #[serde(default)]
    pub(super) traffic: Traffic,
    #[serde(default = "Provider::usual")]
    pub(super) providers: Vec<Provider>,
    /// The models; their order is that of the chain.
    #[serde(default = "ModelParams::usual")]
    pub(super) models: Vec<ModelParams>,
    #[serde(default)]
    pub(super) everyday: Everyday,
    /// What goes wrong beyond the everyday.
    pub(super) incidents: Vec<IncidentParams>,
}

/// What the agents do.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Traffic {
    /// A session begins so often in each instance, on average, whatever became of the ones before.
    pub(super) session_every_s: f64,
    /// How much busier noon is than the average.
    pub(super) day_swing: f64,
    /// How many model calls a session makes.
    pub(super) calls: [f64; 2],
    /// What tools take between two calls.
    pub(super) think_s: [f64; 2],
    /// The tokens of the first call.
    pub(super) first_tokens: [f64; 2],
    /// By how many tokens the conversation grows with each call.
    pub(super) growth_tokens: [f64; 2],
    /// How many sessions read a lot, and how much more than others.
    pub(super) heavy_share: f64,
    pub(super) heavy_factor: f64,
    /// What is answered.
    pub(super) output_tokens: [f64; 2],
    /// By what a host's estimate of its tokens is off.
    pub(super) estimate: [f64; 2],
    /// How long a call may take in all.
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

/// Who serves models.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub(super) name: String,
    /// The quota of the organisation, over all its models.
    pub(super) requests_per_minute: u32,
    /// How many seconds' worth of the quota may come at once.
    #[serde(default = "burst")]
    pub(super) burst_s: f64,
    /// What part of a request that is refused counts against the quota, as some providers have it.
    #[serde(default = "half")]
    pub(super) refused_counts: f64,
    /// What a refusal of the quota says about coming back.
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
    /// US dollars for a million tokens, sent and received.
    pub(super) price: [f64; 2],
    /// The median of an answer's time.
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

/// What goes wrong on a good day.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Everyday {
    /// Attempts that end in a 5xx or a lost connection.
    pub(super) error: f64,
    /// Answers that break off midway.
    pub(super) broken: f64,
    /// Calls that a provider's content filter refuses, each provider for itself.
    pub(super) filter: f64,
    /// Calls that no provider would accept.
    pub(super) caller_bug: f64,
    /// The spread of an answer's time.
    pub(super) spread: f64,
}

impl Default for Everyday {
    fn default() -> Self {
        Self { error: 0.002, broken: 0.0015, filter: 0.0001, caller_bug: 0.0001, spread: 0.4 }
    }
}

/// A kind of incident, and when it happens: `per_day` by chance, or `at_min`, again and again each `every_days`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IncidentParams {
    /// Whose; each provider has its own where absent.
    pub(super) provider: Option<String>,
    /// Of which model; all of the provider's where absent.
    pub(super) model: Option<String>,
    /// Whether it happens to everybody at one time: the fleet's own network.
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
    /// What share of the attempts it hits.
    #[serde(default = "all")]
    pub(super) share: [f64; 2],
    /// How many times slower answers are.
    #[serde(default = "all")]
    pub(super) slower: [f64; 2],
    /// What is said about coming back.
    #[serde(default)]
    pub(super) retry_after: RetryAfter,
}

/// What an incident does to the attempts it hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IncidentKind {
    /// 503, 529, 500, lost connections, no answer at all.
    Failing,
    /// Answers are slow.
    Slow,
    /// 429, whatever the quota says.
    RateLimited,
    /// The organisation's spend cap is reached: 429 without a word of when.
    SpendCap,
}

/// What a 429 says about coming back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryAfter {
    /// The truth.
    #[default]
    Honest,
    /// A second, again and again.
    TooShort,
    /// Nothing.
    Missing,
    /// A week, though it is over in minutes.
    Week,
    /// Any of these, by chance, at each refusal.
    Any,
}

impl Params {
    /// The storm in a file.
    ///
    /// # Errors
    /// It cannot be read, or makes no sense.
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
            return Err(Error::new("a provider that lets nothing through is no provider"));
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
