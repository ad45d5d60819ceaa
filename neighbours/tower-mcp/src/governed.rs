//! The same server, governed: small payments only.

use std::fs::File;
use std::io::Write;

use hooks_core::{HookRequest, Hooks, Reason, Verdict, event::PreToolUse, policy_fn};
use hooks_tower_mcp::GovernRouterLayer;
use schemars::JsonSchema;
use serde::Deserialize;
use tower_mcp::{BoxError, CallToolResult, McpRouter, StdioTransport, ToolBuilder};

#[derive(Deserialize, JsonSchema)]
struct Payment {
    to: String,
    cents: u64,
}

async fn pay(Payment { to, cents }: Payment) -> tower_mcp::Result<CallToolResult> {
    let ledger = File::options().append(true).create(true).open("ledger");
    Ok(match ledger.and_then(|mut ledger| writeln!(ledger, "{to} gets {cents}")) {
        Ok(()) => CallToolResult::text(format!("paid {cents}")),
        Err(error) => CallToolResult::error(error.to_string()),
    })
}

/// The server.
pub fn router() -> McpRouter {
    let pay = ToolBuilder::new("pay").description("Pays a person").handler(pay).build();
    McpRouter::new().server_info("payments", "1.0.0").tool(pay)
}

/// The layer of these hooks.
pub fn layer(hooks: Hooks) -> GovernRouterLayer {
    GovernRouterLayer::new(hooks, hooks_system::local_context("session-1", "agent"), "payments")
}

/// The rule.
pub fn small(request: &HookRequest<PreToolUse>) -> Verdict {
    let is_small = request.event().tool_args["cents"].as_u64().is_some_and(|cents| cents <= 5_000);
    let reason = Reason::new("small", "cents", "a person pays more than 5000 cents");
    if is_small { Verdict::NO_OPINION } else { Verdict::deny(reason) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let hooks = Hooks::builder().policy(policy_fn("small", small)).build();
    StdioTransport::new(router()).layer(layer(hooks)).run().await?;
    Ok(())
}
