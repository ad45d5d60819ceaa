//! `hooks.yaml`: every section, its errors and its page. One binary, because each links everything.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

mod budget;
mod commands;
mod context;
mod errors;
#[cfg(unix)]
mod example;
mod files;
mod models;
mod nonsense;
mod options;
mod page;
mod prompts;
mod scribe;
mod spawn;
mod tenant;
