use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::PerTenant;
use crate::health::Health;

/// Gives each tenant a stack of its own; see the module docs.
pub struct PerTenantLayer<M> {
    health: Health,
    make: Arc<M>,
}

impl<M, L, E> PerTenantLayer<M>
where
    M: Fn(&Health) -> Result<L, E>,
{
    /// Puts around the client the layer that `make` makes of a tenant's health; where it cannot, the call is refused
    /// with its error. `health` is that of calls that name no tenant.
    pub fn new(health: Health, make: M) -> Self {
        Self { health, make: Arc::new(make) }
    }
}

impl<S, M, L, E> Layer<S> for PerTenantLayer<M>
where
    M: Fn(&Health) -> Result<L, E>,
    L: Layer<S>,
{
    type Service = PerTenant<M, S, L::Service>;

    fn layer(&self, client: S) -> Self::Service {
        PerTenant::new(self.health.clone(), Arc::clone(&self.make), client)
    }
}

impl<M> Clone for PerTenantLayer<M> {
    fn clone(&self) -> Self {
        Self { health: self.health.clone(), make: Arc::clone(&self.make) }
    }
}

impl<M> fmt::Debug for PerTenantLayer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerTenantLayer").field("health", &self.health).finish_non_exhaustive()
    }
}
