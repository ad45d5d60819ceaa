//! A request and its result, as rmcp's types and as JSON.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use hooks_mcp::{McpReply, McpRequest};
use rmcp::model::{ClientRequest, ErrorData, RequestMetaObject, ServerResult};
use serde_json::{Map, Value, from_value, json, to_value};

/// Key of the metadata, which rmcp keeps beside a request.
const META: &str = "_meta";

/// A request that is judged, and the result of the server.
#[derive(Debug)]
pub(crate) struct Exchange {
    request: ClientRequest,
    params: Value,
    answered: Mutex<Option<(Value, ServerResult)>>,
}

impl Exchange {
    /// An exchange that begins with `request`, and the request for the layer.
    ///
    /// # Errors
    /// Returns an error if the request has no JSON.
    pub(crate) fn new(
        request: ClientRequest,
        meta: &RequestMetaObject,
    ) -> Result<(Self, McpRequest), ErrorData> {
        let mut message = to_value(&request).map_err(internal)?;
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let mut params = message.get_mut("params").map(Value::take).unwrap_or_default();
        if !meta.is_empty() {
            if params.is_null() {
                params = Map::new().into();
            }
            if let Some(fields) = params.as_object_mut() {
                fields.insert(META.to_owned(), to_value(meta).map_err(internal)?);
            }
        }
        let sent = McpRequest::new(method, params.clone());
        Ok((Self { request, params, answered: Mutex::new(None) }, sent))
    }

    /// The request for the server: the original, unless a hook changed it.
    ///
    /// # Errors
    /// Returns an error if rmcp cannot read the changed request.
    pub(crate) fn request(&self, request: McpRequest) -> Result<ClientRequest, ErrorData> {
        if *request.params() == self.params {
            return Ok(self.request.clone());
        }
        let method = request.method().to_owned();
        let mut params = request.into_params();
        if let Some(fields) = params.as_object_mut() {
            fields.remove(META);
        }
        from_value(json!({"method": method, "params": params})).map_err(internal)
    }

    /// The result of the server, for the layer.
    ///
    /// # Errors
    /// Returns an error if the result has no JSON.
    pub(crate) fn reply(&self, result: Result<ServerResult, ErrorData>) -> Result<McpReply, ErrorData> {
        let result = match result {
            Ok(result) => result,
            Err(error) => return Ok(McpReply::error_object(to_value(error).map_err(internal)?)),
        };
        let value = to_value(&result).map_err(internal)?;
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        *answered = Some((value.clone(), result));
        Ok(McpReply::result(value))
    }

    /// The result for the client: that of the server, unless a hook changed it.
    ///
    /// # Errors
    /// Returns the error of the reply. Also returns an error if rmcp cannot read the reply.
    pub(crate) fn result(&self, reply: McpReply) -> Result<ServerResult, ErrorData> {
        let result = match reply.into_body() {
            Ok(result) => result,
            Err(error) => return Err(from_value(error).map_err(internal)?),
        };
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        match answered {
            Some((value, original)) if value == result => Ok(original),
            _ => from_value(result).map_err(internal),
        }
    }
}

pub(crate) fn internal(error: impl Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
