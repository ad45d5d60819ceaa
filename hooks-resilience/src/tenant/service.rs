use std::fmt;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use hooks_core::BoxError;
use tower::ServiceExt;
use tower_layer::Layer;
use tower_service::Service;

use super::Kept;
use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::health::Health;

/// Calls the stack `T` of the call's tenant. Clones share the stacks.
///
/// Always ready: the call decides which stack has to be ready, so a clone of that stack is driven to
/// readiness and called.
pub struct PerTenant<M, S, T> {
    client: S,
    shared: Arc<Shared<M, T>>,
}

struct Shared<M, T> {
    health: Health,
    make: Arc<M>,
    /// Stack of calls that name no tenant, or the tenant of `health`.
    unnamed: OnceLock<T>,
    stacks: Kept<T>,
}

impl<M, S, T> PerTenant<M, S, T> {
    pub(super) fn new(health: Health, make: Arc<M>, client: S) -> Self {
        let shared = Shared { health, make, unnamed: OnceLock::new(), stacks: Kept::default() };
        Self { client, shared: Arc::new(shared) }
    }

    /// The client inside the stacks.
    pub const fn get_ref(&self) -> &S {
        &self.client
    }

    /// Returns the client, without the stacks.
    pub fn into_inner(self) -> S {
        self.client
    }
}

impl<M, S, T> PerTenant<M, S, T>
where
    S: Clone,
    T: Clone,
{
    fn stack<L, E>(&self, tenant: Option<&str>) -> Result<T, E>
    where
        M: Fn(&Health) -> Result<L, E>,
        L: Layer<S, Service = T>,
    {
        let Shared { health, make, unnamed, stacks } = &*self.shared;
        let over = |health: &Health| Ok(make(health)?.layer(self.client.clone()));
        match (tenant.filter(|tenant| !health.is_of(tenant)), unnamed.get()) {
            (Some(name), _) => stacks.get_or_make(name, || over(&health.of_tenant(tenant))),
            (None, Some(stack)) => Ok(stack.clone()),
            (None, None) => {
                let stack = over(health)?;
                Ok(unnamed.get_or_init(|| stack).clone())
            }
        }
    }
}

impl<M, S, T, L, E, R> Service<Call> for PerTenant<M, S, T>
where
    M: Fn(&Health) -> Result<L, E>,
    E: Into<BoxError>,
    L: Layer<S, Service = T>,
    S: Clone,
    T: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<T>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> ResponseFuture<T> {
        let context = Arc::clone(call.context());
        match self.stack(context.tenant.as_deref()) {
            Ok(stack) => ResponseFuture::calling(stack.oneshot(call)),
            Err(error) => ResponseFuture::refused(unmade(error.into())),
        }
    }
}

fn unmade(error: BoxError) -> ModelError {
    let message = format!("the layers of its tenant could not be made: {error}; mend their settings");
    ModelError::new(ErrorKind::InvalidRequest, message).with_source(error)
}

impl<M, S: Clone, T> Clone for PerTenant<M, S, T> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<M, S, T> fmt::Debug for PerTenant<M, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerTenant").field("health", &self.shared.health).finish_non_exhaustive()
    }
}
