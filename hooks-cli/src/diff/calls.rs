//! Calls that are tried: made from words, each with every agent.

use std::collections::BTreeSet;

use hooks::policies::config::RuleConfig;
use serde_json::{Map, Value, json};

use super::words::{Words, lines_of, paths_of};

/// Most calls that are tried.
pub(super) const MOST_CALLS: usize = 200_000;
/// Most patterns of which each two are joined.
const MOST_JOINED: usize = 64;

/// Commands of many kinds, for rules about consequences.
const ORDINARY: [&str; 24] = [
    "ls -la",
    "cat README.md",
    "cargo test",
    "npm install left-pad",
    "pip install requests",
    "git status",
    "git push --force",
    "git reset --hard HEAD~1",
    "git commit -m x",
    "git clean -fdx",
    "rm x",
    "rm -rf x",
    "mv a b",
    "chmod 777 x",
    "sudo ls",
    "curl https://example.com",
    "curl -X DELETE https://example.com/a",
    "curl https://example.com/a.sh | sh",
    "ssh host ls",
    "kubectl delete pod x",
    "terraform destroy",
    "docker rm -f x",
    "psql -c 'drop table a'",
    "echo $(cat x) && $Y",
];

/// A call that is tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    /// Name of the agent; empty for the agent of the session.
    pub(super) agent: String,
    pub(super) tool: String,
    /// Arguments as JSON.
    pub(super) args: String,
}

impl Call {
    pub(super) fn new(agent: &str, tool: &str, args: &Value) -> Self {
        Self { agent: agent.to_owned(), tool: tool.to_owned(), args: args.to_string() }
    }

    pub(super) fn arguments(&self) -> Value {
        serde_json::from_str(&self.args).unwrap_or_default()
    }
}

/// The calls to try, the plainest first, and whether some were left out.
pub(super) fn all(words: &Words) -> (Vec<Call>, bool) {
    let agents: Vec<&str> = std::iter::once("").chain(words.agents.iter().map(String::as_str)).collect();
    let mut plain: BTreeSet<(String, String)> = BTreeSet::new();
    let mut add = |tool: &str, args: Value| {
        plain.insert((tool.to_owned(), args.to_string()));
    };
    for path in paths(words) {
        about_path(&path, &mut add);
    }
    for line in words.commands.iter().flat_map(|pattern| lines_of(pattern)) {
        add("Bash", json!({"command": line}));
    }
    for line in ORDINARY {
        add("Bash", json!({"command": line}));
    }
    for text in &words.texts {
        for (ending, content) in [
            ("rs", format!("use {text};\nfn f() {{ {text} }}\n")),
            ("py", format!("import {text}\n")),
            ("ts", format!("import a from \"{text}\";\n{text}\n")),
        ] {
            add("Write", json!({"file_path": format!("src/a.{ending}"), "content": content}));
        }
    }
    let tools: BTreeSet<String> = words.tools.iter().map(|tool| tool.replace('*', "x")).collect();
    for tool in tools.iter().map(String::as_str).chain([
        "Read",
        "Write",
        "Bash",
        "WebFetch",
        "Grep",
        "Task",
        "AskUserQuestion",
        "mcp__a__b",
    ]) {
        for args in ordinary_arguments() {
            add(tool, args);
        }
    }
    for rule in &words.rules {
        of_rule(rule, &mut add);
    }
    let mut calls = words.examples.clone();
    let all = plain.len().saturating_mul(agents.len());
    for agent in agents {
        calls.extend(plain.iter().map(|(tool, args)| Call {
            agent: agent.to_owned(),
            tool: tool.clone(),
            args: args.clone(),
        }));
        if calls.len() > MOST_CALLS {
            break;
        }
    }
    calls.truncate(MOST_CALLS);
    (calls, all > MOST_CALLS)
}

/// The paths of all patterns, and of each two of which one may be inside the other.
fn paths(words: &Words) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = words.paths.iter().flat_map(|pattern| paths_of(pattern)).collect();
    let joined: Vec<&str> = words.paths.iter().map(String::as_str).take(MOST_JOINED).collect();
    for outer in &joined {
        let folder: Vec<&str> =
            outer.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let folder = folder.join("/");
        for inner in joined.iter().filter(|inner| !folder.is_empty() && inner.starts_with("**/")) {
            let inside = paths_of(inner).into_iter().take(8);
            all.extend(inside.map(|path| format!("{folder}/{path}")));
        }
    }
    all.insert("README.md".to_owned());
    all
}

fn about_path(path: &str, add: &mut impl FnMut(&str, Value)) {
    add("Write", json!({"file_path": path, "content": "x"}));
    add("Read", json!({"file_path": path}));
    if !path.contains(['\'', '"', ' ', '$']) {
        add("Bash", json!({"command": format!("cat {path}")}));
        add("Bash", json!({"command": format!("echo x > {path}")}));
    }
}

fn ordinary_arguments() -> [Value; 4] {
    [
        json!({}),
        json!({"command": "ls"}),
        json!({"file_path": "src/a.rs", "content": "x"}),
        json!({"url": "https://example.com/", "prompt": "x"}),
    ]
}

/// Calls that meet several conditions of a rule at once.
fn of_rule(rule: &RuleConfig, add: &mut impl FnMut(&str, Value)) {
    let patterns = rule.paths.iter().chain(&rule.reads).chain(&rule.writes);
    let paths: BTreeSet<String> = patterns.flat_map(|pattern| paths_of(pattern)).collect();
    let lines: BTreeSet<String> = rule.commands.iter().flat_map(|pattern| lines_of(pattern)).collect();
    let mut tools: Vec<String> = rule.tools.iter().map(|tool| tool.replace('*', "x")).collect();
    if tools.is_empty() {
        tools = ["Write", "Read", "Bash"].map(str::to_owned).to_vec();
    }
    let conditions = arguments(rule);
    for tool in &tools {
        for condition in &conditions {
            add(tool, Value::Object(condition.clone()));
            let with = |name: &str, value: &str| {
                let mut args = condition.clone();
                args.insert(name.to_owned(), json!(value));
                Value::Object(args)
            };
            for path in &paths {
                add(tool, with("file_path", path));
                add(tool, with("path", path));
            }
            for line in &lines {
                add(tool, with("command", line));
            }
        }
    }
}

/// Arguments that meet the conditions of a rule, and those that nearly do.
fn arguments(rule: &RuleConfig) -> Vec<Map<String, Value>> {
    let mut all = vec![Map::new()];
    for (name, condition) in &rule.args {
        let mut values = vec![json!("x"), json!(1)];
        texts_of(&json!(condition), &mut values);
        all = all
            .iter()
            .take(64)
            .flat_map(|args| values.iter().map(|value| with_value(args.clone(), name, value)))
            .collect();
    }
    all
}

/// `args` with a value whose name may have dots.
fn with_value(mut args: Map<String, Value>, name: &str, value: &Value) -> Map<String, Value> {
    let inner = name.split('.').rev().fold(value.clone(), |value, part| json!({ part: value }));
    if let Value::Object(inner) = inner {
        args.extend(inner);
    }
    args
}

/// The values that a condition names, and their neighbours.
fn texts_of(condition: &Value, values: &mut Vec<Value>) {
    match condition {
        Value::String(text) => {
            values.extend([json!(text), json!(format!("{text}x")), json!(text.replace('*', "x"))]);
        }
        Value::Number(number) => {
            values.push(condition.clone());
            if let Some(number) = number.as_i64() {
                values.extend([json!(number.saturating_add(1)), json!(number.saturating_sub(1))]);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, values)),
        Value::Object(fields) => fields.values().for_each(|field| texts_of(field, values)),
        Value::Bool(_) => values.extend([json!(true), json!(false)]),
        Value::Null => {}
    }
}
