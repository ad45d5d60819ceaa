//! Translates the tool names of a rule to those of any client.

use super::dialect::{Dialect, Tool};
use super::names::fold;

/// Tools that a name matches in a client without a tool for exactly the same job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Only tools for that job. For rules that allow.
    Same,
    /// Also tools that do the job among others. For rules that restrict: Codex can write files only with a
    /// patch.
    Alike,
}

/// Jobs that change files: a client without a tool for one of them uses its tool for another.
const CHANGES_FILES: &[&str] = &["write", "edit", "multi_edit", "notebook_edit", "edit_files", "apply_patch"];

/// Start of the names of MCP tools in rules: `mcp__server__tool`, as in Claude Code and Codex.
const MCP: &str = "mcp__";

impl Dialect {
    /// Returns this client's names of the tools that `name` matches. `name` is a canonical tool name or that
    /// of any client; with a star at the end it matches several. An unknown name is a tool with that name.
    ///
    /// ```
    /// use hooks_facts::tools::{Dialect, Reach};
    ///
    /// // Codex writes files with patches only, so a rule that restricts reaches that tool.
    /// assert_eq!(Dialect::Codex.spellings("write", Reach::Alike), ["apply_patch"]);
    /// assert!(Dialect::Codex.spellings("write", Reach::Same).is_empty());
    /// ```
    pub fn spellings(self, name: &str, reach: Reach) -> Vec<String> {
        if let Some(rest) =
            name.get(..MCP.len()).filter(|start| start.eq_ignore_ascii_case(MCP)).and(name.get(MCP.len()..))
        {
            return self.mcp(rest);
        }
        let meant = Meant::new(name);
        let jobs: Vec<&str> = Self::ALL
            .iter()
            .flat_map(|dialect| dialect.tools())
            .filter(|tool| meant.is(tool.name) || meant.is(tool.canonical))
            .map(|tool| tool.canonical)
            .collect();
        let does = |jobs: &[&str]| -> Vec<String> {
            let tools = self.tools().iter().filter(|tool| jobs.contains(&tool.canonical));
            tools.map(|tool: &Tool| tool.name.to_owned()).collect()
        };
        let same = does(&jobs);
        let changes_files = jobs.iter().any(|job| CHANGES_FILES.contains(job));
        if same.is_empty() && reach == Reach::Alike && changes_files { does(CHANGES_FILES) } else { same }
    }

    /// Returns this client's names of the MCP tools that match `server__tool`; either part may end the name
    /// with a star.
    fn mcp(self, rest: &str) -> Vec<String> {
        let (server, tool) = rest.split_once("__").unwrap_or((rest, ""));
        let all_servers = tool.is_empty();
        match self {
            // The star may be the rest of the server's name.
            Self::Gemini if all_servers => vec![format!("mcp_{server}")],
            Self::Gemini => vec![format!("mcp_{server}_{tool}")],
            // Cursor's names have no server.
            Self::Cursor if all_servers => vec!["MCP:*".to_owned()],
            Self::Cursor => vec![format!("MCP:{tool}")],
            // Permissions use the form `server/tool`.
            Self::Copilot | Self::CopilotPascal if !all_servers => {
                vec![format!("{server}-{tool}"), format!("{server}/{tool}")]
            }
            // Nothing distinguishes the tools of all servers from its own.
            Self::OpenCode if !all_servers => vec![format!("{server}_{tool}")],
            _ => Vec::new(),
        }
    }
}

/// Names that a name matches.
struct Meant {
    folded: String,
    /// Whether a prefix is enough.
    begins: bool,
}

impl Meant {
    fn new(name: &str) -> Self {
        let beginning = name.strip_suffix('*');
        Self { folded: fold(beginning.unwrap_or(name)), begins: beginning.is_some() }
    }

    fn is(&self, name: &str) -> bool {
        let name = fold(name);
        if self.begins { name.starts_with(&self.folded) } else { name == self.folded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_by_the_name_of_any_client() {
        for name in ["bash", "Bash", "run_shell_command", "shell", "runInTerminal"] {
            assert_eq!(Dialect::Gemini.spellings(name, Reach::Same), ["run_shell_command"], "{name}");
            assert_eq!(Dialect::Claude.spellings(name, Reach::Same), ["Bash"], "{name}");
        }
        assert_eq!(Dialect::Copilot.spellings("Write", Reach::Same), ["create"]);
        assert_eq!(Dialect::Claude.spellings("AskUserQuestion", Reach::Same), ["AskUserQuestion"]);
        assert_eq!(Dialect::Codex.spellings("ask_user", Reach::Same), ["request_user_input"]);
        assert_eq!(Dialect::Claude.spellings("frobnicate", Reach::Alike), Vec::<String>::new());
    }

    #[test]
    fn a_restriction_reaches_further() {
        assert_eq!(Dialect::Codex.spellings("write", Reach::Same), Vec::<String>::new());
        assert_eq!(Dialect::Codex.spellings("write", Reach::Alike), ["apply_patch"]);
        assert_eq!(Dialect::Cursor.spellings("edit", Reach::Alike), ["Write"]);
        assert_eq!(
            Dialect::Claude.spellings("apply_patch", Reach::Alike),
            ["Write", "Edit", "MultiEdit", "NotebookEdit"]
        );
        assert_eq!(Dialect::Codex.spellings("read", Reach::Alike), Vec::<String>::new());
    }

    #[test]
    fn several_by_a_star() {
        assert_eq!(Dialect::Gemini.spellings("web*", Reach::Same), ["web_fetch", "google_web_search"]);
    }

    #[test]
    fn mcp_tools() {
        assert_eq!(Dialect::Gemini.spellings("mcp__fs__read", Reach::Same), ["mcp_fs_read"]);
        assert_eq!(Dialect::Gemini.spellings("mcp__fs__*", Reach::Same), ["mcp_fs_*"]);
        assert_eq!(Dialect::Gemini.spellings("mcp__*", Reach::Same), ["mcp_*"]);
        assert_eq!(Dialect::Cursor.spellings("mcp__fs__*", Reach::Same), ["MCP:*"]);
        assert_eq!(Dialect::OpenCode.spellings("mcp__fs__*", Reach::Same), ["fs_*"]);
        assert_eq!(Dialect::Copilot.spellings("mcp__fs__read", Reach::Same), ["fs-read", "fs/read"]);
        assert_eq!(Dialect::Claude.spellings("mcp__fs__read", Reach::Same), Vec::<String>::new());
    }

    /// A client's own name for a tool is always among the results.
    #[test]
    fn every_tool_is_found_by_its_own_name_and_by_ours() {
        for dialect in Dialect::ALL {
            for tool in dialect.tools() {
                for name in [tool.name, tool.canonical] {
                    assert!(
                        dialect.spellings(name, Reach::Same).iter().any(|own| own == tool.name),
                        "{dialect:?} {name}"
                    );
                }
            }
        }
    }
}
