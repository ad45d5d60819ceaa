//! Sends traces, logs and metrics to an OpenTelemetry collector, with OTLP over HTTP in JSON.
//!
//! | signal | content | conventions |
//! | --- | --- | --- |
//! | traces | a span for each session, child, model call and tool call, from the record of its end | GenAI |
//! | logs | a log record for each record, whose `log.record.uid` is its key | |
//! | metrics | all of a [`MetricsSource`](crate::sink::MetricsSource), cumulative | Squad's names, and those of `hooks` |
//!
//! Ids are derived from the content of a record, so that a span sent twice is the same span. A trace is a
//! session and the sessions below it; the span of a session has an id that its tool calls use as their
//! parent's. A collector may accept a request without some spans and log records (`partialSuccess`). These
//! are counted as refused and not sent again, as the protocol demands; metrics are sent again at the next
//! interval in any case.
//!
//! A small encoder is used here instead of the crates of OpenTelemetry. Those bring a second pipeline with
//! processors, queues and clocks, while the pipeline here loses nothing.
//!
//! A tool call becomes a span and a log record, and metrics follow in a pause. The client is any tower service
//! of requests; here it only notes their paths:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use bytes::Bytes;
//! use hooks_audit::sink::otlp::OtlpSink;
//! use hooks_audit::sink::{OtlpConfig, Sink};
//! use hooks_audit::{Committed, Kept, Record};
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use http::{Request, Response};
//! use tower::service_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let paths = Arc::new(Mutex::new(Vec::new()));
//! let seen = Arc::clone(&paths);
//! let client = service_fn(move |request: Request<Bytes>| {
//!     seen.lock().expect("no thread panics").push(request.uri().path().to_owned());
//!     async { Ok::<_, std::convert::Infallible>(Response::new(Bytes::new())) }
//! });
//! let config = OtlpConfig::new("http://localhost:4318");
//! let counted = |_since: Timestamp, _now: Timestamp| vec![serde_json::json!({"name": "hooks.denials"})];
//! let sink = OtlpSink::new(client, config, Arc::new(StoppedClock::default())).with_metrics(Arc::new(counted));
//!
//! let mut record = Record::new("post_tool_use", Timestamp(1));
//! record.session = "session-1".to_owned();
//! let record = Committed { chain: "w0".into(), log: "4f1c".into(), record, payload: Kept::Nothing };
//! sink.deliver(&[record]).await?;
//! sink.idle().await?;
//! assert_eq!(*paths.lock().expect("no thread panics"), ["/v1/traces", "/v1/logs", "/v1/metrics"]);
//! # Ok(())
//! # }
//! ```
//!
//! Customised: only traces, under the name of the service, with the header that the collector wants:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use bytes::Bytes;
//! use hooks_audit::sink::otlp::OtlpSink;
//! use hooks_audit::sink::{OtlpConfig, Signal, Sink};
//! use hooks_audit::{Committed, Kept, Record};
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
//! use http::{Request, Response};
//! use tower::service_fn;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let requests = Arc::new(Mutex::new(Vec::new()));
//! let seen = Arc::clone(&requests);
//! let client = service_fn(move |request: Request<Bytes>| {
//!     seen.lock().expect("no thread panics").push(request);
//!     async { Ok::<_, std::convert::Infallible>(Response::new(Bytes::new())) }
//! });
//! let mut config = OtlpConfig::new("http://localhost:4318");
//! config.service = "billing".to_owned();
//! config.signals = vec![Signal::Traces];
//! let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer example"))]);
//! let sink = OtlpSink::new(client, config, Arc::new(StoppedClock::default())).with_headers(headers);
//!
//! let mut record = Record::new("post_tool_use", Timestamp(1));
//! record.session = "session-1".to_owned();
//! sink.deliver(&[Committed { chain: "w0".into(), log: "4f1c".into(), record, payload: Kept::Nothing }]).await?;
//! let requests = requests.lock().expect("no thread panics");
//! let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
//! assert_eq!(request.uri().path(), "/v1/traces");
//! assert_eq!(request.headers()[AUTHORIZATION], "Bearer example");
//! assert!(String::from_utf8_lossy(request.body()).contains("billing"));
//! # Ok(())
//! # }
//! ```

mod guardrails;
mod ids;
mod logs;
mod rejected;
mod sink;
mod traces;
mod value;

pub use self::sink::OtlpSink;

#[cfg(test)]
mod tests;

/// Name of the instrumentation scope, which every request states with its version.
const SCOPE: &str = "hooks-audit";
