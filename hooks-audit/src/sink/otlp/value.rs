//! Common elements of OTLP's JSON: 64-bit numbers are strings, ids are hex, keys are in camel case.

use serde_json::{Map, Value, json};

/// Attributes, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes(Vec<Value>);

impl Attributes {
    /// Adds a text, unless it is empty.
    #[must_use]
    pub(super) fn text(mut self, key: &str, value: impl AsRef<str>) -> Self {
        if !value.as_ref().is_empty() {
            self.0.push(json!({"key": key, "value": {"stringValue": value.as_ref()}}));
        }
        self
    }

    /// Adds a text, if there is one.
    #[must_use]
    pub(super) fn text_of<T: AsRef<str>>(self, key: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Adds a number, if there is one.
    #[must_use]
    pub(super) fn number(mut self, key: &str, value: Option<u64>) -> Self {
        if let Some(value) = value {
            self.0.push(json!({"key": key, "value": {"intValue": signed(value)}}));
        }
        self
    }

    pub(super) fn into_json(self) -> Value {
        Value::Array(self.0)
    }
}

/// Builds a request: one resource with one scope that holds `items` under `kind`.
pub(super) fn request(service: &str, signal: &str, kind: &str, items: Vec<Value>) -> Value {
    let resource = Attributes::default().text("service.name", service).into_json();
    let scope = json!({"name": super::SCOPE, "version": env!("CARGO_PKG_VERSION")});
    let mut of_scope = Map::new();
    of_scope.insert("scope".to_owned(), scope);
    of_scope.insert(kind.to_owned(), Value::Array(items));
    let mut of_resource = Map::new();
    of_resource.insert("resource".to_owned(), json!({ "attributes": resource }));
    of_resource.insert(format!("scope{signal}"), Value::Array(vec![Value::Object(of_scope)]));
    let mut all = Map::new();
    all.insert(format!("resource{signal}"), Value::Array(vec![Value::Object(of_resource)]));
    Value::Object(all)
}

/// Converts milliseconds to nanoseconds, as a string.
pub(super) fn nanos(milliseconds: u64) -> String {
    milliseconds.saturating_mul(1_000_000).to_string()
}

/// Limits a number to a signed 64-bit integer, as a string.
fn signed(value: u64) -> String {
    value.min(i64::MAX as u64).to_string()
}
