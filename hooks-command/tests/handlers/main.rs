//! Tests of handlers: the rules of both profiles, and the effects of commands on the program that starts
//! them.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod common;
mod page;
#[cfg(unix)]
mod processes;
mod rules;
