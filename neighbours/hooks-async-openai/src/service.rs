//! The service.

use std::sync::Arc;
use std::task::{Context, Poll};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use hooks_core::drivers::{ModelCall, ModelOutcome};
use hooks_core::{GovernModel, HookContext, HookFuture, Live};
use reqwest::{Method, Response};
use tower::{Service, ServiceExt};

use crate::denied;
use crate::exchange::{Exchange, HttpFailure};

/// A client's service with hooks around its model calls; see the [crate].
#[derive(Clone, Debug)]
pub struct GovernOpenAi<S> {
    inner: S,
    hooks: Live,
    context: Arc<HookContext>,
}

impl<S> GovernOpenAi<S> {
    pub(crate) fn new(inner: S, hooks: Live, context: Arc<HookContext>) -> Self {
        Self { inner, hooks, context }
    }
}

impl<S> Service<HttpRequestFactory> for GovernOpenAi<S>
where
    S: Service<HttpRequestFactory, Response = Response, Error: Into<OpenAIError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    type Response = Response;
    type Error = OpenAIError;
    type Future = HookFuture<'static, Result<Response, OpenAIError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        // A clone, whose readiness is driven after the call was allowed.
        let Self { inner, hooks, context } = self.clone();
        HookFuture::later(async move {
            let request = factory.build().await?;
            if request.method() == Method::GET && request.body().is_none() {
                return inner.oneshot(factory).await.map_err(Into::into);
            }
            let (exchange, request) = Exchange::read(request, inner)?;
            let governed = GovernModel::new(hooks, exchange.clone());
            match governed.oneshot(ModelCall { context, request }).await {
                Ok(ModelOutcome::Replied(_, reply)) => exchange.answer(&reply),
                Ok(ModelOutcome::Stopped(reason)) => Err(denied(reason)),
                Ok(ModelOutcome::Failed(error, _)) => failure(error),
                Ok(other) => Err(denied(format!("unknown outcome: {other:?}"))),
                Err(error) => Err(denied(error.to_string())),
            }
        })
    }
}

/// The failure as the client would have got it without hooks.
fn failure(error: hooks_core::BoxError) -> Result<Response, OpenAIError> {
    match error.downcast::<HttpFailure>() {
        Ok(failure) => Ok(failure.0.into_response()),
        Err(error) => match error.downcast::<OpenAIError>() {
            Ok(error) => Err(*error),
            Err(error) => Err(OpenAIError::Boxed(error)),
        },
    }
}
