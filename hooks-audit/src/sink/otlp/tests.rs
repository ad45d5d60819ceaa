use std::sync::Arc;
use std::time::Duration;

use hooks_core::Strength;
use hooks_core::event::Usage;
use hooks_core::testing::FakeClock;
use hooks_core::time::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::read::{Committed, Kept};
use crate::record::{Payload, Record};
use crate::sink::http::PlainHttp;
use crate::sink::http::recorder::Recorder;
use crate::sink::{OtlpConfig, Sink, SinkError};

fn committed(seq: u64, event: &str, at: u64, change: impl FnOnce(&mut Record)) -> Committed {
    let mut record = Record::new(event, Timestamp(at));
    (record.seq, record.session, record.agent) = (seq, "s".to_owned(), "backend".to_owned());
    (record.tenant, record.repo) = (Some("acme".to_owned()), Some("acme/app".to_owned()));
    change(&mut record);
    Committed {
        chain: "w0".into(),
        log: "l".into(),
        record,
        payload: Kept::Payload(Box::new(Payload::new("kept".into()))),
    }
}

fn session() -> Vec<Committed> {
    vec![
        committed(1, "pre_tool_use", 1_000, |record| {
            record.tool = Some("bash".to_owned());
            record.outcome = Some(Strength::Deny);
            (record.policy, record.rule) = (Some("guard".to_owned()), Some("no-shell".to_owned()));
        }),
        committed(2, "post_tool_use", 2_000, |record| {
            (record.tool, record.call) = (Some("edit".to_owned()), Some("call-1".to_owned()));
            (record.duration_ms, record.failed) = (Some(250), true);
        }),
        committed(3, "after_model_call", 3_000, |record| {
            record.model = Some("opus".to_owned());
            record.tokens =
                Some(Usage { input_tokens: 7, output_tokens: 2, cached_tokens: 5, reasoning_tokens: 0 });
            record.cost_micro_usd = Some(1_500);
        }),
        committed(4, "session_end", 4_000, |record| {
            record.session = "child".to_owned();
            record.parent = Some("s".to_owned());
            record.duration_ms = Some(900);
        }),
        committed(5, "session_end", 5_000, |record| record.duration_ms = Some(4_500)),
    ]
}

/// Attributes of an item, by name.
fn attributes(of: &Value) -> std::collections::BTreeMap<String, Value> {
    let all = of["attributes"].as_array().unwrap().iter();
    all.map(|one| {
        let (_, value) = one["value"].as_object().unwrap().iter().next().unwrap();
        (one["key"].as_str().unwrap().to_owned(), value.clone())
    })
    .collect()
}

#[tokio::test]
async fn a_collector_gets_traces_and_logs_that_fit_together() {
    let collector = Recorder::answering([200, 200, 200, 200]).await;
    let endpoint = collector.url("/").to_string();
    let clock = Arc::new(FakeClock::default());
    let sink = OtlpSink::new(PlainHttp::new(), OtlpConfig::new(endpoint), clock);
    let records = session();
    sink.deliver(&records).await.unwrap();
    sink.deliver(&records).await.unwrap();
    let got = collector.requests().await;
    assert_eq!(
        got.iter().map(|one| &*one.path).collect::<Vec<_>>(),
        ["/v1/traces", "/v1/logs", "/v1/traces", "/v1/logs"]
    );
    // Spans that are sent twice are the same.
    assert_eq!(got[0].bytes, got[2].bytes);
    assert!(got.iter().all(|one| one.headers["content-type"] == "application/json"));

    let resource = &got[0].body["resourceSpans"][0];
    assert_eq!(attributes(&resource["resource"])["service.name"], "hooks");
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap();
    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let wanted = ["execute_tool edit", "chat opus", "invoke_agent backend", "invoke_agent backend"];
    assert_eq!((names[0], &names[1..]), ("run_guardrail guard", &wanted[..]));
    let [guardrail, tool, chat, child, root] = &spans[..] else { panic!("five spans") };
    for span in spans {
        assert_eq!(span["traceId"], root["traceId"]);
        let is_hex = |id: &Value, length| {
            id.as_str().is_some_and(|id| id.len() == length && id.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        assert!(is_hex(&span["traceId"], 32) && is_hex(&span["spanId"], 16), "{span}");
    }
    assert!(root.get("parentSpanId").is_none());
    assert!([guardrail, tool, chat, child].iter().all(|span| span["parentSpanId"] == root["spanId"]));
    assert_eq!(
        (&tool["startTimeUnixNano"], &tool["endTimeUnixNano"]),
        (&json!("1750000000"), &json!("2000000000"))
    );
    assert_eq!((&tool["kind"], &chat["kind"], &tool["status"]["code"]), (&json!(1), &json!(3), &json!(2)));
    let of_guardrail = attributes(guardrail);
    for (name, value) in [
        ("gen_ai.operation.name", "run_guardrail"),
        ("gen_ai.security.guardrail.name", "guard"),
        ("gen_ai.security.policy.rule.id", "no-shell"),
        ("gen_ai.security.verdict.type", "deny"),
        ("gen_ai.security.target.type", "tool_call"),
        ("gen_ai.tool.name", "bash"),
    ] {
        assert_eq!(of_guardrail[name], value, "{name}");
    }
    let of_chat = attributes(chat);
    assert_eq!(
        (&of_chat["gen_ai.operation.name"], &of_chat["gen_ai.usage.input_tokens"]),
        (&json!("chat"), &json!("7"))
    );
    assert_eq!(attributes(tool)["gen_ai.tool.call.id"], "call-1");

    let logs = got[1].body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    assert_eq!(logs.len(), 5);
    assert_eq!((&logs[0]["severityText"], &logs[1]["severityText"]), (&json!("WARN"), &json!("ERROR")));
    let denied = attributes(&logs[0]);
    assert_eq!((&denied["hooks.rule"], &denied["log.record.uid"]), (&json!("no-shell"), &json!("l:w0:1")));
    assert_eq!((&logs[0]["traceId"], &logs[0]["spanId"]), (&root["traceId"], &root["spanId"]));
}

/// A metric that shows the times it was asked with.
fn two_times(since: Timestamp, now: Timestamp) -> Vec<Value> {
    vec![json!({"name": "times", "since": since.0, "now": now.0})]
}

#[tokio::test]
async fn a_batch_is_settled_whatever_becomes_of_the_metrics() {
    let collector = Recorder::answering([200, 200, 500]).await;
    let config = OtlpConfig::new(collector.url("").to_string());
    let sink = OtlpSink::new(PlainHttp::new(), config, Arc::new(FakeClock::default()));
    let sink = sink.with_metrics(Arc::new(two_times));
    sink.deliver(&session()).await.unwrap();
    assert!(matches!(sink.idle().await, Err(SinkError::Again { .. })));
    let got = collector.requests().await;
    assert_eq!(
        got.iter().map(|one| &*one.path).collect::<Vec<_>>(),
        ["/v1/traces", "/v1/logs", "/v1/metrics"]
    );
}

#[tokio::test]
async fn metrics_are_sent_in_the_pauses_no_more_often_than_the_interval() {
    let collector = Recorder::answering([200, 200]).await;
    let clock = Arc::new(FakeClock::at(Timestamp(1_000)));
    let config = OtlpConfig::new(collector.url("").to_string());
    let sink = OtlpSink::new(PlainHttp::new(), config, clock.clone()).with_metrics(Arc::new(two_times));
    for _ in 0..3 {
        sink.idle().await.unwrap();
    }
    clock.advance(Duration::from_secs(15));
    sink.idle().await.unwrap();
    let got = collector.requests().await;
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].path, "/v1/metrics");
    let times = |number: usize| {
        let metric = &got[number].body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0];
        (metric["since"].as_u64(), metric["now"].as_u64())
    };
    assert_eq!(times(0), (Some(1_000), Some(1_000)));
    assert_eq!(times(1), (Some(1_000), Some(16_000)));
}

#[tokio::test]
async fn a_collector_that_is_overloaded_is_asked_again() {
    let collector = Recorder::answering([429, 400]).await;
    let config = OtlpConfig::new(collector.url("").to_string());
    let sink = OtlpSink::new(PlainHttp::new(), config, Arc::new(FakeClock::default()));
    let records = session();
    let again = sink.deliver(&records).await.unwrap_err();
    assert!(matches!(again, SinkError::Again { after: Some(after), .. } if after == Duration::from_secs(7)));
    assert!(matches!(sink.deliver(&records).await, Err(SinkError::Refused { .. })));
    assert_eq!(collector.requests().await.len(), 2);
    assert!(matches!(sink.deliver(&records).await, Err(SinkError::Again { .. })));
}
