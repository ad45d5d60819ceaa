//! A request and its response, as tower-mcp's types and as JSON.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use hooks_core::HookError;
use hooks_mcp::{McpReply, McpRequest};
use serde_json::{Value, from_value, to_value};
use tower_mcp::protocol::{JsonRpcRequest, McpRequest as TheirRequest, McpResponse};
use tower_mcp::{JsonRpcError, RouterRequest, RouterResponse};

/// A request that is judged, and the response of the router.
#[derive(Debug)]
pub(crate) struct Exchange {
    request: RouterRequest,
    params: Value,
    answered: Mutex<Option<(Value, McpResponse)>>,
}

impl Exchange {
    /// An exchange that begins with `request`, and the request for the layer.
    ///
    /// # Errors
    /// Returns an error if the request has no JSON.
    pub(crate) fn new(request: RouterRequest) -> Result<(Self, McpRequest), HookError> {
        let params = params(&request.inner)?;
        let sent = McpRequest::new(request.inner.method_name(), params.clone());
        Ok((Self { request, params, answered: Mutex::new(None) }, sent))
    }

    /// The request for the router: the original, unless a hook changed it.
    ///
    /// # Errors
    /// Returns an error if tower-mcp cannot read the changed request.
    pub(crate) fn request(&self, request: McpRequest) -> Result<RouterRequest, HookError> {
        if *request.params() == self.params {
            return Ok(self.request.clone());
        }
        let method = request.method().to_owned();
        let message = JsonRpcRequest::new(self.request.id.clone(), method).with_params(request.into_params());
        Ok(self.request.clone_with_inner(TheirRequest::from_jsonrpc(&message).map_err(unreadable)?))
    }

    /// The response of the router, for the layer.
    ///
    /// # Errors
    /// Returns an error if the response has no JSON.
    pub(crate) fn reply(&self, response: RouterResponse) -> Result<McpReply, HookError> {
        let response = match response.inner {
            Ok(response) => response,
            Err(error) => return Ok(McpReply::error_object(to_value(error).map_err(unreadable)?)),
        };
        let value = to_value(&response).map_err(unreadable)?;
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        *answered = Some((value.clone(), response));
        Ok(McpReply::result(value))
    }

    /// The response for the client: that of the router, unless a hook changed it.
    ///
    /// # Errors
    /// Returns an error if tower-mcp cannot read the reply.
    pub(crate) fn response(&self, reply: McpReply) -> Result<RouterResponse, HookError> {
        let inner = match reply.into_body() {
            Ok(result) => Ok(self.result(result)?),
            Err(error) => Err(from_value::<JsonRpcError>(error).map_err(unreadable)?),
        };
        Ok(RouterResponse { id: self.request.id.clone(), inner })
    }

    fn result(&self, result: Value) -> Result<McpResponse, HookError> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (answered, &self.request.inner) {
            (Some((value, original)), _) if value == result => Ok(original),
            // A denied call has no original.
            (None, TheirRequest::CallTool(_)) => {
                from_value(result).map(McpResponse::CallTool).map_err(unreadable)
            }
            _ => from_value(result).map_err(unreadable),
        }
    }
}

/// The parameters of requests that are judged. Those of others are forwarded without JSON.
fn params(request: &TheirRequest) -> Result<Value, HookError> {
    match request {
        TheirRequest::CallTool(params) => to_value(params),
        TheirRequest::ReadResource(params) => to_value(params),
        TheirRequest::GetPrompt(params) => to_value(params),
        _ => Ok(Value::Null),
    }
    .map_err(unreadable)
}

fn unreadable(error: impl Display) -> HookError {
    HookError::unavailable(error.to_string())
}
