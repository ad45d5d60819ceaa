//! Converts the answers of handlers to the outcome of an event.

use hooks_core::event::{
    AfterModelCall, AgentSwitched, BeforeModelCall, ErrorOccurred, MaxIterations, Message, ModelRewrite,
    Notification, PermissionRequest, PostCompact, PostToolUse, PreCompact, PreToolUse, PromptKind,
    ResultRewrite, Route, SessionEnd, SessionStart, SpawnFailed, Stop, SubagentSpawned, SubagentStart,
    SubagentStop, ToolDecided, TurnEnd, TurnStart, UserInputRequested, UserPromptSubmitted, WorktreeCreated,
};
use hooks_core::{
    ContextNote, ContextPatch, DeciderOutcome, Decision, Event, HookError, HookRequest, Judged, Lifetime,
    Reason, ReasonKind, Recovery, Strength, Verdict, WireEvent,
};
use serde_json::Value;

use crate::event::HookEvent;
use crate::merge::{CameTo, HandlerVerdict, Merged, Report};

/// An event that handlers decide.
pub(super) trait Decide: Event<Outcome: Judged<Self>> + Into<WireEvent> {
    /// Whether the event is the moment that a row of the table means.
    fn is_moment(&self, _row: &HookEvent) -> bool {
        true
    }

    /// The tool of the event.
    fn tool(&self) -> &str {
        ""
    }

    /// Converts the merged answers to an opinion.
    fn decider_outcome(
        request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError>;
}

/// An event that informs handlers.
pub(super) trait Inform: Event + Into<WireEvent> {
    /// The tool of the event.
    fn tool(&self) -> &str {
        ""
    }

    /// Converts the merged answers to an outcome.
    fn outcome(row: &'static HookEvent, merged: Merged) -> Self::Outcome;
}

/// Records every handler that failed, whether that closed or opened, and every output that was almost an
/// answer. Not every outcome can inform the user.
pub(super) fn record_failures<E: Event>(request: &HookRequest<E>, merged: &Merged) {
    for report in &merged.reports {
        let problem = match &report.came_to {
            CameTo::Failed { error, .. } => Some(error),
            _ => report.near_miss.as_ref(),
        };
        if let Some(problem) = problem {
            let context = request.context();
            context.environment.failures.record(context, E::KIND, &failure(report, problem));
        }
    }
}

/// The answers as a verdict, with one reason for each handler that has one.
fn verdict(row: &'static HookEvent, merged: &Merged) -> Verdict {
    let mut verdict = Verdict::NO_OPINION;
    for report in &merged.reports {
        let reason = |text: &str| {
            let text = if text.is_empty() { "the hook gave no reason" } else { text };
            Reason::new(report.handler.clone(), row.name, text)
        };
        verdict.merge(match &report.came_to {
            CameTo::Nothing => continue,
            CameTo::Verdict(HandlerVerdict::Deny, why) | CameTo::Block(why) => Verdict::deny(reason(why)),
            CameTo::Verdict(HandlerVerdict::Ask, why) => Verdict::ask(reason(why)),
            CameTo::Verdict(HandlerVerdict::Allow, why) if why.is_empty() => Verdict::ALLOW,
            CameTo::Verdict(HandlerVerdict::Allow, why) => Verdict::allow(reason(why)),
            CameTo::Failed { error, blocks: true } => Verdict::deny(failure(report, error)),
            CameTo::Failed { .. } => continue,
        });
    }
    verdict
}

/// The failures that block, as a verdict.
fn closed(merged: &Merged) -> Verdict {
    let mut verdict = Verdict::NO_OPINION;
    for report in &merged.reports {
        if let CameTo::Failed { error, blocks: true } = &report.came_to {
            verdict.merge(Verdict::deny(failure(report, error)));
        }
    }
    verdict
}

fn failure(report: &Report, error: &str) -> Reason {
    let mut reason =
        Reason::new(report.handler.clone(), "failure", format!("the hook `{}` {error}", report.handler));
    reason.kind = ReasonKind::Failure;
    reason
}

fn notes(merged: &Merged, lifetime: Lifetime) -> Vec<ContextNote> {
    let sources =
        merged.instruction_context.iter().filter_map(|source| source.get("content").and_then(Value::as_str));
    let texts = merged.additional_context.iter().map(String::as_str).chain(sources);
    texts.filter(|text| !text.is_empty()).map(|text| ContextNote::new(text).for_the(lifetime)).collect()
}

/// Texts for the model and the user; `None` without any.
fn patch(merged: &Merged, lifetime: Lifetime) -> Option<ContextPatch> {
    let patch = ContextPatch {
        additional_context: notes(merged, lifetime),
        system_messages: merged.system_message.clone(),
        ..ContextPatch::default()
    };
    (patch != ContextPatch::default()).then_some(patch)
}

/// A decision with all of its notes.
fn decision<E: Event<Outcome = Decision<E>>>(row: &'static HookEvent, merged: &Merged) -> Decision<E> {
    let mut decision = Decision::<E>::from(verdict(row, merged));
    if !merged.system_message.is_empty() || !merged.additional_context.is_empty() {
        decision.notes_mut().system_messages.clone_from(&merged.system_message);
        decision.notes_mut().additional_context = notes(merged, Lifetime::Call);
    }
    decision
}

impl Decide for PreToolUse {
    fn tool(&self) -> &str {
        &self.tool_name
    }

    fn decider_outcome(
        request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        let decider_outcome = DeciderOutcome::new(decision(row, &merged));
        let call = request.event();
        let arguments = merged.updated_input.filter(|_| rewrites).map(Value::Object);
        // Equal arguments are not a change, so the event needs no new judgement.
        Ok(match arguments.filter(|arguments| *arguments != call.tool_args) {
            Some(arguments) => decider_outcome.rewriting(arguments),
            None => decider_outcome,
        })
    }
}

impl Decide for PostToolUse {
    fn tool(&self) -> &str {
        &self.tool_name
    }

    fn decider_outcome(
        _request: &HookRequest<Self>,
        _row: &'static HookEvent,
        merged: Merged,
        rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        // If a handler that should change the result failed, the result is withheld. Any other block ends the
        // run.
        let withheld = if rewrites { closed(&merged) } else { Verdict::NO_OPINION };
        let stops = !merged.allowed && withheld.strength() != Strength::Deny;
        let mut outcome = Self::Outcome::from(withheld);
        let context = notes(&merged, Lifetime::Call);
        if stops || merged.suppress_output || !context.is_empty() {
            outcome.notes_mut().additional_context = context;
            outcome.notes_mut().suppress_output = merged.suppress_output;
            outcome.notes_mut().stop = stops.then(|| stop_message(&merged));
        }
        let decider_outcome = DeciderOutcome::new(outcome);
        Ok(match merged.updated_tool_response.filter(|_| rewrites) {
            Some(response) => decider_outcome.rewriting(ResultRewrite::from(Value::String(response))),
            None => decider_outcome,
        })
    }
}

fn stop_message(merged: &Merged) -> String {
    let message = merged.message.join("\n");
    if message.is_empty() { "a hook ended the run".to_owned() } else { message }
}

impl Decide for PermissionRequest {
    fn tool(&self) -> &str {
        &self.tool_name
    }

    fn decider_outcome(
        _request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        _rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        Ok(DeciderOutcome::new(decision(row, &merged)))
    }
}

impl Decide for UserPromptSubmitted {
    fn is_moment(&self, row: &HookEvent) -> bool {
        row.name
            == match self.kind {
                PromptKind::Steering => "user_steering_messages_submit",
                PromptKind::FollowUp => "user_followup_submit",
                _ => "user_prompt_submit",
            }
    }

    fn decider_outcome(
        _request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        _rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        let mut outcome = Self::Outcome::from(verdict(row, &merged));
        if let Some(patch) = patch(&merged, Lifetime::Turn) {
            *outcome.notes_mut() = patch;
        }
        Ok(DeciderOutcome::new(outcome))
    }
}

impl Decide for BeforeModelCall {
    fn decider_outcome(
        _request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        let decider_outcome = DeciderOutcome::new(verdict(row, &merged));
        let Some(messages) = merged.updated_messages.filter(|_| rewrites) else { return Ok(decider_outcome) };
        let messages = messages.into_iter().map(|message| serde_json::from_value(Value::Object(message)));
        let messages: Vec<Message> = messages.collect::<Result<_, _>>().map_err(|error| {
            HookError::bad_answer(format!(
                "`updated_messages` cannot be read: {error}; write `role` and `content`"
            ))
        })?;
        Ok(decider_outcome.rewriting(ModelRewrite { model: None, messages: Some(messages) }))
    }
}

impl Decide for PreCompact {
    fn decider_outcome(
        _request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        _rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        let mut outcome = Self::Outcome::from(verdict(row, &merged));
        if let Some(patch) = patch(&merged, Lifetime::Call) {
            outcome.notes_mut().context = patch;
        }
        if !merged.summary.is_empty() {
            outcome.notes_mut().summary = Some(merged.summary);
        }
        Ok(DeciderOutcome::new(outcome))
    }
}

impl Decide for MaxIterations {
    fn is_moment(&self, row: &HookEvent) -> bool {
        (row.name == "on_session_resume") == self.resumed
    }

    fn decider_outcome(
        _request: &HookRequest<Self>,
        row: &'static HookEvent,
        merged: Merged,
        _rewrites: bool,
    ) -> Result<DeciderOutcome<Self>, HookError> {
        Ok(DeciderOutcome::new(verdict(row, &merged)))
    }
}

macro_rules! judged {
    ($($Event:ident => $outcome:ident;)+) => { $(
        impl Decide for $Event {
            fn decider_outcome(
                _request: &HookRequest<Self>,
                row: &'static HookEvent,
                merged: Merged,
                _rewrites: bool,
            ) -> Result<DeciderOutcome<Self>, HookError> {
                Ok(DeciderOutcome::new($outcome(row, &merged)))
            }
        }
    )+ };
}

judged! {
    SubagentStart => decision;
    Route => decision;
    AfterModelCall => verdict;
    SubagentStop => verdict;
    Stop => verdict;
    WorktreeCreated => verdict;
}

impl Inform for SessionStart {
    fn outcome(_row: &'static HookEvent, merged: Merged) -> ContextPatch {
        told(&merged, Lifetime::Session)
    }
}

impl Inform for TurnStart {
    fn outcome(_row: &'static HookEvent, merged: Merged) -> ContextPatch {
        told(&merged, Lifetime::Turn)
    }
}

fn told(merged: &Merged, lifetime: Lifetime) -> ContextPatch {
    let failures = merged.reports.iter().filter_map(|report| match &report.came_to {
        CameTo::Failed { error, .. } => Some(failure(report, error)),
        _ => None,
    });
    ContextPatch { failures: failures.collect(), ..patch(merged, lifetime).unwrap_or_default() }
}

impl Inform for ToolDecided {
    fn tool(&self) -> &str {
        &self.tool_name
    }

    fn outcome(_row: &'static HookEvent, _merged: Merged) {}
}

macro_rules! observed {
    ($($Event:ident)+) => { $(
        impl Inform for $Event {
            fn outcome(_row: &'static HookEvent, _merged: Merged) {}
        }
    )+ };
}

observed! { SessionEnd TurnEnd UserInputRequested PostCompact SubagentSpawned AgentSwitched Notification }

macro_rules! recovered {
    ($($Event:ident)+) => { $(
        impl Inform for $Event {
            fn outcome(_row: &'static HookEvent, merged: Merged) -> Recovery {
                Recovery { notify: merged.system_message, ..Recovery::default() }
            }
        }
    )+ };
}

recovered! { ErrorOccurred SpawnFailed }
