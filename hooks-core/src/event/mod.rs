//! Events: one type per row of the event table, grouped by subject.
//!
//! The table in `table.rs` is the only list of events. The methods of [`Bound`](crate::Bound), the slots of
//! [`Hooks`](crate::Hooks), the configuration keys, the wire format, the JSON schema and the table in the
//! docs are generated from it.

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

/// A moment in the run of an agent that hooks are asked about.
pub trait Event: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The answer that a hook gives. An answer of another type does not compile.
    type Outcome: Outcome;
    /// The change that a transform may make; [`Never`] if the event cannot be changed.
    type Rewrite: Send;
    /// The kind of the event.
    const KIND: EventKind;

    /// Applies a change to the event.
    fn apply(&mut self, rewrite: Self::Rewrite);

    /// Records in `outcome` which event it is about, unless that is the event of the original request.
    fn settle(outcome: &mut Self::Outcome, request: &HookRequest<Self>);

    /// Returns the event that `outcome` is about, if it differs from the event of the original request.
    fn effective(outcome: &Self::Outcome) -> Option<&HookRequest<Self>>;
}

/// The rewrite type of an event that cannot be changed; it has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Never {}
