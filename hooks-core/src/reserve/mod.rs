//! Reservations in limits and budgets, made atomically at the very end of a decision.

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
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNeeded => f.write_str("NotNeeded"),
            Self::Held(_) => f.write_str("Held"),
            Self::Refused(reason) => f.debug_tuple("Refused").field(reason).finish(),
        }
    }
}
