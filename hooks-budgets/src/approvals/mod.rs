//! Approvals of single calls: a person lets exactly one call pass, once, for a limited time.
//!
//! A call that needs a person's approval waits in a [`StateStore`](hooks_core::state::StateStore) under a
//! short [`ApprovalCode`], which is derived from the call. The same call has the same code in every process
//! and session. A person who approves the code lets the next such call pass. The call can be made again in
//! another process, also after a restart.
//!
//! The model may know the code: it is a name and no secret. Only the host decides who may call
//! [`Approvals::approve`].
//!
//! [`Approvals`] is an [`Approver`](hooks_core::drivers::Approver) for hosts that run tools themselves:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_budgets::Approvals;
//! use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::state::Memory;
//! use hooks_core::testing::ScriptedTools;
//! use hooks_core::time::{SeededRandom, StoppedClock};
//! use hooks_core::{Govern, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use serde_json::json;
//! use tower::ServiceExt;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A file store or Redis in place of this one outlives the process.
//! let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
//! let host = || {
//!     let ask = policy_fn("ask", |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("ask", "all", "deploy?")));
//!     let approvals = Approvals::new(store.clone(), Arc::new(SeededRandom::new(1)));
//!     Govern::new(Hooks::builder().policy(ask).build(), ScriptedTools::default()).with_approver(approvals)
//! };
//! let call = || ToolRequest {
//!     context: HookContext::new("session-1", "backend").in_dir("/repo").into(),
//!     call: ToolCall::new("deploy", json!({"to": "production"})),
//! };
//! let ToolOutcome::Denied(reason) = host().oneshot(call()).await?.outcome else { return Err("it ran".into()) };
//! assert!(reason.starts_with("deploy?. This call waits for a person's approval"));
//!
//! // Elsewhere, a person looks at the call and approves it.
//! let approvals = Approvals::new(store.clone(), Arc::new(SeededRandom::new(2)));
//! let waiting = approvals.waiting(None).await?;
//! assert!(reason.contains(&waiting[0].code.to_string()));
//! assert_eq!((&*waiting[0].tool, &*waiting[0].arguments), ("deploy", r#"{"to":"production"}"#));
//! approvals.approve(&waiting[0], "Ada").await?;
//!
//! // After a restart, the same call passes once.
//! assert!(matches!(host().oneshot(call()).await?.outcome, ToolOutcome::Ran(..)));
//! assert!(matches!(host().oneshot(call()).await?.outcome, ToolOutcome::Denied(_)));
//! # Ok(())
//! # }
//! ```
//!
//! Customised: the person reads the call without secrets, and the client that it came from. The code still depends on
//! the whole call.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_budgets::Approvals;
//! use hooks_core::drivers::{Approval, ApprovalRequest};
//! use hooks_core::time::{SeededRandom, StoppedClock};
//! use hooks_core::{HookContext, HookRequest, event::PreToolUse, state::Memory};
//! use hooks_redaction::Scrubber;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_budgets::ApprovalError> {
//! let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
//! let approvals = Approvals::new(store, Arc::new(SeededRandom::new(1)))
//!     .redacted_by(Scrubber::all())
//!     .from_client("claude");
//! let mail = |to: &str| {
//!     let call = PreToolUse::new("mail", json!({ "to": to }));
//!     ApprovalRequest::new(HookRequest::new(HookContext::new("session-1", "backend"), call), Vec::new())
//! };
//! let (first, second) = (mail("ada@example.com"), mail("bob@example.com"));
//! assert_ne!(approvals.pass_or_wait(&first).await?, approvals.pass_or_wait(&second).await?);
//!
//! let waiting = approvals.waiting(None).await?;
//! assert_eq!(waiting.len(), 2);
//! assert!(waiting.iter().all(|call| !call.arguments.contains("example.com")));
//! assert_eq!(waiting[0].client.as_deref(), Some("claude"));
//! assert!(matches!(approvals.pass_or_wait(&first).await?, Approval::Pending(_)));
//! # Ok(())
//! # }
//! ```

mod code;
mod digest;
mod error;
mod stored;
mod waiting;

#[cfg(test)]
mod tests;

pub use self::code::{ApprovalCode, UnknownCode};
pub use self::error::ApprovalError;
pub use self::stored::Approvals;
pub use self::waiting::WaitingCall;
