//! Mapping of Cursor's payload fields to our events. Several events belong to one tool, whose name the
//! payload omits.

use super::super::convert;
use super::super::shared::*;
use crate::table::{Field, How, Preset, To, text};

pub(super) const COMMON: &[Field] = &[
    Field::context(&["conversation_id"], To::Session),
    Field::context(&["cwd"], To::Folder),
    Field { from: &["workspace_roots"], to: To::Root, how: How::Both(convert::first_text, convert::never) },
    Field::context(&["subagent_type"], To::Agent),
];

pub(super) const STARTS: &[Field] = &[Field::text(&["model"], MODEL)];

pub(super) const ENDS: &[Field] = &[
    Field::words(
        &["reason"],
        REASON,
        &[
            ("completed", "complete"),
            ("aborted", "abort"),
            ("error", "error"),
            ("user_close", "user_exit"),
            ("window_close", "user_exit"),
        ],
    ),
    Field::count(&["duration_ms"], DURATION),
];

/// A shell command before or after it runs.
pub(super) const COMMAND: &[Field] = &[Field::text(&["command"], &["tool_args", "command"])];

pub(super) const SHELL_OUTPUT: &[Field] =
    &[Field::text(&["output"], TOOL_RESULT), Field::count(&["duration"], DURATION)];

/// A call of an MCP tool. The arguments are JSON in a string.
pub(super) const MCP_CALL: &[Field] = &[
    Field::text(&["tool_name"], TOOL_NAME),
    Field::json_text(&["tool_input"], TOOL_ARGS),
    Field::any(&["tool_input"], TOOL_ARGS),
];

pub(super) const MCP_OUTPUT: &[Field] = &[
    Field::json_text(&["result_json"], TOOL_RESULT),
    Field::any(&["result_json"], TOOL_RESULT),
    Field::count(&["duration"], DURATION),
];

/// A file before it is read, or after it was written.
pub(super) const FILE: &[Field] = &[Field::any(&["file_path"], &["tool_args", "file_path"])];

pub(super) const EDITS: &[Field] = &[Field::any(&["edits"], &["tool_args", "edits"])];

/// The output is JSON in a string. It stays a string, as the model reads it as text.
pub(super) const OUTPUT: &[Field] =
    &[Field::any(&["tool_output"], TOOL_RESULT), Field::count(&["duration"], DURATION)];

pub(super) const FAILURE: &[Field] =
    &[Field::text(&["error_message"], ERROR), Field::count(&["duration"], DURATION)];

pub(super) const NEW_CHILD: &[Field] = &[
    Field::text(&["subagent_type"], AGENT_NAME),
    Field::text(&["subagent_id"], CHILD_ID),
    Field::text(&["subagent_model"], MODEL),
    Field::text(&["task"], &["task"]),
];

pub(super) const OLD_CHILD: &[Field] = &[
    Field::text(&["subagent_type"], AGENT_NAME),
    Field::text(&["subagent_id"], CHILD_ID),
    Field::words(
        &["status"],
        &["status"],
        &[("completed", "completed"), ("error", "error"), ("aborted", "error")],
    ),
    Field::text(&["summary"], RESPONSE),
    Field::count(&["duration_ms"], DURATION),
    Field::count(&["tool_call_count"], &["tool_call_count"]),
    Field::both(&["modified_files"], &["files_modified"], convert::texts, convert::same),
];

pub(super) const REPLY: &[Field] = &[
    Field::text(&["model"], MODEL),
    Field::both(&["text"], RESPONSE, convert::to_reply, convert::from_reply),
];

pub(super) const NO_REPLY: &[Preset] =
    &[text(MODEL, ""), text(&["response", "role"], "assistant"), text(&["response", "content"], "")];

pub(super) const COMPACTED: &[Field] = &[
    Field::words(&["trigger"], SOURCE, &[("manual", "manual"), ("auto", "auto")]),
    Field::count(&["context_tokens"], &["current_token_count"]),
    Field::count(&["context_window_size"], &["max_tokens"]),
];
