//! The same agent, governed: small payments only.

use std::fs::File;
use std::io::Write;

use hooks_core::{HookRequest, Hooks, Reason, Verdict, event::PreToolUse, policy_fn};
use hooks_rig::GovernAgent;
use rig::prelude::*;
use rig::providers::openai::{OpenAIConfig, Route};
use rig::rig_tool;
use rig::tool::ToolExecutionError;

#[rig_tool(description = "Pays a person", required(to, cents))]
fn pay(to: String, cents: u64) -> Result<String, ToolExecutionError> {
    let ledger = File::options().append(true).create(true).open("ledger");
    let written = ledger.and_then(|mut ledger| writeln!(ledger, "{to} gets {cents}"));
    written.map_err(|error| ToolExecutionError::other(error.to_string()))?;
    Ok(format!("paid {cents}"))
}

/// The agent.
pub fn agent(config: OpenAIConfig, hooks: Hooks) -> Agent {
    let model = config.with_route(Route::Chat).client().completion("gpt-5-mini");
    let govern =
        GovernAgent::new(hooks, hooks_system::local_context("session-1", "agent")).model("gpt-5-mini");
    AgentBuilder::new(model).preamble("You pay users.").tool(Pay).add_hook(govern).build()
}

/// The rule.
pub fn small(request: &HookRequest<PreToolUse>) -> Verdict {
    let is_small = request.event().tool_args["cents"].as_u64().is_some_and(|cents| cents <= 5_000);
    let reason = Reason::new("small", "cents", "a person pays more than 5000 cents");
    if is_small { Verdict::NO_OPINION } else { Verdict::deny(reason) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = agent(OpenAIConfig::from_env()?, Hooks::builder().policy(policy_fn("small", small)).build());
    println!("{}", agent.prompt("Pay Jane 50 dollars.").await?.output());
    Ok(())
}
