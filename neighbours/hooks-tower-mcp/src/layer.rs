//! The layer and its service.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::drivers::{Approver, NoApprover};
use hooks_core::{BoxError, HookContext, HookError, Live};
use hooks_mcp::{GovernMcpLayer, McpSettings};
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_mcp::{RouterRequest, RouterResponse};

use crate::exchange::Exchange;

/// Governs the requests of a transport of tower-mcp. Put it next to the router: a layer between them could change what was judged.
#[derive(Clone, Debug)]
pub struct GovernRouterLayer<A = NoApprover>(GovernMcpLayer<A>);

impl GovernRouterLayer {
    /// Governs by `hooks`, which know the tools of the server as `mcp__NAME__TOOL`. Without an approver, an ask is a denial.
    pub fn new(hooks: impl Into<Live>, context: impl Into<Arc<HookContext>>, name: &str) -> Self {
        Self(GovernMcpLayer::new(hooks, context, McpSettings::new(name)))
    }
}

impl<A> From<GovernMcpLayer<A>> for GovernRouterLayer<A> {
    /// Governs by a layer, which may have an approver and other settings.
    fn from(layer: GovernMcpLayer<A>) -> Self {
        Self(layer)
    }
}

impl<S, A: Clone> Layer<S> for GovernRouterLayer<A> {
    type Service = GovernRouter<S, A>;

    fn layer(&self, inner: S) -> GovernRouter<S, A> {
        GovernRouter { inner, layer: self.0.clone() }
    }
}

/// A router behind a set of hooks.
///
/// Requests pass through the layer as JSON. A request or a response that no hook changes reaches the other side as the value that
/// it was. The service is always ready; it drives the readiness of a clone of `S` after the request was allowed.
#[derive(Clone, Debug)]
pub struct GovernRouter<S, A = NoApprover> {
    inner: S,
    layer: GovernMcpLayer<A>,
}

impl<S, A> Service<RouterRequest> for GovernRouter<S, A>
where
    S: Service<RouterRequest, Response = RouterResponse, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + 'static,
    A: Approver<Future: Send> + Clone + Send + 'static,
{
    type Response = RouterResponse;
    type Error = HookError;
    type Future = Pin<Box<dyn Future<Output = Result<RouterResponse, HookError>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: RouterRequest) -> Self::Future {
        let Self { inner, layer } = self.clone();
        Box::pin(async move {
            let (exchange, sent) = Exchange::new(request)?;
            let exchange = Arc::new(exchange);
            let server = Arc::clone(&exchange);
            let governed = layer.layer(service_fn(move |request| {
                let (inner, exchange) = (inner.clone(), Arc::clone(&server));
                async move {
                    let failed = |error: S::Error| HookError::unavailable(error.into().to_string());
                    let response = inner.oneshot(exchange.request(request)?).await.map_err(failed)?;
                    exchange.reply(response)
                }
            }));
            let reply = governed.oneshot(sent).await?;
            exchange.response(reply)
        })
    }
}
