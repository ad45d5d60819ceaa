//! Transforms: hooks that rewrite an event before it is judged, and never decide.

pub mod future;
mod layer;
mod service;

pub use self::layer::TransformLayer;
pub use self::service::TransformService;

use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

/// Rewrites an event: the arguments before a tool runs, the result after it ran, a prompt, a task.
///
/// Each transform gets the event as the transform before it left it, and runs once per event. All judgement
/// comes after it (law 2). It runs on the thread of the caller and must not block; a transform that has to
/// wait is a [`Decider`](crate::Decider).
///
/// If it returns an error, the event is denied where failures of the event close; otherwise the transform is
/// passed over and the failure is recorded. A panic has the same effect in a [`Hooks`](crate::Hooks) or below
/// a [`FailureLayer`](crate::FailureLayer).
pub trait Transform<E: Event>: Send + Sync {
    /// Name of the transform, for reports.
    fn name(&self) -> &str;

    /// Returns the change of the event, or `None` to leave it as it is.
    ///
    /// # Errors
    /// Returns an error if the transform cannot decide whether the event needs a change.
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

/// Applies `transform` to the event of `request`, in the stages that allow rewrites.
pub(crate) fn rewrite<E: Event>(
    transform: &(impl Transform<E> + ?Sized),
    request: &mut HookRequest<E>,
) -> Result<(), HookError> {
    if let Some(rewrite) = transform.transform(request)? {
        request.rewrite(rewrite);
    }
    Ok(())
}
