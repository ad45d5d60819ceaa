//! The same server, governed: small payments only.

use std::fs::File;
use std::io::Write;

use hooks_core::{HookRequest, Hooks, Reason, Verdict, event::PreToolUse, policy_fn};
use hooks_rmcp::GovernServer;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::schemars::{self, JsonSchema};
use rmcp::transport::stdio;
use rmcp::{ServiceExt, tool, tool_router};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Payment {
    to: String,
    cents: u64,
}

/// The server.
pub struct Payments;

#[tool_router(server_handler)]
impl Payments {
    #[tool(description = "Pays a person")]
    fn pay(&self, Parameters(Payment { to, cents }): Parameters<Payment>) -> Result<String, String> {
        let ledger = File::options().append(true).create(true).open("ledger");
        let written = ledger.and_then(|mut ledger| writeln!(ledger, "{to} gets {cents}"));
        written.map_err(|error| error.to_string())?;
        Ok(format!("paid {cents}"))
    }
}

/// The server behind these hooks.
pub fn server(hooks: Hooks) -> GovernServer<Payments> {
    GovernServer::new(Payments, hooks, hooks_system::local_context("session-1", "agent"), "payments")
}

/// The rule.
pub fn small(request: &HookRequest<PreToolUse>) -> Verdict {
    let is_small = request.event().tool_args["cents"].as_u64().is_some_and(|cents| cents <= 5_000);
    let reason = Reason::new("small", "cents", "a person pays more than 5000 cents");
    if is_small { Verdict::NO_OPINION } else { Verdict::deny(reason) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hooks = Hooks::builder().policy(policy_fn("small", small)).build();
    server(hooks).serve(stdio()).await?.waiting().await?;
    Ok(())
}
