//! The protocol of each client, and the parts that several of them share.
//!
//! `mod.rs` of each client's folder has the table of its events. `fields` maps the fields of its payloads to
//! our events, and `phrases` encodes answers for it. "Tested" at a phrase means that its effect was observed
//! in the program itself; all others are documented by the vendor.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod convert;
pub(crate) mod copilot;
pub(crate) mod copilot_sdk;
pub(crate) mod cursor;
pub(crate) mod docker_agent;
pub(crate) mod droid;
pub(crate) mod gemini;
pub(crate) mod goose;
pub(crate) mod kimi;
pub(crate) mod opencode;
pub(crate) mod qwen;
mod shared;
pub(crate) mod squad;
pub(crate) mod vscode;
pub(crate) mod windsurf;
