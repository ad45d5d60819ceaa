use hooks_core::HookContext;
use hooks_core::event::PreToolUse;
use serde_json::{Value, json};

use super::*;

fn redacted(config: &RedactionConfig, result: Value) -> Option<Value> {
    let event = PostToolUse::after(&PreToolUse::new("view", json!({})), result, None, 1);
    rewritten(config, event)?.result
}

fn rewritten(config: &RedactionConfig, event: PostToolUse) -> Option<ResultRewrite> {
    ResultRedaction::new(config).unwrap().transform(&HookRequest::new(HookContext::default(), event)).unwrap()
}

#[test]
fn the_text_of_an_error_is_scrubbed_as_well() {
    let failed = |error: &str| {
        let call = PreToolUse::new("fetch", json!({}));
        let event = PostToolUse::after(&call, Value::Null, Some(error.to_owned()), 1);
        rewritten(&RedactionConfig::default(), event)
    };
    let rewrite = failed("no mailbox jane@example.com").unwrap();
    assert_eq!(rewrite.result, None);
    assert_eq!(rewrite.error.as_deref(), Some("no mailbox [EMAIL_REDACTED]"));
    assert_eq!(rewrite.redacted, [("EMAIL".to_owned(), 1)].into());
    assert_eq!(failed("no such host"), None);
}

#[test]
fn texts_and_keys_are_scrubbed_once_and_for_all() {
    let config = RedactionConfig::default();
    let result = json!({"a@b.org": ["to c@d.org", 1, null], "n": {"m": "ssn 078-05-1121"}});
    let scrubbed = redacted(&config, result).unwrap();
    assert!(!scrubbed.to_string().contains('@'));
    assert_eq!(redacted(&config, scrubbed), None);
    assert_eq!(redacted(&config, json!("nothing here")), None);
}

#[test]
fn labels_and_patterns_choose_what_is_looked_for() {
    let patterns = [("TICKET".to_owned(), "ACME-[0-9]+".to_owned())].into();
    let config =
        RedactionConfig { labels: Some(vec!["PHONE".into()]), patterns, ..RedactionConfig::default() };
    assert_eq!(redacted(&config, json!("a@b.org")), None);
    assert_eq!(redacted(&config, json!("see ACME-12")), Some(json!("see [TICKET_REDACTED]")));
}

#[test]
fn all_that_is_wrong_is_reported() {
    let patterns = [("ok".to_owned(), "a".to_owned()), ("BAD".to_owned(), "(".to_owned())].into();
    let config = RedactionConfig {
        labels: Some(vec!["EMAIL".into(), "FAX".into()]),
        patterns,
        ..RedactionConfig::default()
    };
    let errors = ResultRedaction::new(&config).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["redaction.labels[1]", "redaction.patterns.BAD", "redaction.patterns.ok"]);
}
