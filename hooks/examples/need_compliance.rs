//! Compliance: a log and files record which agent did what, and a sink gets the records of the log; forbidden
//! calls are denied and secrets do not leak.
//! `cargo run -p tower-hooks --example need_compliance`

use std::sync::Arc;

use hooks::audit::Committed;
use hooks::audit::sink::{Feed, FeedSettings, LogSource, Sink, SinkError};
use hooks::config::Config;
use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::event::{EndReason, SessionStart};
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, HookContext, HookFuture, Session, StdFileSystem, TokioTimer, system};
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};

const FILE: &str = "
version: 1
write_guard: { allow: [src/**, .squad/**] }
command_guard: {}
redaction: {}
scribe: {}
";

/// A sink of the host. `sinks` in `hooks.yaml` has four others: OTLP, webhooks, Postgres and NATS.
struct Printed;

impl Sink for Printed {
    fn deliver<'a>(&'a self, records: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
        for Committed { record, .. } in records {
            let tool = record.tool.as_deref().unwrap_or_default();
            let verdict = record.outcome.map(|outcome| outcome.to_string()).unwrap_or_default();
            println!("{}: {} {tool} {verdict}", record.agent, record.event);
        }
        HookFuture::now(Ok(()))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    team.init(&NewTeam::default())?;
    let root = folder.path().to_owned();
    // A tool that does as it is asked, and returns a secret with its result.
    let tools = service_fn(move |call: ToolCall| {
        let root = root.clone();
        async move {
            let text = |key: &str| call.args.get(key).and_then(Value::as_str);
            if let (Some(path), Some(content)) = (text("path"), text("content")) {
                std::fs::write(root.join(path), content)?;
            }
            Ok::<_, BoxError>(ToolResult::ok("done for jane@example.com"))
        }
    });
    let context = HookContext::new("session-1", "Ripley").in_dir(folder.path()).with_environment(system());
    let log = folder.path().join("log");
    let config = Config::parse(&format!("{FILE}audit: {{ folder: '{}' }}\n", log.display()), "hooks.yaml")?;
    let hooks = config.hooks();
    let (session, _) = Session::start(hooks.clone(), context, SessionStart::default()).await;
    let decision = "### 2026-11-22: Keep logs for seven years\n**By:** Ripley\n**What:** so\n";
    for (tool, args) in [
        ("edit", json!({"path": ".squad/decisions/inbox/ripley-logs.md", "content": decision})),
        ("edit", json!({"path": "../outside.txt", "content": "x"})),
        ("bash", json!({"command": "git push --force"})),
    ] {
        let request = ToolRequest { context: Arc::clone(session.context()), call: ToolCall::new(tool, args) };
        match session.tools(tools.clone()).oneshot(request).await?.outcome {
            ToolOutcome::Ran(result, _) => println!("{tool}: ran: {}", result.content),
            ToolOutcome::Denied(reason) => println!("{tool}: denied: {reason}"),
            other => println!("{tool}: {other:?}"),
        }
    }
    session.end(EndReason::Complete, None).await;
    hooks.close().await?;

    println!("\n--- what the sink got");
    let (disk, settings) = (Arc::new(StdFileSystem), FeedSettings::new("printed"));
    let source = LogSource::new(disk.clone(), &log);
    let feeds = folder.path().join("feeds");
    let mut feed = Feed::new(source, Printed, disk, feeds, settings, &system(), TokioTimer);
    if !feed.catch_up(1).await {
        return Err("the sink did not get every record".into());
    }

    for place in ["decisions.md", "log"] {
        let path = team.root().join(place);
        let files = if path.is_dir() {
            std::fs::read_dir(path)?.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?
        } else {
            vec![path]
        };
        for file in files {
            println!("\n--- {place}\n{}", std::fs::read_to_string(file)?);
        }
    }
    Ok(())
}
