//! Descriptions of the events of the table, one by one.

use hooks_core::event::*;
use hooks_core::{ContextPatch, Strength};
use hooks_facts::tools::{ToolKind, ToolTable};

use super::{Described, RecordedOutcome};
use crate::record::Record;

/// Events that policies decide.
macro_rules! decided {
    ($($Event:ty => |$event:pat_param, $record:ident| $describe:block)*) => { $(
        impl Described for $Event {
            fn describe(&self, $record: &mut Record) {
                let $event = self;
                $describe
            }

            fn recorded(outcome: &Self::Outcome) -> RecordedOutcome {
                RecordedOutcome::judged(outcome)
            }
        }
    )* };
}

/// Events that hooks only receive, each with the description of their answer.
macro_rules! told {
    ($($Event:ty, $recorded:expr => |$event:pat_param, $record:ident| $describe:block)*) => { $(
        impl Described for $Event {
            fn describe(&self, $record: &mut Record) {
                let $event = self;
                $describe
            }

            fn recorded(outcome: &Self::Outcome) -> RecordedOutcome {
                let recorded: fn(&Self::Outcome) -> RecordedOutcome = $recorded;
                recorded(outcome)
            }
        }
    )* };
}

impl Described for PreToolUse {
    fn describe(&self, record: &mut Record) {
        tool(record, &self.tool_name, self.tool_use_id.as_ref());
    }

    fn recorded(outcome: &Self::Outcome) -> RecordedOutcome {
        RecordedOutcome::judged(outcome)
    }

    /// A tool that declares nothing may change something.
    fn changes_something(&self) -> bool {
        // Without a declaration, the name of the tool decides.
        let reads = || ToolTable::default().kind(&self.tool_name) == ToolKind::Read;
        !self.read_only.unwrap_or_else(reads)
    }

    fn tool_to_run(&self) -> Option<&str> {
        Some(&self.tool_name)
    }
}

impl Described for UserPromptSubmitted {
    fn describe(&self, _record: &mut Record) {}

    fn recorded(outcome: &Self::Outcome) -> RecordedOutcome {
        RecordedOutcome::judged(outcome).finding(outcome.notes())
    }
}

impl Described for PostToolUse {
    fn describe(&self, record: &mut Record) {
        tool(record, &self.tool_name, self.tool_use_id.as_ref());
        record.duration_ms = Some(self.duration_ms);
        record.failed = self.error.is_some();
        record.redacted.clone_from(&self.redacted);
    }

    fn recorded(outcome: &Self::Outcome) -> RecordedOutcome {
        RecordedOutcome::judged(outcome)
    }

    fn result(&self) -> Option<&PostToolUse> {
        Some(self)
    }
}

decided! {
    PermissionRequest => |event, record| {
        tool(record, &event.tool_name, event.tool_use_id.as_ref());
    }
    BeforeModelCall => |event, record| {
        record.model = Some(event.model.clone());
    }
    AfterModelCall => |event, record| {
        record.model = Some(event.model.clone());
        record.tokens = Some(event.usage);
        record.cost_micro_usd = event.cost.map(|cost| cost.0);
    }
    PreCompact => |_, _record| {}
    SubagentStart => |event, record| {
        child(record, &event.agent_name, event.child_id.as_ref(), event.model.as_ref());
    }
    SubagentStop => |event, record| {
        child(record, &event.agent_name, event.child_id.as_ref(), event.model.as_ref());
        record.duration_ms = Some(event.duration_ms);
        record.tokens = total(event.tokens_used);
        record.failed = event.status != ChildStatus::Completed;
    }
    Stop => |_, _record| {}
    MaxIterations => |_, _record| {}
    Route => |event, record| {
        record.child = Some(event.target_agent.clone());
    }
    WorktreeCreated => |_, _record| {}
}

told! {
    SessionStart, RecordedOutcome::added => |event, record| {
        record.model.clone_from(&event.model);
    }
    SessionEnd, |()| RecordedOutcome::default() => |event, record| {
        record.duration_ms = Some(event.duration_ms);
        record.tokens = total(event.tokens_used);
        record.failed = event.error.is_some();
    }
    TurnStart, |patch: &ContextPatch| RecordedOutcome::added(patch) => |_, _record| {}
    TurnEnd, |()| RecordedOutcome::default() => |event, record| {
        record.failed = event.reason == TurnEndReason::Error;
    }
    ToolDecided, |()| RecordedOutcome::default() => |event, record| {
        tool(record, &event.tool_name, event.tool_use_id.as_ref());
        record.outcome = Some(event.verdict);
        record.source = Some(event.source);
        if let Some(reason) = event.reasons.iter().find(|reason| reason.argues_for(event.verdict)) {
            record.policy = Some(reason.policy.clone().into_owned());
            record.rule = Some(reason.rule.clone().into_owned());
        }
    }
    UserInputRequested, |()| RecordedOutcome::default() => |_, _record| {}
    ErrorOccurred, RecordedOutcome::proposed => |event, record| {
        record.model.clone_from(&event.current_model);
        record.failed = true;
    }
    PostCompact, |()| RecordedOutcome::default() => |_, _record| {}
    SubagentSpawned, |()| RecordedOutcome::default() => |event, record| {
        child(record, &event.agent_name, event.child_id.as_ref(), event.model.as_ref());
    }
    SpawnFailed, RecordedOutcome::proposed => |event, record| {
        child(record, &event.agent_name, event.child_id.as_ref(), event.current_model.as_ref());
        record.failed = true;
    }
    AgentSwitched, |()| RecordedOutcome::default() => |event, record| {
        record.child = Some(event.to.clone());
    }
    Notification, |()| RecordedOutcome::default() => |event, record| {
        record.failed = event.level == Level::Error;
    }
}

/// Whether the verdict on a tool call must be synced before the call continues: any verdict except allow, or
/// a verdict of a person or a permission hook.
pub(crate) fn is_grave(decided: &ToolDecided) -> bool {
    decided.verdict != Strength::Allow
        || matches!(decided.source, VerdictSource::Approver | VerdictSource::PermissionHook)
}

fn tool(record: &mut Record, name: &str, id: Option<&String>) {
    record.tool = Some(name.to_owned());
    record.call = id.cloned().or(record.call.take());
}

fn child(record: &mut Record, agent: &str, id: Option<&String>, model: Option<&String>) {
    record.child = Some(agent.to_owned());
    record.child_id = id.cloned();
    record.model = model.cloned();
}

/// Token usage of which only the sum is known.
fn total(tokens: u64) -> Option<Usage> {
    (tokens > 0).then(|| Usage { input_tokens: tokens, ..Usage::default() })
}
