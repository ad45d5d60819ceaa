//! Squad: the hooks of its pipeline, and those of its sessions, which are Copilot's with other names.

use hooks_core::EventKind::*;

use super::copilot;
use super::copilot_sdk;
use super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Field, Phrases, Protocol, Row, SILENT, Says, To, text, word};

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: Some("preTool"),
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    Row::new("preTool", PreToolUse, &[PIPELINE_CALL]).saying(PRE_TOOL).shaped(&[
        "toolName",
        "arguments",
        "agentName",
        "sessionId",
    ]),
    Row::new("postTool", PostToolUse, &[PIPELINE_CALL, PIPELINE_RESULT]).saying(POST_TOOL).shaped(&[
        "toolName",
        "arguments",
        "agentName",
        "sessionId",
        "result",
    ]),
    copilot::SESSION_START.named("onSessionStart").saying(copilot_sdk::SESSION_START),
    copilot::USER_PROMPT_SUBMITTED.named("onUserPromptSubmitted").saying(PROMPT_SENT),
    copilot::PRE_TOOL_USE.named("onPreToolUse"),
    copilot::POST_TOOL_USE.named("onPostToolUse").saying(copilot::REPLACED),
    copilot::ERROR_OCCURRED.named("onErrorOccurred").saying(copilot_sdk::ERROR_OCCURRED),
    copilot::SESSION_END.named("onSessionEnd").saying(copilot_sdk::SESSION_END),
    copilot::PRE_COMPACT.named("onPreCompact"),
    copilot::SUBAGENT_START.named("onSubagentStart"),
    copilot::SUBAGENT_STOP.named("onSubagentStop").saying(SILENT),
    Row::new("onBeforeSpawn", SubagentStart, &[SPAWN]).with(A_CHILD),
    Row::new("onAfterSpawn", SubagentSpawned, &[SPAWN]).with(A_CHILD),
    Row::new("onSpawnError", SpawnFailed, &[SPAWN_ERROR]).with(&[text(ERROR, "")]),
];

const COMMON: &[Field] = &[
    Field::context(&["sessionId"], To::Session),
    Field::context(&["agentName"], To::Agent),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["timestamp"], To::Time),
];

const PIPELINE_CALL: &[Field] =
    &[Field::text(&["toolName"], TOOL_NAME), Field::any(&["arguments"], TOOL_ARGS)];

const PIPELINE_RESULT: &[Field] = &[Field::any(&["result"], TOOL_RESULT)];

const SPAWN: &[Field] = &[
    Field::text(&["agentName"], AGENT_NAME),
    Field::text(&["task"], &["task"]),
    Field::text(&["model"], MODEL),
    Field::text(&["taskType"], &["task_type"]),
    Field::text(&["charterPath"], &["charter_path"]),
];

const SPAWN_ERROR: &[Field] = &[
    Field::text(&["agentName"], AGENT_NAME),
    Field::both(&["error"], ERROR, super::convert::error_text, super::convert::same),
];

/// The pipeline requires an answer. If `action` is set twice, the last value counts.
const PRE_TOOL: Phrases = Phrases {
    always: &[word(&["action"], Says::Text("allow"))],
    deny: Words(&[word(&["action"], Says::Text("block")), word(&["reason"], Says::Reason)]),
    rewrite: Words(&[word(&["action"], Says::Text("modify")), word(&["modifiedArguments"], Says::Changed)]),
    ..SILENT
};

/// A hook that returns no result would remove it.
const POST_TOOL: Phrases = Phrases {
    always: &[word(&["result"], Says::ResultAnyhow)],
    deny: Words(&[word(&["result"], Says::Reason)]),
    rewrite: Words(&[word(&["result"], Says::Result)]),
    ..SILENT
};

/// The session hook cannot reject a prompt.
const PROMPT_SENT: Phrases = Phrases { deny: crate::table::Phrase::Cannot, ..copilot::USER_PROMPT };
