//! Answers tool calls exactly as the hook pipeline of the Squad SDK 0.11 does, faults included.
//!
//! This is the engine of the `squad-compat` profile. Users with Squad policies get the same decisions,
//! reasons and scrubbed results, byte for byte, before they move to the stricter policies. It allows whatever
//! Squad allows (a path with `..`, a tool with another name, an argument that is not a text), so it is not a
//! safe guard by itself.
//!
//! ```
//! use hooks_policies::squad::{SquadCall, SquadPipeline, SquadPolicy};
//! use serde_json::json;
//!
//! let policy = json!({"allowedWritePaths": ["src/**"], "scrubPii": true});
//! let policy: SquadPolicy = serde_json::from_value(policy)?;
//! let pipeline = SquadPipeline::new(Some(&policy))?;
//!
//! let arguments = json!({"path": "docs/a.md"});
//! let mut call = SquadCall::new("edit", &arguments, "Backend", "session-1");
//! let decision = pipeline.pre(&mut call)?;
//! assert_eq!(
//!     decision.reason(),
//!     Some("File write blocked: \"docs/a.md\" does not match allowed paths. Allowed patterns: src/**")
//! );
//!
//! let result = pipeline.post(&mut call, Some(json!("by jane@example.com")))?;
//! assert_eq!(result, Some(json!("by [EMAIL_REDACTED]")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: a hook of the host after the built-in ones, and the warnings that Squad logs.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use hooks_policies::squad::{Blocker, JsError, PreResult, SquadCall, SquadDecision, SquadPipeline};
//! use serde_json::json;
//!
//! let warnings = Arc::new(Mutex::new(Vec::new()));
//! let log = Arc::clone(&warnings);
//! let mut pipeline = SquadPipeline::new(None)?.with_warnings(move |warning| {
//!     log.lock().expect("no thread panicked").push(warning.message);
//! });
//! pipeline.add_pre_hook(|call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
//!     Ok(if call.tool_name == "deploy" { PreResult::block("not on Fridays") } else { PreResult::allow() })
//! });
//!
//! let arguments = json!({"command": "rm -rf out"});
//! let decision = pipeline.pre(&mut SquadCall::new("bash", &arguments, "Backend", "session-1"))?;
//! assert!(matches!(decision, SquadDecision::Block(block) if block.by == Blocker::Shell));
//! let decision = pipeline.pre(&mut SquadCall::new("deploy", &arguments, "Backend", "session-1"))?;
//! assert_eq!(decision.reason(), Some("not on Fridays"));
//! assert_eq!(*warnings.lock().expect("no thread panicked"), ["[HookPipeline] Shell command blocked"]);
//! # Ok::<(), JsError>(())
//! ```
//!
//! # Where it differs
//!
//! - Patterns are compiled once, and matched in time linear in the path, however they are nested. A pattern
//!   that repeats too much (`(a{1000}){1000}`) or nests more than 100 groups fails the calls that are matched
//!   against it; Squad would evaluate it.
//! - Addresses are found in linear time; Squad takes time in the square of a run of letters.
//! - The depth at which a nested result fails is within a tenth of Squad's; Squad's own depth depends on the
//!   state of the engine.
//! - An integer beyond 2^53 passes the scrubber unchanged; JavaScript rounds it when it parses it.
//! - A text cannot hold half of a UTF-16 pair, neither here nor in parsed JSON; JavaScript's can.
//! - A failed run is an [`JsError`]. Squad leaves its meaning to the caller; treat it as a denial.

mod ask_limit;
mod call;
mod custom;
mod decision;
mod define_hooks;
mod email;
mod expression;
mod glob;
mod javascript;
mod lockout;
mod pipeline;
mod policy;
mod redact_args;
mod rewrite;
mod scrub;
mod shell;
mod write_guard;

pub use call::SquadCall;
pub use custom::{CustomPostHook, CustomPreHook, PreResult};
pub use decision::{Block, Blocker, SquadDecision, Warning};
pub use define_hooks::{BuilderValidationError, define_hooks};
pub use javascript::JsError;
pub use lockout::SquadLockouts;
pub use pipeline::SquadPipeline;
pub use policy::SquadPolicy;
pub use redact_args::redact_args;
