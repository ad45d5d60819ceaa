//! Records every event and its outcome. The layer is the outermost of a stack, so that it sees both in their
//! final form.
//!
//! ```text
//! ServiceBuilder::new()
//!     .layer(AuditLayer::new(audit))   // sees the request last, and the answer first
//!     .layer(redaction)
//!     .service(Judge(policies))
//! ```
//!
//! [`HooksBuilder::config`](hooks_core::HooksBuilder::config) adds an [`Audit`] to every slot of a set of
//! hooks, where it observes the final outcome.
//!
//! The recorded event is the one that was judged, after redaction (law 7). A denial, and an answer of the
//! user, is synced before the answer is passed on. An allow is in the file some milliseconds later without
//! any wait, unless the tool is one of [`AuditSettings::before`]. [`OnError`] is the effect of a failed
//! write.
//!
//! Around one stack:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::{Audit, AuditLayer, AuditSettings, Log, LogSettings, Positions, LogReader};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use hooks_core::{HookContext, HookRequest, Judge, Judged, Reason, Verdict, policy_fn};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let disk = Arc::new(FakeDisk::default());
//! let clock = Arc::new(StoppedClock(Timestamp(1)));
//! let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
//! let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
//!     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
//! });
//! let stack = ServiceBuilder::new()
//!     .layer(AuditLayer::new(Audit::new(log.clone(), AuditSettings::default())))
//!     .service(Judge::new(no_shell));
//! let call = PreToolUse::new("bash", serde_json::json!({}));
//! let decision = stack.oneshot(HookRequest::new(HookContext::new("session-1", "backend"), call)).await?;
//! assert!(decision.is_denied());
//! log.close().await?;
//! let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
//! assert_eq!(records[0].record.policy.as_deref(), Some("no-shell"));
//! # Ok(())
//! # }
//! ```
//!
//! Customised, in a set: the intent to deploy is synced before the tool runs, so that it is on record even if
//! the machine crashes meanwhile.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::{Audit, AuditSettings, Log, LogSettings, Positions, LogReader, notes};
//! use hooks_core::drivers::{ToolCall, ToolRequest, ToolResult};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use hooks_core::{BoxError, Govern, HookContext, Hooks};
//! use tower::{ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let disk = Arc::new(FakeDisk::default());
//! let clock = Arc::new(StoppedClock(Timestamp(1)));
//! let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
//! let mut settings = AuditSettings::default();
//! settings.before = Some(Arc::new(|tool| tool == "deploy"));
//! let hooks = Hooks::builder().config(Audit::new(log.clone(), settings))?.build();
//!
//! let tools = service_fn(|_: ToolCall| async { Ok::<_, BoxError>(ToolResult::ok("deployed")) });
//! let context = Arc::new(HookContext::new("session-1", "backend"));
//! let call = ToolCall::new("deploy", serde_json::json!({"to": "production"}));
//! Govern::new(hooks, tools).oneshot(ToolRequest { context, call }).await?;
//! log.close().await?;
//! let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
//! let events: Vec<_> = records.iter().map(|committed| &*committed.record.event).collect();
//! assert_eq!(events, [notes::INTENT, "pre_tool_use", "tool_decided", "post_tool_use"]);
//! # Ok(())
//! # }
//! ```

mod audit;
pub mod future;
mod service;
mod set;
mod settings;

use tower_layer::Layer;

pub use self::audit::{Audit, WeakAudit};
pub use self::service::AuditService;
pub use self::settings::{AuditSettings, IsIrreversible, OnError};

/// Records each event and its outcome; see the [module](self).
#[derive(Clone, Debug)]
pub struct AuditLayer {
    audit: Audit,
}

impl AuditLayer {
    /// Creates a layer that writes to the log of `audit`.
    pub const fn new(audit: Audit) -> Self {
        Self { audit }
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = AuditService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        AuditService::new(inner, self.audit.clone())
    }
}

#[cfg(test)]
mod tests;
