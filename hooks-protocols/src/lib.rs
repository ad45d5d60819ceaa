//! The protocols of agent clients: the payloads that they send to hooks, and the answers that they honour.
//!
//! A client writes a payload to the standard input of its hook. [`decode`] turns it into a typed event, its
//! context, and all fields that neither of them has. The outcome of the hooks becomes an [`Answer`], and
//! [`encode`] turns that into the [`EncodedAnswer`] that this client honours: standard output, standard error and
//! exit code. If a client does not support a wish, the nearest supported effect that is not less strict
//! replaces it, and the answer notes that ([`Degraded`]). An error on the way becomes a [`failure`], which is
//! a denial that the client honours.
//!
//! ```
//! use hooks_protocols::{Answer, Client, decode, encode};
//!
//! let payload = br#"{"session_id": "s-1", "cwd": "/home/dev/app", "hook_event_name": "PreToolUse",
//!     "transcript_path": null, "model": "m", "permission_mode": "default", "turn_id": "t-1",
//!     "tool_name": "Bash", "tool_input": {"command": "cargo publish"}, "tool_use_id": "call_1"}"#;
//! let decoded = decode(Client::Codex, Some("PreToolUse"), payload)?;
//! assert_eq!(decoded.call().map(|(tool, _)| tool), Some("Bash"));
//!
//! // Codex CLI has no `ask`, and would run the tool if it got one.
//! let encoded = encode(&decoded, &Answer::ask("publishing needs approval"));
//! assert_eq!(
//!     encoded.stdout,
//!     r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"publishing needs approval"}}"#
//! );
//! assert_eq!(encoded.degraded[0].to_string(), "Codex CLI does not support `ask` at `PreToolUse`: denied instead");
//! # Ok::<(), hooks_protocols::DecodeError>(())
//! ```
//!
//! Pure: bytes in, bytes out. All facts about a client are in one table of one form. Decoder, encoder,
//! failure answers, [`capabilities`] and [`recognise`] all read this table.

mod answer;
mod capabilities;
mod carried;
mod client;
mod clients;
mod command_line;
mod decode;
mod degraded;
mod encode;
mod failure;
mod payload;
mod recognise;
mod table;
mod transcript;

/// The names that a client uses for tools and their arguments; see [`Client::dialect`].
pub use hooks_facts::tools::{Canonical, Dialect};

pub use self::answer::{Answer, AnswerNotes, Changed, Rewrite};
pub use self::capabilities::{Ability, Capabilities, Checked, capabilities};
pub use self::carried::{carried, carried_below};
pub use self::client::{Client, UnknownClient};
pub use self::command_line::command_line;
pub use self::decode::{DecodeError, Decoded, Limits, Payload, decode};
pub use self::degraded::{Degraded, Instead, Wish};
pub use self::encode::{ClientAnswer, EncodedAnswer, encode};
pub use self::failure::{KnownEvent, failure};
pub use self::payload::payload;
pub use self::recognise::recognise;
pub use self::transcript::{
    TranscriptAnswer, TranscriptCall, TranscriptCalls, TranscriptEnd, TranscriptLedger, TranscriptStep,
};
