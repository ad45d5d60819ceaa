//! Messages of MCP, as far as governing needs them: JSON-RPC 2.0 without batches. Unknown fields stay.

use std::fmt;
use std::sync::Arc;

use hooks_core::HookContext;
use serde_json::{Map, Value, json};

use crate::names;
use crate::strict;

/// Code of JSON-RPC for text that is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// Code of JSON-RPC for JSON that is not a valid message.
pub const INVALID_REQUEST: i64 = -32600;
/// Code of JSON-RPC for an unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Code of JSON-RPC for invalid parameters.
pub const INVALID_PARAMS: i64 = -32602;
/// Code of JSON-RPC for an internal error.
pub const INTERNAL_ERROR: i64 = -32603;
/// Our code for a request that the hooks deny and that has no other form of an error. MCP wants codes of one's own
/// outside of the range that JSON-RPC reserves.
pub const DENIED: i64 = 403;

/// Mark of UTF-8 at the beginning of a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Id of a request. `1` and `"1"` are two ids; `1` and `1.0` are one, because programs with one type of numbers write either.
///
/// ```
/// use hooks_mcp::RequestId;
/// use serde_json::json;
///
/// assert_ne!(RequestId::from_value(&json!(1)), RequestId::from_value(&json!("1")));
/// assert_eq!(RequestId::from_value(&json!(1)), RequestId::from_value(&json!(1.0)));
/// assert_eq!(RequestId::from_value(&json!(1.5)), None); // MCP has integers and texts only
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestId {
    /// An integer.
    Number(i64),
    /// A text.
    Text(String),
}

impl RequestId {
    /// Returns the id; `None` unless the value is an integer or a text.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)).map(Self::Number),
            _ => None,
        }
    }
}

/// The integer of a float that is one, if no other integer has the same float.
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let is_whole = float.fract() == 0.0 && float.abs() <= EXACT;
    #[expect(clippy::cast_possible_truncation, reason = "it is an integer of at most 53 bits")]
    is_whole.then_some(float as i64)
}

impl From<&RequestId> for Value {
    fn from(id: &RequestId) -> Self {
        match id {
            RequestId::Number(number) => (*number).into(),
            RequestId::Text(text) => text.as_str().into(),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// A request, as the layer takes it.
///
/// ```
/// use hooks_mcp::McpRequest;
/// use serde_json::json;
///
/// let request = McpRequest::new("tools/call", json!({"name": "echo", "arguments": {}, "_meta": {"a": 1}}));
/// assert_eq!(request.method(), "tools/call");
/// assert_eq!(request.params()["_meta"], json!({"a": 1}));
/// ```
#[derive(Clone, Debug)]
pub struct McpRequest {
    method: String,
    params: Value,
    context: Option<Arc<HookContext>>,
    /// Fields of the message that JSON-RPC does not define.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "the proxy sends them"))]
    others: Map<String, Value>,
    original: Option<Arc<[u8]>>,
}

impl McpRequest {
    /// A request without an id; the transport has that. `params` are null or an object.
    pub fn new(method: impl Into<String>, params: Value) -> Self {
        Self { method: method.into(), params, context: None, others: Map::new(), original: None }
    }

    /// Sets the context of this request, if it is not that of the layer: a server with several clients has a
    /// session for each.
    #[must_use]
    pub fn in_context(mut self, context: impl Into<Arc<HookContext>>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters; null if they are missing.
    pub const fn params(&self) -> &Value {
        &self.params
    }

    /// The context of this request, if it has one of its own.
    pub const fn context(&self) -> Option<&Arc<HookContext>> {
        self.context.as_ref()
    }

    /// Takes the parameters.
    pub fn into_params(self) -> Value {
        self.params
    }

    /// Replaces the parameters.
    pub(crate) fn set_params(&mut self, params: Value) {
        (self.params, self.original) = (params, None);
    }

    /// Scrubs the parameters and the other fields of the message.
    #[cfg(feature = "proxy")]
    pub(crate) fn scrub(&mut self, scrub: impl Fn(&mut Value) -> bool) {
        if scrub(&mut self.params) | scrub_fields(&mut self.others, scrub) {
            self.original = None;
        }
    }

    /// Whether the client speaks a version of MCP that has no sessions (from 2026-07-28): each of its requests names
    /// the version. Results then name their type.
    pub(crate) fn is_stateless(&self) -> bool {
        self.params.pointer("/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
    }

    /// The bytes of the message with this id: as they were received, unless the request was changed.
    #[cfg(feature = "proxy")]
    pub(crate) fn to_line(&self, id: &RequestId) -> Arc<[u8]> {
        if let Some(original) = &self.original {
            return Arc::clone(original);
        }
        let mut message = self.others.clone();
        message.extend([("jsonrpc".to_owned(), json!("2.0")), ("id".to_owned(), Value::from(id))]);
        message.insert("method".to_owned(), json!(self.method));
        if !self.params.is_null() {
            message.insert("params".to_owned(), self.params.clone());
        }
        to_line(&Value::Object(message)).into()
    }
}

/// The answer to a request: a result, or an error object.
///
/// ```
/// use hooks_mcp::{INVALID_PARAMS, McpReply};
/// use serde_json::json;
///
/// assert_eq!(McpReply::result(json!({"tools": []})).body(), Ok(&json!({"tools": []})));
/// let failed = McpReply::error(INVALID_PARAMS, "no such tool");
/// assert_eq!(failed.into_body(), Err(json!({"code": -32602, "message": "no such tool"})));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct McpReply {
    body: Result<Value, Value>,
    /// Fields of the message that JSON-RPC does not define.
    others: Map<String, Value>,
    original: Option<Arc<[u8]>>,
}

impl McpReply {
    /// A result.
    pub fn result(result: Value) -> Self {
        Self { body: Ok(result), others: Map::new(), original: None }
    }

    /// An error.
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        Self::error_object(json!({"code": code, "message": message.into()}))
    }

    /// An error with its whole object: `code`, `message`, and `data` if there is any.
    pub fn error_object(error: Value) -> Self {
        Self { body: Err(error), others: Map::new(), original: None }
    }

    /// The result, or the error object.
    ///
    /// # Errors
    /// Returns the error object if the request failed.
    pub const fn body(&self) -> Result<&Value, &Value> {
        self.body.as_ref()
    }

    /// The result, or the error object, by value.
    ///
    /// # Errors
    /// Returns the error object if the request failed.
    pub fn into_body(self) -> Result<Value, Value> {
        self.body
    }

    /// Changes the result or the error object with `change`, which returns whether it changed anything.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Value) -> bool) {
        let (Ok(value) | Err(value)) = &mut self.body;
        if change(value) {
            self.original = None;
        }
    }

    /// Scrubs the fields of the message beside the result or the error.
    #[cfg(feature = "proxy")]
    pub(crate) fn scrub_others(&mut self, scrub: impl Fn(&mut Value) -> bool) {
        if scrub_fields(&mut self.others, scrub) {
            self.original = None;
        }
    }

    /// The bytes of the message for the request with this id: as they were received, unless the answer was changed.
    #[cfg(feature = "proxy")]
    pub(crate) fn to_line(&self, id: &RequestId) -> Arc<[u8]> {
        if let Some(original) = &self.original {
            return Arc::clone(original);
        }
        let (name, value) = match &self.body {
            Ok(result) => ("result", result),
            Err(error) => ("error", error),
        };
        let mut message = self.others.clone();
        message.extend([("jsonrpc".to_owned(), json!("2.0")), ("id".to_owned(), Value::from(id))]);
        message.insert(name.to_owned(), value.clone());
        to_line(&Value::Object(message)).into()
    }
}

/// Scrubs each of these fields; returns whether it changed any.
#[cfg(feature = "proxy")]
fn scrub_fields(fields: &mut Map<String, Value>, scrub: impl Fn(&mut Value) -> bool) -> bool {
    if fields.is_empty() {
        return false;
    }
    // Also a key may have a secret, and its value may be one because of the key.
    let mut all = Value::Object(std::mem::take(fields));
    let is_changed = scrub(&mut all);
    if let Value::Object(scrubbed) = all {
        *fields = scrubbed;
    }
    is_changed
}

/// Takes the fields that JSON-RPC does not define.
fn other_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.retain(|key, _| !names::ENVELOPE.contains(&&**key));
    fields
}

/// A message without an answer.
#[derive(Clone, Debug)]
pub struct Notice {
    pub(crate) value: Value,
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "the proxy reads it"))]
    pub(crate) original: Option<Arc<[u8]>>,
}

impl Notice {
    /// The method.
    pub fn method(&self) -> &str {
        self.value.get("method").and_then(Value::as_str).unwrap_or_default()
    }

    /// Scrubs all but the method.
    #[cfg(feature = "proxy")]
    pub(crate) fn scrub(&mut self, scrub: impl Fn(&mut Value) -> bool) {
        let mut is_changed = self.value.get_mut("params").is_some_and(&scrub);
        let is_known = |key: &str| names::ENVELOPE.contains(&key);
        if let Some(fields) =
            self.value.as_object_mut().filter(|fields| !fields.keys().all(|key| is_known(key)))
        {
            let (known, mut others): (Map<_, _>, Map<_, _>) =
                std::mem::take(fields).into_iter().partition(|(key, _)| is_known(key));
            is_changed |= scrub_fields(&mut others, scrub);
            *fields = others;
            fields.extend(known);
        }
        if is_changed {
            self.original = None;
        }
    }

    /// The bytes of the message.
    #[cfg(feature = "proxy")]
    pub(crate) fn to_line(&self) -> Arc<[u8]> {
        self.original.clone().unwrap_or_else(|| to_line(&self.value).into())
    }
}

/// A message of either side.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Message {
    /// A request with its id.
    Request(RequestId, McpRequest),
    /// A notification.
    Notice(Notice),
    /// The answer to the request with this id. An error about a message that the other side could not read has none.
    Reply(Option<RequestId>, McpReply),
}

/// A message that is not forwarded.
///
/// ```
/// use hooks_mcp::{INVALID_REQUEST, Message, RequestId};
///
/// // Some servers ignore the case of keys, and would call another tool than the one that is judged.
/// let line = br#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "Method": "tools/call"}"#;
/// let refused = Message::parse(line).unwrap_err();
/// assert_eq!((refused.code, refused.ids), (INVALID_REQUEST, vec![RequestId::Number(7)]));
/// assert_eq!(refused.reason, "the key `Method` could be read as another one");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    /// Ids of the requests that were in it, as far as they can be read.
    pub ids: Vec<RequestId>,
    /// Ids of the requests that it answered, as far as they can be read.
    pub answers: Vec<RequestId>,
    /// Whether it was a batch, whose answer is a batch too.
    pub is_batch: bool,
    /// Code of the answer.
    pub code: i64,
    /// Reason.
    pub reason: String,
}

impl Refused {
    pub(crate) fn new(
        code: i64,
        ids: impl IntoIterator<Item = RequestId>,
        reason: impl Into<String>,
    ) -> Self {
        let ids = ids.into_iter().collect();
        Self { ids, answers: Vec::new(), is_batch: false, code, reason: reason.into() }
    }

    /// A refusal of these messages.
    fn about<'a>(
        code: i64,
        reason: impl Into<String>,
        messages: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let mut refused = Self::new(code, None, reason);
        for message in messages {
            let Some(id) = message.get("id").and_then(RequestId::from_value) else { continue };
            let is_answer = message.get("method").is_none();
            (if is_answer { &mut refused.answers } else { &mut refused.ids }).push(id);
        }
        refused
    }

    /// The bytes of the answer to the sender.
    #[cfg(feature = "proxy")]
    pub(crate) fn to_line(&self) -> Vec<u8> {
        let error = json!({"code": self.code, "message": self.reason});
        let of = |id: &RequestId| json!({"jsonrpc": "2.0", "id": Value::from(id), "error": error});
        match (&*self.ids, self.is_batch) {
            ([], _) => to_line(&json!({"jsonrpc": "2.0", "error": error})),
            ([id], false) => to_line(&of(id)),
            (ids, _) => to_line(&ids.iter().map(of).collect()),
        }
    }
}

impl Message {
    /// Parses a message. `line` has no line break at its end.
    ///
    /// # Errors
    /// Returns an error for text that is not JSON or that programs read in different ways. Also for a batch, and for a
    /// value that is not a message of JSON-RPC 2.0.
    ///
    /// ```
    /// use hooks_mcp::Message;
    ///
    /// let call = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}"#;
    /// assert!(matches!(Message::parse(call), Ok(Message::Request(..))));
    ///
    /// let batch = [b"[", &call[..], b"]"].concat();
    /// assert!(Message::parse(&batch).unwrap_err().is_batch);
    /// let twice = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/call"}"#;
    /// assert_eq!(Message::parse(twice).unwrap_err().reason, "the message cannot be read in one way: the key `method` is given twice at line 1 column 54");
    /// ```
    pub fn parse(line: &[u8]) -> Result<Self, Refused> {
        // Some programs begin their output with the mark of UTF-8.
        let line = line.strip_prefix(MARK).unwrap_or(line);
        let value = match strict::parse(line) {
            Ok(value) => value,
            Err(error) => return Err(unreadable(line, &error)),
        };
        let Value::Object(fields) = value else { return Err(not_an_object(&value)) };
        let id = fields.get("id").map(RequestId::from_value);
        let refused =
            |reason: String| Err(Refused::about(INVALID_REQUEST, reason, [&Value::Object(fields.clone())]));
        if let Some(key) = fields.keys().find(|key| names::is_odd_form(key, &names::ENVELOPE)) {
            return refused(format!("the key `{key}` could be read as another one"));
        }
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refused("`jsonrpc` is not \"2.0\"".to_owned());
        }
        let answers = fields.contains_key("result") || fields.contains_key("error");
        match (fields.get("method"), &id) {
            (Some(Value::String(method)), _) if !answers => {
                let method = method.clone();
                if names::is_odd_form(&method, &names::GOVERNED) {
                    return refused(format!("the method `{method}` could be read as another one"));
                }
                if !matches!(fields.get("params"), None | Some(Value::Object(_))) {
                    return refused("`params` is not an object".to_owned());
                }
                request(line, fields, method, id)
            }
            (None, _) if answers => reply(line, fields, id),
            _ => refused("it is neither a request, nor a notification, nor an answer".to_owned()),
        }
    }
}

fn request(
    line: &[u8],
    mut fields: Map<String, Value>,
    method: String,
    id: Option<Option<RequestId>>,
) -> Result<Message, Refused> {
    let original = Some(one_line(line).into());
    match id {
        None if names::GOVERNED.contains(&&*method) => {
            Err(Refused::new(INVALID_REQUEST, None, format!("`{method}` is a request and needs an id")))
        }
        None => Ok(Message::Notice(Notice { value: Value::Object(fields), original })),
        Some(None) => Err(Refused::new(INVALID_REQUEST, None, "`id` is neither an integer nor a text")),
        Some(Some(id)) => {
            let params = fields.remove("params").unwrap_or_default();
            let others = other_fields(fields);
            Ok(Message::Request(id, McpRequest { method, params, context: None, others, original }))
        }
    }
}

fn reply(
    line: &[u8],
    mut fields: Map<String, Value>,
    id: Option<Option<RequestId>>,
) -> Result<Message, Refused> {
    let answers: Vec<RequestId> = id.clone().flatten().into_iter().collect();
    let refused =
        |reason| Err(Refused { answers: answers.clone(), ..Refused::new(INVALID_REQUEST, None, reason) });
    let body = match (fields.remove("result"), fields.remove("error")) {
        (Some(result), None) if result.is_object() => Ok(result),
        (None, Some(error)) if error.is_object() => Err(error),
        (Some(_), Some(_)) => return refused("the answer has a result and an error"),
        _ => return refused("the result or the error of the answer is not an object"),
    };
    let id = match id {
        Some(Some(id)) => Some(id),
        None | Some(None) if body.is_err() => None,
        _ => return refused("the answer has no id"),
    };
    let others = other_fields(fields);
    Ok(Message::Reply(id, McpReply { body, others, original: Some(one_line(line).into()) }))
}

/// The refusal of text that is not read. Its id is used if it has one; of two ids, none.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Refused {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Refused::new(PARSE_ERROR, None, format!("the message is not JSON: {error}"));
    };
    let reason = format!("the message cannot be read in one way: {error}");
    let is_certain = value.is_object() && !reason.contains("the key `id`");
    let refused = Refused::about(INVALID_REQUEST, reason, is_certain.then_some(&value));
    Refused { is_batch: value.is_array(), ..refused }
}

fn not_an_object(value: &Value) -> Refused {
    let Some(batch) = value.as_array() else {
        return Refused::new(INVALID_REQUEST, None, "the message is not an object");
    };
    let reason = "batches are not forwarded; send each message on a line of its own";
    Refused { is_batch: true, ..Refused::about(INVALID_REQUEST, reason, batch) }
}

/// Encodes a message; see [`one_line`].
#[cfg(feature = "proxy")]
pub(crate) fn to_line(value: &Value) -> Vec<u8> {
    one_line(value.to_string().as_bytes())
}

/// The JSON of a message, without bytes that some programs take for the end of a line: a carriage return between
/// values, and separators of Unicode in texts. Such a program would read a part of the message as one of its own.
fn one_line(json: &[u8]) -> Vec<u8> {
    const SEPARATORS: [(&[u8], &[u8]); 5] = [
        (b"\r", b" "),
        (b"\n", b" "),
        ("\u{85}".as_bytes(), b"\\u0085"),
        ("\u{2028}".as_bytes(), b"\\u2028"),
        ("\u{2029}".as_bytes(), b"\\u2029"),
    ];
    let mut line = Vec::with_capacity(json.len() + 1);
    let mut rest = json;
    while let Some((first, behind)) = rest.split_first() {
        let separator = match first {
            b'\r' | b'\n' | 0xC2 | 0xE2 => {
                SEPARATORS.iter().find(|(separator, _)| rest.starts_with(separator))
            }
            _ => None,
        };
        match separator {
            Some((separator, replacement)) => {
                line.extend_from_slice(replacement);
                rest = rest.get(separator.len()..).unwrap_or_default();
            }
            None => {
                line.push(*first);
                rest = behind;
            }
        }
    }
    line
}
