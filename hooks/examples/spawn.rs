//! A lead starts child agents within a budget, and lists those that run.
//!
//! Run with `cargo run -p tower-hooks --example spawn`.

use std::sync::Arc;

use hooks::config::Config;
use hooks::drivers::{SpawnRequest, Spawned};
use hooks::event::{ChildStatus, SubagentStart};
use hooks::policies::PolicyHooks;
use hooks::{BoxError, GovernSpawn, HookContext, HookError};
use tower::{ServiceExt, service_fn};

const CONFIG: &str = "
version: 1
spawn:
  concurrent: 2
  depth: 1
  tiers: { premium: [opus*] }
  models:
    - { name: security-premium, task_types: [security*], tiers: [premium], replace_by: opus-4 }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Config::parse(CONFIG, "hooks.yaml")?.hooks();
    let context = Arc::new(HookContext::new("session-1", "lead").with_environment(hooks::system()));

    // Any `Service<SubagentStart>` that creates a child; its response is the handle of that child.
    let my_spawner = service_fn(|start: SubagentStart| async move {
        println!("  created {} on {}", start.agent_name, start.model.as_deref().unwrap_or("its usual model"));
        Ok::<_, HookError>(())
    });
    let spawner = GovernSpawn::new(hooks.clone(), my_spawner);

    let mut running = Vec::new();
    for (agent, kind) in [("backend", "code"), ("reviewer", "security-review"), ("tester", "code")] {
        println!("{agent}:");
        let mut start = SubagentStart::new(agent, "its part of the work");
        start.task_type = Some(kind.to_owned());
        let request = SpawnRequest { context: Arc::clone(&context), start };
        match spawner.clone().oneshot(request).await? {
            Spawned::Running(child, _) => running.push(child),
            Spawned::Denied(reason, _) => println!("  denied, {reason}"),
            other => println!("  {other:?}"),
        }
    }

    // One child ends, so its place is free again. A child that is dropped or lost gives its place back too.
    if let Some(child) = running.pop() {
        let (_gate, still_there) = child.end(ChildStatus::Completed, Some("looks good".to_owned())).await;
        drop(still_there);
    }
    let budget = hooks.spawn_budget().ok_or("the configuration has a budget of children")?;
    for child in budget.children().started_by(&context).await? {
        println!("{} ({}): {:?}", child.agent, child.model.as_deref().unwrap_or("-"), child.state);
    }
    hooks.close().await?;
    Ok(())
}
