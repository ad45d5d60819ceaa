//! Governs the servers of rmcp, the official SDK of MCP for Rust, by a set of hooks.
//!
//! [`GovernServer`] stands around any server, such as one with the macro `tool_router`.
//!
//! ```no_run
//! use hooks_core::{HookContext, Hooks};
//! use hooks_rmcp::GovernServer;
//! use rmcp::{ServerHandler, ServiceExt, transport::stdio};
//!
//! # async fn serve(server: impl ServerHandler, hooks: Hooks) -> Result<(), Box<dyn std::error::Error>> {
//! let context = HookContext::new("session-1", "agent");
//! let governed = GovernServer::new(server, hooks, context, "payments");
//! governed.serve(stdio()).await?.waiting().await?;
//! # Ok(())
//! # }
//! ```

mod exchange;
mod server;

pub use hooks_mcp::{GovernMcpLayer, McpSettings};

pub use self::server::GovernServer;
