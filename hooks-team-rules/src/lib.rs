//! Policies that enforce the state of a team. Each denial names the decision, charter, ceremony, phase or rule that it
//! comes from. Each module is a section of `hooks.yaml`.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`boundaries`] | keeps each agent to the files of its charter |
//! | [`ceremonies`] | closes tools for those who take part in a ceremony |
//! | [`decisions`] | denies what decisions of the team forbid |
//! | [`phases`] | allows in each phase of a pipeline what the phase is for |
//! | [`routing`] | changes or denies routes of tasks to agents |
//! | [`sequences`] | rules about the order of calls, their number in a window, and the way of their results |
//! | [`written`] | judges commands by the files that they run, if the session wrote them |

/// Includes a list of a table in `data`, as the build script wrote it.
macro_rules! table {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

mod agents;
pub mod boundaries;
pub mod ceremonies;
pub mod decisions;
pub mod phases;
pub mod routing;
pub mod sequences;
mod team_files;
#[cfg(test)]
mod testing;
pub mod written;

pub use self::boundaries::{Boundaries, BoundariesLayer};
pub use self::ceremonies::{CeremonyGates, CeremonyGatesLayer, HeldCeremonies};
pub use self::routing::{RouteRules, RouteRulesLayer, Routing, RoutingLayer};
