//! Answers to the questions of hooks.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tower_service::Service;

use crate::error::HookError;
use crate::event::PreToolUse;
use crate::request::HookRequest;
use crate::verdict::Reason;

/// A question to the user: the call exactly as it would run, and the reasons for the question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call. An approval is valid for exactly this event.
    pub request: HookRequest<PreToolUse>,
    /// Reasons for the question, in order.
    pub reasons: Vec<Reason>,
}

impl ApprovalRequest {
    /// A question about `request`.
    pub const fn new(request: HookRequest<PreToolUse>, reasons: Vec<Reason>) -> Self {
        Self { request, reasons }
    }
}

/// Answer of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The call may run. An approval never overrides a denial.
    Approved,
    /// The call must not run, with the reason for the model to read.
    Rejected(String),
    /// The answer is not known yet: the call waits under this name, and is denied now. The same call can be
    /// made again later, also after a restart.
    Pending(String),
}

/// A service that asks the user, or a replacement for the user. This is a trait alias: every such service
/// implements it.
///
/// A service that approves single tools, and leaves the other questions unanswered:
///
/// ```
/// use hooks_core::drivers::{Approval, ApprovalRequest, ToolCall, ToolOutcome, ToolRequest};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::testing::ScriptedTools;
/// use hooks_core::{Govern, HookContext, HookError, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use tower::{ServiceExt, service_fn};
///
/// let ask = policy_fn("ask", |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("ask", "all", "sure?")));
/// let approver = service_fn(|question: ApprovalRequest| async move {
///     Ok::<_, HookError>(match &*question.request.event().tool_name {
///         "test" => Approval::Approved,
///         tool => Approval::Rejected(format!("no user watches `{tool}` at night")),
///     })
/// });
/// let governed = Govern::new(Hooks::builder().policy(ask).build(), ScriptedTools::default()).with_approver(approver);
/// # futures_util::FutureExt::now_or_never(async {
/// for (tool, runs) in [("test", true), ("deploy", false)] {
///     let context = HookContext::new("session-1", "backend").into();
///     let call = ToolRequest { context, call: ToolCall::new(tool, serde_json::json!({})) };
///     let outcome = governed.clone().oneshot(call).await.expect("an answer").outcome;
///     assert_eq!(matches!(outcome, ToolOutcome::Ran(..)), runs);
/// }
/// # }).expect("no hook waits");
/// ```
pub trait Approver: Service<ApprovalRequest, Response = Approval, Error = HookError> {}

impl<A> Approver for A where A: Service<ApprovalRequest, Response = Approval, Error = HookError> {}

/// An approver that answers no question, so that every question becomes a denial.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoApprover;

impl Service<ApprovalRequest> for NoApprover {
    type Response = Approval;
    type Error = HookError;
    type Future = Ready<Result<Approval, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _question: ApprovalRequest) -> Self::Future {
        ready(Err(HookError::unavailable("no user can be asked")))
    }
}
