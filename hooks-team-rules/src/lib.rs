//! Policies that enforce the state of a team: its decisions, the files of each agent, its ceremonies, the phases of
//! its work, sequences of calls, and the routing of tasks.
//!
//! Each is a [`Policy`](hooks_core::Policy) or a layer of its own, and a section of `hooks.yaml`. Each denial names
//! the decision, charter, ceremony or phase that it comes from.

mod agents;
pub mod boundaries;
pub mod ceremonies;
mod patterns;
pub mod routing;
mod team_files;
#[cfg(test)]
mod testing;

pub use self::boundaries::{Boundaries, BoundariesLayer};
pub use self::ceremonies::{CeremonyGates, CeremonyGatesLayer, HeldCeremonies};
pub use self::routing::{RouteRules, RouteRulesLayer, Routing, RoutingLayer};
