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
//!
//! Customised: work whose result no event waits for, and that starts for some sessions only:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use hooks_core::beside::{Beside, BesideLayer, Here, offload_then};
//! use hooks_core::event::SessionStart;
//! use hooks_core::{ContextPatch, HookContext, HookFuture, HookRequest, Settle};
//! use tower::{Layer, ServiceExt};
//!
//! #[derive(Clone, Default)]
//! struct Warm(Arc<AtomicU32>);
//!
//! impl Beside<SessionStart> for Warm {
//!     type Done = ();
//!
//!     fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, ()>> {
//!         if request.context().agent_name == "backend" {
//!             let count = Arc::clone(&self.0);
//!             offload_then(&Here, || Ok(1), move |warmed| {
//!                 count.fetch_add(warmed.unwrap_or(0), Ordering::Relaxed);
//!             });
//!         }
//!         None
//!     }
//!
//!     fn add(_: &HookRequest<SessionStart>, _: &mut ContextPatch, (): ()) {}
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let warm = Warm::default();
//! for agent in ["backend", "tester"] {
//!     let request = HookRequest::new(HookContext::new("session-1", agent), SessionStart::default());
//!     BesideLayer::new(warm.clone()).layer(Settle).oneshot(request).await.expect("no hook fails");
//! }
//! assert_eq!(warm.0.load(Ordering::Relaxed), 1);
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
