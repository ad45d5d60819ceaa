use std::sync::Arc;

use hooks_core::HookContext;
use tower_layer::Layer;

use super::result_cache::ResultCache;
use super::service::Cache;

/// Reuses results of the tools of one session; see [`Cache`].
#[derive(Clone, Debug)]
pub struct CacheLayer {
    cache: ResultCache,
    context: Arc<HookContext>,
}

impl CacheLayer {
    /// Reuses results in the session of `context`; the inner service is the tools of that session.
    pub const fn new(cache: ResultCache, context: Arc<HookContext>) -> Self {
        Self { cache, context }
    }
}

impl<S> Layer<S> for CacheLayer {
    type Service = Cache<S>;

    fn layer(&self, inner: S) -> Cache<S> {
        Cache::new(inner, self.cache.clone(), Arc::clone(&self.context))
    }
}
