use tower_layer::Layer;

use super::{Scribe, ScribeService};

/// Makes a Scribe note the events around an inner hook; see [`ScribeService`].
#[derive(Clone, Debug)]
pub struct ScribeLayer {
    scribe: Scribe,
}

impl ScribeLayer {
    /// Creates a layer for `scribe`.
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
