//! What is known of one model, and of one provider.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hooks_core::time::Tick;

use super::budget::Budget;
use super::place::Place;
use super::{BudgetSettings, HealthSettings};
use crate::catalog::Model;
use crate::sync::{AtomicBool, Mutex};

/// What is known of one model.
pub(super) struct Standing {
    pub(super) name: Arc<str>,
    /// Its quota's place.
    pub(super) quota: usize,
    /// Its provider's place.
    pub(super) provider: usize,
    pub(super) place: Place,
}

impl Standing {
    pub(super) fn new(model: &Model, quota: usize, provider: usize, settings: &HealthSettings) -> Self {
        let place = Place::new(Some(&model.name), &model.provider, &settings.breaker);
        Self { name: Arc::clone(&model.name), quota, provider, place }
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

/// The place of the provider of `model`, which is made if it is not there.
pub(super) fn provider_of(providers: &mut Vec<Provider>, model: &Model, settings: &HealthSettings) -> usize {
    if let Some(place) = providers.iter().position(|provider| provider.name == model.provider) {
        return place;
    }
    providers.push(Provider {
        name: Arc::clone(&model.provider),
        place: Place::new(None, &model.provider, &settings.breaker),
        budget: Mutex::new(Budget::new(settings.budget)),
        is_full: AtomicBool::new(true),
    });
    providers.len() - 1
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
