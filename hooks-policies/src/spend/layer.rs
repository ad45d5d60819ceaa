use std::sync::Arc;

use tower_layer::Layer;

use super::budget::SpendBudget;
use super::meter::SpendApprover;
use super::service::{SpendBudgetService, SpendStreamService};

/// Holds what a call of a model may cost before it is made, and settles it with what it took; see
/// [`SpendBudgetService`].
#[derive(Clone)]
pub struct SpendBudgetLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

/// The same around a model that streams; see [`SpendStreamService`].
#[derive(Clone)]
pub struct SpendStreamLayer<M> {
    budget: SpendBudget,
    meter: M,
    approver: Option<Arc<dyn SpendApprover>>,
}

impl SpendBudget {
    /// The budget around a model that answers as a whole. It is shared by all services that are made of it.
    pub fn layer<M>(&self, meter: M) -> SpendBudgetLayer<M> {
        SpendBudgetLayer { budget: self.clone(), meter, approver: None }
    }

    /// The budget around a model that answers in pieces.
    pub fn stream_layer<M>(&self, meter: M) -> SpendStreamLayer<M> {
        SpendStreamLayer { budget: self.clone(), meter, approver: None }
    }
}

impl<M> SpendBudgetLayer<M> {
    /// Has `approver` asked beyond the threshold `ask`; without one a question is a refusal.
    #[must_use]
    pub fn asking(mut self, approver: Arc<dyn SpendApprover>) -> Self {
        self.approver = Some(approver);
        self
    }
}

impl<M> SpendStreamLayer<M> {
    /// Has `approver` asked beyond the threshold `ask`; without one a question is a refusal.
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
