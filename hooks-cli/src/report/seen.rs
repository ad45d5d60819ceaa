//! The part of a payload that the report needs.

use hooks::audit::Record;
use hooks::facts::tools::{PathRole, ToolKind, ToolTable, WorkingFolder, paths_of};
use hooks::{EventKind, Strength};
use serde::Deserialize;
use serde_json::Value;

use crate::audit::sums::decides;
use crate::subject::Subject;

/// Most characters of a text that are kept.
const MOST_TEXT: usize = 600;
/// Most reasons of an event, and files of a call.
const MOST_REASONS: usize = 32;
const MOST_FILES: usize = 100;
/// Most bytes of the name of a file.
const MOST_NAME: usize = 4_096;

/// The part of a payload that the report needs.
#[derive(Default)]
pub(super) struct Seen {
    /// The subject of the call, the question of the agent, or the whole event.
    pub(super) asked: String,
    /// Reasons for a denial, a question, or what a rule in the shadow would have answered. The first one leads the answer to
    /// the client.
    pub(super) reasons: Vec<Said>,
    /// Folder of the call.
    pub(super) folder: String,
    pub(super) files: Vec<File>,
    /// Answer to the question of an agent.
    pub(super) answer: Option<String>,
}

/// A file that a call names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File {
    /// Without `.` and `..`; absolute if the folder of the call is known.
    pub(super) name: String,
    pub(super) is_written: bool,
}

/// A recorded reason.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    pub(super) strength: Strength,
    pub(super) would: Option<Strength>,
    pub(super) policy: String,
    pub(super) rule: String,
    pub(super) message: String,
    pub(super) by_operator: bool,
}

impl Said {
    /// Whether the reason denied or asked.
    pub(super) fn stops(&self) -> bool {
        self.would.is_none() && self.strength >= Strength::Ask
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Read {
    event: Value,
    cwd: String,
    reasons: Vec<Value>,
}

impl Seen {
    /// Reads the payload as far as the report needs it: the call of a result only if it took `slow_ms` or longer.
    pub(super) fn parse(record: &Record, json: &[u8], slow_ms: u64) -> Option<Self> {
        let is_call = record.event == EventKind::PreToolUse.name();
        let is_result = record.event == EventKind::PostToolUse.name();
        let is_read = is_call
            || is_question(record)
            || is_single(record)
            || !record.would.is_empty()
            || is_result && (asks_user(record) || record.duration_ms >= Some(slow_ms));
        if !is_read {
            return Some(Self::default());
        }
        let Read { event, cwd, reasons } = serde_json::from_slice(json).ok()?;
        let arguments = event.get("tool_args").unwrap_or(&Value::Null);
        let files = if is_call { files(record, arguments, &cwd) } else { Vec::new() };
        Some(Self {
            asked: asked(record, &event, arguments),
            reasons: ordered(reasons),
            folder: if files.is_empty() { String::new() } else { cwd },
            files,
            answer: if is_result && asks_user(record) {
                event.get("tool_result").and_then(answer)
            } else {
                None
            },
        })
    }

    /// Message of the reason of a rule in the shadow.
    pub(super) fn would_message(&self, policy: &str, rule: &str) -> Option<String> {
        let mut reasons = self.reasons.iter();
        let reason =
            reasons.find(|said| said.would.is_some() && said.policy == policy && said.rule == rule)?;
        Some(reason.message.clone())
    }
}

/// Whether the record is a denial or a question of a rule.
pub(super) fn is_single(record: &Record) -> bool {
    decides(record) && record.outcome.is_some_and(|outcome| outcome >= Strength::Ask)
}

/// Whether an agent asks the user.
pub(super) fn is_question(record: &Record) -> bool {
    record.event == EventKind::UserInputRequested.name()
        || record.event == EventKind::PreToolUse.name() && asks_user(record)
}

fn asks_user(record: &Record) -> bool {
    record.tool.as_deref().is_some_and(|tool| ToolTable::default().kind(tool) == ToolKind::AskUser)
}

pub(super) fn cut(text: &str) -> String {
    text.chars().take(MOST_TEXT).collect()
}

/// Reasons in the order of the answer to the client: the strongest first, and the operator's own texts before others.
fn ordered(reasons: Vec<Value>) -> Vec<Said> {
    let said = reasons.into_iter().take(MOST_REASONS).filter_map(|reason| Said::deserialize(reason).ok());
    let mut said: Vec<Said> = said.map(|said| Said { message: cut(&said.message), ..said }).collect();
    said.sort_by_key(|said| std::cmp::Reverse((said.strength, said.by_operator)));
    said
}

fn asked(record: &Record, event: &Value, arguments: &Value) -> String {
    if is_question(record) {
        let mut questions = Vec::new();
        find_questions(event, 0, &mut questions);
        if !questions.is_empty() {
            return cut(&questions.join(" "));
        }
    }
    let subject = Subject::deserialize(arguments).unwrap_or_default();
    if is_single(record) {
        let whole = || cut(&if arguments.is_null() { event } else { arguments }.to_string());
        return subject.known().unwrap_or_else(whole);
    }
    subject.any().unwrap_or_default()
}

/// Finds texts under the key `question`, each with the labels of its options.
fn find_questions(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) if depth < 6 => {
            if let Some(Value::String(question)) = fields.get("question") {
                let options = fields.get("options").and_then(Value::as_array);
                let label =
                    |option: &Value| option.get("label").unwrap_or(option).as_str().map(str::to_owned);
                let labels: Vec<String> = options.into_iter().flatten().filter_map(label).collect();
                found.push(match labels.is_empty() {
                    true => question.clone(),
                    false => format!("{question} ({})", labels.join(" / ")),
                });
            } else {
                fields.values().for_each(|value| find_questions(value, depth + 1, found));
            }
        }
        Value::Array(items) if depth < 6 => {
            items.iter().for_each(|item| find_questions(item, depth + 1, found));
        }
        _ => {}
    }
}

/// The answer in the result of a tool that asks the user.
fn answer(result: &Value) -> Option<String> {
    let text = match result.get("answers").or_else(|| result.get("answer")).unwrap_or(result) {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Object(answers) if answers.values().all(Value::is_string) => {
            answers.values().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    (!text.is_empty()).then(|| cut(&text))
}

/// The files that the arguments of a call name, each once. Those in shell commands are not known here.
fn files(record: &Record, arguments: &Value, cwd: &str) -> Vec<File> {
    let tool = record.tool.as_deref().unwrap_or_default();
    let kind = ToolTable::default().kind_of_call(tool, arguments);
    let folder = WorkingFolder::of_file_tool(arguments);
    let mut files: Vec<File> = Vec::new();
    if kind != ToolKind::Read && !kind.writes_files() {
        return files;
    }
    for path in paths_of(kind, arguments).found {
        let name = normal(cwd, &folder.of_name(&path.text).unwrap_or(path.text));
        let is_written = !matches!(path.role, PathRole::Read | PathRole::LinkTarget);
        let file = File { name, is_written };
        if files.len() < MOST_FILES && file.name.len() <= MOST_NAME && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// The name without `.` and `..`, absolute if `folder` is. Names of Windows and of home folders stay as they are.
pub(super) fn normal(folder: &str, name: &str) -> String {
    if name.starts_with('~') || name.contains('\\') || name.get(1..2) == Some(":") {
        return name.to_owned();
    }
    let whole = match name.starts_with('/') || folder.is_empty() {
        true => name.to_owned(),
        false => format!("{folder}/{name}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if whole.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let root = if whole.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use hooks::time::Timestamp;
    use serde_json::json;

    use super::*;

    fn call(tool: &str, arguments: &Value) -> Seen {
        let mut record = Record::new("pre_tool_use", Timestamp(0));
        record.tool = Some(tool.to_owned());
        let payload = json!({"event": {"tool_name": tool, "tool_args": arguments}, "cwd": "/repo"});
        Seen::parse(&record, payload.to_string().as_bytes(), 0).unwrap()
    }

    #[test]
    fn spellings_of_a_file_are_one_name_and_patches_name_theirs() {
        for path in ["src/x.rs", "./src/x.rs", "/repo/src/x.rs", "src/../src//x.rs"] {
            let read = call("Read", &json!({"file_path": path}));
            assert_eq!(read.files, [File { name: "/repo/src/x.rs".to_owned(), is_written: false }], "{path}");
        }
        let patch = "*** Begin Patch\n*** Update File: src/p.rs\n@@\n-a\n+b\n*** End Patch";
        let patched = call("apply_patch", &json!({"input": patch}));
        assert_eq!(patched.files, [File { name: "/repo/src/p.rs".to_owned(), is_written: true }]);
        assert!(call("Bash", &json!({"command": "cat src/x.rs"})).files.is_empty());
        assert_eq!(normal("", "../a/./b"), "../a/b");
        assert_eq!(normal("/repo", "../../../etc/passwd"), "/etc/passwd");
        assert_eq!(normal("/repo", r"C:\a"), r"C:\a");
    }

    #[test]
    fn questions_and_answers_are_texts() {
        let questions = json!({"questions": [
            {"question": "Which database?", "options": [{"label": "Postgres"}, {"label": "SQLite"}]},
            {"question": "Sure?"},
        ]});
        assert_eq!(call("AskUserQuestion", &questions).asked, "Which database? (Postgres / SQLite) Sure?");
        let mut record = Record::new("post_tool_use", Timestamp(0));
        record.tool = Some("AskUserQuestion".to_owned());
        let answered = |result: Value| {
            let payload = json!({"event": {"tool_args": questions, "tool_result": result}});
            Seen::parse(&record, payload.to_string().as_bytes(), 1).unwrap().answer
        };
        assert_eq!(answered(json!({"answers": {"Which database?": "SQLite"}})).as_deref(), Some("SQLite"));
        assert_eq!(answered(json!("yes")).as_deref(), Some("yes"));
        assert_eq!(answered(json!(null)), None);
    }

    #[test]
    fn the_operators_text_leads_and_rules_in_the_shadow_stop_nothing() {
        let mut record = Record::new("pre_tool_use", Timestamp(0));
        record.outcome = Some(Strength::Deny);
        let payload = json!({"event": {}, "reasons": [
            {"strength": "ask", "policy": "rules", "rule": "a", "message": "sure?", "by_operator": true},
            {"strength": "deny", "policy": "write-guard", "rule": "allow", "message": "no"},
            {"strength": "no_opinion", "would": "deny", "policy": "rules", "rule": "new", "message": "later"},
            {"strength": "deny", "policy": "rules", "rule": "b", "message": "mine", "by_operator": true},
        ]});
        let seen = Seen::parse(&record, payload.to_string().as_bytes(), 0).unwrap();
        let stops = seen.reasons.iter().filter(|said| said.stops());
        assert_eq!(stops.map(|said| &*said.rule).collect::<Vec<_>>(), ["b", "allow", "a"]);
        assert_eq!(seen.would_message("rules", "new").as_deref(), Some("later"));
    }
}
