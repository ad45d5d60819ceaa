//! What is known of one model, and of one provider.

use super::HealthSettings;
use super::budget::Budget;
use super::place::Place;
use crate::catalog::Model;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    });
    providers.len() - 1
}

impl Provider {
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
