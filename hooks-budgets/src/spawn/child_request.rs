//! Request to start a child, from either event.

use hooks_core::HookRequest;
use hooks_core::event::{PreToolUse, SubagentStart};
use hooks_facts::tools::{ToolKind, agent_arguments};

use hooks_facts::calls::CallReader;

/// Request to start a child.
#[derive(Clone, Debug, Default)]
pub(super) struct ChildRequest {
    pub(super) by: RequestedBy,
    /// Name of the agent; empty if unknown.
    pub(super) agent: String,
    pub(super) model: Option<String>,
    pub(super) task_type: Option<String>,
    pub(super) charter: Option<String>,
    pub(super) task: String,
    /// Number of generations below the root, if the client reports it.
    pub(super) depth: Option<u32>,
    pub(super) child: Option<String>,
    pub(super) call: Option<String>,
    /// Whether some of the arguments cannot be decoded.
    pub(super) is_unusable: bool,
}

/// Event of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RequestedBy {
    /// `subagent_start`.
    #[default]
    Event,
    /// `pre_tool_use` of a tool that starts agents.
    Tool,
}

impl ChildRequest {
    /// Returns the child of a `subagent_start`.
    pub(super) fn of_start(request: &HookRequest<SubagentStart>) -> Self {
        let event = request.event();
        Self {
            by: RequestedBy::Event,
            agent: event.agent_name.clone(),
            model: given(event.model.as_deref()),
            task_type: given(event.task_type.as_deref()),
            charter: given(event.charter_path.as_deref()),
            task: event.task.clone(),
            depth: (event.depth > 0).then_some(event.depth),
            child: given(event.child_id.as_deref()),
            call: given(request.context().call_id.as_deref()),
            is_unusable: false,
        }
    }

    /// Returns the child that a call of an agent-starting tool requests; `None` for other tools.
    pub(super) fn of_call(request: &HookRequest<PreToolUse>, reader: &CallReader) -> Option<Self> {
        let call = reader.read(request);
        if call.kind() != ToolKind::SpawnAgent {
            return None;
        }
        let read = agent_arguments(call.arguments());
        let id = request.event().tool_use_id.as_deref().or(request.context().call_id.as_deref());
        Some(Self {
            by: RequestedBy::Tool,
            agent: read.agent.unwrap_or_default().to_owned(),
            model: given(read.model),
            task_type: given(read.task_type),
            charter: None,
            task: read.task.unwrap_or_default().to_owned(),
            depth: None,
            child: None,
            call: given(id),
            is_unusable: read.is_unusable,
        })
    }

    /// Returns the name of the agent for messages.
    pub(super) fn named(&self) -> &str {
        if self.agent.is_empty() { "an agent without a name" } else { &self.agent }
    }
}

/// Returns the text, unless it is blank.
pub(super) fn given(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
