//! The decision table: the treatment of each kind of error.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ErrorKind;
use crate::duration::nanos;

/// Treatment of one kind of error. The default of each kind is [`Treatment::default_for`]; a host or `hooks.yaml` may
/// change any row.
///
/// ```
/// use hooks_resilience::{BreakerVote, ErrorKind, NextModel, SameModel, Treatment};
///
/// // An invalid request gives the same error again, and the model is healthy.
/// let invalid = Treatment::default_for(ErrorKind::InvalidRequest);
/// assert_eq!((invalid.same_model, invalid.next_model), (SameModel::No, NextModel::No));
/// assert_eq!(invalid.breaker, BreakerVote::Abstain);
/// // A provider that is overloaded is left alone by all calls, and another model answers.
/// let overloaded = Treatment::default_for(ErrorKind::Overloaded);
/// assert!(overloaded.gate && overloaded.next_model == NextModel::Any);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Treatment {
    /// Whether the same model is called again.
    pub same_model: SameModel,
    /// Whether another model is called.
    pub next_model: NextModel,
    /// Effect on the breaker of the model.
    pub breaker: BreakerVote,
    /// Whether all calls that share the state avoid the model until the wait that the provider stated is
    /// over.
    pub gate: bool,
    /// Whether the first such error raises an alert.
    pub alert: bool,
}

/// Retries with the same model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameModel {
    /// No retry.
    No,
    /// So many retries, each after a longer pause, and after a short wait that the provider stated.
    Backoff(u32),
    /// Retries after the wait that the provider stated, if that is not longer than this; never earlier.
    AsTold(Duration),
    /// A retry with a shorter conversation: after each means of compaction that makes it small enough, and
    /// once more after all of them.
    Compacted,
}

/// Calls of another model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextModel {
    /// No other model, because it would give the same error.
    No,
    /// The next model of the chain.
    Any,
    /// The next model of another provider.
    OtherProvider,
    /// The next model with a larger window.
    LargerWindow,
    /// The next model of another provider, if the host allows it: a fallback must not weaken a refusal by
    /// default.
    IfAllowed,
}

/// Effect of an error on a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BreakerVote {
    /// The error does not count, because it does not depend on the model's health.
    Abstain,
    /// Counts as a failure.
    Failure,
    /// Counts as a failure and as a slow answer.
    Slow,
    /// An operator has to repair the cause: the breaker opens at once and probes rarely.
    Open,
}

/// The longest stated wait for which a call waits on the same model, unless its treatment names another:
/// about as long as a watching user believes that the agent is at work.
pub(crate) const LONGEST_TOLD: Duration = Duration::from_secs(8);

impl Treatment {
    /// The default treatment of `kind`.
    ///
    /// ```
    /// use hooks_resilience::{ErrorKind, SameModel, Treatment};
    ///
    /// let treatment = Treatment::default_for(ErrorKind::Authentication);
    /// assert_eq!(treatment.same_model, SameModel::No); // a retry with the same key fails again
    /// ```
    pub const fn default_for(kind: ErrorKind) -> Self {
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

/// The whole table: the defaults, and the host's changes.
///
/// Customised: a broken stream counts against the model, and is not tried there again:
///
/// ```
/// use hooks_resilience::{BreakerVote, ErrorKind, SameModel, Treatment, Treatments};
///
/// let mut broken = Treatment::default_for(ErrorKind::StreamBroken);
/// broken.same_model = SameModel::No;
/// broken.breaker = BreakerVote::Slow;
/// let table = Treatments::default().with(ErrorKind::StreamBroken, broken);
/// assert_eq!(table.for_kind(ErrorKind::StreamBroken), broken);
/// // All other rows are as before.
/// assert_eq!(table.for_kind(ErrorKind::Server), Treatment::default_for(ErrorKind::Server));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Treatments {
    changed: Vec<(ErrorKind, Treatment)>,
    /// Whether a request that one provider refused for its content may go to another.
    pub cross_content_filter: bool,
}

impl Treatments {
    /// Sets the treatment of `kind`.
    #[must_use]
    pub fn with(mut self, kind: ErrorKind, treatment: Treatment) -> Self {
        self.changed.retain(|(changed, _)| *changed != kind);
        self.changed.push((kind, treatment));
        self
    }

    /// The treatment of `kind`.
    pub fn for_kind(&self, kind: ErrorKind) -> Treatment {
        self.changed
            .iter()
            .find(|(changed, _)| *changed == kind)
            .map_or(Treatment::default_for(kind), |&(_, it)| it)
    }
}

/// Pauses between attempts, with full jitter: a random time between zero and a bound that doubles (Brooker,
/// "Exponential backoff and jitter", 2015).
///
/// ```
/// use std::time::Duration;
/// use hooks_resilience::Backoff;
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5));
/// for (failures, bound) in [(1, 1), (2, 2), (3, 4), (4, 5), (99, 5)] {
///     assert!(backoff.pause(failures, &world) <= Duration::from_secs(bound));
/// }
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Backoff {
    /// Bound of the first pause.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub base: Duration,
    /// Largest bound of a pause.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cap: Duration,
}

impl Default for Backoff {
    /// A second at first, as the AWS SDKs use for services that throttle; at most as long as a breaker stays
    /// open.
    fn default() -> Self {
        Self { base: Duration::from_secs(1), cap: Duration::from_secs(30) }
    }
}

impl Backoff {
    /// Creates pauses from `base` to `cap`.
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
