//! The report of `hooks check` as SARIF 2.1.0, which code scanning of forges and editors reads.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use hooks::config::{Config, ConfigError, ConfigErrors, Gravity};
use serde_json::{Value, json};

use crate::check::shadow_in_words;

/// Results about all files.
#[derive(Debug, Default)]
pub(crate) struct Sarif {
    results: Vec<Value>,
    /// Ids of the rules that the results are about.
    rules: BTreeSet<String>,
}

impl Sarif {
    /// Adds the results about a file.
    pub(crate) fn add(&mut self, path: &Path, read: &Result<Config, ConfigErrors>) {
        match read {
            Err(errors) => errors.errors().iter().for_each(|error| self.mistake(path, error)),
            Ok(config) => {
                config.doubts().iter().for_each(|doubt| self.mistake(path, doubt));
                for doubt in config.boundary_doubts() {
                    self.result(path, "boundaries", "warning", &doubt, (1, 1));
                }
                for missing in config.missing_programs() {
                    self.result(path, "hooks", "warning", &missing.to_string(), (1, 1));
                }
                for one in config.in_shadow() {
                    self.result(path, &section_of(&one.path), "note", &shadow_in_words(one), (1, 1));
                }
            }
        }
    }

    /// Adds a file that is not there.
    pub(crate) fn missing(&mut self, path: &Path, problem: &str) {
        self.result(path, "file", "error", problem, (1, 1));
    }

    fn mistake(&mut self, path: &Path, mistake: &ConfigError) {
        let level = match mistake.gravity {
            Gravity::Warning => "warning",
            Gravity::Error => "error",
        };
        let at = if mistake.path.is_empty() { String::new() } else { format!("`{}`: ", mistake.path) };
        let hint = mistake.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let text = format!("{at}{}{hint}", mistake.message);
        self.result(path, &section_of(&mistake.path), level, &text, (mistake.line, mistake.column));
    }

    fn result(&mut self, path: &Path, rule: &str, level: &str, text: &str, (line, column): (usize, usize)) {
        self.rules.insert(rule.to_owned());
        self.results.push(json!({
            "ruleId": rule,
            "level": level,
            "message": {"text": text},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri_of(path)},
                "region": {"startLine": line.max(1), "startColumn": column.max(1)},
            }}],
        }));
    }

    /// The log with all results.
    pub(crate) fn log(&self) -> Value {
        let rules: Vec<Value> = self.rules.iter().map(|id| json!({"id": id})).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "hooks",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        })
    }
}

/// The section that a path in the configuration begins with; `file` for the file as a whole.
fn section_of(path: &str) -> String {
    match path.split(['.', '[']).next() {
        Some(section) if !section.is_empty() => section.to_owned(),
        _ => "file".to_owned(),
    }
}

/// A path as a reference: relative as it was given, with other characters than those of names escaped.
fn uri_of(path: &Path) -> String {
    let mut uri = if path.is_absolute() { String::from("file://") } else { String::new() };
    for (number, part) in path.components().filter(|part| !matches!(part, Component::CurDir)).enumerate() {
        let text = match part {
            Component::Normal(name) => name.to_string_lossy(),
            Component::ParentDir => "..".into(),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
        };
        if number > 0 {
            uri.push('/');
        }
        for byte in text.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    uri.push(char::from(byte));
                }
                other => uri.push_str(&format!("%{other:02X}")),
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        for (path, uri) in [
            ("hooks.yaml", "hooks.yaml"),
            ("./a b/ü.yaml", "a%20b/%C3%BC.yaml"),
            ("../x", "../x"),
            ("/etc/hooks.yaml", "file:///etc/hooks.yaml"),
        ] {
            assert_eq!(uri_of(Path::new(path)), uri);
        }
    }
}
