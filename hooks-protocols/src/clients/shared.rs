//! Fields and phrases that several clients share.
//!
//! Claude Code, Codex CLI, Gemini CLI and VS Code share the names of their fields. They differ in the fields
//! that belong into `hookSpecificOutput`, and in the fields that have an effect.

use serde_json::Value;

use crate::table::{Field, Path, Phrase, Preset, Says, To, Word, number, text, word};

/// Paths of the fields of our events.
pub(super) const TOOL_NAME: Path = &["tool_name"];
pub(super) const TOOL_ARGS: Path = &["tool_args"];
pub(super) const TOOL_RESULT: Path = &["tool_result"];
pub(super) const TOOL_USE_ID: Path = &["tool_use_id"];
pub(super) const DURATION: Path = &["duration_ms"];
pub(super) const ERROR: Path = &["error"];
pub(super) const PROMPT: Path = &["prompt"];
pub(super) const RESPONSE: Path = &["response"];
pub(super) const SOURCE: Path = &["source"];
pub(super) const REASON: Path = &["reason"];
pub(super) const MODEL: Path = &["model"];
pub(super) const MESSAGE: Path = &["message"];
pub(super) const AGENT_NAME: Path = &["agent_name"];
pub(super) const SUMMARY: Path = &["summary"];
pub(super) const CHILD_ID: Path = &["child_id"];

/// The session and folder of an event, as most clients send them.
pub(super) const SESSION: &[Field] = &[
    Field::context(&["session_id"], To::Session),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["agent_type"], To::Agent),
    Field::context(&["timestamp"], To::Time),
];

/// A tool call.
pub(super) const CALL: &[Field] = &[
    Field::text(&["tool_name"], TOOL_NAME),
    Field::any(&["tool_input"], TOOL_ARGS),
    Field::text(&["tool_use_id"], TOOL_USE_ID),
];

/// The result of a tool call.
pub(super) const RESULT: &[Field] =
    &[Field::any(&["tool_response"], TOOL_RESULT), Field::count(&["duration_ms"], DURATION)];

/// A failed tool call.
pub(super) const FAILED: &[Field] =
    &[Field::text(&["error"], ERROR), Field::count(&["duration_ms"], DURATION)];

/// A user message.
pub(super) const SAID: &[Field] = &[Field::text(&["prompt"], PROMPT)];

/// The reason for which a session starts.
pub(super) const START: &[Field] =
    &[Field::words(&["source"], SOURCE, START_WORDS), Field::text(&["model"], MODEL)];

/// Words for the reason of a session's start. If several map to one of ours, the first is written.
pub(super) const START_WORDS: &[(&str, &str)] = &[
    ("startup", "startup"),
    ("resume", "resume"),
    ("clear", "clear"),
    ("compact", "compact"),
    ("new", "startup"),
    ("fork", "resume"),
];

/// The reason for which a session ended.
pub(super) const END: &[Field] = &[Field::words(&["reason"], REASON, END_WORDS)];

/// Words for the reason of a session's end.
pub(super) const END_WORDS: &[(&str, &str)] = &[
    ("other", "complete"),
    ("clear", "complete"),
    ("resume", "complete"),
    ("logout", "user_exit"),
    ("prompt_input_exit", "user_exit"),
    ("exit", "user_exit"),
];

/// The reason for a compaction of the context.
pub(super) const COMPACTION: &[Field] = &[
    Field::words(&["trigger"], SOURCE, &[("manual", "manual"), ("auto", "auto")]),
    Field::text(&["custom_instructions"], REASON),
];

/// The last message of the agent.
pub(super) const LAST_WORDS: &[Field] = &[Field::text(&["last_assistant_message"], RESPONSE)];

/// Whether the agent runs because a hook denied its last stop.
pub(super) const AGAIN: &[Field] =
    &[Field::both(&["stop_hook_active"], &["stop_hook_active"], flag_of, is_set)];

pub(super) fn flag_of(value: &Value) -> Option<Value> {
    value.is_boolean().then(|| value.clone())
}

pub(super) fn is_set(flag: Value) -> Option<Value> {
    (flag == true).then_some(flag)
}

/// A child agent.
pub(super) const CHILD: &[Field] =
    &[Field::text(&["agent_type"], AGENT_NAME), Field::text(&["agent_id"], CHILD_ID)];

/// Defaults for the fields of a child that no payload has.
pub(super) const A_CHILD: &[Preset] = &[text(AGENT_NAME, ""), number(&["depth"], 1)];

/// `decision: block` with the reason.
pub(super) const BLOCK: &[Word] =
    &[word(&["decision"], Says::Text("block")), word(&["reason"], Says::Reason)];

/// `decision: deny` with the reason.
pub(super) const DECISION_DENY: &[Word] =
    &[word(&["decision"], Says::Text("deny")), word(&["reason"], Says::Reason)];

/// Ends the run.
pub(super) const DISCONTINUE: &[Word] =
    &[word(&["continue"], Says::Flag(false)), word(&["stopReason"], Says::StopReason)];

const SPECIFIC: &str = "hookSpecificOutput";

/// The event to which the specific output belongs. Without it, Claude Code and Codex CLI ignore the rest.
const EVENT: Word = word(&[SPECIFIC, "hookEventName"], Says::EventName);

/// `permissionDecision: deny`.
pub(super) const SPECIFIC_DENY: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "permissionDecision"], Says::Text("deny")),
    word(&[SPECIFIC, "permissionDecisionReason"], Says::Reason),
];

/// `permissionDecision: ask`.
pub(super) const SPECIFIC_ASK: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "permissionDecision"], Says::Text("ask")),
    word(&[SPECIFIC, "permissionDecisionReason"], Says::Reason),
];

/// `permissionDecision: allow`.
pub(super) const SPECIFIC_ALLOW: &[Word] =
    &[EVENT, word(&[SPECIFIC, "permissionDecision"], Says::Text("allow"))];

/// The complete arguments.
pub(super) const UPDATED_INPUT: &[Word] = &[EVENT, word(&[SPECIFIC, "updatedInput"], Says::Changed)];

/// The complete arguments with `allow`, for clients that accept them only in this form.
pub(super) const ALLOWED_INPUT: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "permissionDecision"], Says::Text("allow")),
    word(&[SPECIFIC, "updatedInput"], Says::Changed),
];

/// Arguments that the client merges into those of the call.
pub(super) const TOOL_INPUT: &[Word] = &[EVENT, word(&[SPECIFIC, "tool_input"], Says::Changed)];

/// A text for the model.
pub(super) const SPECIFIC_CONTEXT: Phrase =
    Phrase::Words(&[EVENT, word(&[SPECIFIC, "additionalContext"], Says::Context)]);

/// A text for the user.
pub(super) const SYSTEM_MESSAGE: Phrase = Phrase::Words(&[word(&["systemMessage"], Says::Message)]);

/// The answer "no" to a permission dialog.
pub(super) const BEHAVIOR_DENY: &[Word] = &[
    EVENT,
    word(&[SPECIFIC, "decision", "behavior"], Says::Text("deny")),
    word(&[SPECIFIC, "decision", "message"], Says::Reason),
];

/// The answer "yes" to a permission dialog.
pub(super) const BEHAVIOR_ALLOW: &[Word] =
    &[EVENT, word(&[SPECIFIC, "decision", "behavior"], Says::Text("allow"))];

/// Makes an agent continue that is about to stop. The decision is inside `hookSpecificOutput`.
pub(super) const SPECIFIC_BLOCK: &[Word] =
    &[EVENT, word(&[SPECIFIC, "decision"], Says::Text("block")), word(&[SPECIFIC, "reason"], Says::Reason)];

/// The result in the shape of its tool, with the reason in place of its texts.
pub(super) const WITHHELD: &[Word] = &[EVENT, word(&[SPECIFIC, "updatedToolOutput"], Says::Withheld)];

/// The changed result in the shape of its tool.
pub(super) const UPDATED_OUTPUT: &[Word] = &[EVENT, word(&[SPECIFIC, "updatedToolOutput"], Says::Result)];

/// Declines the question of an MCP server.
pub(super) const DECLINE: &[Word] = &[EVENT, word(&[SPECIFIC, "action"], Says::Text("decline"))];

/// Replaces the messages of a model call.
pub(super) const LLM_MESSAGES: &[Word] =
    &[EVENT, word(&[SPECIFIC, "llm_request", "messages"], Says::GeminiMessages)];

/// Replaces the reply of a model.
pub(super) const LLM_REPLY: &[Word] = &[EVENT, word(&[SPECIFIC, "llm_response"], Says::GeminiReply)];
