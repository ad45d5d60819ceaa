//! Copilot SDK: a callback in the host, reached over JSON-RPC. Payloads and answers are those of the CLI in
//! camelCase, in an envelope, with a few more fields. Not tested.

use hooks_core::EventKind::*;

use super::copilot;
use super::shared::*;
use crate::table::{Envelope, Field, Phrase, Phrases, Protocol, Row, SILENT, Says, word};

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &[],
    common: copilot::COMMON,
    rows: ROWS,
    envelope: Some(Envelope { input: "input", output: "output" }),
    unnamed: Some("preToolUse"),
    omits_empty: false,
    folds_names: false,
    is_flat: true,
};

const ROWS: &[Row] = &[
    copilot::SESSION_START.saying(SESSION_START),
    copilot::USER_PROMPT_SUBMITTED,
    copilot::PRE_TOOL_USE.saying(copilot::CALLED_BACK),
    // An answer can only set what is sent with the call; the call itself is denied at `preToolUse`.
    Row::new("preMcpToolCall", PreToolUse, &[MCP_CALL]).shaped(&["serverName", "toolName", "arguments"]),
    copilot::PERMISSION_REQUEST.saying(copilot::DIALOG_CALLED_BACK),
    copilot::POST_TOOL_USE.saying(copilot::REPLACED),
    copilot::POST_TOOL_USE_FAILURE,
    copilot::AGENT_STOP,
    copilot::SUBAGENT_START,
    copilot::SUBAGENT_STOP,
    copilot::ERROR_OCCURRED.saying(ERROR_OCCURRED),
    copilot::PRE_COMPACT,
    copilot::NOTIFICATION,
    copilot::SESSION_END.saying(SESSION_END),
];

const MCP_CALL: &[Field] = &[
    Field::text(&["toolName"], TOOL_NAME),
    Field::any(&["arguments"], TOOL_ARGS),
    Field::text(&["toolCallId"], TOOL_USE_ID),
];

pub(super) const SESSION_START: Phrases =
    Phrases { model: Phrase::Words(&[word(&["modifiedConfig", "model"], Says::Model)]), ..copilot::CONTEXT };

pub(super) const ERROR_OCCURRED: Phrases = Phrases {
    retry: Phrase::Words(&[word(&["errorHandling"], Says::Retry)]),
    message: Phrase::Words(&[word(&["userNotification"], Says::Message)]),
    quiet: Phrase::Words(QUIET),
    ..SILENT
};

pub(super) const SESSION_END: Phrases = Phrases { quiet: Phrase::Words(QUIET), ..SILENT };

const QUIET: &[crate::table::Word] = &[word(&["suppressOutput"], Says::Flag(true))];
