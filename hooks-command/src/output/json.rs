//! The object that a handler writes to its standard output.
//!
//! It is parsed as docker-agent's decoder does: the case of a key is ignored, the last duplicate counts, null
//! means absent, and a value of another type makes the whole object invalid.

use serde_json::{Map, Value};

/// An answer as the handler wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandlerReply {
    /// Whether the run continues. The default is that it does.
    pub goes_on: Option<bool>,
    /// Reason for which the run does not continue.
    pub stop_reason: String,
    /// Whether the output should be hidden. It never is.
    pub suppress_output: bool,
    /// A text for the user.
    pub system_message: String,
    /// `block`, or empty.
    pub decision: String,
    /// Reason of the decision.
    pub reason: String,
    /// The part that depends on the event.
    pub specific: Option<SpecificReply>,
}

/// The part of an answer that depends on the event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecificReply {
    /// The event to which the part belongs.
    pub event: String,
    /// `allow`, `ask`, `deny`.
    pub permission_decision: String,
    /// Reason of the permission decision.
    pub permission_decision_reason: String,
    /// A patch of the arguments.
    pub updated_input: Option<Map<String, Value>>,
    /// A text for the model.
    pub additional_context: String,
    /// Texts for the model, each with a key.
    pub instruction_context: Option<Vec<Value>>,
    /// A summary in place of the host's.
    pub summary: String,
    /// Messages in place of the original ones.
    pub updated_messages: Option<Vec<Message>>,
    /// A result in place of the tool's.
    pub updated_tool_response: Option<String>,
    /// Metadata for the user who is asked.
    pub metadata: Option<Map<String, Value>>,
}

/// A message of a model call, as the host has it.
pub type Message = Map<String, Value>;

/// An error in the output of a handler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The output begins like an object, but is not valid JSON.
    #[error("its output is not valid JSON: {0}")]
    NotJson(String),
    /// More output follows the object.
    #[error(
        "its output must be a single JSON object, and more follows it; write what else there is to standard error"
    )]
    MoreFollows,
    /// A value has the wrong type.
    #[error("`{name}` of its output: expected {wanted}, found {found}")]
    WrongType {
        /// Name of the field.
        name: String,
        /// The expected type.
        wanted: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// A field of a strict handler is unknown.
    #[error("its output has a field `{0}` that is not known")]
    Unknown(String),
    /// A strict handler wrote text.
    #[error("with strict_output it has to write one JSON object or nothing, and wrote text")]
    TextFromStrict,
}

/// Parses output. `Ok(None)` is text, or no output.
///
/// # Errors
/// Returns an error if the output begins like an object and cannot be parsed as one. With `strict`, text and
/// unknown fields are errors as well.
///
/// ```
/// use hooks_command::output::{OutputError, parse};
///
/// let reply = parse(r#"{"decision": "block", "reason": "no"}"#, false);
/// assert!(matches!(reply, Ok(Some(_))));
/// assert!(matches!(parse("all files are fine", false), Ok(None)));
/// assert!(matches!(parse("all files are fine", true), Err(OutputError::TextFromStrict)));
/// // Output that begins like an object has to be one.
/// assert!(matches!(parse("{oops", false), Err(OutputError::NotJson(_))));
/// ```
pub fn parse(output: &str, strict: bool) -> Result<Option<HandlerReply>, OutputError> {
    let output = output.trim();
    if !output.starts_with('{') {
        return if strict && !output.is_empty() { Err(OutputError::TextFromStrict) } else { Ok(None) };
    }
    object(output)?.pipe(|fields| parse_fields(&fields, strict)).map(Some)
}

/// Parses the one object in a text.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, OutputError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let first = match values.next() {
        Some(Ok(first)) => first,
        Some(Err(error)) => return Err(OutputError::NotJson(error.to_string())),
        None => return Err(OutputError::NotJson("there is nothing".to_owned())),
    };
    let rest = text.get(values.byte_offset()..).unwrap_or_default();
    if rest.trim().is_empty() { Ok(first) } else { Err(OutputError::MoreFollows) }
}

/// Converts an object to an answer; a builtin returns such an object directly.
///
/// # Errors
/// Returns an error if a field has the wrong type, or is unknown and `strict` is set.
pub(crate) fn parse_fields(fields: &Map<String, Value>, strict: bool) -> Result<HandlerReply, OutputError> {
    let mut reply = HandlerReply::default();
    for (name, value) in fields {
        let field = Field { name, value };
        match name.to_ascii_lowercase().as_str() {
            "continue" => reply.goes_on = field.optional("a boolean", Value::as_bool)?,
            "stop_reason" => field.text(&mut reply.stop_reason)?,
            "suppress_output" => {
                if let Some(flag) = field.optional("a boolean", Value::as_bool)? {
                    reply.suppress_output = flag;
                }
            }
            "system_message" => field.text(&mut reply.system_message)?,
            "decision" => field.text(&mut reply.decision)?,
            "reason" => field.text(&mut reply.reason)?,
            "hook_specific_output" => match field.optional("an object", Value::as_object)? {
                Some(fields) => specific(fields, strict, reply.specific.get_or_insert_default())?,
                None => reply.specific = None,
            },
            _ if strict => return Err(OutputError::Unknown(name.clone())),
            _ => {}
        }
    }
    Ok(reply)
}

fn specific(fields: &Map<String, Value>, strict: bool, reply: &mut SpecificReply) -> Result<(), OutputError> {
    for (name, value) in fields {
        let field = Field { name, value };
        match name.to_ascii_lowercase().as_str() {
            "hook_event_name" => field.text(&mut reply.event)?,
            "permission_decision" => field.text(&mut reply.permission_decision)?,
            "permission_decision_reason" => field.text(&mut reply.permission_decision_reason)?,
            "updated_input" => reply.updated_input = field.optional("an object", Value::as_object)?.cloned(),
            "additional_context" => field.text(&mut reply.additional_context)?,
            "instruction_context" => reply.instruction_context = field.objects()?.map(values),
            "summary" => field.text(&mut reply.summary)?,
            "updated_messages" => reply.updated_messages = field.objects()?,
            "updated_tool_response" => {
                reply.updated_tool_response = field.optional("a string", Value::as_str)?.map(str::to_owned);
            }
            "metadata" => {
                let metadata = field.optional("an object of texts", Value::as_object)?.cloned();
                for (name, value) in metadata.iter().flatten() {
                    Field { name, value }.optional("a string", Value::as_str)?;
                }
                reply.metadata = metadata;
            }
            _ if strict => return Err(OutputError::Unknown(name.clone())),
            _ => {}
        }
    }
    Ok(())
}

fn values(objects: Vec<Map<String, Value>>) -> Vec<Value> {
    objects.into_iter().map(Value::Object).collect()
}

/// A field of an object, to be converted to a type.
struct Field<'a> {
    name: &'a str,
    value: &'a Value,
}

impl<'a> Field<'a> {
    /// The value as `read` converts it; `None` if the value is null.
    fn optional<T>(
        &self,
        wanted: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, OutputError> {
        if self.value.is_null() {
            return Ok(None);
        }
        match read(self.value) {
            Some(value) => Ok(Some(value)),
            None => {
                Err(OutputError::WrongType { name: self.name.to_owned(), wanted, found: kind(self.value) })
            }
        }
    }

    /// Overwrites a text, unless the value is null.
    fn text(&self, into: &mut String) -> Result<(), OutputError> {
        if let Some(text) = self.optional("a string", Value::as_str)? {
            text.clone_into(into);
        }
        Ok(())
    }

    fn objects(&self) -> Result<Option<Vec<Map<String, Value>>>, OutputError> {
        let Some(items) = self.optional("a list of objects", Value::as_array)? else { return Ok(None) };
        let objects = items.iter().map(|value| {
            let object = Field { name: self.name, value }.optional("a list of objects", Value::as_object)?;
            Ok(object.cloned().unwrap_or_default())
        });
        objects.collect::<Result<_, _>>().map(Some)
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

trait Pipe: Sized {
    fn pipe<T>(self, with: impl FnOnce(Self) -> T) -> T {
        with(self)
    }
}

impl Pipe for Map<String, Value> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(output: &str) -> HandlerReply {
        parse(output, false).unwrap().unwrap()
    }

    #[test]
    fn names_in_any_case_and_the_last_of_two() {
        let reply = parsed(r#" {"CONTINUE": false, "Stop_Reason": "halt", "stop_reason": "stop", "x": 1}"#);
        assert_eq!((reply.goes_on, reply.stop_reason.as_str()), (Some(false), "stop"));
        let reply = parsed(r#"{"decision": "block", "DECISION": null, "continue": false, "Continue": null}"#);
        assert_eq!((reply.goes_on, reply.decision.as_str()), (None, "block"));
    }

    #[test]
    fn text_is_no_answer() {
        for text in ["", "  \n", "done", "[1]", "\u{feff}{}", "x {}"] {
            assert_eq!(parse(text, false), Ok(None), "{text}");
        }
        assert_eq!(parse(" \n", true), Ok(None));
        assert_eq!(parse("done", true), Err(OutputError::TextFromStrict));
    }

    #[test]
    fn an_object_that_cannot_be_read_is_an_error() {
        for (text, strict) in [
            ("{", false),
            ("{} done", false),
            ("{}{}", false),
            (r#"{"continue": "false"}"#, false),
            (r#"{"decision": 1}"#, false),
            (r#"{"hook_specific_output": []}"#, false),
            (r#"{"hook_specific_output": {"metadata": {"a": 1}}}"#, false),
            (r#"{"hook_specific_output": {"updated_messages": ["x"]}}"#, false),
            (r#"{"note": "x"}"#, true),
            (r#"{"hook_specific_output": {"note": "x"}}"#, true),
        ] {
            assert!(parse(text, strict).is_err(), "{text}");
        }
        assert_eq!(parse("{}\n}", false), Err(OutputError::MoreFollows));
    }

    #[test]
    fn what_is_empty_is_there() {
        let reply = parsed(r#"{"hook_specific_output": {"updated_input": {}, "updated_tool_response": ""}}"#);
        let specific = reply.specific.unwrap();
        assert_eq!(specific.updated_input, Some(Map::new()));
        assert_eq!(specific.updated_tool_response.as_deref(), Some(""));
    }
}
