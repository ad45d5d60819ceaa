//! The endpoint on a real socket, called by an HTTP client.

#[expect(dead_code, reason = "`main` runs until it is stopped; the test serves the same routes")]
#[path = "../src/governed.rs"]
mod governed;

use hooks_core::Hooks;
use hooks_core::event::PreToolUse;
use hooks_policies::WriteGuard;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use support::{broken_hooks, lines_more};
use tokio::net::TcpListener;

/// Serves the routes and returns their URL.
async fn serve(hooks: Hooks) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, governed::app(hooks)).await.unwrap() });
    format!("http://{address}/tools/write_file")
}

async fn post(url: &str, args: Value) -> (StatusCode, String) {
    let response = Client::new().post(url).json(&args).send().await.unwrap();
    (response.status(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_tool_runs_only_if_the_rules_let_it() {
    // The program resolves paths from its folder. This is the only test that starts it.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::create_dir("notes").unwrap();
    let exists = |path: &str| folder.path().join(path).exists();
    std::os::unix::fs::symlink(folder.path(), "notes/up").unwrap();

    let url = serve(Hooks::builder().policy(WriteGuard::allowing(["notes/**"]).unwrap()).build()).await;
    let allowed = post(&url, json!({"path": "notes/a.txt", "content": "one"})).await;
    assert_eq!(allowed, (StatusCode::OK, "\"written\"".to_owned()));
    assert_eq!(std::fs::read_to_string(folder.path().join("notes/a.txt")).unwrap(), "one");

    for path in ["b.txt", "notes/../b.txt", "notes/up/b.txt"] {
        let (status, reason) = post(&url, json!({"path": path, "content": "two"})).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{reason}");
        assert!(reason.contains("b.txt"), "{reason}");
    }
    assert!(!exists("b.txt"));

    let (status, error) = post(&url, json!({"path": "notes/missing/c.txt", "content": "three"})).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "a failure of the tool is no denial: {error}");

    for hooks in broken_hooks::<PreToolUse>() {
        let (status, reason) =
            post(&serve(hooks).await, json!({"path": "notes/d.txt", "content": "four"})).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{reason}");
    }
    assert!(!exists("notes/d.txt"));
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
