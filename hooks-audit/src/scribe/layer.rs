use tower_layer::Layer;

use super::{Scribe, ScribeService};

/// Has a Scribe witness what an inner hook is asked about; see [`ScribeService`].
#[derive(Clone, Debug)]
pub struct ScribeLayer {
    scribe: Scribe,
}

impl ScribeLayer {
    /// A layer of `scribe`.
    pub const fn new(scribe: Scribe) -> Self {
        Self { scribe }
    }
}

impl<S> Layer<S> for ScribeLayer {
    type Service = ScribeService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ScribeService::new(inner, self.scribe.clone())
    }
}
