//! Reservations in limits and budgets, made atomically at the very end of a decision.
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{
//!     Hold, HookContext, HookError, HookFuture, HookRequest, Judged, Reason, Reservation, Reserve, ReserveLayer, Settle,
//! };
//! use tower::{Layer, ServiceExt};
//!
//! /// At most this many places.
//! #[derive(Clone)]
//! struct Places(Arc<AtomicU32>);
//!
//! struct Seat(Option<Arc<AtomicU32>>);
//!
//! impl Hold for Seat {
//!     fn commit(mut self: Box<Self>) {
//!         self.0 = None; // the place stays taken
//!     }
//! }
//!
//! impl Drop for Seat {
//!     fn drop(&mut self) {
//!         if let Some(left) = &self.0 {
//!             left.fetch_add(1, Ordering::Relaxed);
//!         }
//!     }
//! }
//!
//! impl Reserve<PreToolUse> for Places {
//!     fn name(&self) -> &str {
//!         "places"
//!     }
//!
//!     fn reserve(&self, _request: &HookRequest<PreToolUse>) -> HookFuture<'static, Result<Reservation, HookError>> {
//!         let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
//!         HookFuture::now(Ok(match taken {
//!             Ok(_) => Reservation::Held(Box::new(Seat(Some(Arc::clone(&self.0))))),
//!             Err(_) => Reservation::Refused(Reason::new("places", "most", "all places are taken")),
//!         }))
//!     }
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let stack = ReserveLayer::new(Places(Arc::new(AtomicU32::new(1)))).layer(Settle);
//! let call = || HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("fetch", serde_json::json!({})));
//! let mut first = stack.clone().oneshot(call()).await.expect("an answer");
//! let second = stack.clone().oneshot(call()).await.expect("an answer");
//! assert!(first.goes_ahead() && second.is_denied());
//! assert_eq!(second.shown_reason().expect("a denial").message, "all places are taken");
//!
//! // A dropped outcome gives its place back; a committed one keeps it.
//! drop(first);
//! first = stack.clone().oneshot(call()).await.expect("an answer");
//! first.take_holds().commit();
//! assert!(stack.oneshot(call()).await.expect("an answer").is_denied());
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: only some calls need a reservation, and a store that cannot answer is an error, which a set turns into a
//! denial.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookError, HookFuture, HookRequest, Reservation, Reserve};
//!
//! /// Counts deployments in a store that is away.
//! struct Deployments;
//!
//! impl Reserve<PreToolUse> for Deployments {
//!     fn name(&self) -> &str {
//!         "deployments"
//!     }
//!
//!     fn reserve(&self, request: &HookRequest<PreToolUse>) -> HookFuture<'static, Result<Reservation, HookError>> {
//!         HookFuture::now(match &*request.event().tool_name {
//!             "deploy" => Err(HookError::unavailable("the store does not answer")),
//!             _ => Ok(Reservation::NotNeeded),
//!         })
//!     }
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let call = |tool| HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new(tool, serde_json::json!({})));
//! assert!(Deployments.reserve(&call("fetch")).await.is_ok());
//! assert!(Deployments.reserve(&call("deploy")).await.is_err());
//! # }).expect("no hook waits");
//! ```

pub mod future;
mod layer;
mod service;

pub use self::layer::ReserveLayer;
pub use self::service::ReserveService;

use std::fmt;

use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::outcome::Hold;
use crate::request::HookRequest;
use crate::verdict::Reason;

/// Makes a reservation in a limit or a budget for an event.
///
/// It is asked once per event, after all hooks have judged it (law 2), and never about a denied event. If the
/// [`Hold`] is dropped before the event goes ahead, the amount is given back. A client may ask twice about
/// the same call, so the reservation must be idempotent: derive its id from the id of the call.
///
/// It may wait for a store. In a [`Hooks`](crate::Hooks), an error or a panic denies the event where its
/// failures close.
pub trait Reserve<E: Event>: Send + Sync {
    /// Name of the reservation, as in its reasons.
    fn name(&self) -> &str;

    /// Makes the reservation. An error means that the store could not answer.
    fn reserve(&self, request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>>;
}

impl<E: Event, R: Reserve<E> + ?Sized> Reserve<E> for std::sync::Arc<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn reserve(&self, request: &HookRequest<E>) -> HookFuture<'static, Result<Reservation, HookError>> {
        (**self).reserve(request)
    }
}

/// The result of a reservation.
pub enum Reservation {
    /// The event needs no reservation here.
    NotNeeded,
    /// The amount is reserved.
    Held(Box<dyn Hold>),
    /// The limit or budget is exhausted.
    Refused(Reason),
    /// The limit or budget is exhausted, and in the [shadow](crate::shadow): the event goes ahead.
    WouldRefuse(Reason),
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNeeded => f.write_str("NotNeeded"),
            Self::Held(_) => f.write_str("Held"),
            Self::Refused(reason) => f.debug_tuple("Refused").field(reason).finish(),
            Self::WouldRefuse(reason) => f.debug_tuple("WouldRefuse").field(reason).finish(),
        }
    }
}
