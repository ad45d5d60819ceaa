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
    /// Creates a layer that wraps the client in the layer that `make` creates for a tenant's health record.
    /// If `make` fails, the call fails with its error. `health` is the record of calls that name no tenant.
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
