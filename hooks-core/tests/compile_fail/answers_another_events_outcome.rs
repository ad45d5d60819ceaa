//! A hook on the start of a session only informs: its answer cannot be a decision.

use hooks_core::event::{PreToolUse, SessionStart};
use hooks_core::{Decision, HookError, HookRequest, hook_fn};

fn main() {
    hook_fn::<SessionStart, _, _>(|_: HookRequest<SessionStart>| async {
        Ok::<Decision<PreToolUse>, HookError>(Decision::allow())
    });
}
