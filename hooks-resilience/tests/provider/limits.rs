//! Limits that are not in the catalog: those in a provider's headers are respected.

use serde_json::Value;

use crate::rig::{Rig, anthropic, call, openai};
use crate::server::ProviderReply;

/// One request a minute, in a vendor's headers.
fn one_a_minute(answer: ProviderReply) -> ProviderReply {
    answer
        .with("anthropic-ratelimit-requests-limit", "1")
        .with("anthropic-ratelimit-requests-remaining", "0")
        .with("anthropic-ratelimit-requests-reset", "2026-11-22T01:00:30Z")
}

/// The answers of three calls; `None` for an error.
async fn answers(rig: &Rig) -> [Option<Value>; 3] {
    let mut answers = [None, None, None];
    for answer in &mut answers {
        *answer = rig.ask(call()).await.ok().map(|replied| replied.reply.response.content);
    }
    answers
}

#[tokio::test]
async fn limits_that_a_good_answer_tells_are_kept_to() {
    let rig = Rig::new([one_a_minute(anthropic("from a"))], [openai("from b")]).await;
    // Requests sent before the limits were known do not count.
    let expected = ["from a", "from a", "from b"].map(|from| Some(Value::from(from)));
    assert_eq!(answers(&rig).await, expected);
}

#[tokio::test]
async fn limits_that_an_error_tells_are_kept_to() {
    let refusal =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"roles must alternate"}}"#;
    let rig =
        Rig::new([one_a_minute(ProviderReply::new(400, refusal)), anthropic("from a")], [openai("from b")])
            .await;
    assert_eq!(answers(&rig).await, [None, Some("from a".into()), Some("from b".into())]);
}
