//! A loopback server for tests that records its requests. It ends after a given number of answers.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A recorded request.
#[derive(Clone, Debug)]
pub(in crate::sink) struct Got {
    pub(in crate::sink) path: String,
    pub(in crate::sink) headers: HeaderMap,
    pub(in crate::sink) bytes: Bytes,
    pub(in crate::sink) body: serde_json::Value,
}

/// The server.
pub(in crate::sink) struct Recorder {
    port: u16,
    got: Arc<Mutex<Vec<Got>>>,
    serving: JoinHandle<()>,
}

impl Recorder {
    /// Answers with these statuses in turn, each on its own connection; `retry-after` is always seven
    /// seconds.
    pub(in crate::sink) async fn answering(statuses: impl IntoIterator<Item = u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = Arc::new(Mutex::new(Vec::new()));
        let (statuses, all) = (statuses.into_iter().collect::<Vec<_>>(), Arc::clone(&got));
        let serving = tokio::spawn(async move {
            for status in statuses {
                let (stream, _) = listener.accept().await.unwrap();
                let answer = service_fn(|request: http::Request<Incoming>| {
                    let all = Arc::clone(&all);
                    async move {
                        let (parts, body) = request.into_parts();
                        let bytes = body.collect().await?.to_bytes();
                        let body = serde_json::from_slice(&bytes).unwrap();
                        let path = parts.uri.path().to_owned();
                        all.lock().unwrap().push(Got { path, headers: parts.headers, bytes, body });
                        let answer = Response::builder().status(status).header("retry-after", "7");
                        Ok::<_, hyper::Error>(answer.body(Full::<Bytes>::from("{}")).unwrap())
                    }
                });
                let mut server = hyper::server::conn::http1::Builder::new();
                server.keep_alive(false);
                server.serve_connection(TokioIo::new(stream), answer).await.unwrap();
            }
        });
        Self { port, got, serving }
    }

    pub(in crate::sink) fn url(&self, path: &str) -> Uri {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    /// Returns the requests, once everything was answered.
    pub(in crate::sink) async fn requests(&self) -> Vec<Got> {
        while !self.serving.is_finished() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        std::mem::take(&mut self.got.lock().unwrap())
    }
}
