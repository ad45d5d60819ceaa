//! Real processes share one store: the default file, and a Redis server. They race for limits, and none of
//! them continues with another store than the one that was used before.
//!
//! A longer form of the races:
//! `HOOKS_RACE_ROUNDS=40 cargo test --profile fast -p tower-hooks-cli --test store run_races -- --nocapture`.

// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the programs under test are processes, which take real time")]

mod eval_races;
mod identity;
mod run_races;
mod sequences;
mod server;
mod written;
