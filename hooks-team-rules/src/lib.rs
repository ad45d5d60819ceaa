//! Policies that enforce the state of a team: its decisions, the files of each agent, its ceremonies, the phases of
//! its work, sequences of calls, and the routing of tasks.
//!
//! Each is a [`Policy`](hooks_core::Policy) or a layer of its own, and a section of `hooks.yaml`. Each denial names
//! the decision, charter, ceremony or phase that it comes from.

/// Includes a list of a table in `data`, as the build script wrote it.
macro_rules! table {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

pub mod decisions;
