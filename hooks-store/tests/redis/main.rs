//! The Redis engine against a real server on loopback: it answers like the specification, and no fault of the server
//! makes it give more than there is.
//!
//! Where no `redis-server` is installed, each test says so and ends.
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
mod watch;
mod witness;
mod world;
