//! Facts about events, derived from their text: no policy, no decision, no clock.
//!
//! Six engines, each usable by itself, and the facts about one call that they give together:
//!
//! - [`tools`] knows the names of tools and of their arguments, and finds the paths and the commands in a
//!   call;
//! - [`paths`] determines the files that a path may stand for, in every plausible reading;
//! - [`globs`] matches such a reading against many patterns at once;
//! - [`shell`] parses bash text to a tree, without running or expanding anything;
//! - [`commands`] determines the programs that such a text would start, with their words;
//! - `statements` reads what such a text gives to clients of databases;
//! - [`calls`] has the facts about one tool call, computed at most once per request.
//! - [`prompts`] finds the files that a prompt names, which clients read without a tool call.
//!
//! The programs, tools and words that they know are rows of the tables in the folder `data`. The build checks
//! each row, and a test looks at its effect.
//!
//! All of them are made for hostile input: they are linear in its length and bounded in depth. Input that
//! they do not understand is reported as such, and never treated as empty.

/// Includes a table that the build script has checked and written.
macro_rules! table {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

mod by_key;
pub mod calls;
pub mod commands;
pub mod globs;
pub mod hosts;
pub mod names;
pub mod paths;
pub mod prompts;
pub mod shell;
mod statements;
pub mod tools;
