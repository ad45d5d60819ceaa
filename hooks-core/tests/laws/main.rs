//! The laws of Hooks, tested on the public API: a file for each law, the contract of every layer, a whole
//! session.
//!
//! All tests are in one binary, so that the crate is linked once. To run a single law: `cargo test -p
//! tower-hooks-core --test laws law_2`.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod common;
mod contract;
mod law_1_strength;
mod law_2_judges_what_runs;
mod law_3_fails_closed;
mod laws_4_to_9;
mod shadow;
mod watched;
mod whole_session;
