//! Governs MCP (Model Context Protocol) by a set of hooks: as a tower layer around a server or a client, and as a proxy
//! between the two.
//!
//! [`GovernMcpLayer`] stands around any service that answers an [`McpRequest`] with an [`McpReply`]. Both have the JSON
//! of the protocol, so that one layer serves every SDK and version: 2025-06-18, 2025-11-25 and 2026-07-28. A tool call
//! is judged under the name that clients give it, `mcp__SERVER__TOOL`; see [`GovernMcp`] for the other requests.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use hooks_mcp::{GovernMcpLayer, McpReply, McpRequest, McpSettings};
//! use serde_json::json;
//! use tower::{BoxError, Layer, ServiceExt, service_fn};
//!
//! let no_deletes = policy_fn("no-deletes", |request: &HookRequest<PreToolUse>| {
//!     match request.event().tool_name.as_str() {
//!         "mcp__files__delete" => Verdict::deny(Reason::new("no-deletes", "delete", "files are not deleted here")),
//!         _ => Verdict::NO_OPINION,
//!     }
//! });
//! // The server of any SDK.
//! let server = service_fn(async |request: McpRequest| {
//!     Ok::<_, BoxError>(McpReply::result(match request.method() {
//!         "tools/list" => json!({"tools": [{"name": "read"}, {"name": "delete"}]}),
//!         _ => json!({"content": [{"type": "text", "text": "done"}]}),
//!     }))
//! });
//! let hooks = Hooks::builder().policy(no_deletes).build();
//! let governed = GovernMcpLayer::new(hooks, HookContext::new("session-1", "agent"), McpSettings::new("files")).layer(server);
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let list = governed.clone().oneshot(McpRequest::new("tools/list", json!({}))).await.unwrap();
//! assert_eq!(list.body(), Ok(&json!({"tools": [{"name": "read"}]})));
//!
//! let call = McpRequest::new("tools/call", json!({"name": "delete", "arguments": {"path": "a"}}));
//! let denied = governed.oneshot(call).await.unwrap();
//! let text = json!([{"type": "text", "text": "files are not deleted here"}]);
//! assert_eq!(denied.body(), Ok(&json!({"content": text, "isError": true})));
//! # }).expect("no hook waits");
//! ```
//!
//! With the feature `proxy`, [`proxy()`] forwards messages between two pairs of streams. The program `hooks mcp` is one.
//! With the feature `http`, `HttpServer` is such a pair for a server behind streamable HTTP.

mod govern;
#[cfg(feature = "http")]
mod http;
mod message;
mod names;
mod pins;
#[cfg(feature = "proxy")]
mod proxy;
mod strict;

pub use self::govern::{
    BeforeCall, GovernMcp, GovernMcpLayer, KeepPins, KnownArguments, McpSettings, Report, ScrubValue,
};
#[cfg(feature = "http")]
pub use self::http::{HttpServer, HttpServerError};
pub use self::message::{
    DENIED, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, McpReply, McpRequest, Message,
    Notice, PARSE_ERROR, Refused, RequestId,
};
pub use self::names::server_name;
pub use self::pins::{OnChange, Pins};
#[cfg(feature = "proxy")]
pub use self::proxy::{Bounds, Side, proxy};
