//! Fleet view: several agents work at once. One folder shows where each was sent, what each used, and who
//! should look at changes made by others; metrics show it to Prometheus. `cargo run -p tower-hooks --example need_fleet`

use std::path::Path;
use std::sync::Arc;

use hooks::config::Config;
use hooks::drivers::{SpawnRequest, Spawned, ToolCall, ToolRequest, ToolResult};
use hooks::event::{ChildStatus, EndReason, SessionStart, SubagentStart};
use hooks::team::files::NewMember;
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, HookContext, Hooks, Session, StdFileSystem, system};
use serde_json::json;
use tower::{ServiceExt, service_fn};

const FILE: &str = "
version: 1
spawn: { concurrent: 3, depth: 1 }
scribe: {}
notices: {}
session_end: { recap: false }
metrics: {}
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let members = ["Backend", "Tester"].map(|name| NewMember { name: name.into(), role: "Developer".into() });
    team.init(&NewTeam { members: members.to_vec(), ..NewTeam::default() })?;
    let charter = "# Backend — Developer\n\n## What I Own\n\n- The API in `src/api/`\n";
    std::fs::write(team.root().join("agents/backend/charter.md"), charter)?;
    let config = Config::parse(FILE, "hooks.yaml")?;
    let hooks = config.clone().hooks();

    let lead = start(&hooks, folder.path(), "session-lead", "Lead").await;
    for agent in ["Tester", "Backend"] {
        let spawner = lead.spawner(service_fn(async |_: SubagentStart| Ok::<_, BoxError>(())));
        let request = SpawnRequest {
            context: Arc::clone(lead.context()),
            start: SubagentStart::new(agent, "Make the orders faster"),
        };
        let Spawned::Running(mut child, decision) = spawner.oneshot(request).await? else { continue };
        println!("{agent} begins");
        let told = decision.notes().map(|notes| notes.additional_context.as_slice()).unwrap_or_default();
        told.iter().for_each(|note| println!("  is told: {}", note.text));
        let session = start(&hooks, folder.path(), &format!("session-{agent}"), agent).await;
        let call = ToolCall::new("edit", json!({"path": format!("src/api/{agent}.rs"), "content": "x"}));
        let tools =
            session.tools(service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("written"))));
        tools.oneshot(ToolRequest { context: Arc::clone(session.context()), call }).await?;
        session.end(EndReason::Complete, None).await;
        child.used(1_200, 1, Vec::new());
        drop(child.end(ChildStatus::Completed, None).await);
    }
    lead.end(EndReason::Complete, None).await;
    hooks.close().await?;

    println!("\n--- sent out\n{}", team.spawn_logs()?.join("\n"));
    println!("\n--- what each session used");
    for file in std::fs::read_dir(team.root().join("metrics"))? {
        let metrics: serde_json::Value = serde_json::from_slice(&std::fs::read(file?.path())?)?;
        let [agent, calls, tokens] =
            ["agent", "tool_calls", "tokens"].map(|key| metrics.get(key).cloned().unwrap_or_default());
        println!("{agent}: {calls} tool calls, {tokens} tokens");
    }
    println!("\n--- what happened");
    for file in team.session_logs()? {
        print!("{}", std::fs::read_to_string(team.root().join("log").join(file))?);
    }
    println!("\n--- what Prometheus gets");
    let metrics = config.metrics().ok_or("the file has a section `metrics`")?.prometheus();
    for line in metrics.lines().filter(|line| line.starts_with("hooks_tool_calls_total")) {
        println!("{line}");
    }
    Ok(())
}

async fn start(hooks: &Hooks, folder: &Path, session: &str, agent: &str) -> Session {
    let context = HookContext::new(session, agent).in_dir(folder).with_environment(system());
    Session::start(hooks.clone(), context, SessionStart::default()).await.0
}
