//! A child, as the registry knows it.

use hooks_core::event::ChildStatus;
use hooks_core::state::{Member, OpId};
use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A child agent that waits, lives, fell silent or ended a while ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Child {
    /// What the host calls it, in all events about it; its own session, where it has one.
    pub id: Option<String>,
    /// Which agent; empty where nobody said.
    pub agent: String,
    /// Whose child it is.
    pub parent_agent: String,
    /// The session that started it.
    pub parent_session: String,
    /// The session that its tree hangs below.
    pub root: String,
    /// How many generations below the root.
    pub depth: u32,
    /// The model it uses.
    pub model: Option<String>,
    /// The kind of task.
    pub task_type: Option<String>,
    /// The beginning of its task, scrubbed.
    pub task: String,
    /// Which configuration it has, where some are tried out: the trial's, by name.
    pub variant: Option<String>,
    /// What it does now.
    pub state: ChildState,
    /// How it ended.
    pub status: Option<ChildStatus>,
    /// Since when it is known, by the store's time.
    pub since: Timestamp,
    /// Until when it is believed to live without another sign of life; of one that ended, until when it is told.
    pub until: Option<Timestamp>,
}

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChildState {
    /// It was let through and is not there yet.
    Waiting,
    /// It lives.
    Running,
    /// It gave no sign of life for as long as its lease: it is taken for lost, and has no place any more.
    Silent,
    /// It ended.
    Ended,
}

/// A child as it is written, beside what the store knows of every member.
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
    /// Its place in the limits.
    pub(super) hold: OpId,
    /// Whether it lives without one: it was taken for lost, and when it came back there was none left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_placeless: bool,
}

/// An entry, where it stands in the registry.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) id: OpId,
    pub(super) since: Timestamp,
    pub(super) until: Option<Timestamp>,
    /// Whether its time is up.
    pub(super) is_over: bool,
    pub(super) entry: Entry,
}

impl Known {
    /// What a member of the set is. One that cannot be read is none: it holds its place until its lease ends.
    pub(super) fn read(member: &Member, now: Timestamp) -> Option<Self> {
        let entry = serde_json::from_str(&member.note).ok()?;
        let (id, since, until) = (member.id, member.since, member.until);
        Some(Self { id, since, until, is_over: member.is_over(now), entry })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.entry.state == ChildState::Ended
    }

    /// Whether it holds a place.
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
            agent, parent, session, root, depth, child, model, task_type, task, variant, status, ..
        } = entry;
        Child {
            id: child,
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
