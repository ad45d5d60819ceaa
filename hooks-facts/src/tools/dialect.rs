//! Names of tools and arguments in each client, and their canonical names.
//!
//! The guards do not need this: they know a name in every spelling. It is for one rule, matcher or rewrite
//! that applies to all clients.

use serde_json::{Map, Value};

use super::names::Folded;

/// Vocabulary of one client.
///
/// ```
/// use hooks_facts::tools::Dialect;
///
/// assert_eq!(Dialect::Claude.canonical_name("Bash"), Dialect::Gemini.canonical_name("run_shell_command"));
/// assert_eq!(Dialect::Claude.canonical_name("mcp__crm__list"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot with events named in camelCase; also its SDK, and Squad, which is built on it.
    Copilot,
    /// Copilot with events named in PascalCase: Claude's tools with Copilot's arguments.
    CopilotPascal,
    /// VS Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// docker-agent.
    DockerAgent,
    /// OpenCode.
    OpenCode,
    /// Qwen Code.
    Qwen,
    /// Kimi CLI.
    Kimi,
    /// Windsurf.
    Windsurf,
    /// goose.
    Goose,
    /// Factory Droid.
    Droid,
}

impl Dialect {
    /// All dialects.
    pub const ALL: &'static [Self] = &[
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
        Self::CopilotPascal,
        Self::VsCode,
        Self::Cursor,
        Self::DockerAgent,
        Self::OpenCode,
        Self::Qwen,
        Self::Kimi,
        Self::Windsurf,
        Self::Goose,
        Self::Droid,
    ];

    /// Returns the canonical name of a tool; `None` for an MCP tool, or one that only this client has.
    ///
    /// ```
    /// use hooks_facts::tools::Dialect;
    ///
    /// let shell = Dialect::Claude.canonical_name("Bash");
    /// assert_eq!(shell, Dialect::Gemini.canonical_name("run_shell_command"));
    /// assert_eq!(Dialect::Claude.canonical_name("mcp__tickets__list"), None);
    /// ```
    pub fn canonical_name(self, name: &str) -> Option<&'static str> {
        self.tool(name).map(|tool| tool.canonical)
    }

    /// Returns the client's name of the tool `canonical`; `None` if it has none.
    ///
    /// ```
    /// use hooks_facts::tools::Dialect;
    ///
    /// let shell = Dialect::Claude.canonical_name("Bash").unwrap();
    /// assert_eq!(Dialect::Gemini.spelling(shell), Some("run_shell_command"));
    /// ```
    pub fn spelling(self, canonical: &str) -> Option<&'static str> {
        self.tools().iter().find(|tool| tool.canonical == canonical).map(|tool| tool.name)
    }

    /// Converts a call to canonical names. A name without a canonical one stays, and so does an argument
    /// whose canonical name is taken, so that nothing is lost.
    ///
    /// ```
    /// use hooks_facts::tools::Dialect;
    /// use serde_json::json;
    ///
    /// let theirs = json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"});
    /// let call = Dialect::Claude.to_canonical("Edit", theirs.clone());
    /// assert_eq!(call.name, "edit");
    /// assert_eq!(call.back(call.arguments.clone()), theirs);
    ///
    /// // A tool without a canonical name stays as it is.
    /// let own = Dialect::Claude.to_canonical("mcp__crm__list", json!({"page": 2}));
    /// assert_eq!((own.name.as_str(), own.arguments), ("mcp__crm__list", json!({"page": 2})));
    /// ```
    pub fn to_canonical(self, name: &str, arguments: Value) -> Canonical {
        let Some(tool) = self.tool(name) else {
            return Canonical { name: name.to_owned(), arguments, renamed: Vec::new(), tool: None };
        };
        let Value::Object(arguments) = arguments else {
            let name = tool.canonical.to_owned();
            return Canonical { name, arguments, renamed: Vec::new(), tool: Some(tool) };
        };
        let mut renamed: Vec<(&str, &str)> = Vec::new();
        for (theirs, ours) in tool.arguments {
            let is_taken = arguments.contains_key(*ours) || renamed.iter().any(|(_, other)| other == ours);
            if arguments.contains_key(*theirs) && !is_taken {
                renamed.push((*theirs, *ours));
            }
        }
        let arguments =
            rename(arguments, |key| renamed.iter().find(|(theirs, _)| *theirs == key).map(|(_, ours)| *ours));
        let name = tool.canonical.to_owned();
        Canonical { name, arguments: Value::Object(arguments), renamed, tool: Some(tool) }
    }

    /// Returns the names of the client's tools.
    ///
    /// ```
    /// use hooks_facts::tools::Dialect;
    ///
    /// assert!(Dialect::Claude.names().any(|name| name == "Bash"));
    /// ```
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.tools().iter().map(|tool| tool.name)
    }

    fn tool(self, name: &str) -> Option<&'static Tool> {
        let folded = Folded::new(name)?;
        self.tools().iter().find(|tool| Folded::new(tool.name).is_some_and(|known| known == folded))
    }

    pub(super) fn tools(self) -> &'static [Tool] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Copilot => COPILOT,
            Self::CopilotPascal => COPILOT_PASCAL,
            Self::VsCode => VS_CODE,
            Self::Cursor => CURSOR,
            Self::DockerAgent => DOCKER_AGENT,
            Self::OpenCode => OPENCODE,
            Self::Qwen => QWEN,
            Self::Kimi => KIMI,
            Self::Windsurf => WINDSURF,
            Self::Goose => GOOSE,
            Self::Droid => DROID,
        }
    }
}

/// Tool call in canonical names, which can be converted back.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Value,
    /// Renamed arguments: the client's name and the canonical one.
    renamed: Vec<(&'static str, &'static str)>,
    tool: Option<&'static Tool>,
}

impl Canonical {
    /// Converts other arguments of this call to the client's names. Renamed arguments get their old names
    /// back, and a new argument gets the client's name for it, unless that is taken.
    pub fn back(&self, arguments: Value) -> Value {
        let (Some(tool), Value::Object(arguments)) = (self.tool, &arguments) else { return arguments };
        let before = self.arguments.as_object();
        let theirs = |key: &str| {
            let was_renamed = self.renamed.iter().find(|(_, ours)| *ours == key);
            let is_new = || !before.is_some_and(|before| before.contains_key(key));
            let row = was_renamed
                .or_else(|| tool.arguments.iter().find(|(_, ours)| *ours == key).filter(|_| is_new()));
            row.map(|(theirs, _)| *theirs).filter(|theirs| !arguments.contains_key(*theirs))
        };
        Value::Object(rename(arguments.clone(), theirs))
    }
}

/// One tool of one client.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) canonical: &'static str,
    /// Name in the client.
    pub(super) name: &'static str,
    /// Names of its arguments that differ: the client's name and the canonical one.
    arguments: &'static [(&'static str, &'static str)],
}

/// The first row of a canonical name is used for the conversion back.
const CLAUDE: &[Tool] = table!("dialects_claude");
const CODEX: &[Tool] = table!("dialects_codex");
const GEMINI: &[Tool] = table!("dialects_gemini");
const COPILOT: &[Tool] = table!("dialects_copilot");
const COPILOT_PASCAL: &[Tool] = table!("dialects_copilot_pascal");
const VS_CODE: &[Tool] = table!("dialects_vs_code");
const CURSOR: &[Tool] = table!("dialects_cursor");
const DOCKER_AGENT: &[Tool] = table!("dialects_docker_agent");
const OPENCODE: &[Tool] = table!("dialects_opencode");
const QWEN: &[Tool] = table!("dialects_qwen");
const KIMI: &[Tool] = table!("dialects_kimi");
const WINDSURF: &[Tool] = table!("dialects_windsurf");
const GOOSE: &[Tool] = table!("dialects_goose");
const DROID: &[Tool] = table!("dialects_droid");

/// Renames keys, and keeps their order.
fn rename(map: Map<String, Value>, name: impl Fn(&str) -> Option<&'static str>) -> Map<String, Value> {
    map.into_iter().map(|(key, value)| (name(&key).map_or(key, str::to_owned), value)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::{ToolKind, ToolTable};
    use super::*;

    #[test]
    fn one_call_has_one_name() {
        let args = json!({"path": "a.txt", "content": "x"});
        for (dialect, name, theirs) in [
            (Dialect::Claude, "Write", json!({"file_path": "a.txt", "content": "x"})),
            (Dialect::Gemini, "write_file", json!({"file_path": "a.txt", "content": "x"})),
            (Dialect::Copilot, "create", json!({"path": "a.txt", "file_text": "x"})),
            (Dialect::CopilotPascal, "Write", json!({"path": "a.txt", "file_text": "x"})),
            (Dialect::VsCode, "create_file", json!({"filePath": "a.txt", "content": "x"})),
            (Dialect::DockerAgent, "write_file", json!({"path": "a.txt", "content": "x"})),
            (Dialect::OpenCode, "write", json!({"filePath": "a.txt", "content": "x"})),
        ] {
            let canonical = dialect.to_canonical(name, theirs.clone());
            assert_eq!((canonical.name.as_str(), &canonical.arguments), ("write", &args), "{dialect:?}");
            assert_eq!(canonical.back(args.clone()), theirs, "{dialect:?}");
        }
        assert_eq!(Dialect::Gemini.spelling("bash"), Some("run_shell_command"));
        assert_eq!(Dialect::Codex.spelling("write"), None);
        assert_eq!(Dialect::Claude.canonical_name("mcp__srv__Write"), None);
    }

    #[test]
    fn a_new_argument_gets_the_name_of_the_client() {
        let call = Dialect::Copilot.to_canonical("edit", json!({"path": "a", "old_str": "x"}));
        let back = call.back(json!({"path": "a", "old_text": "x", "new_text": "y"}));
        assert_eq!(back, json!({"path": "a", "old_str": "x", "new_str": "y"}));
    }

    /// Guards use the kind. The names here and those in their table are the same tools.
    #[test]
    fn guards_know_every_tool() {
        let table = ToolTable::default();
        for dialect in Dialect::ALL {
            for tool in dialect.tools() {
                let kind = table.kind(tool.name);
                let expected = match tool.canonical {
                    "bash" => ToolKind::Shell,
                    "powershell" => ToolKind::WindowsShell,
                    "write" | "edit" | "multi_edit" | "notebook_edit" | "edit_files" => ToolKind::WriteFile,
                    "delete" => ToolKind::DeleteFile,
                    "apply_patch" => ToolKind::Patch,
                    "spawn_agent" => ToolKind::SpawnAgent,
                    "ask_user" => ToolKind::AskUser,
                    _ => ToolKind::Read,
                };
                assert_eq!(kind, expected, "{dialect:?} {}", tool.name);
            }
        }
    }

    /// Any JSON object with names of arguments in it.
    fn arguments() -> impl Strategy<Value = Value> {
        let names = &[
            "path",
            "file_path",
            "absolute_path",
            "filePath",
            "content",
            "file_text",
            "old_str",
            "old_text",
            "command",
            "cmd",
            "x",
        ][..];
        prop::collection::btree_map(prop::sample::select(names), any::<u8>(), 0..6).prop_map(|map| json!(map))
    }

    proptest! {
        #[test]
        fn there_and_back(dialect in prop::sample::select(Dialect::ALL), at in any::<prop::sample::Index>(), arguments in arguments()) {
            let tool = at.get(dialect.tools());
            let canonical = dialect.to_canonical(tool.name, arguments.clone());
            prop_assert_eq!(canonical.back(canonical.arguments.clone()), arguments);
        }

        #[test]
        fn unknown_tools_stay(name in "\\PC{0,40}", arguments in arguments()) {
            let canonical = Dialect::Claude.to_canonical(&name, arguments.clone());
            prop_assert!(canonical.tool.is_some() || (canonical.name == name && canonical.arguments == arguments));
        }
    }
}
