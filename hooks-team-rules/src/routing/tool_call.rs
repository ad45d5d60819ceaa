//! Calls of the tool `squad_route`, under the name that a client gives it.

use hooks_core::event::{Priority, Route};
use serde_json::Value;

/// Names of the argument with the target.
const TARGET: [&str; 3] = ["targetAgent", "target_agent", "agent"];

/// A task in the arguments of a call.
pub(super) struct ToolRoute {
    pub(super) route: Route,
    key: &'static str,
}

impl ToolRoute {
    /// Reads the arguments.
    ///
    /// # Errors
    /// Returns the problem of arguments without a target, with a task that is not a text, or with an unknown priority.
    pub(super) fn read(args: &Value) -> Result<Self, String> {
        let mut given = TARGET.into_iter().filter(|key| args.get(key).is_some());
        let key = given.next().ok_or("the task has no target")?;
        if let Some(other) = given.next() {
            return Err(format!("the task has two targets, `{key}` and `{other}`"));
        }
        let target = args.get(key).and_then(Value::as_str).ok_or("the target of the task is no text")?;
        let mut route = Route::new(target, text(args, "task")?.unwrap_or_default());
        route.context = text(args, "context")?.map(str::to_owned);
        if let Some(priority) = args.get("priority").filter(|priority| !priority.is_null()) {
            let read: Result<Priority, _> = serde_json::from_value(priority.clone());
            route.priority = read.map_err(|_| format!("the priority {priority} of the task is unknown"))?;
        }
        Ok(Self { route, key })
    }

    /// Returns the arguments with another target.
    pub(super) fn with_target(&self, args: &Value, target: &str) -> Value {
        let mut args = args.clone();
        if let Some(value) = args.get_mut(self.key) {
            *value = target.into();
        }
        args
    }
}

/// Returns the text of an argument, if it is given.
fn text<'a>(args: &'a Value, key: &str) -> Result<Option<&'a str>, String> {
    match args.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not a text")),
    }
}

/// Returns whether a tool routes tasks: `squad_route`, also behind the prefix of an MCP server.
pub(crate) fn is_route_tool(name: &str) -> bool {
    let name: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.' | '/')).collect();
    name.to_lowercase().ends_with("squadroute")
}
