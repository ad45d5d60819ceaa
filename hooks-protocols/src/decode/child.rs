//! A tool call that starts another agent.

use hooks_core::WireEvent;
use hooks_core::event::SubagentStart;
use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use super::Decoded;

impl Decoded {
    /// The child agent that this tool call would start; `None` if it does not start one.
    ///
    /// Most clients cannot prevent a child from starting at the event of its start. All of them can deny the
    /// call of the tool that starts it, so rules about children have to be checked at that call.
    ///
    /// ```
    /// use hooks_protocols::{Client, decode};
    ///
    /// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
    ///     "tool_name": "Task", "tool_use_id": "t-1",
    ///     "tool_input": {"subagent_type": "reviewer", "prompt": "look at it", "description": "review"}}"#;
    /// let child = decode(Client::Claude, None, bytes)?.child().expect("the call starts an agent");
    /// assert_eq!((child.agent_name.as_str(), child.task.as_str()), ("reviewer", "look at it"));
    /// # Ok::<(), hooks_protocols::DecodeError>(())
    /// ```
    pub fn child(&self) -> Option<SubagentStart> {
        let Some(WireEvent::PreToolUse(call)) = &self.event else { return None };
        if ToolTable::default().kind(&call.tool_name) != ToolKind::SpawnAgent {
            return None;
        }
        let dialect = self.client.dialect(&self.event_name);
        let canonical = dialect.to_canonical(&call.tool_name, call.tool_args.clone());
        let text = |key: &str| canonical.arguments.get(key).and_then(Value::as_str);
        let mut child =
            SubagentStart::new(text("agent").unwrap_or_default(), text("task").unwrap_or_default());
        child.model = text("model").map(str::to_owned);
        Some(child)
    }
}
