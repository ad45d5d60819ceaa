//! An agent with one tool. The variable `OPENAI_BASE_URL` names another provider than OpenAI.

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
pub fn agent(config: OpenAIConfig) -> Agent {
    let model = config.with_route(Route::Chat).client().completion("gpt-5-mini");
    AgentBuilder::new(model).preamble("You keep notes.").tool(WriteFile).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = agent(OpenAIConfig::from_env()?);
    println!("{}", agent.prompt("Note that the orders are in Postgres.").await?.output());
    Ok(())
}
