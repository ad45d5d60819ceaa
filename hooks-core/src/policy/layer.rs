use tower_layer::Layer;

use super::PolicyService;

/// Lets a policy judge the event before the inner hook is asked; see [`PolicyService`].
#[derive(Clone, Copy, Debug)]
pub struct PolicyLayer<P> {
    policy: P,
}

impl<P> PolicyLayer<P> {
    /// A layer for `policy`. The policy is cloned for each call: if it holds data, wrap it in an `Arc`.
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
