//! Sends traces, logs and metrics to an OpenTelemetry collector, by OTLP over HTTP with JSON.
//!
//! | signal | what it is | conventions |
//! | --- | --- | --- |
//! | traces | a span for each session, child, model call and tool call, from the record of its end | GenAI |
//! | logs | a log record for each record, whose `log.record.uid` is its key | |
//! | metrics | everything of [`Metrics`](crate::metrics::Metrics), cumulative | Squad's names, and ours |
//!
//! Ids are worked out from what a record says, so that a span that is sent twice is the same span: a trace is a
//! session and the sessions below it, a span of a session has an id that its tool calls know as their parent's. Spans
//! and log records that a collector does not take of a request that it took (`partialSuccess`) are counted as refused, and
//! not sent again, as the protocol demands; metrics are sent again with the next interval in any case.
//!
//! An encoder of a few hundred lines, and not the crates of OpenTelemetry: these carry a second pipeline with
//! processors, queues and clocks of its own, where there is one here already that loses nothing.

mod ids;
mod logs;
mod metrics;
mod rejected;
mod sink;
mod traces;
mod value;

pub use self::sink::OtlpSink;

#[cfg(test)]
mod tests;

/// The name and version of what made the data, as every request says them.
const SCOPE: &str = "hooks-audit";
