//! Drivers: they fire every event at its moment, on every path, also on errors, denials, cancellation and
//! drop.
//!
//! The most common fault of hook systems is a hook that is defined but never called. A host fires all events
//! if it uses the drivers: [`Govern`] for tools, [`GovernModel`] for models, [`GovernSpawn`] for children,
//! [`Router`] for tasks, [`Compactor`] for compactions, and [`Session`] for the session.
//!
//! A driver boxes one future per call. The tool, model or process that it drives costs more by orders of
//! magnitude, and an `async fn` can be read from top to bottom. The layers that it asks are not boxed.

mod approver;
mod call_error;
mod compactor;
mod function;
mod govern;
mod govern_layer;
mod model;
mod moment;
mod router;
mod session;
mod spawn;
mod tally;

pub use self::approver::{Approval, ApprovalRequest, Approver, NoApprover};
pub use self::call_error::CallError;
pub use self::compactor::{Compaction, Compactor};
pub use self::function::call_governed;
pub use self::govern::{Govern, Governed, ToolCall, ToolOutcome, ToolRequest, ToolResult};
pub use self::govern_layer::GovernLayer;
pub use self::model::{DescribeError, GovernModel, ModelCall, ModelOutcome, ModelRequest};
pub use self::router::{RouteRequest, Routed, Router};
pub use self::session::{Prompted, Session, Turn};
pub use self::spawn::{Child, GovernSpawn, SpawnRequest, Spawned};
pub use self::tally::Tally;

/// Returns the text for the agent, or a default text.
fn refusal(text: Option<String>) -> String {
    text.unwrap_or_else(|| "refused by a hook that gave no reason".to_owned())
}
