//! Every vendor's errors over HTTP: their classification, and the model that answers in the end.

use std::time::Duration;

use hooks_resilience::ErrorKind::{self, *};

use crate::rig::{Rig, anthropic, call, openai};
use crate::server::ProviderReply;

fn error(status: u16, of_type: &str, message: &str) -> ProviderReply {
    let body = format!(r#"{{"type":"error","error":{{"type":"{of_type}","message":"{message}"}}}}"#);
    ProviderReply::new(status, body)
}

/// Errors after which another provider answers.
#[tokio::test]
async fn another_provider_answers() {
    let rows: Vec<(ProviderReply, ErrorKind)> = vec![
        (error(429, "rate_limit_error", "slow down").with("Retry-After", "600"), RateLimited),
        (
            error(429, "rate_limit_error", "slow down").with("retry-after", "Sun, 29 Nov 2026 01:00:00 GMT"),
            RateLimited,
        ),
        (error(429, "rate_limit_error", "you reached your monthly spend limit"), QuotaExhausted),
        (error(402, "billing_error", "pay"), QuotaExhausted),
        (error(529, "overloaded_error", "Overloaded"), Overloaded),
        (error(500, "api_error", "oops"), Server),
        (error(504, "timeout_error", "late"), AttemptTimeout),
        (error(401, "authentication_error", "invalid x-api-key"), Authentication),
        (error(403, "permission_error", "no"), Permission),
        (error(404, "not_found_error", "model: first"), ModelUnavailable),
        (error(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), ContextOverflow),
        (
            ProviderReply::new(
                429,
                r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            ),
            QuotaExhausted,
        ),
        (
            ProviderReply::new(503, r#"{"error":{"message":"m","type":"server_error","code":"slow_down"}}"#),
            Overloaded,
        ),
        (
            ProviderReply::new(
                429,
                r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"170s"}]}}"#,
            ),
            RateLimited,
        ),
        (
            ProviderReply::new(429, r#"{"message":"Too many requests"}"#)
                .with("x-amzn-errortype", "ThrottlingException")
                .with("retry-after", "99"),
            RateLimited,
        ),
        (
            ProviderReply::new(429, r#"{"message":"loading"}"#)
                .with("x-amzn-errortype", "ModelNotReadyException"),
            Overloaded,
        ),
        (
            ProviderReply::new(429, r#"{"error":{"code":"429","message":"Please retry after 77 seconds."}}"#),
            RateLimited,
        ),
        (ProviderReply::new(502, "<html>bad gateway</html>"), Server),
        (
            ProviderReply::new(200, r#"{"error":{"message":"Provider returned error","code":503}}"#),
            Overloaded,
        ),
    ];
    for (answer, kind) in rows {
        let rig = Rig::new([answer.clone()], [openai("from b")]).await;
        let replied = rig.ask(call()).await.unwrap_or_else(|error| panic!("{answer:?}: {error}"));
        assert_eq!(replied.reply.response.content, "from b", "{answer:?}");
        assert_eq!(replied.model.as_ref().map(|model| &*model.name), Some("second"));
        assert_eq!(replied.failed.first().map(|failed| failed.kind), Some(kind), "{answer:?}");
    }
}

/// Errors that are mistakes of the caller, and errors that must not be passed to another provider.
#[tokio::test]
async fn nobody_else_is_asked() {
    let filtered = r#"{"error":{"message":"m","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
    let truncated = r#"{"content":[{"type":"text","text":"so f"}],"stop_reason":"max_tokens"}"#;
    let refused = r#"{"candidates":[{"finishReason":"SAFETY"}]}"#;
    for (answer, kind) in [
        (error(400, "invalid_request_error", "messages: roles must alternate"), InvalidRequest),
        (ProviderReply::new(400, filtered), ContentFilter),
        (ProviderReply::new(200, truncated), OutputTruncated),
        (ProviderReply::new(200, refused), ContentFilter),
    ] {
        let rig = Rig::new([answer.clone()], [openai("from b")]).await;
        let error = rig.ask(call()).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{answer:?}");
        assert_eq!((rig.a.requests().len(), rig.b.requests().len()), (1, 0), "{answer:?}");
    }
}

/// The same model is called again, no earlier than it stated.
#[tokio::test]
async fn a_short_wait_is_kept_to() {
    let limited = error(429, "rate_limit_error", "slow down");
    for answer in [
        limited.clone().with("retry-after-ms", "300"),
        limited.clone().with("retry-after", "0.3"),
        error(429, "rate_limit_error", "slow down, try again in 300ms"),
    ] {
        let busy = limited.clone().with("retry-after", "60");
        let rig = Rig::new([answer, anthropic("from a")], [busy]).await;
        let begin = rig.world.tick();
        let replied = rig.ask(call()).await.unwrap();
        assert_eq!(replied.reply.response.content, "from a");
        assert!(rig.world.tick().since(begin) >= Duration::from_millis(300));
    }
}

/// A negative wait counts as absent and has no effect: the gate stays open.
#[tokio::test]
async fn a_negative_wait_is_none() {
    for (wait, is_shut) in [("-30", false), ("30", true)] {
        let limited = error(429, "rate_limit_error", "slow down").with("retry-after", wait);
        let rig = Rig::new([limited, anthropic("from a")], [openai("from b")]).await;
        assert_eq!(rig.ask(call()).await.unwrap().reply.response.content, "from b");
        let from = if is_shut { "from b" } else { "from a" };
        assert_eq!(rig.ask(call()).await.unwrap().reply.response.content, from, "{wait}");
    }
}

/// After a stated wait, the next call avoids the model too.
#[tokio::test]
async fn the_gate_stays_shut_for_the_next_call() {
    let limited = error(429, "rate_limit_error", "slow down").with("retry-after", "604800");
    let rig = Rig::new([limited], [openai("from b")]).await;
    for _ in 0..3 {
        assert_eq!(rig.ask(call()).await.unwrap().reply.response.content, "from b");
    }
    assert_eq!((rig.a.requests().len(), rig.b.requests().len()), (1, 3));
}
