//! Who answers when hooks ask.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tower_service::Service;

use crate::error::HookError;
use crate::event::PreToolUse;
use crate::request::HookRequest;
use crate::verdict::Reason;

/// A question for a person: the call exactly as it would run, and why they are asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call. An approval is for exactly this event.
    pub request: HookRequest<PreToolUse>,
    /// Why they are asked, in order.
    pub reasons: Vec<Reason>,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// This call may run. It never undoes a denial.
    Approved,
    /// It must not, and why, for the model to read.
    Rejected(String),
}

/// A service that puts a question to a person, or to whoever stands in their place: an alias, implemented by
/// every such service.
pub trait Approver: Service<ApprovalRequest, Response = Approval, Error = HookError> {}

impl<A> Approver for A where A: Service<ApprovalRequest, Response = Approval, Error = HookError> {}

/// Nobody: every question is a denial.
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
        ready(Err(HookError::unavailable("there is nobody to ask")))
    }
}
