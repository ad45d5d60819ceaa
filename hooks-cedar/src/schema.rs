//! The schema of requests, made from names of tools.

use std::fmt::Write as _;

use hooks_facts::tools::{Dialect, ToolTable};

use crate::request::kinds;

/// Groups of actions. No tool has such a name: Cedar refuses a schema with an action that has the name of a group.
const KINDS: [&str; 7] = [
    "asks_user",
    "deletes_files",
    "reads_files",
    "runs_commands",
    "starts_agents",
    "unlisted",
    "writes_files",
];

/// Tools of which each group has one, so that a policy about a group is about something.
const REPRESENTATIVES: [&str; 7] =
    ["agent", "ask_user", "bash", "delete_file", "read", "unlisted_tool", "write"];

/// Entities and the context, which all tools share.
const COMMON: &str = "\
entity Agent;
entity Workspace;

// What is not known in full is missing in a request: a policy that asks for it is a denial.
type Call = {
  agent_id?: String,
  event: String,
  input: Input,
  parent_session?: String,
  reads: Set<String>,
  repo?: String,
  runs: Set<String>,
  session: String,
  tenant?: String,
  writes: Set<String>,
};

// Arguments of the tools. Others are not checked, and need `context.input has NAME`.
type Input = {
  command?: String,
  file_path?: String,
  path?: String,
  url?: String,
};
";

/// Returns the schema of Cedar for requests about these tools: an action for each, in the groups of its kind.
///
/// ```
/// let schema = hooks_cedar::schema(["Bash", "mcp__crm__delete_file"], &hooks_facts::tools::ToolTable::default());
/// assert!(schema.contains("action \"Bash\" in [Kind::Action::\"runs_commands\"]"));
/// assert!(schema.contains("action \"mcp__crm__delete_file\" in [Kind::Action::\"deletes_files\", Kind::Action::\"writes_files\"]"));
/// ```
pub fn schema<'a>(tools: impl IntoIterator<Item = &'a str>, table: &ToolTable) -> String {
    let mut text = COMMON.to_owned();
    text.push_str("\nnamespace Kind {\n");
    for kind in KINDS {
        // Writing to a text does not fail.
        _ = writeln!(text, "  action {kind};");
    }
    text.push_str("}\n");
    for tool in tools {
        let groups: Vec<_> =
            kinds(table.kind(tool)).iter().map(|kind| format!("Kind::Action::\"{kind}\"")).collect();
        let groups = if groups.is_empty() { String::new() } else { format!(" in [{}]", groups.join(", ")) };
        let tool = tool.escape_debug();
        _ = write!(
            text,
            "\naction \"{tool}\"{groups}\n  appliesTo {{ principal: Agent, resource: Workspace, context: Call }};\n",
        );
    }
    text
}

/// Returns the schema that policies about `named` tools are validated against: those of them that are known, and one of
/// each group. A policy about all tools is validated once for each of a few, instead of hundreds.
pub(crate) fn schema_for<'a>(named: impl Iterator<Item = &'a str>, table: &ToolTable) -> String {
    let mut tools: Vec<_> = named.filter(|tool| is_known(tool, table)).chain(REPRESENTATIVES).collect();
    tools.sort_unstable();
    tools.dedup();
    schema(tools, table)
}

/// Whether a tool of this name can exist: it is in the table, or a client, or the server of an MCP tool.
fn is_known(tool: &str, table: &ToolTable) -> bool {
    let is_mcp = tool.strip_prefix("mcp__").is_some_and(|rest| rest.contains("__"));
    let is_of_client = || Dialect::ALL.iter().any(|dialect| dialect.canonical_name(tool).is_some());
    is_mcp || table.kind(tool) != hooks_facts::tools::ToolKind::Unknown || is_of_client()
}
