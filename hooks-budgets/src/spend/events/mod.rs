//! The budget as hooks, for hosts that send events and for the drivers.
//!
//! `before_model_call` applies the thresholds and reserves the possible cost of the call. `after_model_call`
//! settles it with the real cost, and `error_occurred` settles a failed call. Streams are not cut here: a
//! budget that cuts them is a layer around the model. Once a budget is used up, tools, prompts and agents are
//! denied. Beyond the threshold `cheaper`, children start with the cheaper
//! model, also those that a tool starts with a model in its arguments. While spawns are paused, `subagent_start` and calls of tools that start agents are denied.
//! `session_end` sends the report to the watch.

mod after;
mod before;
mod ends;
mod spawns;
mod used_up;

use hooks_core::event::{
    AfterModelCall, BeforeModelCall, ErrorOccurred, PreToolUse, SessionEnd, SubagentStart,
    UserPromptSubmitted,
};
use hooks_core::{DecideLayer, FailureLayer, HooksBuilder, Settle};
use hooks_facts::calls::CallReader;
use tower_layer::Layer;

use self::after::Settles;
pub(super) use self::before::call_id;
use self::before::{Advises, Holds};
use self::ends::Ends;
use self::spawns::Pauses;
use self::used_up::UsedUp;
use super::budget::SpendBudget;
use super::config::SpendEnforcement;
use super::refusal::NAME;

/// Adds the hooks of `budget`. If a layer enforces the budget, the hooks on model calls are left out.
pub(crate) fn add_to(
    builder: &mut HooksBuilder,
    budget: &SpendBudget,
    enforce: SpendEnforcement,
    reader: &CallReader,
) {
    let guard = FailureLayer::new(NAME);
    let mut hooks = std::mem::take(builder);
    if enforce == SpendEnforcement::Events {
        hooks = hooks
            .stack::<BeforeModelCall, _>(&guard, DecideLayer::new(Advises(budget.clone())).layer(Settle))
            .reserve::<BeforeModelCall>(Holds(budget.clone()))
            // The answer has arrived and is paid for: if it cannot be settled, the whole reservation is
            // charged when it expires.
            .stack::<AfterModelCall, _>(&guard.clone().opened(), Settles(budget.clone()))
            .hook::<ErrorOccurred, _>(&guard, Ends(budget.clone()))
            .stack::<UserPromptSubmitted, _>(&guard, DecideLayer::new(UsedUp(budget.clone())).layer(Settle))
            .stack::<SubagentStart, _>(&guard, DecideLayer::new(UsedUp(budget.clone())).layer(Settle))
            .stack::<PreToolUse, _>(&guard, DecideLayer::new(UsedUp(budget.clone())).layer(Settle));
    }
    let pauses = Pauses { budget: budget.clone(), reader: reader.clone() };
    *builder = hooks
        .stack::<SubagentStart, _>(&guard, DecideLayer::new(pauses.clone()).layer(Settle))
        .stack::<PreToolUse, _>(&guard, DecideLayer::new(pauses).layer(Settle))
        .hook::<SessionEnd, _>(&guard, Ends(budget.clone()));
}
