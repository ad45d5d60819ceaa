//! Governs the requests of MCP: a layer around a service that answers them.

mod answer;
mod layer;
mod list;
mod resource;
mod service;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use hooks_core::drivers::ToolCall;
use hooks_core::{HookFuture, HookRequest, Reason, event::PreToolUse};
use serde_json::{Map, Value};

pub use self::layer::GovernMcpLayer;
pub use self::service::GovernMcp;
use crate::pins::{OnChange, Pins};

/// Removes what no model may read from a value; returns whether it changed anything.
pub type ScrubValue = dyn Fn(&mut Value) -> bool + Send + Sync;

/// Is asked before a call that the hooks let through is sent, such as an audit log that has to be written first. A
/// reason denies the call.
pub type BeforeCall = dyn Fn(HookRequest<PreToolUse>) -> HookFuture<'static, Option<Reason>> + Send + Sync;

/// Returns what the host knows about a call of its own tool beyond the arguments, such as the `path` of the file that it
/// writes. It gets the name of the tool and its arguments.
pub type KnownArguments = dyn Fn(&str, &Map<String, Value>) -> Map<String, Value> + Send + Sync;

/// Keeps pins for the next run, after new tools were pinned. Pins that other processes kept before count, so they
/// [replace](Pins::replace) those of this one.
pub type KeepPins = dyn Fn(&Pins) + Send + Sync;

/// Receives messages for the operator.
pub type Report = dyn Fn(&str) + Send + Sync;

/// Settings of [`GovernMcpLayer`].
///
/// ```
/// use std::sync::Arc;
/// use hooks_mcp::{McpSettings, OnChange, Pins};
///
/// let mut settings = McpSettings::new("@acme/files");
/// settings.on_change = OnChange::Report;
/// settings.report = Some(Arc::new(|message| eprintln!("{message}")));
/// // Pins of an earlier run.
/// settings.pins = Pins::new([("read".to_owned(), "sha256:00".to_owned())].into());
/// assert_eq!(settings.server, "acme_files");
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct McpSettings {
    /// Name of the server, as in the names of its tools; see [`server_name`](crate::server_name).
    pub server: String,
    /// Digests of the descriptions of tools.
    pub pins: Pins,
    /// Treatment of a tool whose description changed.
    pub on_change: OnChange,
    /// Scrubs all that comes from the server beside what the hooks after a tool see: answers to other requests,
    /// notifications, questions.
    pub scrub: Option<Arc<ScrubValue>>,
    /// Tools that change nothing and do nothing with their arguments, such as one that explains a call. Only policies judge
    /// them, by their names; nothing is recorded, counted or asked, and an ask is a denial. For servers of the host's own.
    pub judged_by_name: Vec<String>,
    /// Arguments that the hooks see and the server does not get. For servers of the host's own.
    pub known_arguments: Option<Arc<KnownArguments>>,
    /// Asked before a call is sent.
    pub before_call: Option<Arc<BeforeCall>>,
    /// Keeps the pins after new ones were added.
    pub keep_pins: Option<Arc<KeepPins>>,
    /// Receives messages for the operator: a changed description, a message that was not forwarded.
    pub report: Option<Arc<Report>>,
}

impl McpSettings {
    /// Settings for the server with this name.
    pub fn new(server: &str) -> Self {
        Self {
            server: crate::names::server_name(server),
            pins: Pins::default(),
            on_change: OnChange::default(),
            scrub: None,
            judged_by_name: Vec::new(),
            known_arguments: None,
            before_call: None,
            keep_pins: None,
            report: None,
        }
    }

    /// The name of a tool for the hooks, as Claude Code and Codex write it: `mcp__SERVER__TOOL`.
    ///
    /// ```
    /// assert_eq!(hooks_mcp::McpSettings::new("files").tool_name("read_file"), "mcp__files__read_file");
    /// ```
    pub fn tool_name(&self, tool: &str) -> String {
        format!("mcp__{}__{tool}", self.server)
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolCall {
        ToolCall::new(self.tool_name(tool), arguments)
    }

    pub(crate) fn say(&self, message: &str) {
        if let Some(report) = &self.report {
            report(message);
        }
    }

    /// Scrubs a value from the server; returns whether it changed anything.
    pub(crate) fn scrub(&self, value: &mut Value) -> bool {
        self.scrub.as_ref().is_some_and(|scrub| scrub(value))
    }
}

impl fmt::Debug for McpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSettings")
            .field("server", &self.server)
            .field("pins", &self.pins)
            .field("on_change", &self.on_change)
            .finish_non_exhaustive()
    }
}
