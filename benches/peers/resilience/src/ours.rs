//! Our stack, as a configuration makes it: deadline, fallback chain, overflow recovery, hedge, retry, pacing, breaker,
//! bulkhead, one attempt.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hooks::drivers::ModelRequest;
use hooks::resilience::{
    Call, Classified, ErrorKind, ModelError, Replied, Resilience, ResilienceConfig, World,
};
use hooks::state::OpId;
use hooks::{HookContext, TokioTimer};
use tower::{Layer, Service, ServiceExt};

use crate::Error;

/// Calls a stack once.
pub trait Stack: Service<Call, Response = Replied<u64>, Error = ModelError> + Clone {}

impl<S: Service<Call, Response = Replied<u64>, Error = ModelError> + Clone> Stack for S {}

/// Two models that answer at once; whether the first one fails is switched from outside.
#[derive(Clone, Default)]
struct Models {
    down: Arc<AtomicBool>,
}

impl Service<Call> for Models {
    type Response = u64;
    type Error = ModelError;
    type Future = Ready<Result<u64, ModelError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let fails = call.model_name() == "first" && self.down.load(Ordering::Relaxed);
        ready(if fails { Err(ModelError::new(ErrorKind::InvalidRequest, "the model failed")) } else { Ok(1) })
    }
}

/// The stack, and the switch that takes the first model down.
pub fn stack() -> Result<(impl Stack, Arc<AtomicBool>), Error> {
    // The error is one that no breaker counts, so that the first model is asked every time.
    let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
        "catalog": [
            { "name": "first", "provider": "one", "limits": { "requests_per_minute": 4_000_000_000u32 } },
            { "name": "second", "provider": "two" },
        ],
        "treatments": { "invalid_request": { "next_model": "any" } },
    }))?;
    let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
    let health = resilience.health(World::new(&hooks::system(), TokioTimer))?;
    let models = Models::default();
    let down = Arc::clone(&models.down);
    let layers = resilience.layer(&health, Classified).map_err(|fault| fault.to_string())?;
    Ok((layers.layer(models), down))
}

/// A call, which is what the host makes.
pub fn make() -> Call {
    let request = ModelRequest { model: "first".to_owned(), ..ModelRequest::default() };
    Call::new(Arc::new(HookContext::default()), request, OpId(1))
}

/// Calls it once.
pub async fn call(stack: &mut impl Stack, call: Call) -> bool {
    match stack.ready().await {
        Ok(ready) => ready.call(call).await.is_ok(),
        Err(_) => false,
    }
}
