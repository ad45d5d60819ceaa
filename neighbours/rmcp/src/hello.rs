//! A server of MCP with one tool, over standard input and output.

use std::fs::File;
use std::io::Write;

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Payments.serve(stdio()).await?.waiting().await?;
    Ok(())
}
