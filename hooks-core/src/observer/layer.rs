use tower_layer::Layer;

use super::ObserverService;

/// Shows each event and its outcome to an observer; see [`ObserverService`].
#[derive(Clone, Copy, Debug)]
pub struct ObserverLayer<O> {
    observer: O,
}

impl<O> ObserverLayer<O> {
    /// A layer for `observer`. The observer is cloned for each call: if it holds data, wrap it in an `Arc`.
    pub const fn new(observer: O) -> Self {
        Self { observer }
    }
}

impl<S, O: Clone> Layer<S> for ObserverLayer<O> {
    type Service = ObserverService<S, O>;

    fn layer(&self, inner: S) -> Self::Service {
        ObserverService::new(inner, self.observer.clone())
    }
}
