//! What does a dynamic set of hooks cost, which can be swapped while it is asked?

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Composite, FailureLayer, Hooks, HooksProvider, Judge, Live, Policy, decide};

use crate::call::{FIVE, FIVE_DENYING, finish, request};
use crate::{Bar, Case};

/// Set loaded, decision complete. Making the request is not part of it.
pub fn cases() -> Vec<Case> {
    let allowing = || hooks(FIVE);
    let composite = Composite::new([Arc::new(allowing()) as Arc<dyn HooksProvider>, Arc::new(allowing())]);
    let stacked = Hooks::builder().stack(&FailureLayer::new("five"), Judge::new(FIVE)).build();
    vec![
        request_alone().allocating(0),
        decided("set/event nobody hooks, swap load included", Hooks::default())
            .at_most(Bar::Nanoseconds(40.0))
            .allocating(0),
        decided("set/five policies in a slot, allow", allowing()).allocating(0),
        decided("set/five policies in a slot, deny", hooks(FIVE_DENYING)),
        decided("set/composite of two times five, allow", composite).allocating(0),
        decided("set/five policies in a boxed stack, allow", stacked),
    ]
}

fn request_alone() -> Case {
    let request = request();
    Case::new("set/request cloned and dropped", move || request.clone())
}

/// The decision hands the request back, so the same one is asked about again and again.
fn decided(name: &'static str, hooks: impl HooksProvider + 'static) -> Case {
    let (live, mut held) = (Live::new(hooks), Some(request()));
    Case::new(name, move || {
        let decided = live.with(|hooks| Some(finish(decide(hooks, held.take()?))));
        decided.map(|decided| {
            held = Some(decided.request);
            decided.outcome
        })
    })
}

fn hooks(policies: impl IntoIterator<Item = impl Policy<PreToolUse> + 'static>) -> Hooks {
    policies.into_iter().fold(Hooks::builder(), hooks_core::HooksBuilder::policy).build()
}
