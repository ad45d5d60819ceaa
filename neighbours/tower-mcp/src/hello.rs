//! A server of MCP with one tool, over standard input and output.

use std::fs::File;
use std::io::Write;

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    StdioTransport::new(router()).run().await?;
    Ok(())
}
