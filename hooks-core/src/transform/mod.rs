//! Transforms: they rewrite an event on its way in, and never decide.

pub mod future;
mod layer;
mod service;

pub use self::layer::TransformLayer;
pub use self::service::TransformService;

use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

/// Rewrites an event: arguments before a tool runs, the result after it ran, a prompt, a task.
///
/// Each transform sees what the one before left, runs once per event, and is followed by all judgement
/// (law 2). One that errs or panics is a denial where the event's failures close.
pub trait Transform<E: Event>: Send + Sync {
    /// Its name, for reports.
    fn name(&self) -> &str;

    /// What to change; `None` to leave the event as it is.
    ///
    /// # Errors
    /// Where it cannot tell whether the event needs a change.
    fn transform(&self, request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError>;
}

impl<E: Event, T: Transform<E> + ?Sized> Transform<E> for std::sync::Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn transform(&self, request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError> {
        (**self).transform(request)
    }
}

/// Lets `transform` rewrite the event of `request`, in the stages where events are rewritten.
pub(crate) fn rewrite<E: Event>(
    transform: &(impl Transform<E> + ?Sized),
    request: &mut HookRequest<E>,
) -> Result<(), HookError> {
    if let Some(rewrite) = transform.transform(request)? {
        request.rewrite(rewrite);
    }
    Ok(())
}
