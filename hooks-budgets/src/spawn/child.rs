//! Child agent as the registry lists it.

use hooks_core::event::ChildStatus;
use hooks_core::state::{Member, OpId};
use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Child agent that waits, runs, fell silent or ended a while ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Child {
    /// Id of the child in all events of the host; its own session, if it has one.
    pub id: Option<String>,
    /// Tool call that started the child, if it is known.
    pub call: Option<String>,
    /// Name of the agent; empty if unknown.
    pub agent: String,
    /// Name of the parent agent.
    pub parent_agent: String,
    /// Session that started the child.
    pub parent_session: String,
    /// Session at the root of the tree.
    pub root: String,
    /// Number of generations below the root.
    pub depth: u32,
    /// Model that the child uses.
    pub model: Option<String>,
    /// Kind of task.
    pub task_type: Option<String>,
    /// Start of its task, scrubbed.
    pub task: String,
    /// Name of the variant that the child has, if it takes part in a trial.
    pub variant: Option<String>,
    /// Current state.
    pub state: ChildState,
    /// Status at its end.
    pub status: Option<ChildStatus>,
    /// Time since which the child is listed, by the store's clock.
    pub since: Timestamp,
    /// Time until which the child is presumed alive without another sign of life; for one that ended, until
    /// which it is listed.
    pub until: Option<Timestamp>,
}

/// State of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChildState {
    /// The child was allowed and has not started yet.
    Waiting,
    /// The child is alive.
    Running,
    /// The child gave no sign of life during its lease: it is presumed lost and has no place any more.
    Silent,
    /// The child ended.
    Ended,
}

/// Child as it is encoded, without the fields that the store knows of every member.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) agent: String,
    pub(super) parent: String,
    pub(super) session: String,
    pub(super) root: String,
    pub(super) depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) child: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_type: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variant: Option<String>,
    pub(super) state: ChildState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<ChildStatus>,
    /// Place in the limits.
    pub(super) hold: OpId,
    /// Whether the child is alive without a place: it was presumed lost, and no place was free when it
    /// returned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_placeless: bool,
}

/// Entry with its position in the registry.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) id: OpId,
    pub(super) since: Timestamp,
    pub(super) until: Option<Timestamp>,
    /// Whether its lease has ended.
    pub(super) is_over: bool,
    pub(super) entry: Entry,
}

impl Known {
    /// Decodes a member of the set. One that cannot be decoded is skipped: it keeps its place until its lease
    /// ends.
    pub(super) fn read(member: &Member, now: Timestamp) -> Option<Self> {
        let entry = serde_json::from_str(&member.note).ok()?;
        let (id, since, until) = (member.id, member.since, member.until);
        Some(Self { id, since, until, is_over: member.is_over(now), entry })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.entry.state == ChildState::Ended
    }

    /// Returns whether the child holds a place.
    pub(super) fn lives(&self) -> bool {
        !self.is_over && !self.has_ended()
    }

    pub(super) fn state(&self) -> ChildState {
        match self.entry.state {
            ChildState::Waiting | ChildState::Running if self.is_over => ChildState::Silent,
            state => state,
        }
    }

    pub(super) fn into_child(self) -> Child {
        let state = self.state();
        let Self { since, until, entry, .. } = self;
        let Entry {
            agent,
            parent,
            session,
            root,
            depth,
            child,
            call,
            model,
            task_type,
            task,
            variant,
            status,
            ..
        } = entry;
        Child {
            id: child,
            call,
            agent,
            parent_agent: parent,
            parent_session: session,
            root,
            depth,
            model,
            task_type,
            task,
            variant,
            state,
            status,
            since,
            until,
        }
    }
}
