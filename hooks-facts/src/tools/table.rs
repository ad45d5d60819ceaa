//! Table of tool names.

use serde_json::Value;

use super::kind::ToolKind::{self, *};
use super::names::{self, Folded};
use super::verbs;

/// Longest name that is looked up; clients have no longer ones.
const MAX_NAME: usize = 256;

/// Names of tools with their kinds.
///
/// A look-up ignores case and separators (`write_file`, `WriteFile`, `write-file`) and removes the prefixes
/// that clients add: `mcp__<server>__`, `mcp_<server>_`, `<server>-`, `<server>/`, `<server>.`, `MCP:` and a
/// namespace that ends with a version, `multi_agent_v1`. It does not allocate.
#[derive(Clone, Debug, Default)]
pub struct ToolTable {
    /// Sorted by folded name; searched before the built-in names.
    own: Vec<(String, ToolKind)>,
}

impl ToolTable {
    /// Adds a tool, or changes the kind of one.
    #[must_use]
    pub fn with(mut self, name: &str, kind: ToolKind) -> Self {
        let folded = names::fold(name);
        match self.own.binary_search_by(|(known, _)| known.chars().cmp(folded.chars())) {
            Ok(at) => {
                if let Some(row) = self.own.get_mut(at) {
                    row.1 = kind;
                }
            }
            Err(at) => self.own.insert(at, (folded, kind)),
        }
        self
    }

    /// Returns the kind of the tool with this name; [`ToolKind::Unknown`] if it is not in the table.
    ///
    /// ```
    /// use hooks_facts::tools::{ToolKind, ToolTable};
    ///
    /// let table = ToolTable::default();
    /// assert_eq!(table.kind("write-file"), ToolKind::WriteFile);
    /// assert_eq!(table.kind("mcp__files__write_file"), ToolKind::WriteFile);
    /// assert_eq!(table.kind("frobnicate"), ToolKind::Unknown);
    /// ```
    pub fn kind(&self, name: &str) -> ToolKind {
        if name.len() > MAX_NAME {
            return Unknown;
        }
        if let Some(kind) = self.find(name) {
            return kind;
        }
        let mcp = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("mcp"));
        let mut first = true;
        for (at, separator) in name.char_indices() {
            let is_double = separator == '_' && name.get(..at).is_some_and(|before| before.ends_with('_'));
            let firm = is_double || matches!(separator, '/' | ':' | '.');
            let soft = separator == '-' || (mcp && separator == '_');
            if !firm && !soft {
                continue;
            }
            let Some(rest) = name.get(at + separator.len_utf8()..) else { continue };
            // `mcp_` itself is not a server.
            let is_mcp_mark = mcp && at == 3;
            if let Some(kind) = self.find(rest) {
                // A soft separator may be part of a name: `mcp_mail_mark_read` marks mail as read, so a
                // harmless kind is accepted only directly after the first word.
                if firm || first || kind.is_guarded() {
                    return kind;
                }
            }
            first = first && is_mcp_mark;
        }
        behind_version(name).and_then(|rest| self.find(rest)).unwrap_or(Unknown)
    }

    /// Returns the kind of one call. This is [`kind`](Self::kind) with two differences. A tool that shows or
    /// edits is a [`ToolKind::Read`] or a [`ToolKind::WriteFile`], depending on its `command`. An unknown
    /// tool whose arguments hold paths is judged by the words of its name: `remove_all` with `paths` removes.
    ///
    /// ```
    /// use hooks_facts::tools::{ToolKind, ToolTable};
    /// use serde_json::json;
    ///
    /// let table = ToolTable::default();
    /// let edit = |command| table.kind_of_call("str_replace_editor", &json!({"command": command, "path": "a.rs"}));
    /// assert_eq!((edit("view"), edit("create")), (ToolKind::Read, ToolKind::WriteFile));
    /// assert_eq!(table.kind_of_call("remove_all", &json!({"paths": ["a.rs"]})), ToolKind::DeleteFile);
    /// ```
    pub fn kind_of_call(&self, name: &str, arguments: &Value) -> ToolKind {
        self.kind_and_listing(name, arguments).0
    }

    /// Returns the kind of one call, and whether the name is in the table.
    pub(crate) fn kind_and_listing(&self, name: &str, arguments: &Value) -> (ToolKind, bool) {
        let kind = match self.kind(name) {
            ViewOrEdit if only_shows(arguments) => Read,
            ViewOrEdit => WriteFile,
            Unknown => return (verbs::kind_by_words(name, arguments).unwrap_or(Unknown), false),
            kind => kind,
        };
        (kind, true)
    }

    fn find(&self, name: &str) -> Option<ToolKind> {
        let own = self.own.binary_search_by(|(known, _)| names::compare(known, name));
        if let Some((_, kind)) = own.ok().and_then(|at| self.own.get(at)) {
            return Some(*kind);
        }
        match name {
            // The names of most calls, without a search.
            "edit" | "Edit" | "write" | "Write" => Some(WriteFile),
            "bash" | "Bash" => Some(Shell),
            "read" | "Read" | "view" | "glob" | "Glob" | "grep" | "Grep" => Some(Read),
            _ => searched(name),
        }
    }
}

/// Returns whether a tool that shows or edits only shows, by its argument `command`, or else `operation`.
fn only_shows(arguments: &Value) -> bool {
    let text = |key| arguments.get(key).and_then(Value::as_str);
    match arguments.get("command") {
        Some(_) => text("command").is_some_and(|command| matches!(command, "view" | "list")),
        None => text("operation").is_some_and(|operation| {
            ["extract_", "find_", "get_", "list_"].iter().any(|start| operation.starts_with(start))
        }),
    }
}

/// Returns the name after a namespace with version that Codex prepends: `multi_agent_v1spawn_agent`.
fn behind_version(name: &str) -> Option<&str> {
    let (_, version) = name.split_once("_v")?;
    let rest = version.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < version.len()).then_some(rest)
}

fn searched(name: &str) -> Option<ToolKind> {
    Folded::new(name)?.find(BUILT_IN)
}

/// Folded names of Claude Code, Codex, Gemini CLI, Copilot, Cursor, VS Code, Squad and common MCP servers,
/// sorted.
static BUILT_IN: &[(&str, ToolKind)] = table!("tools");

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn built_in_names_can_be_searched() {
        assert!(names::is_searchable(BUILT_IN));
    }

    #[test]
    fn what_is_not_searched_is_of_the_same_kind() {
        for name in [
            "edit", "Edit", "write", "Write", "bash", "Bash", "read", "Read", "view", "glob", "Glob", "grep",
            "Grep",
        ] {
            assert_eq!(ToolTable::default().find(name), searched(name), "{name}");
        }
    }

    #[test]
    fn names_in_every_spelling() {
        let table = ToolTable::default();
        for (name, kind) in [
            ("Edit", WriteFile),
            ("MultiEdit", WriteFile),
            ("notebook-edit", WriteFile),
            ("mcp__filesystem__write_file", WriteFile),
            ("mcp_filesystem_write_file", WriteFile),
            ("mcp_my_files_write_file", WriteFile),
            ("filesystem-write_file", WriteFile),
            ("filesystem/delete_file", DeleteFile),
            ("MCP:move_file", MoveFile),
            ("functions.shell", Shell),
            ("BASH", Shell),
            ("runTerminalCommand", Shell),
            ("local_shell", Shell),
            ("pwsh", WindowsShell),
            ("AskUserQuestion", AskUser),
            ("askUser", AskUser),
            ("spawn_agent", SpawnAgent),
            ("mcp__docs__read_file", Read),
            ("mcp_mail_mark_read", Unknown),
            ("mcp__mail__mark_read", Unknown),
            ("multi_agent_v1spawn_agent", SpawnAgent),
            ("multi_agent_v12wait_agent", Other),
            ("multi_agent_vspawn_agent", Unknown),
            ("frobnicate", Unknown),
            ("", Unknown),
            ("mcp__", Unknown),
        ] {
            assert_eq!(table.kind(name), kind, "{name}");
        }
        assert_eq!(table.kind(&"mcp_".repeat(1000)), Unknown);
    }

    #[test]
    fn a_tool_can_be_added_and_changed() {
        let table =
            ToolTable::default().with("saveDoc", WriteFile).with("view", WriteFile).with("view", Other);
        assert_eq!(table.kind("save_doc"), WriteFile);
        assert_eq!(table.kind("View"), Other);
    }

    #[test]
    fn the_editor_that_views_is_a_read() {
        let table = ToolTable::default();
        let kind = |command| table.kind_of_call("str_replace_editor", &json!({ "command": command }));
        assert_eq!(kind("view"), Read);
        assert_eq!(kind("create"), WriteFile);
        assert_eq!(table.kind_of_call("str_replace_editor", &json!({})), WriteFile);
        for (tool, args, wanted) in [
            ("computercontroller__cache", json!({"command": "delete", "path": "/x"}), WriteFile),
            ("computercontroller__cache", json!({"command": "view", "path": "/x"}), Read),
            ("computercontroller__cache", json!({"command": "list"}), Read),
            ("computercontroller__xlsx_tool", json!({"operation": "update_cell", "path": "/x"}), WriteFile),
            ("computercontroller__xlsx_tool", json!({"operation": "save", "path": "/x"}), WriteFile),
            ("computercontroller__xlsx_tool", json!({"operation": "get_range", "path": "/x"}), Read),
            ("str_replace_editor", json!({"command": "create", "operation": "get_x"}), WriteFile),
        ] {
            assert_eq!(table.kind_of_call(tool, &args), wanted, "{tool} {args}");
        }
    }
}
