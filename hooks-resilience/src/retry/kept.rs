//! The call that is kept for further attempts.

use crate::call::Call;
use crate::health::Health;

/// A call that may be tried again. Most are not: so it holds no model that is kept anyway, only the place of that.
pub(super) struct Kept {
    call: Call,
    /// Where the call's model is kept; None once it names it itself.
    place: Option<usize>,
}

impl Kept {
    pub(super) fn new(call: &Call, health: &Health) -> Self {
        match call.model.as_ref().and_then(|model| health.place_of(model)) {
            Some(place) => Self { call: call.without_model(), place: Some(place) },
            None => Self { call: call.clone(), place: None },
        }
    }

    /// The call as it was made.
    pub(super) fn call(&mut self, health: &Health) -> &Call {
        if let Some(place) = self.place.take() {
            self.call.model = health.model_at(place).cloned();
        }
        &self.call
    }

    /// How often its model was tried in earlier turns.
    pub(super) fn tried(&self) -> u32 {
        self.call.tried()
    }
}
