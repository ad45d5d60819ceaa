//! Windsurf. Not tested: the facts are from its page on Cascade hooks (`docs.windsurf.com/windsurf/cascade/hooks`).
//!
//! An event belongs to one kind of tool, whose name the payload omits. A hook before an action denies it by exit code 2,
//! with the reason on standard error; it reads no other answer. Results are not in the payloads,
//! except that of an MCP tool.

use hooks_core::EventKind::*;
use serde_json::{Value, json};

use super::shared::*;
use crate::table::{Field, Phrase, Phrases, Protocol, Row, SILENT, To, text};

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["agent_action_name"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: false,
};

const ROWS: &[Row] = &[
    Row::new("pre_user_prompt", UserPromptSubmitted, &[PROMPTED]).saying(DENIED),
    Row::new("pre_write_code", PreToolUse, &[FILE]).with(&[text(TOOL_NAME, "write_code")]).saying(DENIED),
    Row::new("pre_read_code", PreToolUse, &[FILE]).with(&[text(TOOL_NAME, "read_code")]).saying(DENIED),
    Row::new("pre_run_command", PreToolUse, &[COMMAND])
        .with(&[text(TOOL_NAME, "run_command")])
        .saying(DENIED),
    Row::new("pre_mcp_tool_use", PreToolUse, &[MCP]).saying(DENIED),
    Row::new("post_write_code", PostToolUse, &[FILE]).with(&[text(TOOL_NAME, "write_code")]),
    Row::new("post_read_code", PostToolUse, &[FILE]).with(&[text(TOOL_NAME, "read_code")]),
    Row::new("post_run_command", PostToolUse, &[COMMAND]).with(&[text(TOOL_NAME, "run_command")]),
    Row::new("post_mcp_tool_use", PostToolUse, &[MCP, MCP_RESULT]),
    Row::new("post_cascade_response", Stop, &[ANSWERED]),
    // The whole conversation once more, as a file.
    Row::other("post_cascade_response_with_transcript"),
    Row::other("post_setup_worktree"),
];

const COMMON: &[Field] = &[
    Field::context(&["trajectory_id"], To::Session),
    Field::context(&["timestamp"], To::Time),
    Field::context(&["tool_info", "cwd"], To::Folder),
];

const PROMPTED: &[Field] = &[Field::text(&["tool_info", "user_prompt"], PROMPT)];

/// A file or a folder, and the changes of a file.
const FILE: &[Field] = &[
    Field::any(&["tool_info", "file_path"], &["tool_args", "file_path"]),
    Field::any(&["tool_info", "edits"], &["tool_args", "edits"]),
];

const COMMAND: &[Field] = &[Field::any(&["tool_info", "command_line"], &["tool_args", "command_line"])];

const MCP: &[Field] = &[
    Field::both(&["tool_info"], TOOL_NAME, mcp_name, mcp_names),
    Field::any(&["tool_info", "mcp_tool_arguments"], TOOL_ARGS),
];

const MCP_RESULT: &[Field] = &[Field::any(&["tool_info", "mcp_result"], TOOL_RESULT)];

const ANSWERED: &[Field] = &[Field::text(&["tool_info", "response"], RESPONSE)];

const DENIED: Phrases = Phrases { deny: Phrase::Exit, ..SILENT };

/// The name of an MCP tool as in rules: `mcp__SERVER__TOOL`.
fn mcp_name(info: &Value) -> Option<Value> {
    let tool = info.get("mcp_tool_name")?.as_str()?;
    let server = info.get("mcp_server_name").and_then(Value::as_str).unwrap_or_default();
    Some(if server.is_empty() { tool.into() } else { format!("mcp__{server}__{tool}").into() })
}

fn mcp_names(name: Value) -> Option<Value> {
    let Value::String(name) = name else { return None };
    let parts = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    let (server, tool) = parts.filter(|(server, _)| !server.is_empty()).unwrap_or(("", &name));
    Some(json!({"mcp_server_name": server, "mcp_tool_name": tool}))
}
