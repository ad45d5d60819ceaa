use tower_layer::Layer;

use super::ReserveService;

/// Makes a reservation in a limit or budget for each event that the inner hook does not deny; see
/// [`ReserveService`].
#[derive(Clone, Copy, Debug)]
pub struct ReserveLayer<R> {
    reserve: R,
}

impl<R> ReserveLayer<R> {
    /// A layer for `reserve`, which is cloned for each call: if it holds data, wrap it in an `Arc`.
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
