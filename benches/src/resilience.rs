//! Cost of the layers that let a model call survive failures.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::HookContext;
use hooks_core::drivers::ModelRequest;
use hooks_core::state::OpId;
use hooks_resilience::{
    Call, Classified, ErrorKind, ModelError, Needs, Replied, Resilience, ResilienceConfig, ResilienceLayer,
    World,
};
use hooks_system::TokioTimer;
use serde_json::json;
use tower::{Layer, ServiceBuilder};
use tower_service::Service;

use crate::call::finish;
use crate::{Bar, Case, SetupError};

/// Name of the case that only makes a call, as every other case does first.
const MADE: &str = "resilience/call made and dropped";

/// Makes a call, makes the service ready and calls it, polls the future to its end, drops the answer. Two
/// allocations belong to the call: its body, and the name in its request.
///
/// # Errors
/// Returns an error if the configuration is refused.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let context = Arc::new(HookContext::new("session-1", "backend"));
    Ok(vec![
        Case::new(MADE, move || call(&context)).allocating(2),
        called("resilience/attempt alone", layers()?.attempt.layer(Client::Well)).allocating(2),
        called("resilience/deadline, pacing, breaker, retry, fallback", five_layers(Client::Well)?)
            .at_most(Bar::Beyond(400.0, MADE))
            .allocating(2),
        called("resilience/all layers of ResilienceLayer", layers()?.layer(Client::Well)).allocating(2),
        called("resilience/one failover", five_layers(Client::FirstIsDown)?)
            .at_most(Bar::Beyond(5_000.0, MADE)),
    ])
}

fn called<S>(name: &'static str, mut service: S) -> Case
where
    S: Service<Call, Response = Replied<u8>, Error = ModelError> + 'static,
{
    let context = Arc::new(HookContext::new("session-1", "backend"));
    Case::new(name, move || {
        let is_ready = service.poll_ready(&mut Context::from_waker(Waker::noop())).is_ready();
        is_ready.then(|| finish(service.call(call(&context))))
    })
}

fn call(context: &Arc<HookContext>) -> Call {
    let request = ModelRequest { model: "large".into(), ..ModelRequest::default() };
    let needs = Needs { input_tokens: 60, output_tokens: 40, tools: true, ..Needs::default() };
    Call::new(Arc::clone(context), request, OpId(1)).needing(needs)
}

/// The five layers, and the one that adapts a client.
fn five_layers(
    client: Client,
) -> Result<impl Service<Call, Response = Replied<u8>, Error = ModelError>, SetupError> {
    let layers = layers()?;
    Ok(ServiceBuilder::new()
        .layer(layers.deadline)
        .layer(layers.fallback)
        .layer(layers.retry)
        .layer(layers.pacing)
        .layer(layers.breaker)
        .layer(layers.attempt)
        .service(client))
}

/// Two models on the system's clock. Their limits are counted but never reached. The breaker counts and never
/// opens. Each model gets one attempt, so that a failover has no pause.
fn layers() -> Result<ResilienceLayer<Classified>, SetupError> {
    let config: ResilienceConfig = serde_json::from_value(json!({
        "catalog": [
            { "name": "large", "provider": "one", "tier": "premium", "context_tokens": 200_000,
              "limits": { "requests_per_minute": u32::MAX, "tokens_per_minute": u64::MAX } },
            { "name": "small", "provider": "two", "tier": "fast" },
        ],
        "breaker": { "minimum_calls": u32::MAX, "failures_in_a_row": u32::MAX },
        "retry": { "max_attempts": 1 },
    }))?;
    let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
    let health = resilience.health(World::new(&hooks_system::system(), TokioTimer))?;
    Ok(resilience.layer(&health, Classified).map_err(|fault| fault.to_string())?)
}

/// A provider that answers immediately.
#[derive(Clone, Copy, Debug)]
enum Client {
    Well,
    /// The first model fails.
    FirstIsDown,
}

impl Service<Call> for Client {
    type Response = u8;
    type Error = ModelError;
    type Future = Ready<Result<u8, ModelError>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let is_down = matches!(self, Self::FirstIsDown) && call.model_name() == "large";
        ready(if is_down { Err(ModelError::new(ErrorKind::Server, "it is down")) } else { Ok(1) })
    }
}
