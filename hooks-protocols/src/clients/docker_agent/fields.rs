//! Mapping of docker-agent's payload fields to our events. It omits fields that are empty, zero or false.

use super::super::convert;
use super::super::shared::{
    AGENT_NAME, CHILD_ID, ERROR, MESSAGE, MODEL, PROMPT, REASON, RESPONSE, SOURCE, START_WORDS, SUMMARY,
    TOOL_RESULT,
};
use crate::table::{Field, Preset, To, text};

pub(super) const COMMON: &[Field] = &[
    Field::context(&["session_id"], To::Session),
    Field::context(&["parent_session_id"], To::Parent),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["agent_name"], To::Agent),
];

pub(super) const START: &[Field] = &[Field::words(&["source"], SOURCE, START_WORDS)];

/// The kind of tool, as docker-agent classifies it.
pub(super) const KIND: &[Field] = &[
    Field::text(&["tool_category"], &["category"]),
    Field::both(&["tool_read_only"], &["read_only"], convert::flag, convert::same),
];

/// The result of a tool; `tool_error` shows whether it is an error.
pub(super) const RESPONSE_OF_TOOL: &[Field] = &[Field::any(&["tool_response"], TOOL_RESULT)];

pub(super) const VERDICT: &[Field] = &[
    Field::words(
        &["approval_decision"],
        &["verdict"],
        &[("allow", "allow"), ("deny", "deny"), ("canceled", "deny")],
    ),
    Field::both(&["approval_source"], SOURCE, convert::approval_source, convert::never),
];

pub(super) const STEERING: &[Field] =
    &[Field::both(&["steering_messages"], PROMPT, convert::joined_texts, convert::one_text)];

pub(super) const ITERATION: &[Field] = &[Field::count(&["iteration"], &["iteration"])];

pub(super) const TURN_REASON: &[Field] = &[Field::words(
    &["reason"],
    REASON,
    &[
        ("normal", "normal"),
        ("continue", "continue"),
        ("steered", "steered"),
        ("error", "error"),
        ("canceled", "canceled"),
        ("hook_blocked", "hook_blocked"),
        ("loop_detected", "loop_detected"),
    ],
)];

pub(super) const MODEL_CALL: &[Field] = &[Field::text(&["model_id"], MODEL)];

pub(super) const MESSAGES: &[Field] =
    &[Field::both(&["messages"], &["messages"], convert::from_chat_messages, convert::same)];

pub(super) const MODEL_REPLY: &[Field] = &[
    Field::both(&["stop_response"], RESPONSE, convert::to_reply, convert::from_reply),
    Field::count(&["usage", "input_tokens"], &["usage", "input_tokens"]),
    Field::count(&["usage", "output_tokens"], &["usage", "output_tokens"]),
    Field::count(&["usage", "cached_input_tokens"], &["usage", "cached_tokens"]),
    Field::count(&["usage", "reasoning_tokens"], &["usage", "reasoning_tokens"]),
    Field::both(&["cost"], &["cost"], convert::from_dollars, convert::to_dollars),
];

pub(super) const NO_REPLY: &[Preset] =
    &[text(MODEL, ""), text(&["response", "role"], "assistant"), text(&["response", "content"], "")];

pub(super) const ANSWER: &[Field] =
    &[Field::text(&["stop_response"], RESPONSE), Field::text(&["last_user_message"], &["last_user_message"])];

/// A child that ended. The session and the agent are the child's, and the hooks that are asked are those of its
/// parent.
pub(super) const CHILD: &[Field] = &[
    Field::text(&["session_id"], CHILD_ID),
    Field::context(&["parent_session_id"], To::Session),
    Field::text(&["agent_name"], AGENT_NAME),
    Field::text(&["stop_response"], RESPONSE),
];

pub(super) const SWITCH: &[Field] = &[
    Field::text(&["from_agent"], &["from"]),
    Field::text(&["to_agent"], &["to"]),
    Field::text(&["agent_switch_kind"], REASON),
];

pub(super) const NOTICE: &[Field] = &[
    Field::words(
        &["notification_level"],
        &["level"],
        &[("info", "info"), ("warning", "warning"), ("error", "error")],
    ),
    Field::text(&["notification_message"], MESSAGE),
];

pub(super) const FAILURE: &[Field] = &[Field::text(&["notification_message"], ERROR)];

/// The message to the user. Without one, it names the limit.
pub(super) const LIMIT: &[Field] = &[
    Field::text(&["notification_message"], MESSAGE),
    Field::both(&["notification_message"], &["limit"], convert::nothing, convert::limit_message),
];

pub(super) const NEW_LIMIT: &[Field] = &[
    Field::count(&["previous_max_iterations"], &["previous_limit"]),
    Field::count(&["new_max_iterations"], &["limit"]),
];

pub(super) const COMPACTION: &[Field] = &[Field::words(
    &["source"],
    SOURCE,
    &[("manual", "manual"), ("auto", "auto"), ("overflow", "overflow"), ("tool_overflow", "tool_overflow")],
)];

/// A compaction with its numbers. A limit of zero means that it is unknown.
pub(super) const COUNTED: &[Field] = &[
    Field::count(&["input_tokens"], &["current_token_count"]),
    Field::count(&["output_tokens"], &["output_token_count"]),
    Field::count(&["context_limit"], &["max_tokens"]),
    Field::words(&["compaction_reason"], SOURCE, CAUSES),
];

/// A finished compaction with the numbers from before.
pub(super) const COUNTED_BEFORE: &[Field] = &[
    Field::count(&["input_tokens"], &["token_count_before"]),
    Field::count(&["output_tokens"], &["output_token_count"]),
    Field::count(&["context_limit"], &["max_tokens"]),
    Field::words(&["compaction_reason"], SOURCE, CAUSES),
];

const CAUSES: &[(&str, &str)] = &[
    ("threshold", "auto"),
    ("manual", "manual"),
    ("overflow", "overflow"),
    ("tool_overflow", "tool_overflow"),
];

pub(super) const SUMMARY_GIVEN: &[Field] = &[Field::text(&["summary"], SUMMARY)];

pub(super) const WORKTREE: &[Field] =
    &[Field::text(&["worktree_path"], &["path"]), Field::text(&["worktree_branch"], &["branch"])];

pub(super) const ENDS: &[Field] = &[Field::words(&["reason"], REASON, &[("stream_ended", "complete")])];
