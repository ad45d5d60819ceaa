//! Streams that break, stall, or turn into errors.

use hooks_resilience::ErrorKind;
use hooks_resilience::stream::collect;
use serde_json::{Value, json};

use crate::rig::{Rig, call};
use crate::server::{Fault, ProviderReply};

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("message"))
}

/// The events of an Anthropic answer, one for each word, and the event that ends it.
fn words(text: &str) -> Vec<String> {
    let mut events =
        vec![event(&json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10 } } }))];
    for word in text.split_inclusive(' ') {
        events.push(event(&json!({ "type": "content_block_delta", "index": 0, "delta": { "text": word } })));
    }
    events.push(event(&json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } })));
    events
}

/// The events of an OpenAI answer, one for each word.
fn deltas(text: &str) -> Vec<String> {
    let delta = |delta: Value, reason: Value| {
        format!("data: {}\n\n", json!({ "choices": [{ "delta": delta, "finish_reason": reason }] }))
    };
    let mut events: Vec<_> =
        text.split_inclusive(' ').map(|word| delta(json!({ "content": word }), Value::Null)).collect();
    events.push(delta(json!({}), json!("stop")));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

const ALL: &str = "The quick brown fox jumps";

#[tokio::test]
async fn a_stream_that_breaks_is_gone_on_with_by_another_provider() {
    let events = words(ALL);
    let bytes: usize = events[..4].iter().map(String::len).sum();
    for fault in [Fault::Cut(bytes), Fault::CutHard(bytes), Fault::Stall(bytes), Fault::Cut(bytes + 30)] {
        // Both continue the earlier text, one of them by repeating it.
        for rest in ["fox jumps", ALL] {
            let broken = ProviderReply::events(events.clone()).failing(fault);
            let refuses = ProviderReply::new(529, "{}");
            let rig = Rig::new([broken, refuses], [ProviderReply::events(deltas(rest))]).await;
            let reply = rig.stream(call()).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            assert_eq!(reply.response.content, ALL, "{fault:?}");
            let calls = rig.b.requests();
            assert_eq!(calls[0]["messages"][1], json!({ "role": "assistant", "content": "The quick brown" }));
        }
    }
}

#[tokio::test]
async fn wherever_it_is_cut_nothing_is_doubled() {
    let events = words(ALL);
    let length: usize = events.iter().map(String::len).sum();
    for bytes in (0..length).step_by(23) {
        let broken = ProviderReply::events(events.clone()).failing(Fault::Cut(bytes));
        let rig =
            Rig::new([broken, ProviderReply::events(words(ALL))], [ProviderReply::events(deltas(ALL))]).await;
        let reply = rig.stream(call()).await.unwrap_or_else(|error| panic!("cut at {bytes}: {error}"));
        assert_eq!(reply.response.content, ALL, "cut at {bytes}");
    }
}

#[tokio::test]
async fn an_error_event_after_a_success_counts_as_one() {
    for (error, kind) in [
        (
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "m" } }),
            ErrorKind::Overloaded,
        ),
        (json!({ "error": { "message": "m", "type": "server_error" } }), ErrorKind::Server),
        (json!({ "error": { "code": 503, "message": "m", "status": "UNAVAILABLE" } }), ErrorKind::Overloaded),
        (json!({ "throttlingException": { "message": "m" } }), ErrorKind::RateLimited),
    ] {
        let rig =
            Rig::new([ProviderReply::events([event(&error)])], [ProviderReply::events(deltas("from b"))])
                .await;
        let replied = rig.begin_stream(call()).await.unwrap();
        assert_eq!(replied.failed.first().map(|failed| failed.kind), Some(kind), "{error}");
        assert_eq!(collect(replied.reply).await.unwrap().response.content, "from b", "{error}");
    }
}

#[tokio::test]
async fn a_provider_that_always_breaks_is_left_for_another() {
    let mut events = words("The quick ");
    events.pop();
    events.push(event(&json!({ "type": "error", "error": { "type": "api_error", "message": "m" } })));
    let rig = Rig::new([ProviderReply::events(events)], [ProviderReply::events(deltas(ALL))]).await;
    let error = rig.stream(call()).await;
    assert_eq!(error.unwrap().response.content, ALL);
    assert_eq!((rig.a.requests().len(), rig.b.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_wait_that_is_told_midway_is_no_reason_to_wait_for_it() {
    let mut events = words("The quick ");
    events.pop();
    let limited = json!({ "message": "try again in 50s", "type": "requests", "code": "rate_limit_exceeded" });
    events.push(event(&json!({ "error": limited })));
    let rig = Rig::new([ProviderReply::events(events)], [ProviderReply::events(deltas(ALL))]).await;
    for requests in 1..3 {
        assert_eq!(rig.stream(call()).await.unwrap().response.content, ALL);
        assert_eq!((rig.a.requests().len(), rig.b.requests().len()), (1, requests));
    }
}

#[tokio::test]
async fn a_refusal_in_a_stream_is_final() {
    let mut events = words("I would rather ");
    events.pop();
    events.push(event(&json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" } })));
    let rig = Rig::new([ProviderReply::events(events)], [ProviderReply::events(deltas("from b"))]).await;
    let error = rig.stream(call()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContentFilter);
    assert_eq!(error.received().unwrap().0.content, "I would rather ");
    assert!(rig.b.requests().is_empty());
}

#[tokio::test]
async fn a_tool_call_is_never_doubled() {
    let tool = [
        event(&json!({ "type": "content_block_start", "index": 1, "content_block": { "name": "rm" } })),
        event(
            &json!({ "type": "content_block_delta", "index": 1, "delta": { "partial_json": "{\"path\":\"x\"}" } }),
        ),
        event(&json!({ "type": "content_block_stop", "index": 1 })),
    ];
    let cut = |bytes| ProviderReply::events(tool.clone()).failing(Fault::Cut(bytes));
    let rig = Rig::new([cut(usize::MAX)], [ProviderReply::events(deltas("from b"))]).await;
    let error = rig.stream(call()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamBroken);
    assert_eq!(error.received().unwrap().0.content[0]["name"], "rm");
    assert_eq!((rig.a.requests().len(), rig.b.requests().len()), (1, 0));
    // A tool call that broke off was never released, so the call may be made again.
    let half = tool[0].len() + tool[1].len() / 2;
    let rig =
        Rig::new([cut(half), ProviderReply::events(words("never mind"))], [ProviderReply::new(500, "")])
            .await;
    assert_eq!(rig.stream(call()).await.unwrap().response.content, "never mind");
}

#[tokio::test]
async fn what_broken_parts_took_is_charged() {
    let events = words(ALL);
    let bytes: usize = events[..4].iter().map(String::len).sum();
    let broken = ProviderReply::events(events).failing(Fault::Cut(bytes));
    let rig = Rig::new([broken, ProviderReply::events(words("fox jumps"))], []).await;
    let reply = rig.stream(call()).await.unwrap();
    // "The quick brown " is estimated at six tokens; both parts read ten.
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (20, 6));
}
