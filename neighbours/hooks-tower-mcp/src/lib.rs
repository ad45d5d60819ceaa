//! Governs the servers of tower-mcp by a set of hooks, as a layer of its transports.
//!
//! ```no_run
//! use hooks_core::{HookContext, Hooks};
//! use hooks_tower_mcp::GovernRouterLayer;
//! use tower_mcp::{BoxError, McpRouter, StdioTransport};
//!
//! # async fn serve(router: McpRouter, hooks: Hooks) -> Result<(), BoxError> {
//! let context = HookContext::new("session-1", "agent");
//! let layer = GovernRouterLayer::new(hooks, context, "payments");
//! StdioTransport::new(router).layer(layer).run().await?;
//! # Ok(())
//! # }
//! ```

mod exchange;
mod layer;

pub use hooks_mcp::{GovernMcpLayer, McpSettings};

pub use self::layer::{GovernRouter, GovernRouterLayer};
