use tower_layer::Layer;

use super::{SessionEndService, SessionEnding};

/// Closes sessions while an inner hook runs; see [`SessionEndService`].
#[derive(Clone, Debug)]
pub struct SessionEndLayer {
    ending: SessionEnding,
}

impl SessionEndLayer {
    /// Makes a layer with the settings and state of `ending`.
    pub const fn new(ending: SessionEnding) -> Self {
        Self { ending }
    }
}

impl<S> Layer<S> for SessionEndLayer {
    type Service = SessionEndService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        SessionEndService::new(inner, self.ending.clone())
    }
}
