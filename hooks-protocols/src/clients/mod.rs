//! The protocols, client by client, and what several of them share.
//!
//! A folder has in `mod.rs` the table of the client's events, and beside it what is its own: `fields` (where what it sends
//! goes) and `phrases` (how it is told). "Run" beside a phrase says that its effect was seen in the program itself; all others are
//! documented by the vendor.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod convert;
pub(crate) mod copilot;
pub(crate) mod copilot_sdk;
pub(crate) mod cursor;
pub(crate) mod docker_agent;
pub(crate) mod gemini;
mod shared;
pub(crate) mod squad;
pub(crate) mod vscode;
