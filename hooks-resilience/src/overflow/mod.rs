//! Compacts a conversation that does not fit into the model's window, and tries again.
//!
//! If the model answers [`ContextOverflow`](crate::ErrorKind::ContextOverflow), the layer tries shorter and
//! shorter conversations. Each [`Means`] is applied to the result of the one before. Whenever the result is
//! small enough, the call is attempted again. A call that cannot fit according to the catalog is not sent in
//! the first place.
//!
//! | means | effect |
//! | --- | --- |
//! | `drop_tool_results` | replaces the oldest tool results with a mark of one line, until the rest fits |
//! | `deduplicate` | keeps only the last of identical contents |
//! | `summarise` | replaces the rest, except the newest turns, with a summary by hooks or by a model |
//!
//! System messages, the newest user request and the messages that [`Keep`] selects (decisions and pinned
//! text) stay verbatim. A call and its result stay or go together. `pre_compact` fires before the first
//! means. Its hooks may veto the compaction, return a summary of their own, or return text that has to
//! survive. `post_compact` fires when a compacted conversation was answered.
//!
//! Each means is tried once, so the recovery ends: with an answer, or with the overflow error. A
//! `FallbackLayer` outside then tries a larger window with the original conversation. A call that fits costs
//! one clone of the service and no allocation; the recovery is one boxed future. The layer belongs inside
//! `FallbackLayer` and outside `RetryLayer`.
//!
//! ```
//! use hooks_core::drivers::ModelRequest;
//! use hooks_core::event::{Message, Role};
//! use hooks_resilience::{Replied, Call, ErrorKind, ModelError, OverflowLayer, OverflowConfig};
//! use serde_json::json;
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let read = json!([{ "type": "tool_use", "id": "1", "name": "read", "input": { "path": "big.log" } }]);
//! # let result = json!([{ "type": "tool_result", "tool_use_id": "1", "content": "line ".repeat(2_000) }]);
//! # let messages = vec![
//! #     Message::text(Role::User, "why did it fail?"),
//! #     Message { role: Role::Assistant, content: read },
//! #     Message { role: Role::User, content: result },
//! # ];
//!
//! // A model whose window is full with 5,000 characters. The conversation has a tool result of 10,000.
//! let client = service_fn(async |call: Call| {
//!     let size: usize = call.messages().iter().map(|message| message.content.to_string().len()).sum();
//!     match size {
//!         0..5_000 => Ok(Replied::new(call, "the disk was full")),
//!         _ => Err(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
//!     }
//! });
//! let stack = OverflowLayer::new(OverflowConfig::default(), world)?.layer(client);
//!
//! let request = ModelRequest { messages, ..ModelRequest::default() };
//! let call = Call::new(Default::default(), request, hooks_core::state::OpId(1));
//! let answered = stack.oneshot(call).await?;
//! assert_eq!(answered.reply, "the disk was full");
//! assert_eq!(
//!     answered.call.messages()[2].content[0]["content"],
//!     "[a tool result of 10000 bytes was dropped to make room]",
//! );
//! assert_eq!(answered.failed[0].kind, ErrorKind::ContextOverflow);
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: a hook vetoes the compaction, and the error has its reason.
//!
//! ```
//! # use hooks_core::drivers::ModelRequest;
//! # use hooks_core::event::{Message, Role};
//! use hooks_core::event::PreCompact;
//! use hooks_core::{HookRequest, Hooks, Reason, Verdict, policy_fn};
//! # use hooks_resilience::{Replied, Call, ErrorKind, ModelError, OverflowLayer, OverflowConfig};
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! let veto = policy_fn("evidence", |_: &HookRequest<PreCompact>| {
//!     Verdict::deny(Reason::new("evidence", "keep", "this session is kept as evidence"))
//! });
//! let hooks = Hooks::builder().policy(veto).build();
//! let stack = OverflowLayer::new(OverflowConfig::default(), world)?.with_hooks(hooks).layer(service_fn(
//!     async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
//! ));
//! # let messages = (0..9).map(|turn| Message::text(Role::User, format!("{turn} ").repeat(500))).collect();
//! # let request = ModelRequest { messages, ..ModelRequest::default() };
//! # let call = Call::new(Default::default(), request, hooks_core::state::OpId(1));
//! let error = stack.oneshot(call).await.expect_err("the conversation stays too long");
//! assert_eq!(error.kind(), ErrorKind::ContextOverflow);
//! assert!(error.message().ends_with("may not be compacted: this session is kept as evidence"));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod budget;
mod config;
mod conversation;
mod future;
mod keep;
mod layer;
mod recovery;
mod service;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use self::config::{Means, OverflowConfig, OverflowConfigError};
pub use self::future::ResponseFuture;
pub use self::keep::{Keep, Marked};
pub use self::layer::{Compacted, OverflowLayer};
pub use self::service::Overflow;
