//! The drivers: they fire every event at its moment, on every way out.
//!
//! Hooks that are typed and never called are the chief fault of hook systems. A host that runs its tools through
//! [`Govern`], its models through [`GovernModel`], its children through [`GovernSpawn`], its tasks through
//! [`Router`], its compactions through [`Compactor`], and its session through [`Session`] fires all events, also on errors, denials, cancellation and
//! drop.
//!
//! A driver boxes one future per call: what it drives (a tool, a model, a process) costs more than that by
//! orders of magnitude, and an `async fn` can be read from top to bottom. The layers it asks are not boxed.

mod approver;
mod compactor;
mod govern;
mod model;
mod moment;
mod router;
mod session;
mod spawn;
mod tally;

pub use self::approver::{Approval, ApprovalRequest, Approver, NoApprover};
pub use self::compactor::{Compaction, Compactor};
pub use self::govern::{Govern, Governed, ToolCall, ToolOutcome, ToolRequest, ToolResult};
pub use self::model::{DescribeError, GovernModel, ModelCall, ModelOutcome, ModelRequest};
pub use self::router::{RouteRequest, Routed, Router};
pub use self::session::{Prompted, Session, Turn};
pub use self::spawn::{Child, GovernSpawn, SpawnRequest, Spawned};
pub use self::tally::Tally;

use crate::verdict::Reason;

/// Why something did not happen, in the words of the first reason of the winning strength.
fn refusal(reason: Option<&Reason>) -> String {
    reason.map_or_else(|| "refused by a hook that gave no reason".to_owned(), |reason| reason.message.clone())
}
