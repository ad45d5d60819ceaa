//! The server, called by the client of the same SDK over a stream.

#[expect(dead_code, reason = "`main` runs until it is stopped; the test serves the same server")]
#[path = "../src/governed.rs"]
mod governed;

use hooks_core::event::{PostToolUse, PreToolUse, ResultRewrite};
use hooks_core::{HookError, HookRequest, Hooks, Reason, Transform, Verdict, policy_fn};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json, to_value};
use support::{broken_hooks, lines_more};

/// A client of the server behind these hooks.
async fn client(hooks: Hooks) -> RunningService<RoleClient, ()> {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { governed::server(hooks).serve(far).await.unwrap().waiting().await });
    ().serve(near).await.unwrap()
}

/// Calls the tool; returns whether the result is an error, and its text.
async fn pay(hooks: Hooks, cents: u64) -> (bool, String) {
    let arguments = json!({"to": "Jane", "cents": cents}).as_object().cloned().unwrap();
    let call = CallToolRequestParams::new("pay").with_arguments(arguments);
    let result = client(hooks).await.call_tool(call).await.unwrap();
    let text = to_value(&result.content).unwrap()[0]["text"].as_str().unwrap().to_owned();
    (result.is_error.unwrap_or_default(), text)
}

fn rules() -> Hooks {
    Hooks::builder().policy(policy_fn("small", governed::small)).build()
}

/// Smaller payments, and other results.
struct Rewrites;

impl Transform<PreToolUse> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, _request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        Ok(Some(json!({"to": "Jane", "cents": 1})))
    }
}

impl Transform<PostToolUse> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, _request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let result = json!({"content": [{"type": "text", "text": "scrubbed"}]});
        Ok(Some(ResultRewrite { result: Some(result), ..ResultRewrite::default() }))
    }
}

#[tokio::test]
async fn a_payment_is_made_only_if_the_rules_let_it() {
    // The ledger is in the folder of the program. This is the only test that calls the tool.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    assert_eq!(pay(rules(), 5_000).await, (false, "paid 5000".to_owned()));
    let (is_error, reason) = pay(rules(), 5_001).await;
    assert!(is_error && reason.contains("a person pays more than 5000 cents"), "{reason}");
    for hooks in broken_hooks::<PreToolUse>() {
        let (is_error, reason) = pay(hooks, 5_000).await;
        assert!(is_error, "{reason}");
    }
    assert_eq!(std::fs::read_to_string("ledger").unwrap(), "Jane gets 5000\n", "one payment was made");

    for hooks in broken_hooks::<PostToolUse>() {
        let (is_error, reason) = pay(hooks, 5_000).await;
        assert!(is_error && !reason.contains("paid"), "the result is withheld: {reason}");
    }
    let smaller = Hooks::builder().transform::<PreToolUse>(Rewrites).build();
    assert_eq!(pay(smaller, 5_000).await, (false, "paid 1".to_owned()));
    let scrubbed = Hooks::builder().transform::<PostToolUse>(Rewrites).build();
    assert_eq!(pay(scrubbed, 5_000).await, (false, "scrubbed".to_owned()));

    std::fs::remove_file("ledger").unwrap();
    std::fs::create_dir("ledger").unwrap();
    let (is_error, reason) = pay(rules(), 5_000).await;
    assert!(is_error && !reason.contains("paid"), "the tool fails: {reason}");
}

#[tokio::test]
async fn a_tool_that_is_always_denied_is_not_listed() {
    let names = async |hooks| {
        let tools = client(hooks).await.list_all_tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Hooks::default()).await, ["pay"]);
    let closed = |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("closed", "all", "closed"));
    assert_eq!(names(Hooks::builder().policy(policy_fn("closed", closed)).build()).await, [""; 0]);
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
