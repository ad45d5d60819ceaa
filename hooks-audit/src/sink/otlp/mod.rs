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
