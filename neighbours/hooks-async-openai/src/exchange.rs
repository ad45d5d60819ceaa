//! One request and its answer, between HTTP and a model call.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use hooks_core::drivers::ModelRequest;
use hooks_core::event::ModelReply;
use hooks_core::{BoxError, HookFuture};
use http::header::{CONTENT_LENGTH, HeaderMap};
use reqwest::{Request, Response, StatusCode};
use serde_json::Value;
use tower::{Service, ServiceExt};

use crate::body::{Api, Body};
use crate::denied;

/// Most bytes of an answer.
const MOST_BYTES: usize = 32 << 20;

/// A model behind HTTP, for the one request that it was made from. It keeps the answer.
#[derive(Clone)]
pub(crate) struct Exchange<S> {
    request: Arc<Request>,
    body: Arc<Body>,
    inner: S,
    answer: Arc<Mutex<Option<Raw>>>,
}

impl<S> Exchange<S> {
    /// Reads the model call of a request.
    ///
    /// # Errors
    /// Returns a denial if the request is no model call that can be governed.
    pub(crate) fn read(request: Request, inner: S) -> Result<(Self, ModelRequest), OpenAIError> {
        let unknown = || format!("`{} {}` is not governed", request.method(), request.url().path());
        let api = Api::from_path(request.url().path()).ok_or_else(|| denied(unknown()))?;
        let bytes = request.body().and_then(reqwest::Body::as_bytes).ok_or_else(|| denied(unknown()))?;
        let (body, call) = Body::read(api, bytes).map_err(denied)?;
        let answer = Arc::default();
        Ok((Self { request: Arc::new(request), body: Arc::new(body), inner, answer }, call))
    }

    /// Returns the answer as the hooks left it.
    ///
    /// # Errors
    /// Returns a denial if a hook changed the answer in a way that cannot be written.
    pub(crate) fn answer(&self, reply: &ModelReply) -> Result<Response, OpenAIError> {
        let raw = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut raw = raw.ok_or_else(|| denied("the model was not called"))?;
        if let Some(changed) = self.body.changed_answer(&raw.body, &reply.response).map_err(denied)? {
            raw.headers.remove(CONTENT_LENGTH);
            raw.body = changed;
        }
        Ok(raw.into_response())
    }
}

impl<S> Service<ModelRequest> for Exchange<S>
where
    S: Service<HttpRequestFactory, Response = Response, Error: Into<OpenAIError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    type Response = ModelReply;
    type Error = BoxError;
    type Future = HookFuture<'static, Result<ModelReply, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ModelRequest) -> Self::Future {
        let Self { request, body, inner, answer } = self.clone();
        HookFuture::later(async move {
            // The bytes that were judged, not those of the client: a key that is there twice is read by each in its own way.
            let sent = body.with_call(&call).map_err(denied)?;
            let factory = HttpRequestFactory::new(move || {
                let again = request.try_clone().map(|mut request| {
                    *request.body_mut() = Some(sent.clone().into());
                    request
                });
                async move { again.ok_or_else(|| denied("the request cannot be sent again")) }
            });
            let raw = Raw::read(inner.oneshot(factory).await.map_err(Into::into)?).await?;
            if !raw.status.is_success() {
                return Err(HttpFailure(raw).into());
            }
            let reply = body.reply(&raw.body)?;
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(raw);
            Ok(reply)
        })
    }
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Raw {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Raw {
    async fn read(mut response: Response) -> Result<Self, BoxError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(OpenAIError::Reqwest)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err(format!("the answer is longer than {MOST_BYTES} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self { status, headers, body })
    }

    pub(crate) fn into_response(self) -> Response {
        let mut response = http::Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response.into()
    }
}

/// An answer with the status of an error.
#[derive(Debug)]
pub(crate) struct HttpFailure(pub(crate) Raw);

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: Value = serde_json::from_slice(&self.0.body).unwrap_or_default();
        let message = body.pointer("/error/message").and_then(Value::as_str).unwrap_or("no message");
        write!(f, "{}: {message}", self.0.status)
    }
}

impl std::error::Error for HttpFailure {}
