//! Settings as they are printed: without the values of variables and headers of servers, and without secrets of known kinds.

use std::ops::Range;
use std::path::Path;

use hooks::redaction::Scrubber;
use toml_edit::{Document, Item, TableLike, Value};

use super::json::{self, Kind, Node};

/// Keys below which every value is hidden.
const KEYS: [&str; 5] = ["env", "headers", "http_headers", "httpHeaders", "oauth"];

/// A string of JSON and of TOML.
const HIDDEN: &str = "\"[hidden]\"";

/// The text of the file at `path` for a terminal. Lines stay lines, so that changes of the text are changes of what is shown.
pub(super) fn without_secrets(path: &Path, text: &str) -> String {
    let mut values = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => in_toml(text),
        Some("json" | "jsonc") => in_json(text),
        _ => Vec::new(),
    };
    values.sort_by_key(|span| span.start);
    let splices: Vec<_> = values.into_iter().map(|span| (span.clone(), placeholder(text, span))).collect();
    Scrubber::all().scrub(&json::splice(text, &splices)).into_owned()
}

/// A value of several lines stays one of as many lines.
fn placeholder(text: &str, span: Range<usize>) -> String {
    let breaks = text.get(span).unwrap_or_default().matches('\n').count();
    format!("{HIDDEN}{}", "\n".repeat(breaks))
}

/// The hidden values; none if the text is not JSON, which is not changed either.
fn in_json(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Ok(root) = json::parse(text) {
        in_node(&root, false, &mut found);
    }
    found
}

fn in_node(node: &Node, is_hidden: bool, found: &mut Vec<Range<usize>>) {
    match &node.kind {
        Kind::Object(members) => {
            for member in members {
                in_node(&member.value, is_hidden || is_hidden_key(&member.key), found);
            }
        }
        Kind::Array(items) => items.iter().for_each(|item| in_node(item, is_hidden, found)),
        _ if is_hidden => found.push(node.span.clone()),
        _ => {}
    }
}

fn in_toml(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Ok(document) = Document::parse(text) {
        in_table(document.as_table(), false, &mut found);
    }
    found
}

fn in_table(table: &dyn TableLike, is_hidden: bool, found: &mut Vec<Range<usize>>) {
    for (key, item) in table.iter() {
        let is_hidden = is_hidden || is_hidden_key(key);
        match item {
            Item::Value(value) => in_value(value, is_hidden, found),
            Item::Table(table) => in_table(table, is_hidden, found),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| in_table(table, is_hidden, found)),
            Item::None => {}
        }
    }
}

fn in_value(value: &Value, is_hidden: bool, found: &mut Vec<Range<usize>>) {
    match value {
        Value::InlineTable(table) => in_table(table, is_hidden, found),
        Value::Array(items) => items.iter().for_each(|item| in_value(item, is_hidden, found)),
        _ if is_hidden => found.extend(value.span()),
        _ => {}
    }
}

fn is_hidden_key(key: &str) -> bool {
    KEYS.iter().any(|hidden| hidden.eq_ignore_ascii_case(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_and_headers_are_hidden() {
        for (file, text, shown) in [
            (
                "a.json",
                r#"{"mcpServers": {"a": {"command": "s", "env": {"WHO": "me", "N": 1}, "args": ["x"]}}}"#,
                r#"{"mcpServers": {"a": {"command": "s", "env": {"WHO": "[hidden]", "N": "[hidden]"}, "args": ["x"]}}}"#,
            ),
            (
                "a.json",
                "{\"servers\": {\"a\": {\"url\": \"http://x\", \"Headers\": {\"X-Team\": [\"web\"]}}}} // c",
                "{\"servers\": {\"a\": {\"url\": \"http://x\", \"Headers\": {\"X-Team\": [\"[hidden]\"]}}}} // c",
            ),
            (
                "a.toml",
                "[mcp_servers.a]\ncommand = \"s\"\nenv = { A = \"b\" }\n[mcp_servers.a.http_headers]\nX = \"y\"\nZ = \"\"\"1\n2\"\"\"\n",
                "[mcp_servers.a]\ncommand = \"s\"\nenv = { A = \"[hidden]\" }\n[mcp_servers.a.http_headers]\nX = \"[hidden]\"\nZ = \"[hidden]\"\n\n",
            ),
            ("a.yaml", "env: me", "env: me"),
        ] {
            assert_eq!(without_secrets(Path::new(file), text), shown);
        }
        let token = "{\"args\": [\"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"]";
        for file in ["a.json", "a.toml", "a.yaml"] {
            assert!(!without_secrets(Path::new(file), token).contains("ghp_"), "{file}");
        }
    }
}
