//! Handlers against the rules of both generations, and against what commands do to who starts them.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod approval;
mod common;
mod page;
#[cfg(unix)]
mod processes;
mod rules;
