//! The values of templates, and their representation in Go.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::{Map, Number, Value};

use super::{TemplateError, error};

/// A value, or the complete payload. A clone copies no text.
#[derive(Clone, Debug)]
pub(super) enum Thing<'s> {
    Payload,
    /// A value of the payload or the template.
    Given(&'s Value),
    /// A value that a function created.
    Made(Rc<Value>),
    /// A missing key.
    Missing,
}

/// A payload, with lazily created copies of the parts that need another form.
#[derive(Debug)]
pub(super) struct Source<'p> {
    fields: &'p Map<String, Value>,
    whole: OnceCell<Value>,
    input: OnceCell<Value>,
    response: OnceCell<Value>,
}

impl<'p> Source<'p> {
    pub(super) const fn new(fields: &'p Map<String, Value>) -> Self {
        Self { fields, whole: OnceCell::new(), input: OnceCell::new(), response: OnceCell::new() }
    }

    /// The value of a key. Values without a type of their own in Go have floats as numbers.
    fn get(&self, key: &str) -> Option<&Value> {
        let value = self.fields.get(key)?;
        Some(match key {
            "tool_input" => self.input.get_or_init(|| in_floats(value)),
            "tool_response" => self.response.get_or_init(|| in_floats(value)),
            _ => value,
        })
    }

    fn whole(&self) -> &Value {
        self.whole.get_or_init(|| Value::Object(self.fields.clone()))
    }
}

/// The fields of a payload: their Go names, their keys, and their values if the payload lacks them.
const FIELDS: &[(&str, &str, Zero)] = &[
    ("SessionID", "session_id", Zero::Text),
    ("Cwd", "cwd", Zero::Text),
    ("HookEventName", "hook_event_name", Zero::Text),
    ("AgentName", "agent_name", Zero::Text),
    ("ModelID", "model_id", Zero::Text),
    ("Iteration", "iteration", Zero::Number),
    ("LastUserMessage", "last_user_message", Zero::Text),
    ("ToolCategory", "tool_category", Zero::Text),
    ("ToolName", "tool_name", Zero::Text),
    ("ToolUseID", "tool_use_id", Zero::Text),
    ("ToolInput", "tool_input", Zero::Map),
    ("ToolReadOnly", "tool_read_only", Zero::Flag),
    ("SafetyPolicy", "safety_policy", Zero::Text),
    ("ToolResponse", "tool_response", Zero::Nothing),
    ("ToolError", "tool_error", Zero::Flag),
    ("Messages", "messages", Zero::List),
    ("Source", "source", Zero::Text),
    ("Reason", "reason", Zero::Text),
    ("StopResponse", "stop_response", Zero::Text),
    ("Prompt", "prompt", Zero::Text),
    ("SteeringMessages", "steering_messages", Zero::List),
    ("ParentSessionID", "parent_session_id", Zero::Text),
    ("NotificationLevel", "notification_level", Zero::Text),
    ("NotificationMessage", "notification_message", Zero::Text),
    ("FromAgent", "from_agent", Zero::Text),
    ("ToAgent", "to_agent", Zero::Text),
    ("AgentSwitchKind", "agent_switch_kind", Zero::Text),
    ("FromAgentModels", "from_agent_models", Zero::List),
    ("PreviousMaxIterations", "previous_max_iterations", Zero::Number),
    ("NewMaxIterations", "new_max_iterations", Zero::Number),
    ("ApprovalDecision", "approval_decision", Zero::Text),
    ("ApprovalSource", "approval_source", Zero::Text),
    ("SafetyLabel", "safety_label", Zero::Text),
    ("Usage", "usage", Zero::Nothing),
    ("Cost", "cost", Zero::Nothing),
    ("InputTokens", "input_tokens", Zero::Number),
    ("OutputTokens", "output_tokens", Zero::Number),
    ("ContextLimit", "context_limit", Zero::Number),
    ("CompactionReason", "compaction_reason", Zero::Text),
    ("Summary", "summary", Zero::Text),
    ("WorktreePath", "worktree_path", Zero::Text),
    ("WorktreeBranch", "worktree_branch", Zero::Text),
    ("WorktreeSourceDir", "worktree_source_dir", Zero::Text),
];

#[derive(Clone, Copy)]
enum Zero {
    Text,
    Number,
    Flag,
    List,
    Map,
    Nothing,
}

impl Zero {
    fn value(self) -> Value {
        match self {
            Self::Text => "".into(),
            Self::Number => 0.into(),
            Self::Flag => false.into(),
            Self::List => Value::Array(Vec::new()),
            Self::Map => Value::Object(Map::new()),
            Self::Nothing => Value::Null,
        }
    }
}

impl<'s> Thing<'s> {
    /// A created value.
    pub(super) fn made(value: impl Into<Value>) -> Self {
        Self::Made(Rc::new(value.into()))
    }

    /// The value of the field `name`.
    pub(super) fn field(&self, name: &str, source: &'s Source<'_>) -> Result<Self, TemplateError> {
        if let Self::Payload = self {
            return match FIELDS.iter().find(|(known, ..)| *known == name) {
                Some((_, key, zero)) => {
                    Ok(source.get(key).map_or_else(|| Self::made(zero.value()), Self::Given))
                }
                None => error(format!("there is no field `{name}`")),
            };
        }
        match self.value(source) {
            Value::Object(fields) => {
                let key = if fields.contains_key(name) { name.to_owned() } else { snake_case(name) };
                Ok(self.inner(source, |value| value.get(&key)).unwrap_or(Self::Missing))
            }
            _ => error(format!("there is no field `{name}` in a value that is not a map")),
        }
    }

    /// The inner value that `find` returns.
    pub(super) fn inner(
        &self,
        source: &'s Source<'_>,
        find: impl Fn(&Value) -> Option<&Value>,
    ) -> Option<Self> {
        match self {
            Self::Payload => find(source.whole()).map(Self::Given),
            Self::Given(value) => find(value).map(Self::Given),
            // Functions create words and numbers, so the copy is small.
            Self::Made(value) => find(value).cloned().map(Self::made),
            Self::Missing => None,
        }
    }

    /// The value; for the payload, its object.
    pub(super) fn value<'v>(&'v self, source: &'v Source<'_>) -> &'v Value {
        match self {
            Self::Payload => source.whole(),
            Self::Given(value) => value,
            Self::Made(value) => value,
            Self::Missing => &Value::Null,
        }
    }

    pub(super) fn is_true(&self, source: &Source<'_>) -> bool {
        matches!(self, Self::Payload) || is_true(self.value(source))
    }

    /// The value as Go prints it.
    pub(super) fn print(&self, source: &Source<'_>) -> String {
        match self.value(source) {
            Value::Null => "<no value>".to_owned(),
            value => printed(value),
        }
    }
}

/// Whether a value is true in Go.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The approximate number of bytes to read for a complete value. Recurses as deep as the payload is nested.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).fold(items.len(), usize::saturating_add),
        Value::Object(fields) => {
            let inner = fields.iter().map(|(name, value)| weight(value).saturating_add(name.len()));
            inner.fold(fields.len(), usize::saturating_add)
        }
        _ => 8,
    }
}

/// A value as Go's `%v` prints it. Recurses as deep as the payload is nested.
pub(super) fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number_text(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(printed).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}:{}", printed(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
    }
}

/// A number as `%v` prints it: a float has an exponent from a million on, or below a ten thousandth.
fn number_text(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    let written = format!("{float:e}");
    let Some((digits, exponent)) = written.split_once('e') else { return written };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) && float != 0.0 => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => format!("{float}"),
    }
}

/// A copy of the value with floats for all of its numbers.
fn in_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            number.as_f64().and_then(Number::from_f64).map_or_else(|| value.clone(), Value::Number)
        }
        Value::Array(items) => items.iter().map(in_floats).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), in_floats(value))).collect())
        }
        other => other.clone(),
    }
}

/// A value as Go's JSON encoder writes it: keys sorted, `<`, `>` and `&` escaped.
pub(super) fn json(value: &Value) -> String {
    in_order(value).to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn in_order(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(in_order).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(name, value)| (name.clone(), in_order(value))).collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(fields.into_iter().collect())
        }
        // A float without a fraction is written without one.
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e21 => {
                serde_json::from_str(&format!("{float:.0}")).unwrap_or_else(|_| value.clone())
            }
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// Converts `InputTokens` to `input_tokens`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = !c.is_uppercase();
        snake.extend(c.to_lowercase());
    }
    snake
}
