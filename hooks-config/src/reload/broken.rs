//! Denies everything while the files of the rules cannot be used.

use hooks_core::event::*;
use hooks_core::{HookError, HookRequest, Hooks, HooksBuilder, Policy, Verdict};

use super::KEY;

/// The hooks of `hooks`, and a denial of every event that can be denied.
pub(super) fn denying(hooks: &Hooks) -> Hooks {
    let mut builder = hooks.clone().into_builder();
    add_to(&mut builder);
    builder.build()
}

fn add_to(builder: &mut HooksBuilder) {
    macro_rules! deny {
        (deciding { $($Event:ident)* } informing { $($Informing:ident)* }) => { $(
            // Only events for which a refusal prevents something. A refused stop would make the agent continue.
            if $Event::KIND.on_failure() == OnFailure::Closes {
                builder.add_policy::<$Event>(Broken);
            }
        )* };
    }
    hooks_core::for_each_event_type! { [deny] {} }
}

/// Denies each event.
struct Broken;

impl<E: Event> Policy<E> for Broken {
    fn name(&self) -> &str {
        KEY
    }

    fn judge(&self, _request: &HookRequest<E>) -> Verdict {
        Verdict::failed(
            KEY,
            &HookError::unavailable(
                "the rules changed and cannot be used; nothing is allowed until an operator corrects them",
            ),
        )
    }
}
