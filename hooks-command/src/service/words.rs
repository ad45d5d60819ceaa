//! Every client's tools in docker-agent's words, so that one handler serves all of them.

use hooks_facts::tools::{Canonical, Dialect, Reach};
use serde_json::{Map, Value};

/// What the handlers are told, and how to get back from there.
pub(super) struct Translated {
    /// docker-agent's name of the tool.
    pub(super) name: &'static str,
    /// The call in our names, which knows the way back to the client's.
    call: Canonical,
}

/// Whose words tools come in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// Guessed from each name where nobody said.
    pub(super) spoken_in: Option<Dialect>,
}

impl Words {
    /// A call of another client in docker-agent's words; `None` where it is in those already, or has none there.
    pub(super) fn translated(self, tool: &str, arguments: &Value) -> Option<Translated> {
        let (dialect, name) = self.meant(tool)?;
        Some(Translated { name, call: dialect.to_canonical(tool, arguments.clone()) })
    }

    /// docker-agent's name of a tool that came in other words.
    pub(super) fn dockers_name(self, tool: &str) -> Option<&'static str> {
        self.meant(tool).map(|(_, name)| name)
    }

    fn meant(self, tool: &str) -> Option<(Dialect, &'static str)> {
        let known = |dialect: Dialect| Some((dialect, dialect.canonical_name(tool)?));
        let (dialect, canonical) = match self.spoken_in {
            Some(Dialect::DockerAgent) => return None,
            // Gemini's `write_file` is spelled like docker-agent's, and its arguments are not.
            Some(dialect) => known(dialect).or_else(|| guessed(tool))?,
            None => guessed(tool)?,
        };
        Some((dialect, Dialect::DockerAgent.spelling(canonical)?))
    }
}

/// Whose tool a name is, and which: of who spells it so before who has it in other joints or cases. What is spelled as
/// docker-agent spells it is taken for docker-agent's.
fn guessed(tool: &str) -> Option<(Dialect, &'static str)> {
    let known = |dialect: &Dialect| Some((*dialect, dialect.canonical_name(tool)?));
    // Most names that nobody knows are of MCP tools: looked for once.
    let at_all = Dialect::ALL.iter().find_map(known)?;
    if spells(Dialect::DockerAgent, tool) {
        return None;
    }
    let exact = Dialect::ALL.iter().filter(|dialect| spells(**dialect, tool)).find_map(known);
    Some(exact.unwrap_or(at_all))
}

/// Whether a tool of `dialect` is called so to the letter.
fn spells(dialect: Dialect, tool: &str) -> bool {
    dialect.canonical_name(tool).is_some_and(|canonical| {
        dialect.spelling(canonical) == Some(tool)
            || dialect.spellings(tool, Reach::Same).iter().any(|name| name == tool)
    })
}

impl Translated {
    /// The arguments that the handlers are told.
    pub(super) fn arguments(&self) -> Value {
        Dialect::DockerAgent
            .to_canonical(self.name, Value::Object(Map::new()))
            .back(self.call.arguments.clone())
    }

    /// What handlers made of the arguments, in the client's words.
    pub(super) fn back(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        let canonical = Dialect::DockerAgent.to_canonical(self.name, Value::Object(arguments));
        match self.call.back(canonical.arguments) {
            Value::Object(arguments) => arguments,
            // An object stays one.
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Client, its tool with its arguments, and the same in docker-agent's words.
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
            // No tool of Cursor's that is known, and still the tool that others call so.
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
            // Names that two clients share are those of the first, and docker-agent's own are docker-agent's.
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
