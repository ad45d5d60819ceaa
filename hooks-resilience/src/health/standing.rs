//! What is known of one model, and of one provider.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hooks_core::time::Tick;

use super::budget::Budget;
use super::place::Place;
use super::quota::Quota;
use super::{BudgetSettings, HealthSettings};
use crate::catalog::Model;
use crate::duration::nanos;
use crate::sync::{AtomicBool, Mutex};

/// What is known of one model.
pub(super) struct Standing {
    pub(super) model: Arc<Model>,
    pub(super) quota: Arc<Quota>,
    pub(super) provider: Arc<Provider>,
    pub(super) place: Place,
}

impl Standing {
    pub(super) fn new(
        model: &Arc<Model>,
        quota: Arc<Quota>,
        provider: Arc<Provider>,
        settings: &HealthSettings,
    ) -> Self {
        let place = Place::new(Some(&model.name), &model.provider, &settings.breaker);
        Self { model: Arc::clone(model), quota, provider, place }
    }

    /// All that concerns a model: its own place, its quota's, its provider's.
    pub(super) fn places(&self) -> [&Place; 3] {
        [&self.place, &self.quota.place, &self.provider.place]
    }

    /// From when on all gates are open; None where they are at `now`.
    pub(super) fn shut_until(&self, now: Tick) -> Option<Tick> {
        let since = nanos(now.0);
        if self.places().iter().all(|place| place.is_open(since)) {
            return None;
        }
        self.places().iter().map(|place| place.gate()).max().filter(|opens| *opens > now)
    }

    /// From when on all gates and the provider's breaker let somebody through; None where they do at `now`.
    pub(super) fn gates_and_provider_open_at(&self, now: Tick) -> Option<Tick> {
        self.shut_until(now).max(self.provider.place.opens_at(now))
    }

    /// From when on gates and breakers let somebody through; None where they do at `now`. Most often all is well, which
    /// is found out without a lock and without working out a moment.
    pub(super) fn opens_at(&self, now: Tick) -> Option<Tick> {
        let since = nanos(now.0);
        if self.places().iter().all(|place| place.is_open(since) && !place.is_troubled()) {
            return None;
        }
        let opens = |place: &&Place| Some(place.gate()).max(place.opens_at(now));
        self.places().iter().filter_map(opens).max().filter(|opens| *opens > now)
    }
}

/// What is known of one provider.
pub(super) struct Provider {
    pub(super) name: Arc<str>,
    /// Opened by what is true of all its models: their credentials.
    pub(super) place: Place,
    budget: Mutex<Budget>,
    /// Whether all is saved up that may be: then a first attempt earns nothing, and takes no lock.
    is_full: AtomicBool,
}

/// The provider of `model`, which is made if it is not there.
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
        place: Place::new(None, &model.provider, &settings.breaker),
        budget: Mutex::new(Budget::new(settings.budget)),
        is_full: AtomicBool::new(true),
    });
    providers.push(Arc::clone(&provider));
    provider
}

impl Provider {
    /// A first attempt: it earns its share.
    pub(super) fn first_attempt(&self, settings: BudgetSettings) {
        if !self.is_full.load(Ordering::Acquire) {
            self.change(settings, |budget| budget.first(settings));
        }
    }

    /// Takes a further attempt; false where none is left.
    pub(super) fn another_attempt(&self, now: Tick, settings: BudgetSettings) -> bool {
        self.change(settings, |budget| budget.another(now, settings))
    }

    fn change<T>(&self, settings: BudgetSettings, change: impl FnOnce(&mut Budget) -> T) -> T {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut budget);
        self.is_full.store(budget.is_full(settings), Ordering::Release);
        changed
    }
}
