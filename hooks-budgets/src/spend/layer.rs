use std::sync::Arc;

use tower_layer::Layer;

use super::budget::SpendBudget;
use super::meter::SpendApprover;
use super::service::{SpendBudgetService, SpendStreamService};

/// Reserves the possible cost of a model call before the call, and settles it with the real cost; see
/// [`SpendBudgetService`].
#[derive(Clone)]
pub struct SpendBudgetLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

/// Layer like [`SpendBudgetLayer`] around a model that streams; see [`SpendStreamService`].
#[derive(Clone)]
pub struct SpendStreamLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

impl SpendBudget {
    /// Creates the layer for a model that returns whole answers. All services built with it share the budget.
    pub fn layer<M>(&self, meter: M) -> SpendBudgetLayer<M> {
        SpendBudgetLayer { budget: self.clone(), meter, approver: None }
    }

    /// Creates the layer for a model that streams its answers.
    pub fn stream_layer<M>(&self, meter: M) -> SpendStreamLayer<M> {
        SpendStreamLayer { budget: self.clone(), meter, approver: None }
    }
}

impl<M> SpendBudgetLayer<M> {
    /// Asks `approver` beyond the threshold `ask`; without an approver, the call is denied.
    #[must_use]
    pub fn asking(mut self, approver: Arc<dyn SpendApprover>) -> Self {
        self.approver = Some(approver);
        self
    }
}

impl<M> SpendStreamLayer<M> {
    /// Asks `approver` beyond the threshold `ask`; without an approver, the call is denied.
    #[must_use]
    pub fn asking(mut self, approver: Arc<dyn SpendApprover>) -> Self {
        self.approver = Some(approver);
        self
    }
}

impl<S, M: Clone> Layer<S> for SpendBudgetLayer<M> {
    type Service = SpendBudgetService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        SpendBudgetService::new(inner, self.budget.clone(), self.meter.clone(), self.approver.clone())
    }
}

impl<S, M: Clone> Layer<S> for SpendStreamLayer<M> {
    type Service = SpendStreamService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        SpendStreamService::new(inner, self.budget.clone(), self.meter.clone(), self.approver.clone())
    }
}

impl<M> std::fmt::Debug for SpendBudgetLayer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpendBudgetLayer").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<M> std::fmt::Debug for SpendStreamLayer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpendStreamLayer").field("budget", &self.budget).finish_non_exhaustive()
    }
}
