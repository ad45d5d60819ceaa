//! HTTP without TLS, for collectors and proxies on this machine or in its network.

use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;
use hooks_core::{BoxError, HookFuture};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower_service::Service;

/// Limit on an answer in bytes; a longer one is an error, because sinks only need short answers.
const LONGEST_ANSWER: usize = 1 << 20;

/// An HTTP client without TLS that reuses its connections. Needs a tokio runtime. Clones share them.
#[derive(Clone)]
pub struct PlainHttp {
    client: Client<HttpConnector, Full<Bytes>>,
}

impl PlainHttp {
    /// Creates a client without a connection.
    pub fn new() -> Self {
        Self { client: Client::builder(TokioExecutor::new()).build_http() }
    }
}

impl Default for PlainHttp {
    fn default() -> Self {
        Self::new()
    }
}

impl Service<Request<Bytes>> for PlainHttp {
    type Response = Response<Bytes>;
    type Error = BoxError;
    type Future = HookFuture<'static, Result<Response<Bytes>, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let answer = self.client.request(request.map(Full::new));
        HookFuture::later(async move {
            let (parts, body) = answer.await?.into_parts();
            let body = Limited::new(body, LONGEST_ANSWER).collect().await?.to_bytes();
            Ok(Response::from_parts(parts, body))
        })
    }
}

impl fmt::Debug for PlainHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainHttp")
    }
}
