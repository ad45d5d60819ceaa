//! Calls that follow from patterns.

use hooks::facts::calls::{CallPatternConfig, CallPatternsConfig};
use serde_json::{Value, json};

/// A call: the name of a tool, and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Example {
    pub(super) tool: String,
    pub(super) args: Value,
}

impl Example {
    pub(super) fn shell(command: &str) -> Self {
        Self { tool: "bash".to_owned(), args: json!({ "command": command }) }
    }

    pub(super) fn write(path: &str, content: &str) -> Self {
        Self { tool: "write".to_owned(), args: json!({ "path": path, "content": content }) }
    }

    pub(super) fn read(path: &str) -> Self {
        Self { tool: "read".to_owned(), args: json!({ "path": path }) }
    }

    /// Returns a call that matches one of the patterns; `None` if none of them gives an example.
    pub(super) fn of_patterns(patterns: &CallPatternsConfig) -> Option<Self> {
        patterns.as_slice().iter().find_map(Self::of_pattern)
    }

    fn of_pattern(pattern: &CallPatternConfig) -> Option<Self> {
        let path = pattern.paths.first().or(pattern.reads.first()).map(|glob| path_in(glob, "demo.txt"));
        match (pattern.tools.first(), pattern.commands.first()) {
            (None, Some(command)) => Some(Self::shell(command)),
            (None, None) => match path {
                Some(path) if pattern.paths.is_empty() => Some(Self::read(&path)),
                path => Some(Self::write(&path?, "demo\n")),
            },
            (Some(tool), command) => {
                let tool = tool.replace('*', "demo");
                let mut args =
                    json!({ "path": path.as_deref().unwrap_or("notes/demo.txt"), "content": "demo\n" });
                if let (Some(command), Some(fields)) = (command, args.as_object_mut()) {
                    fields.insert("command".to_owned(), Value::from(command.as_str()));
                }
                Some(Self { tool, args })
            }
        }
    }
}

/// Returns a path that a glob matches. `file` is the name of a file in a folder that the glob leaves open.
pub(super) fn path_in(glob: &str, file: &str) -> String {
    let mut plain = String::new();
    let mut letters = glob.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // The first alternative.
            '{' => {
                let all: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                plain.push_str(all.split(',').next().unwrap_or_default());
            }
            '[' => plain.extend(letters.by_ref().take_while(|letter| *letter != ']').last()),
            '?' => plain.push('x'),
            '\\' => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
    }
    let parts: Vec<String> = plain.trim_start_matches('/').split('/').map(str::to_owned).collect();
    let count = parts.len();
    let filled = parts.into_iter().enumerate().filter_map(|(at, part)| match &*part {
        "**" if at + 1 < count => None,
        "**" | "*" | "" => Some(if at + 1 < count { "demo" } else { file }.to_owned()),
        part => Some(part.replace("**", "demo").replace('*', "demo")),
    });
    filled.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_that_the_glob_matches() {
        for (glob, path) in [
            ("src/**", "src/demo.ts"),
            ("src/api/*.rs", "src/api/demo.rs"),
            ("**/*.{ts,tsx}", "demo.ts"),
            ("docs/", "docs/demo.ts"),
            ("src/*/mod.rs", "src/demo/mod.rs"),
            ("README.md", "README.md"),
            ("a?.txt", "ax.txt"),
        ] {
            assert_eq!(path_in(glob, "demo.ts"), path, "{glob}");
        }
    }

    #[test]
    fn a_pattern_gives_a_call() {
        let call = |pattern: Value| {
            let call = Example::of_patterns(&serde_json::from_value(pattern).unwrap())?;
            Some((call.tool, call.args))
        };
        assert_eq!(
            call(json!({"reads": ["secrets/**"]})),
            Some(("read".to_owned(), json!({"path": "secrets/demo.txt"})))
        );
        assert_eq!(
            call(json!({"commands": ["git push"]})),
            Some(("bash".to_owned(), json!({"command": "git push"})))
        );
        assert_eq!(call(json!({"tools": ["mcp__*"]})).unwrap().0, "mcp__demo");
        assert_eq!(call(json!({"agents": ["a"]})), None);
    }
}
