//! All layers in their order.

use tower_layer::Layer;

use crate::attempt::{Attempt, AttemptLayer};
use crate::breaker::{Breaker, BreakerLayer};
use crate::bulkhead::{Bulkhead, BulkheadLayer};
use crate::deadline::{Deadline, DeadlineLayer};
use crate::fallback::{Fallback, FallbackLayer};
use crate::hedge::{Hedge, HedgeLayer};
use crate::overflow::{Overflow, OverflowLayer};
use crate::pacing::{Pacing, PacingLayer};
use crate::retry::{Retry, RetryLayer};
use crate::stream::{Begin, BeginLayer, Resume, ResumeLayer};

/// All layers in their order, around a client: the service that [`ResilienceLayer`] creates.
pub type Stack<S, C> = Deadline<Fallback<Overflow<Hedge<Retry<Pacing<Breaker<Bulkhead<Attempt<S, C>>>>>>>>>;

/// All layers in their order. `C` classifies the client's errors. The parts are public, so that a host can
/// add hooks, listeners or layers of its own before it wraps a client.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use hooks_resilience::config::{Resilience, ResilienceConfig};
/// use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
/// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
/// # let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
/// #     "catalog": [{ "name": "small", "provider": "one", "tier": "fast" }],
/// #     "routing": { "default": "fast" },
/// # }))?;
/// # let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
/// # let health = resilience.health(world)?;
///
/// let mut layers = resilience.layer(&health, Classified)?;
/// layers.fallback = layers.fallback.on_park(|parked| println!("the call waits until {:?}", parked.until));
/// let parking = layers.fallback.parking().clone();
///
/// // The provider asks for a pause of 20 s, which is longer than a retry waits.
/// let busy = std::sync::Arc::new(AtomicBool::new(true));
/// let stack = layers.layer(service_fn(move |_: Call| {
///     let busy = busy.swap(false, Ordering::SeqCst);
///     let error = ModelError::new(ErrorKind::RateLimited, "slow down");
///     std::future::ready(match busy {
///         true => Err(error.with_retry_after(std::time::Duration::from_secs(20))),
///         false => Ok("yes"),
///     })
/// }));
/// assert_eq!(stack.oneshot(call).await?.reply, "yes");
/// assert_eq!((parking.ever(), parking.parked()), (1, 0));
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ResilienceLayer<C> {
    /// Sets the deadline of a call.
    pub deadline: DeadlineLayer,
    /// Chooses the model.
    pub fallback: FallbackLayer,
    /// Compacts conversations that do not fit.
    pub overflow: OverflowLayer,
    /// Makes a second attempt beside a slow one.
    pub hedge: HedgeLayer,
    /// Retries with the same model.
    pub retry: RetryLayer,
    /// Stays below the provider's limits.
    pub pacing: PacingLayer,
    /// Stops calling a model that keeps failing.
    pub breaker: BreakerLayer,
    /// Limits concurrent calls.
    pub bulkhead: BulkheadLayer,
    /// Makes one attempt.
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

/// All layers in their order, around a streaming client. An answer that breaks off is continued.
#[derive(Debug)]
#[non_exhaustive]
pub struct StreamLayer<C> {
    /// Continues an answer that breaks off.
    pub resume: ResumeLayer,
    /// The other layers. An attempt ends with the first chunk of its answer.
    pub layers: ResilienceLayer<C>,
}

impl<C> StreamLayer<C> {
    pub(super) const fn new(resume: ResumeLayer, layers: ResilienceLayer<C>) -> Self {
        Self { resume, layers }
    }
}

impl<S, C> Layer<S> for StreamLayer<C> {
    type Service = Resume<Stack<Begin<S>, C>>;

    fn layer(&self, client: S) -> Self::Service {
        self.resume.layer(self.layers.layer(BeginLayer.layer(client)))
    }
}
