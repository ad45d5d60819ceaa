//! The endpoint on a real socket, called by an HTTP client.

#[expect(dead_code, reason = "`main` runs until it is stopped; the test serves the same routes")]
#[path = "../src/governed.rs"]
mod governed;

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::{Hooks, policy_fn};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use support::{broken_hooks, lines_more};
use tokio::net::TcpListener;

/// Serves the routes, and sends them `payment`.
async fn post(hooks: Hooks, payment: &Value) -> (StatusCode, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/pay", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, governed::app(hooks)).await.unwrap() });
    let response = Client::new().post(url).json(payment).send().await.unwrap();
    (response.status(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_payment_is_made_only_if_the_rules_let_it() {
    // The ledger is in the folder of the program. This is the only test that starts it.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    let rules = || Hooks::builder().policy(policy_fn("small", governed::small)).build();
    let (small, large) = (json!({"to": "Jane", "cents": 5_000}), json!({"to": "Jane", "cents": 5_001}));

    let (status, error) = post(rules(), &small).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "without a ledger, the tool fails: {error}");

    std::fs::write("ledger", "").unwrap();
    assert_eq!(post(rules(), &small).await, (StatusCode::OK, "\"paid 5000\"".to_owned()));
    let denied = post(rules(), &large).await;
    assert_eq!(denied, (StatusCode::FORBIDDEN, "a person pays more than 5000 cents".to_owned()));
    for hooks in broken_hooks::<PreToolUse>() {
        let (status, reason) = post(hooks, &small).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{reason}");
    }
    assert_eq!(std::fs::read_to_string("ledger").unwrap(), "Jane gets 5000\n", "one payment was made");

    for hooks in broken_hooks::<PostToolUse>() {
        let (status, reason) = post(hooks, &small).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "the result is withheld: {reason}");
        assert!(!reason.contains("paid"), "{reason}");
    }
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
