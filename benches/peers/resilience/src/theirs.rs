//! tower-resilience's comparable stack: a time limit, a fallback to a second service, three tries with exponential
//! backoff, a circuit breaker and a rate limiter.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tower::{Service, ServiceBuilder, ServiceExt};
use tower_resilience::circuitbreaker::CircuitBreakerLayer;
use tower_resilience::fallback::ServiceFallbackLayer;
use tower_resilience::ratelimiter::RateLimiterLayer;
use tower_resilience::retry::RetryLayer;
use tower_resilience::timelimiter::TimeLimiterLayer;

use crate::Error;

/// Calls a stack once.
pub trait Stack: Service<u64, Response = u64, Error = Failed, Future: Send> + Clone + Send {}

impl<S: Service<u64, Response = u64, Error = Failed, Future: Send> + Clone + Send> Stack for S {}

/// An error that can be cloned.
#[derive(Clone, Debug)]
pub struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the model failed")
    }
}

impl std::error::Error for Failed {}

/// A model that answers at once; whether it fails is switched from outside.
#[derive(Clone, Default)]
struct Model {
    down: Arc<AtomicBool>,
}

impl Service<u64> for Model {
    type Response = u64;
    type Error = Failed;
    type Future = Ready<Result<u64, Failed>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: u64) -> Self::Future {
        ready(if self.down.load(Ordering::Relaxed) { Err(Failed) } else { Ok(request) })
    }
}

/// One service with what guards it.
fn guarded(model: Model, tries: usize) -> Result<impl Stack, Error> {
    let retry = RetryLayer::<u64, u64, Failed>::builder()
        .max_attempts(tries)
        .exponential_backoff(Duration::from_secs(1))
        .build();
    let breaker = CircuitBreakerLayer::builder()
        .failure_rate_threshold(0.5)
        .sliding_window_size(100)
        .minimum_number_of_calls(20)
        .build()?;
    let limiter = RateLimiterLayer::builder()
        .limit_for_period(1_000_000_000)
        .refresh_period(Duration::from_secs(60))
        .timeout_duration(Duration::from_secs(5))
        .build()?;
    Ok(ServiceBuilder::new()
        .layer(retry)
        .map_err(|_| Failed)
        .layer(breaker)
        .map_err(|_| Failed)
        .layer(limiter)
        .service(model))
}

/// The stack, and the switch that takes the first model down.
pub fn stack() -> Result<(impl Stack, Arc<AtomicBool>), Error> {
    let (first, second) = (Model::default(), Model::default());
    let down = Arc::clone(&first.down);
    let limit = TimeLimiterLayer::builder().timeout_duration(Duration::from_secs(60)).build();
    let stack = ServiceBuilder::new()
        .map_err(|_| Failed)
        .layer(limit)
        .map_err(|_| Failed)
        .layer(ServiceFallbackLayer::<_, u64, u64, Failed>::new(guarded(second, 1)?))
        // A failover is measured without the pauses, so one try of the first model.
        .service(guarded(first, 1)?);
    Ok((stack, down))
}

/// Calls it once.
pub async fn call(stack: &mut impl Stack) -> bool {
    match stack.ready().await {
        Ok(ready) => ready.call(1).await.is_ok(),
        Err(_) => false,
    }
}
