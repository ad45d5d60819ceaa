//! The same agent, governed: it writes below `notes` only.

use hooks_core::Hooks;
use hooks_rig::GovernAgent;
use rig::prelude::*;
use rig::providers::openai::{OpenAIConfig, Route};
use rig::rig_tool;
use rig::tool::ToolExecutionError;

#[rig_tool(description = "Writes a file", required(path, content))]
fn write_file(path: String, content: String) -> Result<String, ToolExecutionError> {
    std::fs::write(path, content).map_err(|error| ToolExecutionError::other(error.to_string()))?;
    Ok("written".to_owned())
}

/// The agent.
pub fn agent(config: OpenAIConfig, hooks: Hooks) -> Agent {
    let model = config.with_route(Route::Chat).client().completion("gpt-5-mini");
    let govern =
        GovernAgent::new(hooks, hooks_system::local_context("session-1", "agent")).model("gpt-5-mini");
    AgentBuilder::new(model).preamble("You keep notes.").tool(WriteFile).add_hook(govern).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let guard = hooks_policies::WriteGuard::allowing(["notes/**"])?;
    let agent = agent(OpenAIConfig::from_env()?, Hooks::builder().policy(guard).build());
    println!("{}", agent.prompt("Note that the orders are in Postgres.").await?.output());
    Ok(())
}
