//! Hooks around the model calls of `async-openai`: a layer for [`Client::with_http_service`](async_openai::Client::with_http_service).
//!
//! Each call of the chat completions or of the responses is a model call for the hooks: `before_model_call` may rewrite or stop it,
//! `after_model_call` may rewrite or withhold the answer, and `error_occurred` reports a failure. Budgets, limits, the audit log
//! and the metrics get the tokens that the answer states.
//!
//! ```
//! use async_openai::{Client, config::OpenAIConfig};
//! use hooks_core::{HookContext, Hooks};
//!
//! let client = Client::with_config(OpenAIConfig::default());
//! let client = hooks_async_openai::governed(client, Hooks::default(), HookContext::new("session-1", "agent"));
//! ```
//!
//! Customised: inside of other layers. Outside of the retries, as here, a call counts once; inside of them, each attempt is a call.
//!
//! ```
//! use async_openai::{Client, config::OpenAIConfig, middleware::ReqwestService, middleware::retry::OpenAIRetryLayer};
//! use hooks_async_openai::GovernOpenAiLayer;
//! use hooks_core::{HookContext, Hooks};
//! use tower::ServiceBuilder;
//!
//! let stack = ServiceBuilder::new()
//!     .layer(GovernOpenAiLayer::new(Hooks::default(), HookContext::new("session-1", "agent")))
//!     .layer(OpenAIRetryLayer::default())
//!     .service(ReqwestService::default());
//! let client = Client::with_config(OpenAIConfig::default()).with_http_service(stack);
//! ```
//!
//! A denial is an [`OpenAIError::ApiError`] with the status 403, the type `hooks`, the code `denied`, and the reason as message. If a
//! hook fails, the call is denied. So are requests that the layer cannot read: streams, because an answer is judged whole, and
//! everything that is neither a model call nor a plain `GET`, such as embeddings, uploads and batches.
//!
//! The layer reads an answer whole, up to 32 MiB, and boxes two futures per call. An answer without `usage` counts as no tokens.

mod body;
mod exchange;
mod layer;
mod service;

pub use self::layer::GovernOpenAiLayer;
pub use self::service::GovernOpenAi;

use std::sync::Arc;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::{ApiError, ApiErrorResponse, OpenAIError};
use async_openai::middleware::ReqwestService;
use async_openai::middleware::retry::OpenAIRetryLayer;
use hooks_core::{HookContext, Live};
use reqwest::StatusCode;
use tower::ServiceBuilder;

/// Governs the model calls of a client, with the library's retries and a `reqwest` client of its own inside. It replaces a service
/// that the client was given.
pub fn governed<C: Config>(
    client: Client<C>,
    hooks: impl Into<Live>,
    context: impl Into<Arc<HookContext>>,
) -> Client<C> {
    let layers = ServiceBuilder::new()
        .layer(GovernOpenAiLayer::new(hooks, context))
        .layer(OpenAIRetryLayer::default());
    client.with_http_service(layers.service(ReqwestService::default()))
}

/// A denial, in the form of the library.
fn denied(reason: impl Into<String>) -> OpenAIError {
    let (kind, code) = (Some("hooks".to_owned()), Some("denied".to_owned()));
    let api_error = ApiError { message: reason.into(), r#type: kind, code, ..ApiError::default() };
    OpenAIError::ApiError(ApiErrorResponse { status_code: StatusCode::FORBIDDEN, api_error })
}
