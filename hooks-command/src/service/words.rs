//! Converts the tools of all clients to docker-agent's names, so that one handler works for all clients.

use hooks_facts::tools::{Canonical, Dialect, Reach};
use serde_json::{Map, Value};

/// A tool call with docker-agent's names, and the way back to the client's.
pub(super) struct Translated {
    /// docker-agent's name of the tool.
    pub(super) name: &'static str,
    /// The call with our names, which can be converted back to the client's.
    call: Canonical,
}

/// The client whose tool names events use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// The dialect of the names; if absent, it is guessed from each name.
    pub(super) spoken_in: Option<Dialect>,
}

impl Words {
    /// A call of another client with docker-agent's names; `None` if it has those already, or docker-agent
    /// has no such tool.
    pub(super) fn translated(self, tool: &str, arguments: &Value) -> Option<Translated> {
        let (dialect, name) = self.meant(tool)?;
        Some(Translated { name, call: dialect.to_canonical(tool, arguments.clone()) })
    }

    /// docker-agent's name of a tool of another client.
    pub(super) fn dockers_name(self, tool: &str) -> Option<&'static str> {
        self.meant(tool).map(|(_, name)| name)
    }

    fn meant(self, tool: &str) -> Option<(Dialect, &'static str)> {
        let known = |dialect: Dialect| Some((dialect, dialect.canonical_name(tool)?));
        let (dialect, canonical) = match self.spoken_in {
            Some(Dialect::DockerAgent) => return None,
            // Gemini's `write_file` has docker-agent's name, but not its arguments.
            Some(dialect) => known(dialect).or_else(|| guessed(tool))?,
            None => guessed(tool)?,
        };
        Some((dialect, Dialect::DockerAgent.spelling(canonical)?))
    }
}

/// The dialect and canonical name of a tool. An exact spelling counts before one with other separators or
/// case. A name that is spelled as in docker-agent is docker-agent's tool.
fn guessed(tool: &str) -> Option<(Dialect, &'static str)> {
    let known = |dialect: &Dialect| Some((*dialect, dialect.canonical_name(tool)?));
    // Most unknown names are those of MCP tools, so they are searched only once.
    let at_all = Dialect::ALL.iter().find_map(known)?;
    if spells(Dialect::DockerAgent, tool) {
        return None;
    }
    let exact = Dialect::ALL.iter().filter(|dialect| spells(**dialect, tool)).find_map(known);
    Some(exact.unwrap_or(at_all))
}

/// Whether a tool of `dialect` has exactly this name.
fn spells(dialect: Dialect, tool: &str) -> bool {
    dialect.canonical_name(tool).is_some_and(|canonical| {
        dialect.spelling(canonical) == Some(tool)
            || dialect.spellings(tool, Reach::Same).iter().any(|name| name == tool)
    })
}

impl Translated {
    /// The arguments that the handlers receive.
    pub(super) fn arguments(&self) -> Value {
        Dialect::DockerAgent
            .to_canonical(self.name, Value::Object(Map::new()))
            .back(self.call.arguments.clone())
    }

    /// Converts the arguments of handlers back to the client's names.
    pub(super) fn back(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let canonical = Dialect::DockerAgent.to_canonical(self.name, Value::Object(arguments));
        match self.call.back(canonical.arguments) {
            Value::Object(arguments) => arguments,
            // The conversion of an object always returns an object.
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Client, its tool with its arguments, and the same with docker-agent's names.
    fn calls() -> Vec<(Dialect, &'static str, Value, &'static str, Value)> {
        let line = || json!({"command": "ls", "timeout": 5});
        let told_line = || json!({"cmd": "ls", "timeout": 5});
        let (told_file, told_text) = (|| json!({"path": "a"}), || json!({"path": "a", "content": "x"}));
        vec![
            (Dialect::Claude, "Bash", line(), "shell", told_line()),
            (Dialect::Claude, "Read", json!({"file_path": "a"}), "read_file", told_file()),
            (Dialect::Claude, "Write", json!({"file_path": "a", "content": "x"}), "write_file", told_text()),
            (Dialect::Codex, "Bash", line(), "shell", told_line()),
            (Dialect::Gemini, "run_shell_command", line(), "shell", told_line()),
            (Dialect::Gemini, "read_file", json!({"file_path": "a"}), "read_file", told_file()),
            (
                Dialect::Gemini,
                "write_file",
                json!({"file_path": "a", "content": "x"}),
                "write_file",
                told_text(),
            ),
            (Dialect::Copilot, "bash", line(), "shell", told_line()),
            (Dialect::Copilot, "create", json!({"path": "a", "file_text": "x"}), "write_file", told_text()),
            (
                Dialect::CopilotPascal,
                "Write",
                json!({"path": "a", "file_text": "x"}),
                "write_file",
                told_text(),
            ),
            (Dialect::VsCode, "runInTerminal", line(), "shell", told_line()),
            (Dialect::VsCode, "run_in_terminal", line(), "shell", told_line()),
            (Dialect::VsCode, "readFile", json!({"filePath": "a"}), "read_file", told_file()),
            (Dialect::Cursor, "Shell", line(), "shell", told_line()),
            (Dialect::Cursor, "Write", json!({"file_path": "a", "content": "x"}), "write_file", told_text()),
            // Cursor has no such tool, but other clients have a tool of this name.
            (Dialect::Cursor, "Edit", json!({"file_path": "a"}), "edit_file", told_file()),
        ]
    }

    #[test]
    fn whoever_calls_there_and_back() {
        for (dialect, tool, arguments, name, wanted) in calls() {
            let words = Words { spoken_in: Some(dialect) };
            let told = words.translated(tool, &arguments).unwrap();
            assert_eq!((told.name, told.arguments()), (name, wanted), "{dialect:?} {tool}");
            assert_eq!(words.dockers_name(tool), Some(name), "{dialect:?} {tool}");
            let back = told.back(told.arguments().as_object().cloned().unwrap());
            assert_eq!(Value::Object(back), arguments, "{dialect:?} {tool}");
        }
    }

    #[test]
    fn whose_it_is_is_guessed_from_the_spelling() {
        for (dialect, tool, arguments, name, wanted) in calls() {
            // A name that several clients share belongs to the first client, and docker-agent's own names are
            // docker-agent's.
            if matches!(dialect, Dialect::CopilotPascal) || tool == name {
                continue;
            }
            let told = Words::default().translated(tool, &arguments).unwrap();
            assert_eq!((told.name, told.arguments()), (name, wanted), "{tool}");
        }
        for tool in
            ["shell", "run_background_job", "edit_file", "read_file", "mcp:github:list", "nobody_knows", ""]
        {
            assert!(Words::default().translated(tool, &json!({})).is_none(), "{tool}");
        }
    }

    #[test]
    fn what_is_added_gets_the_name_of_the_client() {
        let told = Words::default().translated("Bash", &json!({"command": "ls"})).unwrap();
        let changed = json!({"cmd": "ls -h", "cwd": "."});
        let back = told.back(changed.as_object().cloned().unwrap());
        assert_eq!(Value::Object(back), json!({"command": "ls -h", "cwd": "."}));
    }

    #[test]
    fn what_docker_agent_says_is_its_own() {
        let words = Words { spoken_in: Some(Dialect::DockerAgent) };
        for tool in ["shell", "Shell", "Bash", "mcp:github:list", ""] {
            assert!(words.translated(tool, &json!({})).is_none(), "{tool}");
        }
    }
}
