//! What is known of one model, one quota, one provider.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::time::Tick;

use super::HealthSettings;
use super::budget::Budget;
use super::gate::Gate;
use crate::breaker::{BreakerSettings, BreakerState, Core, Pass, Showed};
use crate::call::Needs;
use crate::catalog::{Limits, Model};
use crate::pacing::Rate;

/// What is known of one model.
pub(super) struct Standing {
    pub(super) name: Arc<str>,
    /// Its quota's place.
    pub(super) quota: usize,
    /// Its provider's place.
    pub(super) provider: usize,
    pub(super) breaker: Breaker,
    pub(super) gate: Gate,
}

impl Standing {
    pub(super) fn new(model: &Model, quota: usize, provider: usize, settings: &HealthSettings) -> Self {
        let breaker = Breaker::new(&settings.breaker);
        Self { name: Arc::clone(&model.name), quota, provider, breaker, gate: Gate::default() }
    }
}

/// What is known of one quota: a model's own, or one that several draw on.
pub(super) struct Quota {
    name: Arc<str>,
    provider: Arc<str>,
    pub(super) gate: Gate,
    rates: Mutex<Rates>,
}

/// The rates of one quota, and what they were made of.
#[derive(Clone, Copy, Default)]
struct Rates {
    requests: Option<(u32, Rate)>,
    tokens: Option<(u64, Rate)>,
}

/// The place of the quota of `model`, which is made if it is not there. Models that share one are held to what the
/// first of them says.
pub(super) fn quota_of(quotas: &mut Vec<Quota>, model: &Model, settings: &HealthSettings) -> usize {
    let name = model.quota.as_ref().unwrap_or(&model.name);
    let own = model.quota.is_none();
    let known = |quota: &Quota| !own && quota.name == *name && quota.provider == model.provider;
    if let Some(place) = quotas.iter().position(known) {
        return place;
    }
    let quota = Quota {
        name: Arc::clone(name),
        provider: Arc::clone(&model.provider),
        gate: Gate::default(),
        rates: Mutex::default(),
    };
    quota.learn(model.limits, settings);
    quotas.push(quota);
    quotas.len() - 1
}

impl Quota {
    /// From when on there is room; None where there never is.
    pub(super) fn ready_at(&self, needs: &Needs, now: Tick) -> Option<Tick> {
        self.rates().ready_at(needs, now)
    }

    /// Takes what `needs` are, from the first moment there is room: no later than `latest`. That moment; None where
    /// there is no rate.
    pub(super) fn book(&self, needs: &Needs, now: Tick, latest: Option<Tick>) -> Result<Option<Tick>, Tick> {
        let mut rates = self.rates();
        if rates.requests.is_none() && rates.tokens.is_none() {
            return Ok(None);
        }
        match rates.ready_at(needs, now) {
            Some(at) if latest.is_none_or(|latest| at <= latest.max(now)) => {
                rates.take(needs, now);
                Ok(Some(at))
            }
            at => Err(at.unwrap_or(Tick(Duration::MAX))),
        }
    }

    /// Gives back what was taken for `needs`.
    pub(super) fn give_back(&self, needs: &Needs) {
        let mut rates = self.rates();
        if let Some((_, rate)) = &mut rates.requests {
            rate.give_back(1);
        }
        if let Some((_, rate)) = &mut rates.tokens {
            rate.give_back(needs.tokens());
        }
    }

    /// Takes over what limits are known; a rate that stays as it was keeps what is owed.
    pub(super) fn learn(&self, limits: Limits, settings: &HealthSettings) {
        let mut rates = self.rates();
        if let Some(limit) = limits.requests_per_minute.filter(|limit| *limit > 0)
            && rates.requests.is_none_or(|(known, _)| known != limit)
        {
            rates.requests = Some((limit, Rate::new(limit.into(), settings.burst)));
        }
        if let Some(limit) = limits.tokens_per_minute.filter(|limit| *limit > 0)
            && rates.tokens.is_none_or(|(known, _)| known != limit)
        {
            rates.tokens = Some((limit, Rate::new(limit, settings.burst)));
        }
    }

    fn rates(&self) -> MutexGuard<'_, Rates> {
        self.rates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rates {
    fn ready_at(&self, needs: &Needs, now: Tick) -> Option<Tick> {
        if self.tokens.is_some_and(|(limit, _)| needs.input_tokens > limit) {
            return None;
        }
        let requests = self.requests.map(|(_, rate)| rate.ready_at(1, now));
        let tokens = self.tokens.map(|(_, rate)| rate.ready_at(needs.tokens(), now));
        Some(requests.max(tokens).unwrap_or(now))
    }

    fn take(&mut self, needs: &Needs, now: Tick) {
        if let Some((_, rate)) = &mut self.requests {
            rate.take(1, now);
        }
        if let Some((_, rate)) = &mut self.tokens {
            rate.take(needs.tokens(), now);
        }
    }
}

/// What is known of one provider.
pub(super) struct Provider {
    pub(super) name: Arc<str>,
    /// Opened by what is true of all its models: their credentials.
    pub(super) breaker: Breaker,
    budget: Mutex<Budget>,
}

/// The place of the provider of `model`, which is made if it is not there.
pub(super) fn provider_of(providers: &mut Vec<Provider>, model: &Model, settings: &HealthSettings) -> usize {
    if let Some(place) = providers.iter().position(|provider| provider.name == model.provider) {
        return place;
    }
    providers.push(Provider {
        name: Arc::clone(&model.provider),
        breaker: Breaker::new(&settings.breaker),
        budget: Mutex::new(Budget::new(settings.budget)),
    });
    providers.len() - 1
}

impl Provider {
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A breaker that many may ask at once.
pub(super) struct Breaker {
    core: Mutex<Core>,
    /// Whether it is anything but closed: where it is not, nobody has to wait for the lock to hear so.
    troubled: AtomicBool,
}

impl Breaker {
    fn new(settings: &BreakerSettings) -> Self {
        Self { core: Mutex::new(Core::new(settings)), troubled: AtomicBool::new(false) }
    }

    pub(super) fn state(&self) -> BreakerState {
        self.core().state()
    }

    pub(super) fn opens_at(&self, now: Tick) -> Option<Tick> {
        if !self.troubled.load(Ordering::Acquire) {
            return None;
        }
        self.core().opens_at(now)
    }

    pub(super) fn admit(&self, now: Tick, settings: &BreakerSettings) -> Result<Pass, Tick> {
        Ok(self.admit_if_troubled(now, settings)?.unwrap_or(Pass::Usual))
    }

    /// None where it is closed.
    pub(super) fn admit_if_troubled(
        &self,
        now: Tick,
        settings: &BreakerSettings,
    ) -> Result<Option<Pass>, Tick> {
        if !self.troubled.load(Ordering::Acquire) {
            return Ok(None);
        }
        self.core().admit(now, settings).map(Some)
    }

    /// What a call showed; what it was and is, where that changed.
    pub(super) fn tell(
        &self,
        pass: Pass,
        showed: Showed,
        now: Tick,
        settings: &BreakerSettings,
        jitter: u16,
    ) -> Option<(BreakerState, BreakerState)> {
        let mut core = self.core();
        let before = core.state();
        core.tell(pass, showed, now, settings, jitter);
        let after = core.state();
        self.troubled.store(after != BreakerState::Closed, Ordering::Release);
        (before != after).then_some((before, after))
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
