//! OpenCode. It has no command hooks: the plugin that `hooks init opencode` writes sends these payloads, under OpenCode's own names
//! of its hooks, and obeys these answers. An answer without the name of its event denies, so silence never allows.

use hooks_core::EventKind::*;

use super::convert;
use super::shared::*;
use crate::table::Phrase::Words;
use crate::table::{Field, Phrases, Preset, Protocol, Row, SILENT, Says, To, Word, flag, text, word};

pub(crate) const PROTOCOL: Protocol = Protocol {
    named_by: &["hook_event_name"],
    common: COMMON,
    rows: ROWS,
    envelope: None,
    unnamed: None,
    omits_empty: false,
    folds_names: false,
    is_flat: false,
};

const ROWS: &[Row] = &[
    Row::new("chat.message", UserPromptSubmitted, &[SAID]).saying(CHAT_MESSAGE),
    Row::new("tool.execute.before", PreToolUse, &[CALL]).saying(BEFORE),
    Row::new("tool.execute.after", PostToolUse, &[CALL, RESULT]).saying(AFTER),
    // The plugin sends only the part that ends a step. The next call waits for its answer.
    Row::new("message.part.updated", AfterModelCall, &[STEP]).with(NO_REPLY),
];

const COMMON: &[Field] = &[
    Field::context(&["session_id"], To::Session),
    Field::context(&["parent_session_id"], To::Parent),
    Field::context(&["cwd"], To::Folder),
    Field::context(&["agent"], To::Agent),
];

const STEP: &[Field] = &[
    Field::text(&["model"], MODEL),
    Field::count(&["tokens", "input"], &["usage", "input_tokens"]),
    Field::count(&["tokens", "output"], &["usage", "output_tokens"]),
    Field::count(&["tokens", "cached"], &["usage", "cached_tokens"]),
    Field::count(&["tokens", "reasoning"], &["usage", "reasoning_tokens"]),
    Field::both(&["cost"], &["cost"], convert::from_dollars, convert::to_dollars),
];

const NO_REPLY: &[Preset] = &[
    text(MODEL, ""),
    text(&["response", "role"], "assistant"),
    text(&["response", "content"], ""),
    flag(&["unannounced"], true),
];

const NAMED: &[Word] = &[word(&["hook_event_name"], Says::EventName)];

/// Tested. The plugin throws an error with the reason.
const DENIED: Phrases = Phrases { always: NAMED, deny: Words(DECISION_DENY), ..SILENT };

/// Tested. A denied message is not sent.
const CHAT_MESSAGE: Phrases =
    Phrases { rewrite: Words(&[word(&["prompt"], Says::Changed)]), context: Words(CONTEXT), ..DENIED };

/// Tested. A hook cannot make OpenCode ask, and an allow skips none of its own rules.
const BEFORE: Phrases = Phrases { rewrite: Words(&[word(&["tool_input"], Says::Changed)]), ..DENIED };

/// Tested. The reason stands in place of a denied result.
const AFTER: Phrases =
    Phrases { rewrite: Words(&[word(&["tool_response"], Says::Result)]), context: Words(CONTEXT), ..DENIED };

const CONTEXT: &[Word] = &[word(&["context"], Says::Context)];
