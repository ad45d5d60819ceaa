//! The laws of Hooks, held against its public API: a file a law, the contract of every layer, a whole session.
//!
//! One binary, so that the crate is linked once; a single law runs with
//! `cargo test -p tower-hooks-core --test laws law_2`.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod common;
mod contract;
mod law_1_strength;
mod law_2_judges_what_runs;
mod law_3_fails_closed;
mod laws_4_to_9;
mod whole_session;
