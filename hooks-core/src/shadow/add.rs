//! Adds a whole slot in the shadow.

use std::sync::Arc;

use super::{Shadow, Shadowed};
use crate::event::Event;
use crate::hook::BoxHook;
use crate::outcome::Judged;
use crate::set::Slot;

impl Shadow {
    /// Adds the hooks of `inner` to `slot`. Those that judge are in the shadow; those that rewrite or observe are not.
    pub(crate) fn add<E: Event<Outcome: Judged<E>>>(self, slot: &mut Slot<E>, inner: Slot<E>) {
        let Slot { transforms, stacks, policies, reserves, observers } = inner;
        slot.transforms.extend(transforms);
        slot.stacks.extend(stacks.into_iter().map(|stack| BoxHook::of_guarded(Shadowed::new(stack, self))));
        slot.policies.extend(policies.into_iter().map(|hook| Arc::new(Shadowed::new(hook, self)) as _));
        slot.reserves.extend(reserves.into_iter().map(|hook| Arc::new(Shadowed::new(hook, self)) as _));
        slot.observers.extend(observers);
    }
}
