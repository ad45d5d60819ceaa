//! The service on a real socket, called by tonic's client.

#[expect(dead_code, reason = "`main` runs until it is stopped; the test serves the same service")]
#[path = "../src/governed.rs"]
mod governed;

use governed::Keeper;
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::{HookError, HookRequest, Hooks, Transform};
use hooks_policies::WriteGuard;
use notes::Note;
use notes::notes_client::NotesClient;
use notes::notes_server::NotesServer;
use support::{broken_hooks, lines_more};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Code, Status};

/// Starts the service with `hooks` and writes a note of four bytes.
async fn write(hooks: Hooks, path: &str) -> Result<u64, Status> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = NotesServer::new(Keeper(hooks));
    tokio::spawn(
        Server::builder().add_service(service).serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let note = Note { path: path.to_owned(), content: "four".to_owned() };
    NotesClient::connect(url).await.unwrap().write(note).await.map(|written| written.into_inner().bytes)
}

/// Redirects what is written.
struct Redirects;

impl Transform<PreToolUse> for Redirects {
    fn name(&self) -> &'static str {
        "redirects"
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<serde_json::Value>, HookError> {
        let mut args = request.event().tool_args.clone();
        args["path"] = "notes/redirected.txt".into();
        Ok(Some(args))
    }
}

#[tokio::test]
async fn a_note_is_written_only_if_the_rules_let_it() {
    // The program resolves paths from its folder. This is the only test that starts it.
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::create_dir("notes").unwrap();
    let exists = |path: &str| folder.path().join(path).exists();
    let rules = || Hooks::builder().policy(WriteGuard::allowing(["notes/**"]).unwrap());

    assert_eq!(write(rules().build(), "notes/a.txt").await.unwrap(), 4);
    assert_eq!(std::fs::read_to_string(folder.path().join("notes/a.txt")).unwrap(), "four");

    let status = write(rules().build(), "b.txt").await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("b.txt"), "{status}");
    for hooks in broken_hooks::<PreToolUse>() {
        assert_eq!(write(hooks, "b.txt").await.unwrap_err().code(), Code::PermissionDenied);
    }
    assert_eq!(write(rules().transform::<PreToolUse>(Redirects).build(), "b.txt").await.unwrap(), 4);
    assert!(!exists("b.txt") && exists("notes/redirected.txt"));

    let status = write(rules().build(), "notes/missing/c.txt").await.unwrap_err();
    assert_eq!(status.code(), Code::Internal, "a failure of the tool is no denial: {status}");
    for hooks in broken_hooks::<PostToolUse>() {
        let status = write(hooks, "notes/d.txt").await.unwrap_err();
        assert_eq!(status.code(), Code::Internal, "the result is withheld: {status}");
    }
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    // The messages have JSON only for the hooks.
    let derives = include_str!("../src/lib.rs").matches("#[cfg_attr(feature = \"governed\"").count();
    assert!(lines + derives <= 12, "{lines} lines and {derives} derives");
}
