//! Finds the agent, its model and its task in the arguments of a tool that starts agents.

use serde_json::{Map, Value};

use super::names::Folded;

/// Properties of the agent that a call starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentArguments<'a> {
    /// Name of the agent.
    pub agent: Option<&'a str>,
    /// Requested model.
    pub model: Option<&'a str>,
    /// Kind of task.
    pub task_type: Option<&'a str>,
    /// Text of the task.
    pub task: Option<&'a str>,
    /// Whether the call starts several agents at once, or one of the fields above is not a text: a guard
    /// cannot count or judge such a call.
    pub is_unusable: bool,
}

/// Folded names of arguments, the most specific first.
const AGENT: &[&str] = table!("argument_names_agent");
const MODEL: &[&str] = table!("argument_names_model");
const TASK_TYPE: &[&str] = table!("argument_names_task_type");
const TASK: &[&str] = table!("argument_names_task");
/// Names of lists of agents or tasks.
const SEVERAL: &[&str] = table!("argument_names_several");

/// Returns the properties in the arguments of an agent-starting tool. Only the outermost arguments are read:
/// deeper ones belong to the agent.
///
/// ```
/// use hooks_facts::tools::agent_arguments;
/// use serde_json::json;
///
/// let arguments = json!({"subagent_type": "reviewer", "prompt": "look at the change"});
/// let child = agent_arguments(&arguments);
/// assert_eq!((child.agent, child.task), (Some("reviewer"), Some("look at the change")));
///
/// // Several agents in one call cannot be counted as one.
/// assert!(agent_arguments(&json!({"tasks": ["a", "b"]})).is_unusable);
/// ```
pub fn agent_arguments(arguments: &Value) -> AgentArguments<'_> {
    let Value::Object(map) = arguments else {
        // A tool whose only argument is the task may receive a bare text.
        let is_unusable = !(arguments.is_null() || arguments.is_string());
        return AgentArguments { task: arguments.as_str(), is_unusable, ..AgentArguments::default() };
    };
    let mut is_unusable = map.iter().any(|(key, value)| is_one_of(key, SEVERAL) && is_several(value));
    let mut text = |names| match find(map, names) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.as_str()),
        Some(_) => {
            is_unusable = true;
            None
        }
    };
    let (agent, model, task_type) = (text(AGENT), text(MODEL), text(TASK_TYPE));
    let task = find(map, TASK).and_then(Value::as_str);
    AgentArguments { agent, model, task_type, task, is_unusable }
}

/// Returns the arguments with another model; `None` if they name none, so that the tool may take none.
///
/// ```
/// use hooks_facts::tools::with_agent_model;
/// use serde_json::json;
///
/// let arguments = json!({"subagent_type": "reviewer", "model": "opus"});
/// assert_eq!(with_agent_model(&arguments, "haiku"), Some(json!({"subagent_type": "reviewer", "model": "haiku"})));
/// assert_eq!(with_agent_model(&json!({"subagent_type": "reviewer"}), "haiku"), None);
/// ```
pub fn with_agent_model(arguments: &Value, model: &str) -> Option<Value> {
    let named = agent_arguments(arguments).model?;
    let Value::Object(mut map) = arguments.clone() else { return None };
    for (key, value) in &mut map {
        // A tool may read any of the names.
        if is_one_of(key, MODEL) && value.as_str() == Some(named) {
            *value = model.into();
        }
    }
    Some(Value::Object(map))
}

/// Returns the argument of the first of `names` that is present.
fn find<'a>(map: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| map.iter().find(|(key, _)| is_one_of(key, &[name])).map(|(_, value)| value))
}

fn is_one_of(key: &str, names: &[&str]) -> bool {
    Folded::new(key).is_some_and(|key| key.is_one_of(names))
}

fn is_several(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.len() > 1,
        Value::Object(items) => items.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn clients_have_their_own_names_for_them() {
        for arguments in [
            json!({"subagent_type": "reviewer", "prompt": "look", "model": "opus", "name": "x"}),
            json!({"agent_type": "reviewer", "message": "look", "model": "opus"}),
            json!({"targetAgent": "reviewer", "task": "look", "modelName": "opus"}),
        ] {
            let read = agent_arguments(&arguments);
            assert_eq!((read.agent, read.task, read.model), (Some("reviewer"), Some("look"), Some("opus")));
            assert!(!read.is_unusable);
        }
        assert_eq!(agent_arguments(&json!("look")).task, Some("look"));
        assert_eq!(agent_arguments(&Value::Null), AgentArguments::default());
    }

    #[test]
    fn what_cannot_be_counted_or_read_is_told() {
        for arguments in
            [json!({"tasks": ["a", "b"]}), json!({"agent": ["a"]}), json!({"model": {"id": "x"}}), json!([1])]
        {
            assert!(agent_arguments(&arguments).is_unusable, "{arguments}");
        }
        assert!(!agent_arguments(&json!({"tasks": ["a"], "agent": null})).is_unusable);
    }
}
