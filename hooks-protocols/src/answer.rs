//! The answer of hooks to an event, independent of the client: the step between an outcome and its form for
//! the client.

use hooks_core::event::{
    AfterModelCall, BeforeModelCall, Event, MaxIterations, Message, ModelRewrite, PermissionRequest,
    PostToolUse, PreCompact, PreToolUse, ResultRewrite, Route, SpawnRewrite, Stop, SubagentStart,
    SubagentStop, UserPromptSubmitted, WorktreeCreated,
};
use hooks_core::{
    CompactNotes, ContextNote, ContextPatch, DecisionNotes, EventKind, Judged, Judgement, Notes, Reason,
    Recovery, ResultNotes, Strength,
};
use serde_json::Value;

/// The answer of hooks to an event, independent of the client. The `Default` has no opinion and no effect.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{Decision, Reason, Strength, Verdict};
/// use hooks_protocols::Answer;
///
/// let denial = Verdict::deny(Reason::new("paths", "secrets", "`secrets/` is off limits"));
/// let answer = Answer::from(&Decision::<PreToolUse>::from(denial));
/// assert_eq!(answer.strength, Strength::Deny);
/// assert!(answer.reason.expect("a denial has a reason").contains("`secrets/` is off limits"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Whether the event is allowed, denied or left to the user.
    pub strength: Strength,
    /// Reason to show, with the change that would lead to another answer.
    pub reason: Option<String>,
    /// The changed event, if hooks changed it. [`encode`](crate::encode) finds out whether it differs from
    /// the original.
    pub rewrite: Option<Rewrite>,
    /// Texts for the model, in order.
    pub context: Vec<String>,
    /// Texts for the user, in order.
    pub messages: Vec<String>,
    /// Reason for which the run ends, if it is to end.
    pub stop: Option<String>,
    /// Whether the user does not see the result.
    pub quiet: bool,
    /// A summary in place of the client's.
    pub summary: Option<String>,
    /// Model to use for the session from now on.
    pub model: Option<String>,
    /// Replacement for the first prompt of a session, or the prompt for another attempt. No client supports
    /// it.
    pub first_prompt: Option<String>,
    /// Whether to try again after an error.
    pub retry: Option<bool>,
}

/// The changed part of an event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rewrite {
    /// The arguments of a tool.
    Arguments(Value),
    /// The result of a tool, and the text of its error.
    Result(ResultRewrite),
    /// A user message.
    Prompt(String),
    /// A model call.
    Model(ModelRewrite),
    /// A model's reply.
    Reply(Message),
    /// A child agent.
    Spawn(SpawnRewrite),
    /// The target of a task.
    Target(String),
}

impl Rewrite {
    /// Whether this changes events of the given kind.
    pub(crate) fn is_of(&self, kind: EventKind) -> bool {
        kind == match self {
            Self::Arguments(_) => EventKind::PreToolUse,
            Self::Result(_) => EventKind::PostToolUse,
            Self::Prompt(_) => EventKind::UserPromptSubmitted,
            Self::Model(_) => EventKind::BeforeModelCall,
            Self::Reply(_) => EventKind::AfterModelCall,
            Self::Spawn(_) => EventKind::SubagentStart,
            Self::Target(_) => EventKind::Route,
        }
    }
}

impl Answer {
    /// Denies the event.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { strength: Strength::Deny, reason: Some(reason.into()), ..Self::default() }
    }

    /// Leaves the decision to the user.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self { strength: Strength::Ask, reason: Some(reason.into()), ..Self::default() }
    }

    /// Allows the event.
    pub fn allow() -> Self {
        Self { strength: Strength::Allow, ..Self::default() }
    }

    /// Adds a text for the model.
    ///
    /// ```
    /// use hooks_protocols::{Answer, Client, decode, encode};
    ///
    /// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "SessionStart",
    ///     "source": "startup"}"#;
    /// let reply = encode(&decode(Client::Claude, None, bytes)?, &Answer::context("We use Postgres."));
    /// assert!(reply.stdout.contains(r#""additionalContext":"We use Postgres.""#));
    /// # Ok::<(), hooks_protocols::DecodeError>(())
    /// ```
    pub fn context(text: impl Into<String>) -> Self {
        Self { context: vec![text.into()], ..Self::default() }
    }

    /// Replaces a part of the event.
    ///
    /// ```
    /// use hooks_protocols::{Answer, Client, Rewrite, decode, encode};
    ///
    /// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
    ///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1"}"#;
    /// let change = Rewrite::Arguments(serde_json::json!({"command": "ls -l"}));
    /// let encoded = encode(&decode(Client::Claude, None, bytes)?, &Answer::allow().rewritten(change));
    /// assert!(encoded.stdout.contains(r#""updatedInput":{"command":"ls -l"}"#));
    /// # Ok::<(), hooks_protocols::DecodeError>(())
    /// ```
    #[must_use]
    pub fn rewritten(mut self, rewrite: Rewrite) -> Self {
        self.rewrite = Some(rewrite);
        self
    }
}

impl Answer {
    /// Denies the event for a `reason` that was found after the decision.
    ///
    /// ```
    /// use hooks_core::{Reason, Strength};
    /// use hooks_protocols::Answer;
    ///
    /// let mut answer = Answer::default();
    /// answer.deny_too(&Reason::new("audit", "failure", "the disk is full"));
    /// assert_eq!((answer.strength, answer.reason.as_deref()), (Strength::Deny, Some("the disk is full")));
    /// ```
    pub fn deny_too(&mut self, reason: &Reason) {
        if self.strength < Strength::Deny {
            self.strength = Strength::Deny;
            self.reason = Some(reason.for_agent().into_owned());
        }
    }
}

/// Converts a decision, with the event as the policies judged it.
impl<E: Changed, N: AnswerNotes> From<&Judgement<E, N>> for Answer {
    fn from(outcome: &Judgement<E, N>) -> Self {
        let mut answer = Self {
            strength: outcome.strength(),
            reason: outcome.text_for_agent(),
            rewrite: outcome.effective().and_then(|request| request.event().changed()),
            ..Self::default()
        };
        if let Some(notes) = outcome.notes() {
            notes.add_to(&mut answer);
        }
        answer
    }
}

/// Converts additions to a session or a turn.
impl From<&ContextPatch> for Answer {
    fn from(patch: &ContextPatch) -> Self {
        let mut answer = Self::default();
        patch.add_to(&mut answer);
        answer
    }
}

/// Converts instructions for handling an error.
impl From<&Recovery> for Answer {
    fn from(recovery: &Recovery) -> Self {
        Self {
            retry: recovery.retry,
            model: recovery.fallback_model.clone(),
            first_prompt: recovery.modified_prompt.clone(),
            messages: recovery.notify.clone(),
            ..Self::default()
        }
    }
}

/// Converts the outcome of an event that has no answer.
impl From<&()> for Answer {
    fn from((): &()) -> Self {
        Self::default()
    }
}

/// An event that can be denied, with the part that hooks can change.
pub trait Changed: Event {
    /// The part that hooks can change, with its current value.
    fn changed(&self) -> Option<Rewrite>;
}

macro_rules! changed {
    ($($Event:ident => |$event:pat_param| $changed:expr;)+) => { $(
        impl Changed for $Event {
            fn changed(&self) -> Option<Rewrite> {
                let $event = self;
                $changed
            }
        }
    )+ };
}

changed! {
    PreToolUse => |call| Some(Rewrite::Arguments(call.tool_args.clone()));
    PostToolUse => |done| Some(Rewrite::Result(ResultRewrite {
        result: Some(done.tool_result.clone()),
        error: done.error.clone(),
        redacted: done.redacted.clone(),
    }));
    UserPromptSubmitted => |message| Some(Rewrite::Prompt(message.prompt.clone()));
    BeforeModelCall => |call| Some(Rewrite::Model(ModelRewrite {
        model: Some(call.model.clone()),
        messages: Some(call.messages.clone()),
    }));
    AfterModelCall => |reply| Some(Rewrite::Reply(reply.response.clone()));
    SubagentStart => |start| Some(Rewrite::Spawn(SpawnRewrite {
        model: start.model.clone(),
        task: Some(start.task.clone()),
    }));
    Route => |route| Some(Rewrite::Target(route.target_agent.clone()));
    PermissionRequest => |_| None;
    PreCompact => |_| None;
    SubagentStop => |_| None;
    Stop => |_| None;
    MaxIterations => |_| None;
    WorktreeCreated => |_| None;
}

/// Notes of a judgement that can be added to an [`Answer`].
pub trait AnswerNotes: Notes {
    /// Adds the notes to an answer.
    fn add_to(&self, answer: &mut Answer);
}

impl AnswerNotes for () {
    fn add_to(&self, _answer: &mut Answer) {}
}

impl AnswerNotes for DecisionNotes {
    fn add_to(&self, answer: &mut Answer) {
        answer.context.extend(texts(&self.additional_context));
        answer.messages.extend(self.system_messages.iter().cloned());
    }
}

impl AnswerNotes for ResultNotes {
    fn add_to(&self, answer: &mut Answer) {
        answer.context.extend(texts(&self.additional_context));
        answer.stop = self.stop.clone();
        answer.quiet = self.suppress_output;
    }
}

impl AnswerNotes for ContextPatch {
    fn add_to(&self, answer: &mut Answer) {
        answer.context.extend(texts(&self.additional_context));
        answer.model = self.model.clone();
        answer.first_prompt = self.initial_prompt.clone();
        answer.messages.extend(self.system_messages.iter().cloned());
    }
}

impl AnswerNotes for CompactNotes {
    fn add_to(&self, answer: &mut Answer) {
        self.context.add_to(answer);
        answer.summary = self.summary.clone();
    }
}

fn texts(notes: &[ContextNote]) -> impl Iterator<Item = String> + '_ {
    notes.iter().map(|note| note.text.clone())
}

#[cfg(test)]
mod tests {
    use hooks_core::{Decision, HookContext, HookRequest, PromptOutcome, Reason, Verdict};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_with_all_it_carries() {
        let mut request =
            HookRequest::new(HookContext::default(), PreToolUse::new("Bash", json!({"command": "ls"})));
        request.rewrite(json!({"command": "ls -h"}));
        let reason = Reason::new("rules", "r", "not on Fridays")
            .instead("wait until Monday")
            .unless("change the rule `r`");
        let mut decision = Decision::<PreToolUse>::from(Verdict::ask(reason));
        decision.settle(&request);
        decision.notes_mut().additional_context.push(ContextNote::new("mind the gap"));
        let expected = Answer {
            context: vec!["mind the gap".to_owned()],
            ..Answer::ask("not on Fridays; wait until Monday")
                .rewritten(Rewrite::Arguments(json!({"command": "ls -h"})))
        };
        assert_eq!(Answer::from(&decision), expected);
    }

    #[test]
    fn a_prompt_that_was_not_changed_is_no_rewrite() {
        let outcome = PromptOutcome::noting(ContextPatch::note(ContextNote::new("it is Friday")));
        assert_eq!(Answer::from(&outcome), Answer::context("it is Friday"));
    }
}
