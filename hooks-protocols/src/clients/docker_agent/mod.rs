//! docker-agent, in its two profiles: July 2026, and since September 2026.

mod fields;
mod phrases;

use hooks_core::EventKind::*;

use super::shared::{AGENT_NAME, CALL, ERROR, MESSAGE, MODEL, SAID, SOURCE, SUMMARY};
use crate::table::{Protocol, Row, flag, number, text};
use fields::*;
use phrases::*;

/// The profile since September 2026.
pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name"],
    common: COMMON,
    rows: SEPTEMBER,
    envelope: None,
    unnamed: None,
    omits_empty: true,
    folds_names: true,
    is_flat: false,
};

/// The profile of July 2026: no guards and transforms before a call, and context after a tool and at the end.
pub(crate) const JULY: Protocol = Protocol { rows: SUMMER, ..PROTOCOL };

const SEPTEMBER: &[Row] = &[
    WORKTREE_CREATE,
    SESSION_START,
    USER_PROMPT_SUBMIT,
    USER_STEERING,
    USER_FOLLOWUP,
    TURN_START,
    BEFORE_LLM_CALL,
    AFTER_LLM_CALL,
    Row::new("tool_input_transform", PreToolUse, &[CALL, KIND]).saying(TRANSFORMED),
    Row::new("tool_guard", PreToolUse, &[CALL, KIND]).saying(GUARDED),
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    TOOL_DECIDED,
    TOOL_RESPONSE_TRANSFORM,
    POST_TOOL_USE.saying(STOPS),
    TURN_END,
    STOP,
    SUBAGENT_STOP,
    AGENT_SWITCH,
    USER_INPUT,
    NOTIFICATION,
    ON_ERROR,
    MAX_ITERATIONS,
    SESSION_RESUME,
    PRE_COMPACT,
    BEFORE_COMPACTION,
    AFTER_COMPACTION,
    SESSION_END,
];

const SUMMER: &[Row] = &[
    WORKTREE_CREATE,
    SESSION_START,
    USER_PROMPT_SUBMIT,
    USER_STEERING,
    USER_FOLLOWUP,
    TURN_START,
    BEFORE_LLM_CALL,
    AFTER_LLM_CALL,
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    TOOL_DECIDED,
    TOOL_RESPONSE_TRANSFORM,
    POST_TOOL_USE.saying(STOPS_WITH_CONTEXT),
    TURN_END,
    STOP.saying(CONTEXT),
    SUBAGENT_STOP,
    AGENT_SWITCH,
    USER_INPUT,
    NOTIFICATION,
    ON_ERROR,
    MAX_ITERATIONS,
    SESSION_RESUME,
    PRE_COMPACT,
    BEFORE_COMPACTION,
    AFTER_COMPACTION,
    SESSION_END,
];

const WORKTREE_CREATE: Row = Row::new("worktree_create", WorktreeCreated, &[WORKTREE])
    .with(&[text(&["path"], "")])
    .saying(BLOCKED_WITH_CONTEXT);

const SESSION_START: Row = Row::new("session_start", SessionStart, &[START]).saying(CONTEXT);

const USER_PROMPT_SUBMIT: Row = Row::new("user_prompt_submit", UserPromptSubmitted, &[SAID])
    .with(&[text(&["prompt"], "")])
    .saying(BLOCKED_WITH_CONTEXT);

const USER_STEERING: Row = Row::new("user_steering_messages_submit", UserPromptSubmitted, &[STEERING])
    .with(&[text(&["prompt"], ""), text(&["kind"], "steering")])
    .saying(BLOCKED_WITH_CONTEXT);

const USER_FOLLOWUP: Row = Row::new("user_followup_submit", UserPromptSubmitted, &[SAID])
    .with(&[text(&["prompt"], ""), text(&["kind"], "follow_up")])
    .saying(BLOCKED_WITH_CONTEXT);

const TURN_START: Row =
    Row::new("turn_start", TurnStart, &[ITERATION]).with(&[number(&["iteration"], 0)]).saying(CONTEXT);

const TURN_END: Row = Row::new("turn_end", TurnEnd, &[ITERATION, TURN_REASON])
    .with(&[number(&["iteration"], 0)])
    .saying(OBSERVED);

const BEFORE_LLM_CALL: Row = Row::new("before_llm_call", BeforeModelCall, &[MODEL_CALL, ITERATION, MESSAGES])
    .with(&[text(MODEL, "")])
    .saying(MODEL_CALLED);

const AFTER_LLM_CALL: Row = Row::new("after_llm_call", AfterModelCall, &[MODEL_CALL, ITERATION, MODEL_REPLY])
    .with(NO_REPLY)
    .saying(OBSERVED);

const PRE_TOOL_USE: Row = Row::new("pre_tool_use", PreToolUse, &[CALL, KIND]).saying(DECIDED);

const PERMISSION_REQUEST: Row =
    Row::new("permission_request", PermissionRequest, &[CALL, KIND]).saying(DIALOG);

const TOOL_DECIDED: Row = Row::new("on_tool_approval_decision", ToolDecided, &[CALL, KIND, VERDICT])
    .with(&[text(&["verdict"], "deny"), text(SOURCE, "settled")])
    .saying(OBSERVED);

const TOOL_RESPONSE_TRANSFORM: Row =
    Row::new("tool_response_transform", PostToolUse, &[CALL, KIND, RESPONSE_OF_TOOL])
        .saying(RESPONSE_CHANGED);

const POST_TOOL_USE: Row = Row::new("post_tool_use", PostToolUse, &[CALL, KIND, RESPONSE_OF_TOOL]);

const STOP: Row = Row::new("stop", Stop, &[ANSWER]).saying(OBSERVED);

const SUBAGENT_STOP: Row =
    Row::new("subagent_stop", SubagentStop, &[CHILD]).with(&[text(AGENT_NAME, "")]).saying(OBSERVED);

const AGENT_SWITCH: Row = Row::new("on_agent_switch", AgentSwitched, &[SWITCH])
    .with(&[text(&["from"], ""), text(&["to"], "")])
    .saying(OBSERVED);

const USER_INPUT: Row =
    Row::new("on_user_input", UserInputRequested, &[]).with(&[text(&["question"], "")]).saying(OBSERVED);

const NOTIFICATION: Row =
    Row::new("notification", Notification, &[NOTICE]).with(&[text(MESSAGE, "")]).saying(OBSERVED);

const ON_ERROR: Row = Row::new("on_error", ErrorOccurred, &[FAILURE])
    .with(&[text(ERROR, ""), flag(&["recoverable"], false)])
    .saying(OBSERVED);

const MAX_ITERATIONS: Row =
    Row::new("on_max_iterations", MaxIterations, &[LIMIT]).with(&[number(&["limit"], 0)]).saying(OBSERVED);

const SESSION_RESUME: Row = Row::new("on_session_resume", MaxIterations, &[NEW_LIMIT])
    .with(&[number(&["limit"], 0), flag(&["resumed"], true)])
    .saying(OBSERVED);

const PRE_COMPACT: Row = Row::new("pre_compact", PreCompact, &[COMPACTION]).saying(BLOCKED_WITH_CONTEXT);

const BEFORE_COMPACTION: Row = Row::new("before_compaction", PreCompact, &[COUNTED]).saying(SUMMARIZED);

const AFTER_COMPACTION: Row = Row::new("after_compaction", PostCompact, &[COUNTED_BEFORE, SUMMARY_GIVEN])
    .with(&[text(SUMMARY, "")])
    .saying(OBSERVED);

const SESSION_END: Row = Row::new("session_end", SessionEnd, &[ENDS]).saying(OBSERVED);
