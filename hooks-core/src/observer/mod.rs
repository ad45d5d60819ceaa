//! Observers: hooks that see an event and its outcome, and change neither.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{Decision, HookContext, HookRequest, Judge, Judged, Observer, ObserverLayer, Verdict, policy_fn};
//! use tower::{Layer, ServiceExt};
//!
//! #[derive(Default)]
//! struct Log(Mutex<Vec<String>>);
//!
//! impl Observer<PreToolUse> for Log {
//!     fn name(&self) -> &str {
//!         "log"
//!     }
//!
//!     fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
//!         let line = format!("{}: {}", request.event().tool_name, outcome.strength());
//!         self.0.lock().expect("no panic").push(line);
//!     }
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let log = Arc::new(Log::default());
//! let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
//! let stack = ObserverLayer::new(Arc::clone(&log)).layer(Judge::new(allow));
//! let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("view", serde_json::json!({})));
//! stack.oneshot(call).await.expect("an answer");
//! assert_eq!(*log.0.lock().expect("no panic"), ["view: allow"]);
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: two observers in a set. An observer that panics is passed over, and the next one sees the event:
//!
//! ```
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use std::sync::Arc;
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{Decision, HookContext, HookRequest, Hooks, Judged, Observer};
//!
//! struct Broken;
//! #[derive(Default)]
//! struct Count(AtomicU32);
//!
//! impl Observer<PreToolUse> for Broken {
//!     fn name(&self) -> &str {
//!         "broken"
//!     }
//!
//!     fn observe(&self, _: &HookRequest<PreToolUse>, _: &Decision<PreToolUse>) {
//!         panic!("a defect of an observer");
//!     }
//! }
//!
//! impl Observer<PreToolUse> for Count {
//!     fn name(&self) -> &str {
//!         "count"
//!     }
//!
//!     fn observe(&self, _: &HookRequest<PreToolUse>, _: &Decision<PreToolUse>) {
//!         self.0.fetch_add(1, Ordering::Relaxed);
//!     }
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let count = Arc::new(Count::default());
//! let hooks = Hooks::builder().observer(Broken).observer(Arc::clone(&count)).build();
//! let call = PreToolUse::new("view", serde_json::json!({}));
//! assert!(hooks.on(HookContext::new("s", "backend")).pre_tool_use(call).await.outcome.goes_ahead());
//! assert_eq!(count.0.load(Ordering::Relaxed), 1);
//! # }).expect("no hook waits");
//! ```

pub mod future;
mod layer;
mod service;

pub use self::layer::ObserverLayer;
pub use self::service::ObserverService;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::HookError;
use crate::event::Event;
use crate::failure::record;
use crate::request::HookRequest;
use crate::verdict::Reason;

/// Sees an event as it was judged, and its outcome.
///
/// It runs on the thread of the caller, after the decision and before the event goes ahead, and must not
/// block. All observers of an event run, also if one of them panics: a panic is recorded and passed over.
pub trait Observer<E: Event>: Send + Sync {
    /// Name of the observer, for reports.
    fn name(&self) -> &str;

    /// Receives one event and its outcome.
    fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome);
}

impl<E: Event, O: Observer<E> + ?Sized> Observer<E> for std::sync::Arc<O> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome) {
        (**self).observe(request, outcome);
    }
}

/// Shows the event to `observer`. A panic is recorded.
pub(crate) fn show<E: Event>(
    observer: &(impl Observer<E> + ?Sized),
    request: &HookRequest<E>,
    outcome: &E::Outcome,
) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| observer.observe(request, outcome))) {
        let error = HookError::from_panic(&*panic);
        record(request.context(), E::KIND, &Reason::failure(observer.name().to_owned(), &error));
    }
}
