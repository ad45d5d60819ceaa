//! What each agent client sends to its hooks, and what it honours of what they answer.
//!
//! A client writes a payload to its hook's standard input. [`decode`] makes of it a typed event, where it happens, and
//! whatever has no place in either. What the hooks make of the event becomes an [`Answer`], and [`encode`] makes of that
//! the [`Reply`] that this client honours: standard output, standard error, exit code. Where a client cannot be told
//! something, it is told the next thing that is not weaker, and the reply notes it ([`Degraded`]). Whatever goes wrong on
//! the way becomes a [`failure`], which is a denial that the client really honours.
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
//! // Codex CLI has no `ask`, and would run the tool if it were told so.
//! let reply = encode(&decoded, &Answer::ask("publishing needs approval"));
//! assert_eq!(
//!     reply.stdout,
//!     r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"publishing needs approval"}}"#
//! );
//! assert_eq!(reply.degraded[0].to_string(), "Codex CLI cannot be told `ask` at `PreToolUse`: denied instead");
//! # Ok::<(), hooks_protocols::DecodeError>(())
//! ```
//!
//! Pure: bytes in, bytes out. Everything that is known of a client stands in one table of one shape, which decoder,
//! encoder, failure answers, [`capabilities`] and [`recognise`] all read.

mod answer;
mod capabilities;
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

/// What a client calls tools and their arguments: see [`Client::dialect`].
pub use hooks_facts::tools::{Canonical, Dialect};

pub use self::answer::{Answer, Changed, Rewrite, Said};
pub use self::capabilities::{Ability, Capabilities, capabilities};
pub use self::client::{Client, UnknownClient};
pub use self::command_line::command_line;
pub use self::decode::{DecodeError, Decoded, Limits, Payload, decode};
pub use self::degraded::{Degraded, Instead, Wish};
pub use self::encode::{Reply, encode};
pub use self::failure::{Place, failure};
pub use self::payload::payload;
pub use self::recognise::recognise;
