//! The whole stack over real HTTP on loopback: every vendor's errors, and every fault of the connection.
#![cfg(test)]

mod client;
mod faults;
mod limits;
mod rig;
mod server;
mod shapes;
mod streams;
