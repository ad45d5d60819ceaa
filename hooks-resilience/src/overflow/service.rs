use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use super::layer::Shared;
use super::recovery::Recovery;
use crate::call::{Call, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::spare::Spare;

/// Calls the inner service with shorter and shorter conversations if one does not fit. See the module docs.
///
/// Ready when the inner service is. The ready instance makes the first attempt; further attempts make a clone
/// ready.
#[derive(Clone)]
pub struct Overflow<S> {
    inner: S,
    shared: Arc<Spare<S, Shared>>,
}

impl<S> Overflow<S> {
    pub(super) const fn new(inner: S, shared: Arc<Spare<S, Shared>>) -> Self {
        Self { inner, shared }
    }

    inner_accessors!(inner: S, "The inner service", renewing shared by emptied);
}

impl<S, R> Service<Call> for Overflow<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError, Future: Send> + Clone + Send + 'static,
    R: Send + 'static,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        self.shared.keep(&self.inner);
        let recovery = Recovery::new(call.clone(), Arc::clone(&self.shared));
        match cannot_fit(&call) {
            Some(error) => ResponseFuture::at_once(recovery, error),
            None => ResponseFuture::new(self.inner.call(call), recovery),
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for Overflow<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overflow").field("inner", &self.inner).finish_non_exhaustive()
    }
}

/// The error of a call that need not be sent, because the host's count exceeds the model's window. `None` if
/// one of them is unknown.
fn cannot_fit(call: &Call) -> Option<ModelError> {
    let (needs, model) = (call.needs(), call.model.as_ref()?);
    let window = model.context_tokens?;
    (needs.input_tokens > 0 && needs.tokens() > window).then(|| {
        let message = format!("the call takes {} tokens, and the window holds {window}", needs.tokens());
        ModelError::new(ErrorKind::ContextOverflow, message).with_model(Arc::clone(&model.name))
    })
}
