use tower_layer::Layer;

use super::PolicyService;

/// Lets a policy judge in front of an inner hook; see [`PolicyService`].
#[derive(Clone, Copy, Debug)]
pub struct PolicyLayer<P> {
    policy: P,
}

impl<P> PolicyLayer<P> {
    /// A layer of `policy`. It is cloned for each call: wrap one with data in an `Arc`.
    pub const fn new(policy: P) -> Self {
        Self { policy }
    }
}

impl<S, P: Clone> Layer<S> for PolicyLayer<P> {
    type Service = PolicyService<S, P>;

    fn layer(&self, inner: S) -> Self::Service {
        PolicyService::new(inner, self.policy.clone())
    }
}
