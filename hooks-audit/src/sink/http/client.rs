//! Clients of HTTP: without TLS for collectors and proxies on this machine or in its network, and with TLS for others.

use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;
use hooks_core::{BoxError, HookFuture};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use tower_service::Service;

/// Limit on an answer in bytes; a longer one is an error, because sinks only need short answers.
const LONGEST_ANSWER: usize = 1 << 20;

/// An HTTP client without TLS.
pub type PlainHttp = HttpClient<HttpConnector>;

/// An HTTP client with TLS, which opens `https://` only.
#[cfg(feature = "tls")]
pub type TlsHttp = HttpClient<hyper_rustls::HttpsConnector<HttpConnector>>;

/// An HTTP client that reuses its connections. Needs a tokio runtime. Clones share them.
#[derive(Clone)]
pub struct HttpClient<C> {
    client: Client<C, Full<Bytes>>,
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

#[cfg(feature = "tls")]
impl TlsHttp {
    /// Creates a client without a connection, which trusts the certificates that this system trusts, or those in the file that
    /// `SSL_CERT_FILE` names. It reads them once.
    ///
    /// # Errors
    /// Returns an error if there is no certificate that can be read.
    pub fn new() -> std::io::Result<Self> {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(provider)?
            .https_only()
            .enable_http1()
            .build();
        Ok(Self { client: Client::builder(TokioExecutor::new()).build(connector) })
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> Service<Request<Bytes>> for HttpClient<C> {
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

impl<C> fmt::Debug for HttpClient<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient")
    }
}
