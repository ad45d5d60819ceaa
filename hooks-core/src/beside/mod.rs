//! Work beside a hook, while the agent goes on.
//!
//! A feature that neither decides nor changes what its inner hook decides, such as loading context or keeping
//! a folder in order, implements [`Beside`]. [`BesideLayer`] starts its work with each event, calls the inner
//! hook meanwhile, and adds the result to the outcome.
//!
//! [`Workers`] do work that blocks; [`offload`] waits for the result, [`offload_then`] does not.
//!
//! ```
//! use hooks_core::beside::{Beside, BesideLayer, Here, offload};
//! use hooks_core::event::SessionStart;
//! use hooks_core::{BoxError, ContextNote, ContextPatch, HookContext, HookFuture, HookRequest, Settle};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! /// Greets each session with a text that is read from somewhere slow.
//! #[derive(Clone)]
//! struct Greeting;
//!
//! impl Beside<SessionStart> for Greeting {
//!     type Done = Result<String, BoxError>;
//!
//!     fn start(&self, _request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, Self::Done>> {
//!         Some(offload(&Here, || Ok("welcome".to_owned())))
//!     }
//!
//!     fn add(_request: &HookRequest<SessionStart>, outcome: &mut ContextPatch, text: Self::Done) {
//!         let notes = text.map(ContextNote::new);
//!         outcome.additional_context.extend(notes);
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let stack = ServiceBuilder::new().layer(BesideLayer::new(Greeting)).service(Settle);
//! let request = HookRequest::new(HookContext::new("session-1", "backend"), SessionStart::default());
//! let outcome = stack.oneshot(request).await.expect("no hook fails");
//! assert_eq!(outcome.additional_context.len(), 1);
//! # }
//! ```

mod future;
mod layer;
mod offload;
mod workers;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use self::future::ResponseFuture;
pub use self::layer::{Beside, BesideLayer, BesideService};
pub use self::offload::{offload, offload_then};
pub use self::workers::{Here, Threads, Work, Workers};

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
