//! Cost of governing a tool, from the call to its result.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::drivers::{ToolCall, ToolRequest, ToolResult};
use hooks_core::{Govern, HookContext, HookError, Hooks};
use serde_json::Value;
use tower_service::Service;

use crate::Case;
use crate::call::{FIVE, FIVE_DENYING, NoTool, edit, finish};

/// Clones a call, governs it, and returns its result.
pub fn cases() -> Vec<Case> {
    vec![
        governed("govern/no hooks", Hooks::default()),
        governed("govern/five policies, allow", hooks(FIVE)),
        governed("govern/five policies, deny", hooks(FIVE_DENYING)),
    ]
}

fn governed(name: &'static str, hooks: Hooks) -> Case {
    let mut govern = Govern::new(hooks, NoWork);
    let context = Arc::new(HookContext::new("session-1", "backend").in_dir("/repo"));
    let event = edit();
    let request = ToolRequest { context, call: ToolCall::new(event.tool_name, event.tool_args) };
    Case::new(name, move || finish(govern.call(request.clone())))
}

fn hooks(policies: [NoTool; 5]) -> Hooks {
    policies.into_iter().fold(Hooks::builder(), hooks_core::HooksBuilder::policy).build()
}

/// A tool that does nothing.
#[derive(Clone, Copy, Debug)]
struct NoWork;

impl Service<ToolCall> for NoWork {
    type Response = ToolResult;
    type Error = HookError;
    type Future = Ready<Result<ToolResult, HookError>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _call: ToolCall) -> Self::Future {
        ready(Ok(ToolResult::ok(Value::Null)))
    }
}
