//! The model that calls stay with after a failover.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::time::Tick;

use crate::catalog::Model;
use crate::chain::Chain;

/// For each first model of a chain, the model that answers in its place, and until when. At most as large as
/// the catalog.
#[derive(Debug, Default)]
pub(super) struct Stays(Mutex<HashMap<usize, Stay>>);

#[derive(Clone, Copy, Debug)]
struct Stay {
    model: usize,
    until: Tick,
}

impl Stays {
    /// The place in `chain` of the model that calls stay with; otherwise the first place.
    pub(super) fn place(&self, chain: &Chain, now: Tick) -> usize {
        let Some(first) = chain.first() else { return 0 };
        let Some(stay) = self.lock().get(&first.index()).copied().filter(|stay| now < stay.until) else {
            return 0;
        };
        chain.iter().position(|model| model.index() == stay.model).unwrap_or(0)
    }

    /// Records that `chain` was called at `place` and `model` answered at `now`; it differs if it was faster.
    /// An answer of the model that calls stay with does not extend the stay, so that the preferred model is
    /// tried again in time.
    pub(super) fn served(
        &self,
        chain: &Chain,
        place: usize,
        model: Option<&Model>,
        now: Tick,
        stay: Duration,
    ) {
        let by = model.and_then(|model| chain.iter().position(|it| it.index() == model.index()));
        let place = by.unwrap_or(place);
        let (Some(first), Some(model)) = (chain.first(), chain.get(place)) else { return };
        let mut stays = self.lock();
        let kept = stays.get(&first.index()).is_some_and(|it| it.model == model.index() && now < it.until);
        if place == 0 {
            stays.remove(&first.index());
        } else if !kept {
            stays.insert(first.index(), Stay { model: model.index(), until: now.after(stay) });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Stay>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
