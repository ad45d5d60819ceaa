//! Tasks of a team, routed by rules: which agent may give a task to which other, and which one can do it and has time.
//!
//! Run with `cargo run -p tower-hooks --example team_routing`.

use std::sync::Arc;

use hooks::budgets::SpawnBudget;
use hooks::config::{Config, SpawnedAgents};
use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest};
use hooks::event::{Route, SubagentStart};
use hooks::team::files::NewMember;
use hooks::team::tools::{NoOtherTools, SessionRouter, SquadToolsLayer};
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, Govern, HookContext, Router, StdFileSystem, system};
use serde_json::json;
use tower::{Layer, ServiceExt, service_fn};

const CONFIG: &str = "
version: 1
spawn: { concurrent: 6 }
routes:
  rules:
    - { name: releases, from: [intern], words: [release], reason: only the lead ships }
    - { name: databases, words: [sql], requires: [sql], instead: [Ada, Bob] }
  agents:
    Ada: { capabilities: [sql], most: 1, instead: [Bob] }
    Bob: { capabilities: [sql] }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let members =
        ["Ada", "Bob", "Designer"].map(|name| NewMember { name: name.into(), role: "Engineer".into() });
    team.init(&NewTeam { members: members.into(), ..NewTeam::default() })?;

    let config = Config::parse(CONFIG, "hooks.yaml")?;
    let hooks = config.clone().hooks();
    let budget = hooks.extension::<SpawnBudget>().ok_or("the section `spawn` has a budget")?;
    let agents = SpawnedAgents::new(budget).at_most(6);

    let tasks = [
        ("lead", "squad_route", json!({"targetAgent": "Designer", "task": "draw a logo"})),
        ("lead", "squad_route", json!({"targetAgent": "Designer", "task": "tune the SQL"})),
        ("lead", "squad_route", json!({"targetAgent": "Ada", "task": "tune more SQL"})),
        ("intern", "squad_route", json!({"targetAgent": "Bob", "task": "release it"})),
        ("lead", "squad_status", json!({})),
    ];
    for (number, (agent, tool, args)) in tasks.into_iter().enumerate() {
        let context = HookContext::new("session-1", agent).in_dir(folder.path()).with_environment(system());
        let context = Arc::new(context);
        // The host's router: it starts a child for each task, which the registry lists.
        let (children, parent) = (hooks.clone(), Arc::clone(&context));
        let router = service_fn(move |route: Route| {
            let (children, parent) = (children.clone(), Arc::clone(&parent));
            async move {
                let session = format!("session of {}", route.target_agent);
                let mut child = SubagentStart::new(route.target_agent, route.task);
                child.child_id = Some(session.clone());
                children.on(parent).subagent_start(child).await.commit();
                Ok::<_, BoxError>(session)
            }
        });
        let router = SessionRouter::new(Router::new(hooks.clone(), router), Arc::clone(&context));
        let sessions = Arc::new(agents.clone().in_session(Arc::clone(&context)));
        let tools = SquadToolsLayer::new(team.clone()).with_router(router).with_sessions(sessions);
        let governed = Govern::new(hooks.clone(), tools.layer(NoOtherTools));

        // With its id, the place that a call holds ends with its result.
        let mut call = ToolCall::new(tool, args);
        call.id = Some(format!("call-{number}"));
        match governed.oneshot(ToolRequest { context, call }).await?.outcome {
            ToolOutcome::Ran(result, _) => {
                println!("{agent}: {}", result.error.unwrap_or_else(|| text(&result.content)));
            }
            ToolOutcome::Denied(reason) => println!("{agent}: denied, {reason}"),
            other => println!("{agent}: {other:?}"),
        }
    }
    config.close().await?;
    Ok(())
}

fn text(content: &serde_json::Value) -> String {
    content.as_str().map_or_else(|| content.to_string(), str::to_owned)
}
