//! An agent's own tools together with the tools of its team, all of them governed by one set of hooks.
//!
//! Run with `cargo run -p tower-hooks --example team_tools`.

use std::sync::Arc;

use hooks::config::Config;
use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::team::files::NewMember;
use hooks::team::tools::{SquadToolsLayer, definitions};
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, Govern, HookContext, HookError, StdFileSystem, system};
use serde_json::json;
use tower::{Layer, ServiceExt, service_fn};

const CONFIG: &str = "
version: 1
rules:
  - { name: releases, tools: [squad_route], agents: [intern], reason: only the lead hands out work }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let lead = NewMember { name: "Ripley".into(), role: "Lead".into() };
    team.init(&NewTeam { members: vec![lead], ..NewTeam::default() })?;

    // The definitions that the model gets.
    for tool in definitions() {
        println!("offered: {}", tool.name);
    }

    // The host's own tools; a call that is not for the team goes on to them.
    let own = service_fn(|call: ToolCall| async move {
        Ok::<_, HookError>(ToolResult::ok(format!("{} ran", call.name)))
    });
    let tools = SquadToolsLayer::new(team.clone()).layer(own);
    let config = Config::parse(CONFIG, "hooks.yaml")?;
    let governed = Govern::new(config.clone().hooks(), tools);

    let decision = json!({"author": "Ripley", "summary": "Use SQLite", "body": "One file."});
    for (agent, call) in [
        ("Ripley", ToolCall::new("read", json!({"path": "README.md"}))),
        ("Ripley", ToolCall::new("squad_decide", decision)),
        ("intern", ToolCall::new("squad_route", json!({"agent": "Ripley", "task": "release it"}))),
    ] {
        let (name, context) =
            (call.name.clone(), HookContext::new("session-1", agent).with_environment(system()));
        let done = governed.clone().oneshot(ToolRequest { context: Arc::new(context), call }).await?;
        match done.outcome {
            ToolOutcome::Ran(result, _) => println!("{agent}, {name}: {}", result.content),
            ToolOutcome::Denied(reason) => println!("{agent}, {name}: denied, {reason}"),
            other => println!("{agent}, {name}: {other:?}"),
        }
    }
    println!("decisions in the inbox: {}", team.inbox()?.len());
    config.close().await?;
    Ok(())
}
