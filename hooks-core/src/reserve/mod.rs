//! What counts: limits and budgets, taken by atomic reservation at the very end of a decision.

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

/// Takes a place in a limit or a budget for an event.
///
/// Asked once per event, after everyone judged it (law 2), and never about one that is denied. The place is
/// given back when the [`Hold`] is dropped before the event went ahead. Where a client asks twice about the
/// same call, the reservation must be idempotent: derive its id from the call's.
pub trait Reserve<E: Event>: Send + Sync {
    /// Its name, as its reasons give it.
    fn name(&self) -> &str;

    /// Takes a place.
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

/// What came of it.
pub enum Reservation {
    /// The event needs no place here.
    NotNeeded,
    /// It has one.
    Held(Box<dyn Hold>),
    /// There is none left.
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
