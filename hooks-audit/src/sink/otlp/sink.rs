//! A sink for an OpenTelemetry collector.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hooks_core::HookFuture;
use hooks_core::time::{Clock, Tick, Timestamp};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method, Request, Uri};
use serde_json::Value;

use super::ids::Roots;
use super::rejected::Rejected;
use super::value::request;
use super::{guardrails, logs, traces};
use crate::read::Committed;
use crate::sink::config::{OtlpConfig, Signal};
use crate::sink::http::{SendHttp, meaning, unanswered};
use crate::sink::{MetricsSource, Sink, SinkError};

/// Sends to a collector; see the [module](super).
///
/// A batch is one request for each signal. If the second one fails, both are sent again, and the collector
/// gets the same ids twice. Items that the collector rejects count as refused and are not sent again. Metrics
/// are sent in the pauses between batches, no more often than the interval; an error there does not repeat a
/// batch.
pub struct OtlpSink<C> {
    client: C,
    config: OtlpConfig,
    headers: HeaderMap,
    metrics: Option<Arc<dyn MetricsSource>>,
    clock: Arc<dyn Clock>,
    since: Timestamp,
    sent: Mutex<Option<Tick>>,
    roots: Roots,
}

impl<C: SendHttp> OtlpSink<C> {
    /// Creates a sink for the collector of `config`.
    pub fn new(client: C, config: OtlpConfig, clock: Arc<dyn Clock>) -> Self {
        let since = clock.now();
        let (headers, roots) = (HeaderMap::new(), Roots::default());
        Self { client, config, headers, metrics: None, clock, since, sent: Mutex::new(None), roots }
    }

    /// Adds these headers to each request.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Sends these metrics as well.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<dyn MetricsSource>) -> Self {
        self.metrics = Some(metrics);
        self
    }

    /// Sends a request; returns the spans or log records that the collector rejected.
    async fn send(&self, path: &str, body: &Value) -> Result<Rejected, SinkError> {
        let endpoint = self.config.endpoint.trim_end_matches('/');
        let url: Uri = format!("{endpoint}/v1/{path}")
            .parse()
            .map_err(|error| SinkError::again(format!("`{endpoint}` is not an address: {error}")))?;
        let mut request = Request::new(Bytes::from(body.to_string()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url;
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let answer = self.client.send(request).await;
        let answer = answer.map_err(|error| unanswered(&*error))?;
        meaning(&answer).map(|()| Rejected::parse(answer.body()))
    }

    fn sends(&self, signal: Signal) -> bool {
        self.config.signals.contains(&signal)
    }

    /// Whether the interval for metrics is over.
    fn is_due(&self, interval: Duration) -> bool {
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.is_none_or(|sent| self.clock.tick().since(sent) >= interval)
    }

    async fn send_metrics(&self) -> Result<(), SinkError> {
        let Some(counted) = self.metrics.as_ref().filter(|_| self.sends(Signal::Metrics)) else {
            return Ok(());
        };
        if !self.is_due(self.config.interval) {
            return Ok(());
        }
        let items = counted.otlp(self.since, self.clock.now());
        if !items.is_empty() {
            self.send("metrics", &request(&self.config.service, "Metrics", "metrics", items)).await?;
        }
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.clock.tick());
        Ok(())
    }
}

impl<C> OtlpSink<C> {
    fn spans(&self, record: &Committed) -> impl Iterator<Item = Value> {
        guardrails::span(record, &self.roots).into_iter().chain(traces::span(record, &self.roots))
    }
}

impl<C: SendHttp> Sink for OtlpSink<C> {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        HookFuture::later(async move {
            let service = &self.config.service;
            let traces: Vec<_> = match self.sends(Signal::Traces) {
                true => records.iter().flat_map(|record| self.spans(record)).collect(),
                false => Vec::new(),
            };
            let mut rejected = Rejected::default();
            if !traces.is_empty() {
                rejected = self.send("traces", &request(service, "Spans", "spans", traces)).await?;
            }
            if self.sends(Signal::Logs) {
                let logs = records.iter().map(|record| logs::log_record(record, &self.roots)).collect();
                let of_logs = self.send("logs", &request(service, "Logs", "logRecords", logs)).await?;
                rejected = rejected.and(of_logs);
            }
            rejected.into_result()
        })
    }

    fn idle(&self) -> HookFuture<'_, Result<(), SinkError>> {
        HookFuture::later(self.send_metrics())
    }
}

impl<C> fmt::Debug for OtlpSink<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtlpSink").field("config", &self.config).finish_non_exhaustive()
    }
}
