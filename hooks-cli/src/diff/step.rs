//! An event that is tried, with what of its context matters.

use std::path::Path;

use hooks::HookContext;
use hooks::event::{EventKind, WireError, WireEvent};
use hooks::time::Timestamp;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) kind: EventKind,
    pub(super) fields: Value,
    /// Name of the agent; empty for the agent of the session.
    pub(super) agent: String,
    /// Distinguishes the session from the first one; empty for that.
    pub(super) session: &'static str,
    pub(super) parent: Option<&'static str>,
    pub(super) tenant: Option<String>,
    pub(super) id: Option<String>,
    /// Time since the first event, in milliseconds.
    pub(super) after: u64,
}

impl Step {
    pub(super) fn new(kind: EventKind, fields: Value) -> Self {
        let (agent, session) = (String::new(), "");
        Self { kind, fields, agent, session, parent: None, tenant: None, id: None, after: 0 }
    }

    pub(super) fn call(tool: &str, args: &Value) -> Self {
        Self::new(EventKind::PreToolUse, json!({"tool_name": tool, "tool_args": args}))
    }

    /// The result of this call.
    pub(super) fn result(&self, text: &str, is_failed: bool) -> Self {
        let mut result = Self { kind: EventKind::PostToolUse, ..self.clone() };
        if let Value::Object(fields) = &mut result.fields {
            fields.insert("tool_result".to_owned(), json!(text));
            if is_failed {
                fields.insert("error".to_owned(), json!("it failed"));
            }
        }
        result
    }

    pub(super) fn by(mut self, agent: &str) -> Self {
        agent.clone_into(&mut self.agent);
        self
    }

    pub(super) fn for_tenant(mut self, tenant: Option<&str>) -> Self {
        self.tenant = tenant.map(str::to_owned);
        self
    }

    pub(super) fn after(mut self, time: u64) -> Self {
        self.after = time;
        self
    }

    pub(super) fn with_id(mut self, id: usize) -> Self {
        self.id = Some(format!("c{id}"));
        self
    }

    pub(super) fn in_session(mut self, session: &'static str, parent: Option<&'static str>) -> Self {
        (self.session, self.parent) = (session, parent);
        self
    }

    fn session(name: &str, session: &str) -> String {
        if session.is_empty() { name.to_owned() } else { format!("{name}-{session}") }
    }

    /// The context in the session `name` and the folder `root`, if the first event is at `now`.
    pub(super) fn context(&self, name: &str, root: &Path, now: Timestamp) -> HookContext {
        let mut context =
            HookContext::new(Self::session(name, self.session), self.agent.as_str()).in_dir(root);
        context.parent_session_id = self.parent.map(|parent| Self::session(name, parent));
        context.call_id.clone_from(&self.id);
        context.tenant.clone_from(&self.tenant);
        context.timestamp = Timestamp(now.0.saturating_add(self.after));
        context
    }

    pub(super) fn event(&self) -> Result<WireEvent, WireError> {
        WireEvent::from_fields(self.kind, self.fields.clone())
    }

    /// A line for `hooks eval`. The time is left out if it does not matter.
    pub(super) fn line(&self, name: &str, root: &Path, now: Option<Timestamp>) -> Value {
        let mut at = json!(self.context(name, root, now.unwrap_or_default()));
        if let Value::Object(at) = &mut at
            && now.is_none()
        {
            at.shift_remove("timestamp");
        }
        let mut line = Map::from_iter([("event".to_owned(), json!(self.kind)), ("at".to_owned(), at)]);
        line.extend(self.fields.as_object().cloned().unwrap_or_default());
        Value::Object(line)
    }

    /// Title of the event, and what it is about.
    pub(super) fn shown(&self) -> (String, String) {
        let field = |name: &str| self.fields.get(name);
        match self.kind {
            EventKind::PreToolUse | EventKind::PostToolUse => {
                let tool = field("tool_name").and_then(Value::as_str).unwrap_or_default();
                let args = field("tool_args").unwrap_or(&Value::Null);
                let end = match (self.kind, field("error").is_some()) {
                    (EventKind::PreToolUse, _) => String::new(),
                    (_, true) => ", after it failed".to_owned(),
                    (_, false) => {
                        format!(", after its result {}", field("tool_result").unwrap_or(&Value::Null))
                    }
                };
                (tool.to_owned(), format!("{args}{end}"))
            }
            kind => (kind.name().to_owned(), self.fields.to_string()),
        }
    }
}
