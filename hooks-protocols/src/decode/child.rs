//! A tool call that starts another agent.

use hooks_core::WireEvent;
use hooks_core::event::SubagentStart;
use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use super::Decoded;

impl Decoded {
    /// The child agent that this tool call would start, where it would start one.
    ///
    /// Most clients cannot be told to leave a child when they say that it starts. The call of the tool that starts it can
    /// be denied in all of them, so that is where rules about children have to be asked.
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
