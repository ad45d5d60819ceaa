//! Tenants: one service, two customers. Each has a limit and rules of its own; a third customer is refused.
//! `cargo run -p tower-hooks --example need_tenants`

use hooks::config::Config;
use hooks::event::PreToolUse;
use hooks::{BoxError, HookContext, Judged};
use serde_json::json;

const FILE: &str = "
version: 1
tenant: acme
tenants:
  initech:
    rules: [{ name: no-shell, action: deny, tools: [bash], reason: this customer has no shell }]
limits: { calls: [{ tools: [deploy], most: 2, of: team, per: day }] }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Config::parse(FILE, "hooks.yaml")?.hooks();
    for (tenant, tool) in [
        ("acme", "deploy"),
        ("acme", "deploy"),
        ("acme", "deploy"),
        ("acme", "bash"),
        ("initech", "deploy"),
        ("initech", "bash"),
        ("hooli", "deploy"),
    ] {
        let context = HookContext::new("session-1", "backend").with_environment(hooks::system());
        let call = PreToolUse::new(tool, json!({ "command": "ls" }));
        let mut outcome = hooks.on(context.for_tenant(tenant)).pre_tool_use(call).await.outcome;
        match outcome.goes_ahead() {
            true => {
                outcome.take_holds().commit();
                println!("{tenant}, {tool}: runs");
            }
            false => {
                let reason = outcome.shown_reason().map_or("refused", |reason| &reason.message);
                println!("{tenant}, {tool}: {reason}");
            }
        }
    }
    hooks.close().await?;
    Ok(())
}
