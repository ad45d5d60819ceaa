use tower_layer::Layer;

use super::ReserveService;

/// Takes a place in a limit or budget for what the inner hook lets through; see [`ReserveService`].
#[derive(Clone, Copy, Debug)]
pub struct ReserveLayer<R> {
    reserve: R,
}

impl<R> ReserveLayer<R> {
    /// A layer of `reserve`. It is cloned for each call: wrap one with data in an `Arc`.
    pub const fn new(reserve: R) -> Self {
        Self { reserve }
    }
}

impl<S, R: Clone> Layer<S> for ReserveLayer<R> {
    type Service = ReserveService<S, R>;

    fn layer(&self, inner: S) -> Self::Service {
        ReserveService::new(inner, self.reserve.clone())
    }
}
