//! Real processes share one store, on the file that is the default and on a Redis server: they race for what is limited, and
//! none goes on with a store that is not the one that was used before.
//!
//! The races in their long form: `HOOKS_RACE_ROUNDS=40 cargo test --release -p tower-hooks-cli --test store run_races -- --nocapture`.

// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the programs under test are processes, which take real time")]

mod eval_races;
mod identity;
mod run_races;
mod server;
