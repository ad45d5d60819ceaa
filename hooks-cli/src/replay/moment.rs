//! Events of a record, as they are judged again.

use std::fmt;
use std::sync::Arc;

use hooks::event::WireEvent;
use hooks::{EventKind, HookContext, Strength};
use hooks_protocols::Client;
use serde_json::Value;

use super::question::{Question, Rules};
use crate::failure::Failure;
use crate::subject::find_subject;

/// A part of a record.
pub(super) enum Step {
    /// An event whose decision is in the record.
    Recorded(Box<Moment>),
    /// A call in a transcript, whose end follows. The text identifies it.
    Called(Arc<str>, Box<Moment>),
    /// The end of a call in a transcript, and whether a hook denied it.
    Ended(Arc<str>, bool),
    /// A record without anything that can be judged.
    Passed,
}

/// An event of the record.
pub(super) struct Moment {
    pub(super) place: RecordPosition,
    pub(super) context: Arc<HookContext>,
    pub(super) kind: EventKind,
    pub(super) tool: Option<String>,
    /// The event; `None` if the record does not have it, or each side has its question.
    pub(super) event: Option<WireEvent>,
    /// The event as the new rules are asked about it.
    pub(super) new: Option<Question>,
    /// The event as the old rules are asked about it, if there are old rules.
    pub(super) old: Option<Question>,
    /// The decision in the record.
    pub(super) recorded: Option<Recorded>,
    /// Client that sent the event, if it is known.
    pub(super) client: Option<Client>,
    /// The argument by which a person knows the call.
    pub(super) subject: Option<String>,
    /// Facts that the record does not have.
    pub(super) not_known: Vec<&'static str>,
}

impl Step {
    /// Makes the questions of the sides, in any order of the steps.
    pub(super) fn ask(&mut self, new: &Rules, old: Option<&Rules>) -> Result<(), Failure> {
        let (Self::Recorded(moment) | Self::Called(_, moment)) = self else { return Ok(()) };
        let Some(event) = moment.event.take() else { return Ok(()) };
        if let Some(old) = old {
            let given = Arc::clone(&moment.context);
            moment.old = Some(old.question(moment, event.clone())?);
            moment.context = given;
        }
        moment.new = Some(new.question(moment, event)?);
        Ok(())
    }
}

/// Position in a record.
#[derive(Clone)]
pub(super) enum RecordPosition {
    /// Chain and number of a record of the log.
    Record(Arc<str>, u64),
    /// File and line of a transcript.
    Line(Arc<str>, u64),
}

impl fmt::Display for RecordPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Record(name, number) | Self::Line(name, number)) = self;
        write!(f, "{name}:{number}")
    }
}

/// A decision in the record.
#[derive(Clone)]
pub(super) enum Recorded {
    /// Decision of an audit log, with its reasons as JSON.
    Decision(Strength, Vec<Value>),
    /// Whether a hook denied a call in a transcript.
    WasDenied(bool),
}

/// The argument by which a person knows a call: its command, path or address, or else the first text.
pub(super) fn subject(event: &WireEvent) -> Option<String> {
    let arguments = match event {
        WireEvent::PreToolUse(call) => &call.tool_args,
        WireEvent::PermissionRequest(call) => &call.tool_args,
        WireEvent::PostToolUse(call) => &call.tool_args,
        _ => return None,
    };
    let subject = find_subject(arguments)?;
    let end = subject.char_indices().nth(SHOWN).map_or(subject.len(), |(end, _)| end);
    subject.get(..end).map(str::to_owned)
}

/// Maximum characters of a subject.
const SHOWN: usize = 200;
