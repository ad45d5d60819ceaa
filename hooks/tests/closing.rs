//! A service that ends: what was acknowledged is on the record, whatever way it ends.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(all(unix, feature = "config"))]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use hooks::audit::{Committed, Positions, Reader};
use hooks::config::Config;
use hooks::drivers::{ToolCall, ToolRequest, ToolResult};
use hooks::event::{EndReason, SessionStart, TurnEndReason};
use hooks::{BoxError, HookContext, Session, StdFileSystem};
use serde_json::json;
use tower::{ServiceExt, service_fn};

const SERVICE: &str = "HOOKS_CLOSING_SERVICE";

fn read(folder: &Path) -> Vec<Committed> {
    let mut reader = Reader::new(Arc::new(StdFileSystem), folder, Positions::default());
    let mut all = Vec::new();
    loop {
        let records = reader.read(1_000).unwrap();
        if records.is_empty() {
            return all;
        }
        all.extend(records);
    }
}

async fn serve(folder: &Path) {
    let config = Config::read(folder.join("hooks.yaml")).unwrap();
    let hooks = config.hooks();
    let context = HookContext::new("s1", "backend").in_dir(folder).with_environment(hooks::system());
    let (session, _) = Session::start(hooks, context, SessionStart::default()).await;
    let (turn, _) = session.turn().await;
    let tools = service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("done")));
    let call = ToolCall::new("read", json!({"path": "src/a.rs"}));
    let request = ToolRequest { context: Arc::clone(session.context()), call };
    session.tools(tools).oneshot(request).await.unwrap();
    turn.end(TurnEndReason::Normal).await;
    session.end(EndReason::Complete, None).await;
}

#[test]
fn service_process() {
    let Some(how) = std::env::var_os(SERVICE) else { return };
    let how = how.into_string().unwrap();
    let (kind, folder) = how.split_once(':').unwrap();
    let mut runtime = match kind {
        "one" => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    runtime.enable_all().build().unwrap().block_on(serve(Path::new(folder)));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a real process ends")]
fn a_service_that_ends_keeps_all() {
    for kind in ["one", "many"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".squad")).unwrap();
        std::fs::write(folder.path().join("hooks.yaml"), std::env::var("YAML").unwrap_or("version: 1\naudit: {}\n".into())).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["service_process", "--exact", "--nocapture", "--test-threads=1"])
            .env(SERVICE, format!("{kind}:{}", folder.path().display()))
            .status()
            .unwrap();
        assert!(status.success());
        let log = folder.path().join(".squad/orchestration-log");
        let events: Vec<_> = read(&log).into_iter().map(|committed| committed.record.event).collect();
        println!("{kind}: {events:?}");
    }
}
