//! A policy on tool calls does not judge routes.

use hooks_core::event::{PreToolUse, Route};
use hooks_core::{HookRequest, Judge, Policy, Verdict};

struct Guard;

impl Policy<PreToolUse> for Guard {
    fn name(&self) -> &str {
        "guard"
    }

    fn judge(&self, _request: &HookRequest<PreToolUse>) -> Verdict {
        Verdict::NO_OPINION
    }
}

fn is_a_hook(_: impl hooks_core::Hook<Route>) {}

fn main() {
    is_a_hook(Judge::new(Guard));
}
