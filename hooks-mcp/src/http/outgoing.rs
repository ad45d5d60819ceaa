//! A message to the server, with the headers that repeat a part of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The version of a message, in the versions without sessions.
const VERSION_OF: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// A message to the server.
pub(super) struct Outgoing {
    /// Id of a request; `None` for another message.
    pub(super) id: Option<Value>,
    /// Method; empty for an answer.
    pub(super) method: String,
    /// The request that a notice cancels.
    pub(super) cancels: Option<Value>,
    /// The version that the message names itself.
    pub(super) version: Option<HeaderValue>,
    /// The value of `Mcp-Name`.
    name: Option<HeaderValue>,
    pub(super) bytes: Vec<u8>,
}

impl Outgoing {
    /// Reads a message that the proxy has judged.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let text = |place: &str| message.pointer(place).and_then(Value::as_str);
        let method = text("/method").unwrap_or_default().to_owned();
        let name = match &*method {
            "tools/call" | "prompts/get" => text("/params/name"),
            "resources/read" => text("/params/uri"),
            _ => None,
        };
        let cancels = (method == "notifications/cancelled")
            .then(|| message.pointer("/params/requestId").cloned())
            .flatten();
        Self {
            id: message.get("id").filter(|_| !method.is_empty()).cloned(),
            cancels,
            version: text(VERSION_OF).and_then(|version| HeaderValue::from_str(version).ok()),
            name: name.and_then(header_value),
            method,
            bytes,
        }
    }

    /// Adds the headers of the versions that repeat the method and the name, as they were judged.
    pub(super) fn add_headers(&self, headers: &mut HeaderMap) {
        if self.version.is_none() {
            return;
        }
        let method = header_value(&self.method);
        for (header, value) in [(METHOD, method), (NAME, self.name.clone())] {
            if let Some(value) = value {
                headers.insert(header, value);
            }
        }
    }
}

/// A text as the value of a header: as it is, or in base64.
fn header_value(text: &str) -> Option<HeaderValue> {
    let is_plain = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) && text.trim() == text;
    let is_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if is_plain && !is_encoded {
        return HeaderValue::from_str(text).ok();
    }
    HeaderValue::from_str(&format!("=?base64?{}?=", STANDARD.encode(text))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_repeat_the_message() {
        let headers = |message: &str| {
            let mut headers = HeaderMap::new();
            Outgoing::new(message.as_bytes().to_vec()).add_headers(&mut headers);
            let value =
                |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap().to_owned());
            (value(METHOD), value(NAME))
        };
        let meta = r#""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}"#;
        let call = |name: &str| {
            format!(r#"{{"id": 1, "method": "tools/call", "params": {{"name": "{name}", {meta}}}}}"#)
        };
        let method = Some("tools/call".to_owned());
        assert_eq!(headers(&call("a b")), (method.clone(), Some("a b".to_owned())));
        assert_eq!(headers(&call("é")), (method.clone(), Some("=?base64?w6k=?=".to_owned())));
        let twice = Some("=?base64?PT9iYXNlNjQ/eD89?=".to_owned());
        assert_eq!(headers(&call("=?base64?x?=")), (method, twice));
        assert_eq!(headers(r#"{"id": 1, "method": "tools/call", "params": {"name": "a"}}"#), (None, None));
        assert_eq!(headers("not JSON"), (None, None));
    }
}
