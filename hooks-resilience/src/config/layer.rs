//! All layers in their order.

use tower_layer::Layer;

use crate::attempt::{AttemptLayer, AttemptService};
use crate::breaker::{BreakerLayer, BreakerService};
use crate::bulkhead::{BulkheadLayer, BulkheadService};
use crate::deadline::{DeadlineLayer, DeadlineService};
use crate::fallback::{Fallback, FallbackLayer};
use crate::hedge::{Hedge, HedgeLayer};
use crate::overflow::{Overflow, OverflowLayer};
use crate::pacing::{PacingLayer, PacingService};
use crate::retry::{Retry, RetryLayer};

/// All layers in their order, around a client: what [`ResilienceLayer`] makes.
pub type Stack<S, C> = DeadlineService<
    Fallback<Overflow<Hedge<Retry<PacingService<BreakerService<BulkheadService<AttemptService<S, C>>>>>>>>,
>;

/// All layers in their order. `C` says what the client's errors mean; the parts are public, so that a host may give
/// them hooks, listeners, or a means of its own before it puts them around a client.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResilienceLayer<C> {
    /// By when there has to be an answer.
    pub deadline: DeadlineLayer,
    /// Which model is asked.
    pub fallback: FallbackLayer,
    /// Compacts what does not fit.
    pub overflow: OverflowLayer,
    /// A second attempt beside a slow one.
    pub hedge: HedgeLayer,
    /// The same model again.
    pub retry: RetryLayer,
    /// Stays below the provider's limits.
    pub pacing: PacingLayer,
    /// Leaves a model alone that keeps failing.
    pub breaker: BreakerLayer,
    /// So many calls at a time.
    pub bulkhead: BulkheadLayer,
    /// One attempt.
    pub attempt: AttemptLayer<C>,
}

impl<S, C> Layer<S> for ResilienceLayer<C> {
    type Service = Stack<S, C>;

    fn layer(&self, client: S) -> Stack<S, C> {
        let attempt = self.bulkhead.layer(self.attempt.layer(client));
        let guarded = self.pacing.layer(self.breaker.layer(attempt));
        let again = self.hedge.layer(self.retry.layer(guarded));
        self.deadline.layer(self.fallback.layer(self.overflow.layer(again)))
    }
}
