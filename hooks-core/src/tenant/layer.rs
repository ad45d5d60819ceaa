use std::collections::BTreeMap;
use std::sync::Arc;

use tower_layer::Layer;

use super::TenantService;

/// Puts the layer of the request's tenant in front of the inner hook; see [`TenantService`].
///
/// The layers of all tenants have the same type. If tenants need different types, build
/// [`Hooks`](crate::Hooks) and use [`Tenants`](super::Tenants).
#[derive(Clone, Debug)]
pub struct TenantLayer<L> {
    by_name: BTreeMap<Arc<str>, L>,
    without_name: Option<L>,
}

impl<L> TenantLayer<L> {
    /// A layer without tenants: every request is refused.
    pub const fn new() -> Self {
        Self { by_name: BTreeMap::new(), without_name: None }
    }

    /// Sets the layer of `tenant`.
    #[must_use]
    pub fn with(mut self, tenant: impl Into<Arc<str>>, layer: L) -> Self {
        self.by_name.insert(tenant.into(), layer);
        self
    }

    /// Sets the layer of requests without a tenant. Without it, they are refused.
    #[must_use]
    pub fn for_nobody(mut self, layer: L) -> Self {
        self.without_name = Some(layer);
        self
    }
}

impl<L> Default for TenantLayer<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Clone, L: Layer<S>> Layer<S> for TenantLayer<L> {
    type Service = TenantService<L::Service>;

    fn layer(&self, inner: S) -> Self::Service {
        let stack = |layer: &L| layer.layer(inner.clone());
        let by_name = self.by_name.iter().map(|(name, layer)| (Arc::clone(name), stack(layer))).collect();
        TenantService::new(by_name, self.without_name.as_ref().map(stack))
    }
}
