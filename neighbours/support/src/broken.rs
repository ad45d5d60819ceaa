//! Hooks that cannot decide.

use hooks_core::{
    DecideLayer, DeciderOutcome, DecidingEvent, FailureLayer, HookError, HookRequest, Hooks, Settle, Verdict,
    policy_fn,
};
use tower::{Layer, service_fn};

/// Sets of hooks that give no decision about an event `E`: one returns an error, one panics.
pub fn broken_hooks<E: DecidingEvent>() -> [Hooks; 2] {
    let closed = service_fn(async |_: HookRequest<E>| {
        Err::<DeciderOutcome<E>, _>(HookError::unavailable("the office is closed"))
    });
    let stack = DecideLayer::new(closed).layer(Settle);
    let panics = policy_fn("broken", |_: &HookRequest<E>| -> Verdict { panic!("the policy is broken") });
    [
        Hooks::builder().stack::<E, _>(&FailureLayer::new("office"), stack).build(),
        Hooks::builder().policy::<E>(panics).build(),
    ]
}
