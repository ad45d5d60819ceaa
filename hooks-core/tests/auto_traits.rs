//! Checks which types are `Send`, `Sync`, `Clone` and small: a missing `Sync` surfaces far away and months
//! later.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use hooks_core::drivers::*;
use hooks_core::event::*;
use hooks_core::state::*;
use hooks_core::*;
use static_assertions::{assert_impl_all, assert_not_impl_any};

const fn assert_static<T: 'static>() {}

macro_rules! all {
    ($($Type:ty),+ $(,)?) => {
        $( assert_impl_all!($Type: Send, Sync, Unpin, std::fmt::Debug); const _: () = assert_static::<$Type>(); )+
    };
}

all! {
    HookContext, Environment, HookError, EventKind, WireEvent, WireError, FailureLayer, Hooks, HooksBuilder, Live,
    Composite, Verdict, Reason, Reasons, Evidence, Strength, Stage, Evaluation, Explained, Never,
    HookRequest<PreToolUse>, Decision<PreToolUse>, Gate<Stop>, PromptOutcome, CompactOutcome, ResultPatch,
    ContextPatch, Recovery, Holds, EventDecision<PreToolUse>, Prepared<PreToolUse>, Slot<PreToolUse>,
    BoxHook<PreToolUse>, BoxHook<SessionStart>, Judge<()>, Settle,
    PolicyLayer<()>, TransformLayer<()>, ObserverLayer<()>, ReserveLayer<()>, DecideLayer<()>,
    policy::PolicyService<Settle, ()>, transform::TransformService<Settle, ()>,
    observer::ObserverService<Settle, ()>, reserve::ReserveService<Settle, ()>,
    decide::DecideService<Settle, ()>, failure::FailureService<Settle>,
    Govern<()>, GovernModel<()>, GovernSpawn<()>, Router<()>, Session, Turn, Child<()>, Tally,
    ToolCall, ToolResult, ToolRequest, Governed, ToolOutcome, ModelCall, ModelOutcome, SpawnRequest, Routed<()>,
    Approval, ApprovalRequest, NoApprover, Compaction, Compactor, Prompted,
    State, Memory, Op, OpId, StepResult, Key, Scope, Member, StoreError,
}

// Traits that are used as objects.
assert_impl_all!(dyn HooksProvider: Send, Sync);
assert_impl_all!(dyn Policy<PreToolUse>: Send, Sync);
assert_impl_all!(dyn Transform<PreToolUse>: Send, Sync);
assert_impl_all!(dyn Observer<PreToolUse>: Send, Sync);
assert_impl_all!(dyn Reserve<PreToolUse>: Send, Sync);
assert_impl_all!(dyn StateStore: Send, Sync);
assert_impl_all!(dyn Hold: Send, Sync);

// Futures are sent between threads, even if their parts are not.
assert_impl_all!(HookFuture<'static, ()>: Send, Unpin);
assert_impl_all!(Bound<'static>: Send, Sync, Clone);

// A decision owns reservations: a clone would give them back twice.
assert_not_impl_any!(Decision<PreToolUse>: Clone);
assert_not_impl_any!(Holds: Clone);
assert_not_impl_any!(Session: Clone);
assert_not_impl_any!(Turn: Clone);
assert_not_impl_any!(Child<()>: Clone);

#[test]
fn layers_futures_are_send() {
    fn is_send<T: Send>(_: &T) {}
    use tower::{Layer, Service};
    let request = || HookRequest::new(HookContext::default(), Stop::new("done"));
    is_send(&Judge::new(()).call(request()));
    is_send(&PolicyLayer::new(()).layer(Settle).call(request()));
    is_send(&FailureLayer::new("a").layer(Settle).call(request()));
    is_send(&BoxHook::new(Settle, &FailureLayer::new("a")).call(request()));
}

#[test]
fn small_things_stay_small() {
    let word = size_of::<usize>();
    assert_eq!(size_of::<Verdict>(), 2 * word);
    assert_eq!(size_of::<Decision<PreToolUse>>(), 2 * word);
    assert_eq!(size_of::<Hooks>(), word);
    assert!(size_of::<HookRequest<PreToolUse>>() <= 3 * word);
}
