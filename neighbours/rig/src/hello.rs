//! An agent with one tool. The variable `OPENAI_BASE_URL` names another provider than OpenAI.

use std::fs::File;
use std::io::Write;

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
pub fn agent(config: OpenAIConfig) -> Agent {
    let model = config.with_route(Route::Chat).client().completion("gpt-5-mini");
    AgentBuilder::new(model).preamble("You pay users.").tool(Pay).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = agent(OpenAIConfig::from_env()?);
    println!("{}", agent.prompt("Pay Jane 50 dollars.").await?.output());
    Ok(())
}
