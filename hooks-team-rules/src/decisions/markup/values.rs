//! Decisions as values: JSON, TOML and INI files.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("[banned]\npackages = [\"axios\", \"superagent\"]\n");
//! let rules = &decisions.all()[0].rules;
//! assert_eq!([&rules[0].packages[0], &rules[1].packages[0]], ["axios", "superagent"]);
//! ```

use serde_json::Value;

use super::super::tables;

/// Returns a file of JSON as Markdown: each object with texts is a decision.
pub(super) fn json(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut lines = Vec::new();
    objects(&value, "", &mut lines, 0);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Deepest object that is read.
const DEEPEST: usize = 16;

fn objects(value: &Value, name: &str, lines: &mut Vec<String>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| objects(item, name, lines, depth + 1)),
        Value::Object(fields) => {
            let title = ["title", "name", "id", "topic"].iter().find_map(|key| text_of(fields.get(*key)?));
            let title = title.unwrap_or_else(|| name.to_owned());
            lines.push(format!("\n### {title}\n"));
            for (key, value) in fields {
                match (text_of(value), value) {
                    (Some(text), _) => lines.push(format!("**{key}:** {text}\n")),
                    (None, Value::Bool(holds)) => lines.extend(verdict(&title, key, *holds)),
                    (None, _) => objects(value, key, lines, depth + 1),
                }
            }
        }
        Value::String(text) => lines.push(format!("- {text}")),
        _ => {}
    }
}

/// Returns a field that is true or false as a statement about `thing`, if its name is a verdict: `"banned": true`.
fn verdict(thing: &str, name: &str, holds: bool) -> Option<String> {
    let word = name.to_lowercase();
    let is_verdict = tables::BANNED.contains(&word) || tables::PERMIT.contains(&word);
    let not = if holds { "" } else { "not " };
    (is_verdict && !thing.is_empty()).then(|| format!("- {thing}: {not}{word}"))
}

/// Returns a value as text: a list of texts has commas.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            texts
                .filter(|texts| !texts.is_empty() && texts.iter().all(|text| !text.contains(' ')))
                .map(|texts| texts.join(", "))
        }
        _ => None,
    }
}

/// Whether a text is TOML or INI: sections, and keys with values.
pub(super) fn is_table(text: &str) -> bool {
    let lines =
        || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let is_key = |line: &str| key(line).is_some();
    lines().any(|line| section(line).is_some())
        && lines().any(is_key)
        && lines().all(|line| section(line).is_some() || is_key(line) || line.ends_with(',') || line == "]")
}

/// Returns a line of TOML or INI as Markdown; `section` is the name of the section that it is in.
pub(super) fn table_line(line: &str, open: &mut String) -> String {
    let trimmed = line.trim();
    if let Some(name) = section(trimmed) {
        name.clone_into(open);
        return format!("### {name}");
    }
    let Some((name, value)) = key(trimmed) else { return trimmed.trim_start_matches(['#', ';']).to_owned() };
    let holds = value.parse().ok();
    if let Some(verdict) = holds.and_then(|holds| verdict(open, name, holds)) {
        return verdict;
    }
    let value = value.trim_matches(['[', ']', ' ']).replace(['"', '\''], "");
    match name {
        // The section is the thing that the verdict is about.
        "status" | "verdict" | "state" | "ring"
            if !["decision", "decisions", "rule", "adr"].contains(&open.as_str()) =>
        {
            format!("- {open}: {value}")
        }
        _ => format!("**{name}:** {value}\n"),
    }
}

fn section(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = inner.trim_start_matches('[').trim_end_matches(']').trim_matches(['"', '\'']);
    (!name.is_empty() && !name.contains([',', '|'])).then_some(name)
}

fn key(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_name.then(|| (name, value.trim()))
}
