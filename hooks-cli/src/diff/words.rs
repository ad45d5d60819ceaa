//! The patterns and names of configurations, from which calls are made.

use std::collections::BTreeSet;

use hooks::config::Config;
use hooks::config::packs;
use hooks::policies::config::{RuleConfig, RuleExample};
use hooks::policies::packs::PackExample;
use serde_json::{Value, json};

use super::calls::Call;

/// Largest count that is tried.
pub(super) const MOST: u64 = 300;

/// Patterns and names of both configurations, by what they are about.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) paths: BTreeSet<String>,
    pub(super) commands: BTreeSet<String>,
    pub(super) tools: BTreeSet<String>,
    pub(super) agents: BTreeSet<String>,
    /// Source text and imports.
    pub(super) texts: BTreeSet<String>,
    pub(super) rules: Vec<RuleConfig>,
    pub(super) examples: Vec<Call>,
    /// The largest count that a limit may have.
    pub(super) most: u64,
}

impl Words {
    /// The words of both configurations, and the examples of all packs if one of them uses packs.
    pub(super) fn collect(configs: [&Config; 2]) -> Self {
        let mut words = Self { most: 3, ..Self::default() };
        for config in configs {
            let policy = config.policy();
            words.rules.extend(policy.rules.iter().cloned());
            words.tools.extend(policy.tools.keys().cloned());
            let mut policy = json!(policy);
            if let Some(sections) = policy.as_object_mut() {
                sections.remove("tools");
            }
            words.add("", &policy);
        }
        let examples = words.rules.iter().flat_map(|rule| rule.matches.iter().chain(&rule.no_match));
        words.examples = examples.map(example).collect();
        if configs.iter().any(|config| !config.policy().packs.is_empty()) {
            let rules = packs::names().filter_map(packs::standard).flat_map(|pack| pack.rules);
            let examples = rules.flat_map(|rule| [rule.matches, rule.no_match].concat());
            words.examples.extend(examples.map(|of_pack| match of_pack {
                PackExample::Command(line) => Call::new("", "Bash", &json!({"command": line})),
                PackExample::Call(call) => example(&call),
            }));
        }
        words
    }

    fn add(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) => self.add_text(key, text),
            // Other numbers limit no calls.
            Value::Number(number) if ["most", "max_per_session"].contains(&key) => {
                let number = number.as_u64().filter(|number| *number <= MOST).unwrap_or_default();
                self.most = self.most.max(number);
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(key, item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    // Artifacts of lockouts are keys.
                    if key == "locked" {
                        self.paths.insert(name.clone());
                        self.add("agents", field);
                    } else if !["name", "reason", "match", "no_match", "args", "advice", "action"]
                        .contains(&&**name)
                    {
                        self.add(name, field);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_text(&mut self, key: &str, text: &str) {
        let place = match key {
            "paths" | "reads" | "writes" | "allow" | "deny" | "protected" => &mut self.paths,
            "commands" | "block" | "fragments" => &mut self.commands,
            "tools" => &mut self.tools,
            "agents" | "agent" => &mut self.agents,
            "content" | "imports" => &mut self.texts,
            _ => {
                self.commands.insert(text.to_owned());
                &mut self.paths
            }
        };
        place.insert(text.to_owned());
    }
}

fn example(example: &RuleExample) -> Call {
    Call::new(example.agent.as_deref().unwrap_or_default(), &example.tool, &example.args)
}

/// Paths that a glob matches, and paths that it nearly matches.
pub(super) fn paths_of(pattern: &str) -> BTreeSet<String> {
    let pattern = pattern.trim_start_matches('!');
    let mut found = BTreeSet::new();
    for pattern in alternatives(pattern) {
        for folders in ["", "a", "a/b"] {
            let path = filled(&pattern, folders, "x");
            if path.is_empty() {
                continue;
            }
            if let Some((folder, name)) = path.rsplit_once('/') {
                found.extend([
                    format!("{folder}/"),
                    format!("{folder}/.{name}"),
                    name.to_owned(),
                    folder.to_owned(),
                ]);
            }
            if let Some((stem, ending)) = path.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
                found.extend([stem.to_owned(), format!("{stem}.{ending}x"), format!("{stem}x.{ending}")]);
            }
            let others = [
                format!("{path}x"),
                format!("{path}/x"),
                format!("a/{path}"),
                format!("x{path}"),
                path.to_uppercase(),
            ];
            found.extend(others);
            found.insert(path);
        }
    }
    found.retain(|path| !path.is_empty());
    found
}

/// Most alternatives of a pattern.
const MOST_ALTERNATIVES: usize = 16;

/// The pattern with each of the alternatives in its first braces.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut closed = Vec::new();
    while let Some(pattern) = open.pop() {
        let split = pattern.split_once('{').and_then(|(before, rest)| {
            let (inside, after) = rest.split_once('}')?;
            Some(inside.split(',').map(|part| format!("{before}{part}{after}")).collect::<Vec<_>>())
        });
        match split {
            Some(parts) if open.len() + closed.len() < MOST_ALTERNATIVES => open.extend(parts),
            _ => closed.push(pattern),
        }
    }
    closed.sort();
    closed
}

/// The pattern with `folders` for `**` and `name` for `*`.
fn filled(pattern: &str, folders: &str, name: &str) -> String {
    let mut path = String::new();
    for part in pattern.split('/') {
        let part = match part {
            "**" => folders.to_owned(),
            part => one_of_each(&part.replace("**", name).replace('*', name).replace('?', "q")),
        };
        if !part.is_empty() || path.is_empty() && pattern.starts_with('/') {
            if !path.is_empty() && !path.ends_with('/') {
                path.push('/');
            }
            path.push_str(if part.is_empty() { "/" } else { &part });
        }
    }
    // What is below a folder has a name.
    if pattern.ends_with("/**") || pattern == "**" {
        format!("{path}/{name}").trim_start_matches('/').to_owned()
    } else {
        path
    }
}

/// A class such as `[abc]` becomes its first letter.
fn one_of_each(part: &str) -> String {
    match part.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?))) {
        Some((before, (inside, after))) => {
            let letter = inside.trim_start_matches(['!', '^']).chars().next().unwrap_or('x');
            format!("{before}{letter}{after}")
        }
        None => part.to_owned(),
    }
}

/// Command lines that a pattern matches, and lines that it nearly matches.
pub(super) fn lines_of(pattern: &str) -> BTreeSet<String> {
    let plain = |word: &str| word.replace("**", "x").replace('*', "x");
    let (excluded, words): (Vec<&str>, Vec<&str>) =
        pattern.split_whitespace().partition(|word| word.starts_with('!'));
    let words: Vec<String> = words.into_iter().map(plain).collect();
    let line = words.join(" ");
    let mut found = BTreeSet::from([line.clone(), format!("{line} x"), format!("cd a && {line} x")]);
    found.extend(excluded.iter().map(|word| format!("{line} {} x", plain(word.trim_start_matches('!')))));
    for kept in 1..words.len() {
        let (before, after) = words.split_at(kept);
        let (before, after) = (before.join(" "), after.join(" "));
        found.extend([
            before.clone(),
            format!("{before} x"),
            format!("{before} -v {after}"),
            format!("{before} {after}y"),
        ]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_their_pattern_or_nearly_do() {
        let all = |pattern: &str, wanted: &[&str]| {
            let paths = paths_of(pattern);
            assert!(wanted.iter().all(|path| paths.contains(*path)), "{pattern}: {paths:?}");
        };
        all("src/**", &["src/x", "src/a/x", "a/src/x", "src"]);
        all("**/*.key", &["x.key", "a/x.key", "x"]);
        all("/etc/{passwd,shadow}", &["/etc/passwd", "/etc/shadow", "passwd"]);
        all("docs/[ab]?.md", &["docs/aq.md"]);
        all("", &[]);
        all("{{{,", &[]);
    }

    #[test]
    fn lines_match_their_pattern_or_nearly_do() {
        let lines = lines_of("git push !--dry-run");
        for wanted in
            ["git push", "git push x", "git push --dry-run x", "git", "git -v push", "cd a && git push x"]
        {
            assert!(lines.contains(wanted), "{lines:?}");
        }
    }
}
