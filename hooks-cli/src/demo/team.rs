//! The team around the agents: a reviewer who answers questions, and the team's short names for commands.

use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hooks::event::PreToolUse;
use hooks::{Approval, ApprovalRequest, HookError, HookRequest, Transform};
use serde_json::Value;
use tower_service::Service;

use super::script::Review;

/// A reviewer who gives the answers of the script, and records the questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Reviewer(Arc<Mutex<Desk>>);

#[derive(Debug, Default)]
struct Desk {
    answer: Option<Review>,
    question_text: Option<String>,
}

impl Reviewer {
    /// Sets the answer to the next question.
    pub(super) fn prepare(&self, answer: Option<Review>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Desk { answer, question_text: None };
    }

    /// The question that the reviewer got since the last call, if any.
    pub(super) fn question_text(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).question_text.take()
    }
}

impl Service<ApprovalRequest> for Reviewer {
    type Response = Approval;
    type Error = HookError;
    type Future = Ready<Result<Approval, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, question: ApprovalRequest) -> Self::Future {
        let mut desk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let why: Vec<_> = question.reasons.iter().map(|reason| reason.message.clone()).collect();
        desk.question_text = Some(why.join("; "));
        ready(match desk.answer.clone() {
            Some(Review::Approve) => Ok(Approval::Approved),
            Some(Review::Reject(why)) => Ok(Approval::Rejected(why)),
            None => Err(HookError::unavailable("the reviewer has no answer in this step")),
        })
    }
}

/// Expands the team's short names before any policy judges the call, so that policies judge the command that
/// runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortNames;

const SHORT_NAMES: [(&str, &str); 2] = [("st", "git status --short"), ("tidy-up", "rm -rf build")];

impl Transform<PreToolUse> for ShortNames {
    fn name(&self) -> &'static str {
        "short-names"
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        let event = request.event();
        let command = event.tool_args.get("command").and_then(Value::as_str);
        let long = command.and_then(|command| {
            SHORT_NAMES.iter().find(|(short, _)| *short == command.trim()).map(|(_, long)| *long)
        });
        Ok(long.map(|long| {
            let mut args = event.tool_args.clone();
            if let Some(command) = args.get_mut("command") {
                *command = Value::from(long);
            }
            args
        }))
    }
}
