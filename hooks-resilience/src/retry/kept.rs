//! The call that is kept for further attempts.

use crate::call::Call;
use crate::health::Health;

/// A call that may be retried. Most are not, so it does not clone a model that the catalog holds, but keeps
/// only its place.
pub(super) struct Kept {
    call: Call,
    /// Place of the call's model in the catalog; `None` once the call holds the model itself.
    place: Option<usize>,
}

impl Kept {
    pub(super) fn new(call: &Call, health: &Health) -> Self {
        match call.model.as_ref().and_then(|model| health.place_of(model)) {
            Some(place) => Self { call: call.without_model(), place: Some(place) },
            None => Self { call: call.clone(), place: None },
        }
    }

    /// The original call.
    pub(super) fn call(&mut self, health: &Health) -> &Call {
        if let Some(place) = self.place.take() {
            self.call.model = health.model_at(place).cloned();
        }
        &self.call
    }

    /// Number of attempts with this model in earlier turns.
    pub(super) fn tried(&self) -> u32 {
        self.call.tried()
    }
}
