//! What is known of one model, and of one provider.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::time::Tick;

use super::budget::Budget;
use super::place::Place;
use super::quota::Quota;
use super::{BudgetSettings, HealthSettings};
use crate::catalog::Model;

/// What is known of one model.
pub(super) struct Standing {
    pub(super) name: Arc<str>,
    pub(super) quota: Arc<Quota>,
    pub(super) provider: Arc<Provider>,
    pub(super) place: Place,
}

impl Standing {
    pub(super) fn new(
        model: &Model,
        quota: Arc<Quota>,
        provider: Arc<Provider>,
        settings: &HealthSettings,
    ) -> Self {
        let place = Place::new(Some(&model.name), &model.provider, &settings.breaker);
        Self { name: Arc::clone(&model.name), quota, provider, place }
    }

    /// All that concerns a model: its own place, its quota's, its provider's.
    pub(super) fn places(&self) -> [&Place; 3] {
        [&self.place, &self.quota.place, &self.provider.place]
    }

    /// From when on all gates are open; None where they are at `now`.
    pub(super) fn shut_until(&self, now: Tick) -> Option<Tick> {
        self.latest(|place| place.shut_until(now))
    }

    /// From when on gates and breakers let somebody through; None where they do at `now`.
    pub(super) fn opens_at(&self, now: Tick) -> Option<Tick> {
        self.latest(|place| later(place.shut_until(now), place.opens_at(now)))
    }

    /// The latest of what there is.
    fn latest(&self, of: impl Fn(&Place) -> Option<Tick>) -> Option<Tick> {
        self.places().into_iter().fold(None, |latest, place| later(latest, of(place)))
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

/// The later of two moments. That there is none, as is usual, shows without comparing them.
fn later(one: Option<Tick>, other: Option<Tick>) -> Option<Tick> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}
