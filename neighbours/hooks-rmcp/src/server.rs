//! The server.

use std::borrow::Cow;
use std::sync::Arc;

use hooks_core::drivers::{Approver, NoApprover};
use hooks_core::{HookContext, Live};
use hooks_mcp::{GovernMcpLayer, McpSettings};
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, InitializeResult, ProtocolVersion, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};
use tower::{Layer, ServiceExt, service_fn};

use crate::exchange::{Exchange, internal};

/// A server of rmcp behind a set of hooks.
///
/// Requests pass through the layer as JSON. A request or a result that no hook changes reaches the other side as the value that
/// it was. Notifications are not governed.
#[derive(Clone, Debug)]
pub struct GovernServer<H, A = NoApprover> {
    server: Arc<H>,
    layer: GovernMcpLayer<A>,
}

impl<H> GovernServer<H> {
    /// Governs `server` by `hooks`, which know its tools as `mcp__NAME__TOOL`. Without an approver, an ask is a denial.
    pub fn new(server: H, hooks: impl Into<Live>, context: impl Into<Arc<HookContext>>, name: &str) -> Self {
        Self::with_layer(server, GovernMcpLayer::new(hooks, context, McpSettings::new(name)))
    }
}

impl<H, A> GovernServer<H, A> {
    /// Governs `server` by a layer, which may have an approver and other settings.
    pub fn with_layer(server: H, layer: GovernMcpLayer<A>) -> Self {
        Self { server: Arc::new(server), layer }
    }
}

impl<H, A> Service<RoleServer> for GovernServer<H, A>
where
    H: Service<RoleServer>,
    A: Approver<Future: Send> + Clone + Send + Sync + 'static,
{
    /// Answers a request, if the hooks let it.
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let (exchange, sent) = Exchange::new(request, &context.meta)?;
        let exchange = Arc::new(exchange);
        let (server, inner) = (Arc::clone(&self.server), Arc::clone(&exchange));
        let governed = self.layer.layer(service_fn(move |request| {
            let (server, exchange, context) = (Arc::clone(&server), Arc::clone(&inner), context.clone());
            async move {
                let result = server.handle_request(exchange.request(request)?, context).await;
                exchange.reply(result)
            }
        }));
        let reply = governed.oneshot(sent).await.map_err(internal)?;
        exchange.result(reply)
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.handle_notification(notification, context).await
    }

    fn get_info(&self) -> InitializeResult {
        self.server.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }
}
