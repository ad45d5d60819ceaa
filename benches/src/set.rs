//! Cost of a dynamic set of hooks that can be replaced while it is in use.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Composite, FailureLayer, Hooks, HooksProvider, Judge, Live, Policy, decide};

use crate::call::{FIVE, FIVE_DENYING, finish, request};
use crate::{Bar, Case};

/// Name of the case for the request alone, whose cost every case here includes.
const CLONED: &str = "set/request cloned and dropped";

/// Loads the set, clones the request, and decides.
pub fn cases() -> Vec<Case> {
    let allowing = || hooks(FIVE);
    let composite = Composite::new([Arc::new(allowing()) as Arc<dyn HooksProvider>, Arc::new(allowing())]);
    let stacked = Hooks::builder().stack(&FailureLayer::new("five"), Judge::new(FIVE)).build();
    vec![
        request_alone().allocating(0),
        decision("set/event without hooks, swap load included", Hooks::default())
            .at_most(Bar::Beyond(40.0, CLONED))
            .allocating(0),
        decision("set/five policies in a slot, allow", allowing()).allocating(0),
        decision("set/five policies in a slot, deny", hooks(FIVE_DENYING)),
        decision("set/composite of two times five, allow", composite).allocating(0),
        decision("set/five policies in a boxed stack, allow", stacked),
    ]
}

fn request_alone() -> Case {
    let request = request();
    Case::new(CLONED, move || request.clone())
}

fn decision(name: &'static str, hooks: impl HooksProvider + 'static) -> Case {
    let (live, request) = (Live::new(hooks), request());
    Case::new(name, move || live.with(|hooks| finish(decide(hooks, request.clone()))))
}

fn hooks(policies: impl IntoIterator<Item = impl Policy<PreToolUse> + 'static>) -> Hooks {
    policies.into_iter().fold(Hooks::builder(), hooks_core::HooksBuilder::policy).build()
}
