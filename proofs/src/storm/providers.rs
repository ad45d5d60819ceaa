//! The simulated providers: the result of an attempt, by the weather, the quota and its luck.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Tick;
use hooks_resilience::ErrorKind;

use super::dice::{Dice, Purpose};
use super::params::{IncidentKind, Params, Provider, RetryAfter};
use super::traffic::AgentCall;
use super::weather::Weather;

/// The failure of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: ErrorKind,
    pub(super) retry_after: Option<Duration>,
}

/// The result of an attempt.
pub(super) type Response = Result<(), Fault>;

/// The time and result of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fate {
    /// Time until the client knows the result; `None` if no answer ever comes.
    pub(super) takes: Option<Duration>,
    pub(super) result: Response,
}

impl Fate {
    fn fault(takes_s: f64, kind: ErrorKind) -> Self {
        Self::told(takes_s, kind, None)
    }

    fn told(takes_s: f64, kind: ErrorKind, retry_after: Option<Duration>) -> Self {
        let takes = Some(Duration::from_secs_f64(takes_s));
        Self { takes, result: Err(Fault { kind, retry_after }) }
    }
}

/// All providers, without the state of their quotas.
#[derive(Debug)]
pub(super) struct Providers {
    params: Arc<Params>,
    of_model: Vec<usize>,
    pub(super) weather: Weather,
}

impl Providers {
    pub(super) fn new(params: Arc<Params>) -> Self {
        let weather = Weather::new(&params);
        let place = |name: &String| params.providers.iter().position(|provider| provider.name == *name);
        let of_model = params.models.iter().map(|model| place(&model.provider).unwrap_or_default()).collect();
        Self { params, of_model, weather }
    }

    /// The result of the `attempt`th attempt of `call` that begins now, if the quota admits it.
    pub(super) fn fate(&self, call: &AgentCall, model: usize, attempt: u64, now: Tick) -> Fate {
        let Some(served) = self.params.models.get(model) else {
            return Fate::fault(0.1, ErrorKind::ModelUnavailable);
        };
        let everyday = &self.params.everyday;
        let mut dice = Dice::new(self.params.seed, Purpose::Attempt, [call.key, attempt * 64 + model as u64]);
        let (incidents, _) = self.weather.at(model, now);
        let mut slower = 1.0;
        for incident in incidents {
            // Drawn also if the incident does not hit, so that all later draws are the same with and without
            // it.
            let (is_hit, how, takes) = (dice.chance(incident.share), dice.unit(), dice.unit());
            match incident.kind {
                _ if !is_hit => {}
                IncidentKind::Failing => return failing(how, takes),
                IncidentKind::Slow => slower *= incident.slower,
                IncidentKind::RateLimited => {
                    let wait = wait(incident.retry_after, incident.until.since(now), how);
                    return Fate::told(0.05 + 0.2 * takes, ErrorKind::RateLimited, wait);
                }
                IncidentKind::SpendCap => return Fate::fault(0.05 + 0.2 * takes, ErrorKind::QuotaExhausted),
            }
        }
        let (error, broken) = (dice.chance(everyday.error), dice.chance(everyday.broken));
        let (how, part) = (dice.unit(), dice.unit());
        let mut takes = dice.time(served.answer_s, everyday.spread).mul_f64(slower);
        if call.is_bug {
            return Fate::fault(0.3, ErrorKind::InvalidRequest);
        }
        if call.tokens + call.output > served.context_tokens {
            return Fate::fault(0.5, ErrorKind::ContextOverflow);
        }
        if self.is_filtered(call, model) {
            return Fate::fault(1.5, ErrorKind::ContentFilter);
        }
        if error {
            return failing(how, part);
        }
        if broken {
            takes = takes.mul_f64(part);
            return Fate::fault(takes.as_secs_f64(), ErrorKind::StreamBroken);
        }
        Fate { takes: Some(takes), result: Ok(()) }
    }

    /// The wait that a provider states when its quota refuses the `attempt`th attempt of `call`, and has
    /// room again in `left`.
    pub(super) fn refusal(
        &self,
        call: &AgentCall,
        provider: usize,
        attempt: u64,
        left: Duration,
    ) -> Option<Duration> {
        let says = self.params.providers.get(provider).map_or(RetryAfter::Honest, |it| it.retry_after);
        let mut dice =
            Dice::new(self.params.seed, Purpose::Refusal, [call.key, attempt * 64 + provider as u64]);
        wait(says, left, dice.unit())
    }

    /// Whether the model could ever serve the call.
    pub(super) fn is_able(&self, call: &AgentCall, model: usize) -> bool {
        let fits = self
            .params
            .models
            .get(model)
            .is_some_and(|served| call.tokens.max(call.estimate) + call.output <= served.context_tokens);
        fits && !self.is_filtered(call, model)
    }

    fn is_filtered(&self, call: &AgentCall, model: usize) -> bool {
        let provider = self.provider_of(model);
        let mut dice = Dice::new(self.params.seed, Purpose::Filter, [call.key, provider as u64]);
        dice.chance(self.params.everyday.filter)
    }

    /// The place of the provider of a model.
    pub(super) fn provider_of(&self, model: usize) -> usize {
        self.of_model.get(model).copied().unwrap_or_default()
    }
}

/// The failure of a provider: in most cases an error, sometimes silence.
fn failing(how: f64, takes: f64) -> Fate {
    if how < 0.55 {
        Fate::fault(0.2 + 1.8 * takes, ErrorKind::Overloaded)
    } else if how < 0.8 {
        Fate::fault(0.5 + 2.5 * takes, ErrorKind::Server)
    } else if how < 0.94 {
        Fate::fault(0.1 + 0.9 * takes, ErrorKind::Network)
    } else {
        Fate { takes: None, result: Ok(()) }
    }
}

/// The wait that a refusal states if the cause will be over in `left`; `chance` is below 1.
pub(super) fn wait(says: RetryAfter, left: Duration, chance: f64) -> Option<Duration> {
    const WEEK: Duration = Duration::from_secs(7 * 86_400);
    match says {
        // In whole seconds, rounded up, as in the header.
        RetryAfter::Honest => Some(Duration::from_secs(left.as_secs() + 1)),
        RetryAfter::TooShort => Some(Duration::from_secs(1)),
        RetryAfter::Missing => None,
        RetryAfter::Week => Some(WEEK),
        RetryAfter::Any if chance < 0.25 => wait(RetryAfter::Honest, left, chance),
        RetryAfter::Any if chance < 0.5 => wait(RetryAfter::TooShort, left, chance),
        RetryAfter::Any if chance < 0.75 => None,
        RetryAfter::Any => Some(WEEK),
    }
}

/// State of a provider's quota: a bucket that fills evenly (GCRA).
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    interval: Duration,
    tolerance: Duration,
    refused: Duration,
    /// Time at which the bucket would be full.
    full_at: Duration,
}

impl Quota {
    pub(super) fn new(provider: &Provider) -> Self {
        let interval = Duration::from_secs_f64(60.0 / f64::from(provider.requests_per_minute));
        Self {
            interval,
            tolerance: Duration::from_secs_f64(provider.burst_s).max(interval),
            refused: interval.mul_f64(provider.refused_counts),
            full_at: Duration::ZERO,
        }
    }

    /// When the next request will be admitted, if none comes before.
    pub(super) fn next(&self, now: Tick) -> Tick {
        Tick(now.0.max((self.full_at + self.interval).saturating_sub(self.tolerance)))
    }

    /// Whether the quota is hardly used: nothing is owed, or with one more request less than a tenth of the
    /// burst. A client that knows the rate, but not the burst, would send a request now.
    pub(super) fn has_room(&self, now: Tick) -> bool {
        let owed = self.full_at.saturating_sub(now.0);
        owed.is_zero() || owed + self.interval < self.tolerance / 10
    }

    /// Admits a request, or returns the wait.
    pub(super) fn take(&mut self, now: Tick) -> Result<(), Duration> {
        let next = self.next(now);
        if next > now {
            // A quota that counts refused requests limits their sum.
            let most = now.0 + self.tolerance * 2;
            self.full_at = (self.full_at + self.refused).min(most.max(self.full_at));
            return Err(self.next(now).since(now));
        }
        self.book(now);
        Ok(())
    }

    /// Takes a place at `at`, which [`Quota::next`] returned.
    pub(super) fn book(&mut self, at: Tick) {
        self.full_at = self.full_at.max(at.0) + self.interval;
    }
}
