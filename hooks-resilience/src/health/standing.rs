//! State of one model, and of one provider.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hooks_core::time::Tick;

use super::budget::Budget;
use super::gated_breaker::GatedBreaker;
use super::quota::Quota;
use super::{HealthSettings, RetryBudgetConfig};
use crate::catalog::Model;
use crate::duration::nanos;
use crate::sync::{AtomicBool, AtomicU64, Mutex};

/// State of one model.
pub(super) struct Standing {
    pub(super) model: Arc<Model>,
    pub(super) quota: Arc<Quota>,
    pub(super) provider: Arc<Provider>,
    pub(super) place: GatedBreaker,
    /// Moving average of the time of its answers, in nanoseconds; zero before the first.
    answer_time: AtomicU64,
}

/// Weight of the moving average: an answer moves it by an eighth of the difference, as in TCP.
const WEIGHT: u64 = 8;

impl Standing {
    pub(super) fn new(
        model: &Arc<Model>,
        quota: Arc<Quota>,
        provider: Arc<Provider>,
        settings: &HealthSettings,
    ) -> Self {
        let place = GatedBreaker::new(Some(&model.name), &model.provider, &settings.breaker);
        Self { model: Arc::clone(model), quota, provider, place, answer_time: AtomicU64::new(0) }
    }

    /// Counts an answer that took `took`. If two count at the same time, one of them may be lost.
    pub(super) fn answered(&self, took: Duration) {
        let (took, before) = (nanos(took).max(1), self.answer_time.load(Ordering::Relaxed));
        let average = match before {
            0 => took,
            _ => (before - before / WEIGHT).saturating_add(took / WEIGHT).max(1),
        };
        self.answer_time.store(average, Ordering::Relaxed);
    }

    /// The time that the model took for its recent answers; `None` before the first.
    pub(super) fn usual_time(&self) -> Option<Duration> {
        let average = self.answer_time.load(Ordering::Relaxed);
        (average > 0).then(|| Duration::from_nanos(average))
    }

    /// All state of a model: its own place, its quota's and its provider's.
    pub(super) fn places(&self) -> [&GatedBreaker; 3] {
        [&self.place, &self.quota.place, &self.provider.place]
    }

    /// When all gates are open; `None` if they are at `now`.
    pub(super) fn shut_until(&self, now: Tick) -> Option<Tick> {
        let since = nanos(now.0);
        if self.places().iter().all(|place| place.is_open(since)) {
            return None;
        }
        self.places().iter().map(|place| place.gate()).max().filter(|opens| *opens > now)
    }

    /// When all gates and the provider's breaker admit a call; `None` if they do at `now`.
    pub(super) fn gates_and_provider_open_at(&self, now: Tick) -> Option<Tick> {
        self.shut_until(now).max(self.provider.place.opens_at(now))
    }

    /// When all gates and breakers admit a call; `None` if they do at `now`. In most cases they do, which
    /// costs neither a lock nor the computation of a time.
    pub(super) fn opens_at(&self, now: Tick) -> Option<Tick> {
        let since = nanos(now.0);
        if self.places().iter().all(|place| place.is_open(since) && !place.is_troubled()) {
            return None;
        }
        let opens = |place: &&GatedBreaker| Some(place.gate()).max(place.opens_at(now));
        self.places().iter().filter_map(opens).max().filter(|opens| *opens > now)
    }
}

/// State of one provider.
pub(super) struct Provider {
    pub(super) name: Arc<str>,
    /// Opened by errors that concern all its models, such as refused credentials.
    pub(super) place: GatedBreaker,
    budget: Mutex<Budget>,
    /// Whether the budget is full; then a first attempt earns nothing and takes no lock.
    is_full: AtomicBool,
}

/// The provider of `model`, created if it does not exist.
pub(super) fn provider_of(
    providers: &mut Vec<Arc<Provider>>,
    model: &Model,
    settings: &HealthSettings,
) -> Arc<Provider> {
    if let Some(provider) = providers.iter().find(|provider| provider.name == model.provider) {
        return Arc::clone(provider);
    }
    let provider = Arc::new(Provider {
        name: Arc::clone(&model.provider),
        place: GatedBreaker::new(None, &model.provider, &settings.breaker),
        budget: Mutex::new(Budget::new(settings.budget)),
        is_full: AtomicBool::new(true),
    });
    providers.push(Arc::clone(&provider));
    provider
}

impl Provider {
    /// Earns the share of a first attempt.
    pub(super) fn first_attempt(&self, settings: RetryBudgetConfig) {
        if !self.is_full.load(Ordering::Acquire) {
            self.change(settings, |budget| budget.first(settings));
        }
    }

    /// Takes a further attempt; returns false if none is left.
    pub(super) fn another_attempt(&self, now: Tick, settings: RetryBudgetConfig) -> bool {
        self.change(settings, |budget| budget.another(now, settings))
    }

    fn change<T>(&self, settings: RetryBudgetConfig, change: impl FnOnce(&mut Budget) -> T) -> T {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut budget);
        self.is_full.store(budget.is_full(settings), Ordering::Release);
        changed
    }
}
