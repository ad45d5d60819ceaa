use tower_layer::Layer;

use super::{Compacting, CompactionService};

/// Hands over the texts that have to survive a compaction; see [`CompactionService`].
#[derive(Clone, Debug)]
pub struct CompactionLayer {
    compacting: Compacting,
}

impl CompactionLayer {
    /// Makes a layer with the settings and state of `compacting`.
    pub const fn new(compacting: Compacting) -> Self {
        Self { compacting }
    }
}

impl<S> Layer<S> for CompactionLayer {
    type Service = CompactionService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CompactionService::new(inner, self.compacting.clone())
    }
}
