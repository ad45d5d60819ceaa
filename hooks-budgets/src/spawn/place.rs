//! Place of a child in the limits, from the decision until the child exists.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Op, OpId, StepResult};
use hooks_core::{Background, Hold, later};

use super::budget::ENDED_FOR;
use super::child::{ChildState, Entry};
use super::registry::Registry;

/// Place that is given back on drop; after the child exists, it is kept for as long as the child gives signs
/// of life.
pub(super) struct SpawnPlace {
    pub(super) registry: Registry,
    pub(super) background: Option<Arc<dyn Background>>,
    pub(super) id: OpId,
    pub(super) entry: Entry,
    pub(super) lease: Duration,
    /// State of the child after the event went ahead: it runs, or is awaited.
    pub(super) then: ChildState,
    /// Whether dropping this value gives something back.
    pub(super) is_open: bool,
}

impl Hold for SpawnPlace {
    fn commit(mut self: Box<Self>) {
        self.is_open = false;
        let (registry, id, lease) = (self.registry.clone(), self.id, self.lease);
        let entry = Entry { state: self.then, ..self.entry.clone() };
        later::run(self.background.as_ref(), async move {
            let _updated = registry.update(id, Some(&entry), lease).await;
            // If the store fails here, the place is given back too early, and the first sign of life takes it
            // again.
            let extended = registry.apply(Op::Extend { id: entry.hold, to: 1, ttl: lease }).await;
            if let Ok(StepResult::Unknown) = extended {
                // The child ended meanwhile, and the update above overwrote that.
                let ended = Entry { state: ChildState::Ended, ..entry };
                let _updated = registry.update(id, Some(&ended), ENDED_FOR).await;
            }
        });
    }
}

impl Drop for SpawnPlace {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let (registry, id, hold) = (self.registry.clone(), self.id, self.entry.hold);
        later::run(self.background.as_ref(), async move {
            // If the store fails, or waits without a background, the lease ends by itself.
            let _released = registry.apply(Op::Release { id: hold }).await;
            let _removed = registry.remove(id).await;
        });
    }
}
