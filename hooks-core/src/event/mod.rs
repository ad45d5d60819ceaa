//! The events: one hand-written type per row of the table in [`table`](self), grouped by what they are about.
//!
//! The table is the one place that says which events there are. The facade's methods, the slots of
//! [`Hooks`](crate::Hooks), the configuration keys, the wire format, the JSON schema and the docs table are
//! generated from it.

mod compaction;
mod error;
mod kind;
mod lifecycle;
mod model;
mod prompt;
mod routing;
mod session;
mod subagent;
mod table;
mod tool;
mod turn;
mod wire;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::compaction::{CompactionSource, PostCompact, PreCompact};
pub use self::error::{ErrorOccurred, ErrorType, SpawnFailed};
pub use self::kind::{EventKind, OnFailure};
pub use self::lifecycle::{Level, MaxIterations, Notification, Stop, UserInputRequested};
pub use self::model::{
    AfterModelCall, BeforeModelCall, Message, MicroUsd, ModelReply, ModelRewrite, Role, Usage,
};
pub use self::prompt::{PromptKind, UserPromptSubmitted};
pub use self::routing::{AgentSwitched, Priority, Route, WorktreeCreated};
pub use self::session::{EndReason, SessionEnd, SessionStart, StartSource};
pub use self::subagent::{ChildStatus, SpawnRewrite, SubagentSpawned, SubagentStart, SubagentStop};
pub(crate) use self::table::for_each_event;
pub use self::tool::{PermissionRequest, PostToolUse, PreToolUse, ResultRewrite, ToolDecided, VerdictSource};
pub use self::turn::{TurnEnd, TurnEndReason, TurnStart};
pub use self::wire::{WireError, WireEvent};

use crate::outcome::Outcome;
use crate::request::HookRequest;

/// Something that happens in an agent, which hooks may answer.
pub trait Event: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a hook may answer. A wrong answer type does not compile.
    type Outcome: Outcome;
    /// What may be changed on the way in; [`Never`] where nothing may.
    type Rewrite: Send;
    /// Which event it is.
    const KIND: EventKind;

    /// Changes the event.
    fn apply(&mut self, rewrite: Self::Rewrite);

    /// Has `outcome` say which event it is about, unless that is the one that was asked about.
    fn settle(outcome: &mut Self::Outcome, request: &HookRequest<Self>);

    /// The event that `outcome` is about, where that is not the one that was asked about.
    fn effective(outcome: &Self::Outcome) -> Option<&HookRequest<Self>>;
}

/// What may be changed about an event that nobody may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Never {}
