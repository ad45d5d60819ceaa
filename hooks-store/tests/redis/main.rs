//! The Redis engine against a real server on loopback: it answers like the specification, and no fault of the
//! server makes it exceed a limit.
//!
//! If no `redis-server` is installed, each test prints a message and ends.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(feature = "redis")]

mod agree;
mod configured;
mod faults;
mod overspend;
mod ratios;
mod refused;
mod server;
#[cfg(feature = "tls")]
mod tls;
mod watch;
mod witness;
mod world;
