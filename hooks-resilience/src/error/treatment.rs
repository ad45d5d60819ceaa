//! The decision table: what is done about each kind of error.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ErrorKind;
use crate::duration::nanos;

/// What is done about one kind of error. The default of each kind is [`Treatment::of`]; a host, or `hooks.yaml`,
/// may change any row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Treatment {
    /// Whether the same model is asked again.
    pub same_model: SameModel,
    /// Whether another model is asked.
    pub next_model: NextModel,
    /// What the breaker of the model makes of it.
    pub breaker: BreakerVote,
    /// Whether the model is left alone until the provider's time has come, by everybody who shares the state.
    pub gate: bool,
    /// Whether people are told at the first one.
    pub alert: bool,
}

/// Whether the same model is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameModel {
    /// No.
    No,
    /// So many times more, each after a pause that grows; and after the time the provider gave, where that is short.
    Backoff(u32),
    /// Once the time the provider gave has passed, where it is no longer than this; never earlier.
    AsTold(Duration),
    /// With a shorter conversation: after each means of compaction that makes it small enough, and once more after all.
    Compacted,
}

/// Whether another model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextModel {
    /// No: it would say the same.
    No,
    /// The next of the chain.
    Any,
    /// The next that somebody else provides.
    OtherProvider,
    /// The next with a larger window.
    LargerWindow,
    /// The next that somebody else provides, if the host allows it: a fallback must not weaken a refusal unasked.
    IfAllowed,
}

/// What a breaker makes of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BreakerVote {
    /// It says nothing about the model's health.
    Abstain,
    /// A failure.
    Failure,
    /// A failure, and a slow one.
    Slow,
    /// It is of no use until somebody does something: open at once, and probe rarely.
    Open,
}

/// The longest Retry-After that is waited for on the same model, where its treatment names no other: about as long as a
/// person who watches believes that something goes on.
pub(crate) const LONGEST_TOLD: Duration = Duration::from_secs(8);

impl Treatment {
    /// The default for `kind`.
    pub const fn of(kind: ErrorKind) -> Self {
        use BreakerVote as Vote;
        use ErrorKind as Kind;
        use NextModel as Next;
        use SameModel as Same;
        let (same_model, next_model, breaker) = match kind {
            Kind::RateLimited => (Same::AsTold(LONGEST_TOLD), Next::Any, Vote::Abstain),
            Kind::Overloaded | Kind::Server => (Same::Backoff(2), Next::Any, Vote::Failure),
            Kind::Network | Kind::ConnectTimeout => (Same::Backoff(2), Next::Any, Vote::Failure),
            Kind::FirstByteTimeout | Kind::IdleTimeout | Kind::AttemptTimeout => {
                (Same::No, Next::Any, Vote::Slow)
            }
            Kind::StreamBroken => (Same::Backoff(2), Next::Any, Vote::Failure),
            Kind::ContextOverflow => (Same::Compacted, Next::LargerWindow, Vote::Abstain),
            Kind::Authentication | Kind::QuotaExhausted => (Same::No, Next::OtherProvider, Vote::Open),
            Kind::Permission | Kind::ModelUnavailable => (Same::No, Next::Any, Vote::Open),
            Kind::ContentFilter => (Same::No, Next::IfAllowed, Vote::Abstain),
            Kind::OutputTruncated | Kind::InvalidRequest => (Same::No, Next::No, Vote::Abstain),
            Kind::Stopped | Kind::NotAdmitted => (Same::No, Next::Any, Vote::Abstain),
            Kind::DeadlineExceeded | Kind::NoModel | Kind::NestedRetry => (Same::No, Next::No, Vote::Abstain),
            Kind::Unknown => (Same::Backoff(1), Next::Any, Vote::Failure),
        };
        let gate = matches!(kind, Kind::RateLimited | Kind::Overloaded);
        let alert = matches!(kind, Kind::Authentication | Kind::Permission | Kind::QuotaExhausted);
        Self { same_model, next_model, breaker, gate, alert }
    }
}

/// The whole table: the defaults, and what the host changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Treatments {
    changed: Vec<(ErrorKind, Treatment)>,
    /// Whether another provider may be asked what one refused for its content.
    pub cross_content_filter: bool,
}

impl Treatments {
    /// Treats `kind` like this.
    #[must_use]
    pub fn with(mut self, kind: ErrorKind, treatment: Treatment) -> Self {
        self.changed.retain(|(changed, _)| *changed != kind);
        self.changed.push((kind, treatment));
        self
    }

    /// What is done about `kind`.
    pub fn of(&self, kind: ErrorKind) -> Treatment {
        self.changed.iter().find(|(changed, _)| *changed == kind).map_or(Treatment::of(kind), |&(_, it)| it)
    }
}

/// How long the pauses between attempts are: full jitter, that is anything from nothing to a bound that doubles
/// (Brooker, "Exponential backoff and jitter", 2015).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Backoff {
    /// The bound of the first pause.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub base: Duration,
    /// The bound no pause exceeds.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cap: Duration,
}

impl Default for Backoff {
    /// A second at first, as the AWS SDKs take it where a service throttles; as long at most as a breaker stays open.
    fn default() -> Self {
        Self { base: Duration::from_secs(1), cap: Duration::from_secs(30) }
    }
}

impl Backoff {
    /// Pauses from `base` to `cap`.
    pub const fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap }
    }

    /// The pause after the `attempt`th failure, from 1.
    pub fn pause(&self, attempt: u32, world: &crate::World) -> Duration {
        let doubled =
            self.base.saturating_mul(1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX));
        let bound = nanos(doubled.min(self.cap));
        Duration::from_nanos(world.below(bound.saturating_add(1)))
    }
}
