//! The contract of Hooks: events, outcomes, policies, their layers, sets of hooks, and the drivers that fire
//! the events.
//!
//! Every hook is a tower [`Service`](tower_service::Service) of [`HookRequest`]; every feature is a tower
//! [`Layer`](tower_layer::Layer). Assemble a static stack with a `ServiceBuilder`, or a dynamic set with
//! [`Hooks`]. This crate does no I/O and has no clock and no runtime of its own.
//!
//! # Hooks
//!
//! | to | use |
//! | --- | --- |
//! | judge an event without waiting | [`Policy`], [`policy_fn`], [`PolicyLayer`], [`Judge`] |
//! | rewrite an event before it is judged | [`Transform`], [`TransformLayer`] |
//! | see an event and its outcome | [`Observer`], [`ObserverLayer`] |
//! | judge an event with a hook that waits | [`Decider`], [`DecideLayer`] |
//! | apply limits and budgets | [`Reserve`], [`ReserveLayer`] |
//! | add context, propose a recovery, report | [`Hook`], [`hook_fn`] |
//! | do other work while a hook runs | [`Beside`](beside::Beside), [`BesideLayer`](beside::BesideLayer) |
//! | set the meaning of a failure | [`FailureLayer`] |
//!
//! # Order in a stack
//!
//! The first layer of a `ServiceBuilder` is the outermost one: it receives the request first and the answer
//! last.
//!
//! | position | layer | reason |
//! | --- | --- | --- |
//! | outermost, or around one hook | [`FailureLayer`] | turns errors and panics of everything inside into outcomes |
//! | outside the hooks to observe | [`ObserverLayer`] | sees the answer of the hooks inside |
//! | outside everything that judges | [`ReserveLayer`] | reserves only for events that no hook denied |
//! | in the order of their rewrites | [`TransformLayer`], [`DecideLayer`] | each gets the event as the layer outside left it |
//! | anywhere | [`PolicyLayer`] | judges again if the event is rewritten further in |
//! | innermost | [`Judge`], or [`Settle`] without policies | records which event was judged |
//!
//! # Laws
//!
//! The documentation and the tests (`tests/laws`) refer to these laws by number.
//!
//! 1. Deny > ask > allow > no opinion. No merge and no order of hooks makes a denial weaker.
//! 2. A hook judges the event that will run. If an event is rewritten, earlier allows are dropped and the
//!    event is judged again. Each event is rewritten and reserved for once.
//! 3. If a hook that decides fails, the event is denied, unless an explicit setting passes it over. Every
//!    failure is recorded.
//! 4. An unknown is not an allow: a policy that cannot judge an event denies it.
//! 5. Every reason is reported, with its policy, rule, argument, evidence and remedy.
//! 6. Facts are computed at most once for an event, and computed anew after a rewrite or a wait.
//! 7. After hooks have changed a result, every receiver gets only the changed result, also in errors.
//! 8. Nothing is lost: if a call is dropped at any point, its events still fire and its reservations are
//!    given back.
//! 9. Time, randomness and files are traits: the same seed gives the same run.

mod accessors;
pub mod beside;
pub mod cache;
mod context;
pub mod decide;
pub mod drivers;
pub mod duration;
mod environment;
mod error;
pub mod event;
mod fact;
pub mod failure;
pub mod fs;
mod future;
mod hook;
mod judge;
pub mod later;
pub mod machine;
pub mod observer;
mod outcome;
pub mod policy;
mod policy_errors;
pub mod programs;
mod request;
pub mod reserve;
mod set;
pub mod shadow;
pub mod state;
pub mod tenant;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;
pub mod transform;
mod verdict;

pub use self::context::HookContext;
pub use self::decide::{DecideLayer, Decider, DeciderOutcome};
pub use self::drivers::{
    Approval, ApprovalRequest, Approver, CallError, Govern, GovernLayer, GovernModel, GovernSpawn, Router,
    Session, call_governed,
};
pub use self::environment::{Background, Environment, Platform};
pub use self::error::{BoxError, HookError};
pub use self::event::{Event, EventKind, Never, OnFailure, WireEvent};
pub use self::fact::Fact;
pub use self::failure::{FailureLayer, FailureSink};
pub use self::future::HookFuture;
pub use self::hook::{BoxHook, Hook, HookFn, hook_fn};
pub use self::judge::{Judge, Settle};
pub use self::observer::{Observer, ObserverLayer};
pub use self::outcome::{
    CompactNotes, CompactOutcome, ContextNote, ContextPatch, Decision, DecisionNotes, Directive, Gate, Hold,
    Holds, Judged, Judgement, Lifetime, Notes, Outcome, PromptOutcome, Recovery, ResultNotes, ResultPatch,
};
pub use self::policy::{Policy, PolicyLayer, policy_fn};
pub use self::policy_errors::{PolicyError, PolicyErrors};
pub use self::request::{Evaluation, HookRequest, Stage};
pub use self::reserve::{Reservation, Reserve, ReserveLayer};
pub use self::set::{
    Bound, Close, CloseError, Composite, DecidingEvent, Ending, EventDecision, Explained, Hooks,
    HooksBuilder, HooksConfig, HooksProvider, InformingEvent, Live, Prepared, Slot, conclude,
    conclude_decided, decide, observe, reserve, tell,
};
pub use self::shadow::{Shadow, ShadowLayer, Shadowed};
pub use self::tenant::{TenantLayer, Tenants};
pub use self::transform::{Transform, TransformLayer};
pub use self::verdict::{Evidence, Reason, ReasonKind, Reasons, Strength, Verdict};
