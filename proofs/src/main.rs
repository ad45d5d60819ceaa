//! The programs behind the figures in the README and the pages. `cargo xtask COMMAND` builds this program and
//! starts it.
//!
//! | command | purpose | module |
//! | --- | --- | --- |
//! | `answer` | answers the questions of the vectors and corpora by the policies | [`answer`] |
//! | `codegen` | checks that the generated pages and schemas follow from the code | [`codegen`] |
//! | `conformance` | checks the scores of all vectors and corpora against their minimum | [`conformance`] |
//! | `disk` | checks that full and failing disks lose no acknowledged record | [`disk`] |
//! | `e2e` | checks that real clients obey | [`e2e`] |
//! | `harm` | checks that attacks do no harm in the sandbox, and ordinary commands their work | `harm` |
//! | `overspend` | checks that no budget is overspent | [`overspend`] |
//! | `reload` | checks that rules change without losing or mixing a call | [`reload`] |
//! | `soak` | checks that long runs lose nothing and keep their speed | [`soak`] |
//! | `storm` | measures which failures of providers model calls survive | [`storm`] |

#[cfg(feature = "all")]
mod answer;
#[cfg(feature = "all")]
mod child;
#[cfg(feature = "all")]
mod codegen;
#[cfg(feature = "all")]
mod conformance;
#[cfg(feature = "all")]
mod disk;
#[cfg(feature = "all")]
mod e2e;
#[cfg(all(feature = "all", target_os = "linux"))]
mod harm;
#[cfg(feature = "all")]
mod overspend;
#[cfg(feature = "all")]
mod reload;
#[cfg(feature = "all")]
mod soak;
mod storm;

use std::process::ExitCode;

use xtask::{error, stopwatch, workspace};
#[cfg(feature = "all")]
use xtask::{process, registries};

use crate::error::{Error, Result};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    xtask::exit(run(&arguments))
}

fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["storm", options @ ..] => storm::run(options),
        #[cfg(feature = "all")]
        _ => run_any(arguments),
        #[cfg(not(feature = "all"))]
        _ => Err(unknown(arguments)),
    }
}

/// Runs a command other than `storm`.
#[cfg(feature = "all")]
fn run_any(arguments: &[&str]) -> Result {
    match arguments {
        ["answer", suite] => answer::run(suite, None),
        ["answer", suite, "--profile", profile] | ["answer", "--profile", profile, suite] => {
            answer::run(suite, Some(profile))
        }
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["conformance"] => conformance::run(),
        ["disk", arguments @ ..] => disk::run(arguments),
        ["e2e", what @ .., "--short"] => e2e::check(what),
        ["e2e", options @ ..] => e2e::run(options),
        // The hook that `e2e` gives to clients.
        ["stand-in", options @ ..] => e2e::stand_in::run(options),
        #[cfg(target_os = "linux")]
        ["harm", options @ ..] => harm::run(options),
        ["overspend", options @ ..] => overspend::run(options),
        ["reload", options @ ..] => reload::run(options),
        ["soak", "--short"] => soak::check(),
        ["soak", options @ ..] => soak::run(options),
        other => Err(unknown(other)),
    }
}

fn unknown(arguments: &[&str]) -> Error {
    Error::new(format!("unknown command `{}`; see `cargo xtask help`", arguments.join(" ")))
}
