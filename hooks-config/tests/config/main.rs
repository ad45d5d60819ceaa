//! `hooks.yaml`: every section, its errors and its page. All in one binary, because each test binary links
//! everything.
// The helpers are tests as well, because the lints exempt tests.
#![cfg(test)]

mod budget;
mod commands;
mod context;
mod errors;
#[cfg(unix)]
mod example;
mod files;
mod further;
#[cfg(feature = "cedar")]
mod languages;
mod models;
mod nonsense;
mod options;
mod packs;
mod page;
mod prompts;
mod restricts;
mod sandbox;
mod scribe;
mod shadow;
mod spawn;
mod tenant;
