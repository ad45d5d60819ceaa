//! Tenants: one service, two customers. Each has a limit of its own; a third customer is refused.
//! `cargo run -p tower-hooks --example need_tenants`

use hooks::config::Config;
use hooks::event::PreToolUse;
use hooks::{BoxError, HookContext, Judged};
use serde_json::json;

const FILE: &str = "
version: 1
tenant: acme
tenants: [initech]
limits: { calls: [{ tools: [deploy], most: 2, of: team, per: day }] }
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Config::parse(FILE, "hooks.yaml")?.hooks();
    for tenant in ["acme", "acme", "acme", "initech", "hooli"] {
        let context = HookContext::new("session-1", "backend").with_environment(hooks::system());
        let call = PreToolUse::new("deploy", json!({}));
        let mut outcome = hooks.on(context.for_tenant(tenant)).pre_tool_use(call).await.outcome;
        match outcome.goes_ahead() {
            true => {
                outcome.take_holds().commit();
                println!("{tenant}: deploys");
            }
            false => {
                println!("{tenant}: {}", outcome.shown_reason().map_or("refused", |reason| &reason.message));
            }
        }
    }
    hooks.close().await?;
    Ok(())
}
