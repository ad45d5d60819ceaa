use tower_layer::Layer;

use super::{SessionEndService, SessionEnding};

/// Puts sessions away beside an inner hook; see [`SessionEndService`].
#[derive(Clone, Debug)]
pub struct SessionEndLayer {
    ending: SessionEnding,
}

impl SessionEndLayer {
    /// A layer of `ending`.
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
