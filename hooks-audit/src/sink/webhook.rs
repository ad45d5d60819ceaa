//! Sends records to an HTTP server.
//!
//! A batch is one POST of `{"records": [{"key": .., "record": {..}}]}`. `Idempotency-Key` is the same
//! whenever the same records are sent; with a secret, `X-Hooks-Signature` is `sha256=` and the HMAC-SHA256 of
//! the body in hex.
//!
//! The client is any tower service of requests. Here it is one in memory:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use bytes::Bytes;
//! use hooks_audit::sink::Sink;
//! use hooks_audit::sink::webhook::WebhookSink;
//! use hooks_audit::{Committed, Kept, Record};
//! use hooks_core::time::Timestamp;
//! use http::{Request, Response, Uri};
//! use tower::service_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sent = Arc::new(Mutex::new(Vec::new()));
//! let requests = Arc::clone(&sent);
//! let client = service_fn(move |request: Request<Bytes>| {
//!     requests.lock().expect("no thread panics").push(request);
//!     async { Ok::<_, std::convert::Infallible>(Response::new(Bytes::new())) }
//! });
//! let sink = WebhookSink::new(client, Uri::from_static("http://localhost/hook")).signed_by("secret");
//! let record = Record::new("stop", Timestamp(0));
//! let record = Committed { chain: "w0".into(), log: "4f1c".into(), record, payload: Kept::Nothing };
//! sink.deliver(&[record]).await?;
//!
//! let request = sent.lock().expect("no thread panics").remove(0);
//! assert!(request.headers()["x-hooks-signature"].to_str()?.starts_with("sha256="));
//! let body: serde_json::Value = serde_json::from_slice(request.body())?;
//! assert_eq!(body["records"][0]["key"], "4f1c:w0:0");
//! # Ok(())
//! # }
//! ```

use std::fmt;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use hooks_core::HookFuture;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method, Request, Uri};
use serde::Serialize;
use sha2::Sha256;

use super::http::{SendHttp, meaning, unanswered};
use super::wire::Sent;
use super::{Sink, SinkError};
use crate::chain::Digest;
use crate::read::Committed;

/// Sends records to an HTTP server; see the [module](self).
pub struct WebhookSink<C> {
    client: C,
    url: Uri,
    headers: HeaderMap,
    secret: Option<Vec<u8>>,
}

#[derive(Serialize)]
struct Body<'a> {
    records: Vec<Sent<'a>>,
}

impl<C: SendHttp> WebhookSink<C> {
    /// Creates a sink for the server at `url`.
    pub fn new(client: C, url: Uri) -> Self {
        Self { client, url, headers: HeaderMap::new(), secret: None }
    }

    /// Adds these headers to each request.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Signs each body with `secret`.
    #[must_use]
    pub fn signed_by(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    fn request(&self, records: &[Committed]) -> Result<Request<Bytes>, SinkError> {
        let body = Body { records: records.iter().map(Sent::new).collect() };
        let body = serde_json::to_vec(&body).map_err(|error| SinkError::refused(error.to_string()))?;
        let keys: String = records.iter().map(|record| format!("{}\0", record.key())).collect();
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.url.clone();
        let headers = request.headers_mut();
        headers.extend(self.headers.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        insert(headers, "idempotency-key", Digest::hash(&[keys.as_bytes()]).to_string());
        if let Some(secret) = &self.secret {
            let mac = Hmac::<Sha256>::new_from_slice(secret);
            let mac = mac.map_err(|error| SinkError::again(error.to_string()))?.chain_update(&body);
            let signature = Digest(mac.finalize().into_bytes().into());
            insert(headers, "x-hooks-signature", format!("sha256={signature}"));
        }
        *request.body_mut() = body.into();
        Ok(request)
    }
}

impl<C: SendHttp> Sink for WebhookSink<C> {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        match self.request(records) {
            Err(error) => HookFuture::now(Err(error)),
            Ok(request) => HookFuture::later(async {
                let answer = self.client.send(request).await;
                meaning(&answer.map_err(|error| unanswered(&*error))?)
            }),
        }
    }
}

impl<C> fmt::Debug for WebhookSink<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSink").field("url", &self.url).finish_non_exhaustive()
    }
}

fn insert(headers: &mut HeaderMap, name: &'static str, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use sha2::Digest as _;

    use super::super::http::PlainHttp;
    use super::super::http::recorder::Recorder;
    use super::super::tests::records;
    use super::*;

    #[tokio::test]
    async fn records_arrive_with_their_keys_and_signed() {
        let server = Recorder::answering([200, 200]).await;
        let sink = WebhookSink::new(PlainHttp::new(), server.url("/hook")).signed_by("secret");
        let records = records(&["a", "b"]);
        for _ in 0..2 {
            sink.deliver(&records).await.unwrap();
        }
        let got = server.requests().await;
        let [first, second] = &got[..] else { panic!("two requests") };
        assert_eq!(first.headers["idempotency-key"], second.headers["idempotency-key"]);
        assert_eq!(first.body["records"][1]["key"], "l:w0:2");
        assert_eq!(first.body["records"][1]["record"]["tenant"], "b");
        assert!(first.headers["x-hooks-signature"].to_str().unwrap().starts_with("sha256="));
        // Computed independently: HMAC is H(o || H(i || m)), RFC 2104.
        let (mut inner, mut outer) = ([0x36u8; 64], [0x5cu8; 64]);
        for (at, byte) in b"secret".iter().enumerate() {
            inner[at] ^= byte;
            outer[at] ^= byte;
        }
        let within = Sha256::new().chain_update(inner).chain_update(&first.bytes).finalize();
        let whole = Digest(Sha256::new().chain_update(outer).chain_update(within).finalize().into());
        assert_eq!(first.headers["x-hooks-signature"], format!("sha256={whole}"));
    }

    #[tokio::test]
    async fn what_a_server_says_is_heard() {
        let server = Recorder::answering([503, 404, 422]).await;
        let sink = WebhookSink::new(PlainHttp::new(), server.url("/"));
        let records = records(&["a"]);
        let after = Some(std::time::Duration::from_secs(7));
        assert!(
            matches!(sink.deliver(&records).await, Err(SinkError::Again { after: told, .. }) if told == after)
        );
        assert!(matches!(sink.deliver(&records).await, Err(SinkError::Again { .. })));
        assert!(matches!(sink.deliver(&records).await, Err(SinkError::Refused { .. })));
        // The server has ended.
        assert_eq!(server.requests().await.len(), 3);
        assert!(matches!(sink.deliver(&records).await, Err(SinkError::Again { .. })));
    }
}
