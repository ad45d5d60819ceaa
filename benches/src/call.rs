//! Calls to judge, and policies that have no opinion about them.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Policy, Reason, Verdict};
use serde_json::json;

/// A typical edit of an agent.
pub fn edit() -> PreToolUse {
    PreToolUse::new("edit", json!({"path": "src/parser/expression.rs", "old_str": "a", "new_str": "b"}))
}

/// A request with this edit.
pub fn request() -> HookRequest<PreToolUse> {
    HookRequest::new(HookContext::new("session-1", "backend").in_dir("/repo"), edit())
}

/// Polls a future to its end, without a runtime.
pub fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

/// A policy that compares the tool's name and has no opinion, unless it is the named one.
#[derive(Clone, Copy, Debug)]
pub struct NoTool(pub &'static str);

impl Policy<PreToolUse> for NoTool {
    fn name(&self) -> &'static str {
        "no-tool"
    }

    #[inline]
    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        if request.event().tool_name == self.0 {
            return Verdict::deny(Reason::new("no-tool", "name", "this tool is off limits"));
        }
        Verdict::NO_OPINION
    }
}

/// Five policies that allow an edit.
pub const FIVE: [NoTool; 5] = [NoTool("a"), NoTool("bash"), NoTool("c"), NoTool("d"), NoTool("e")];

/// Five policies, the last of which denies an edit.
pub const FIVE_DENYING: [NoTool; 5] = [NoTool("a"), NoTool("bash"), NoTool("c"), NoTool("d"), NoTool("edit")];
