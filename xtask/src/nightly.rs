//! `cargo xtask nightly`: the long forms of checks that `ci` runs in short. Takes hours; needs the tools that
//! `.ci/run` installs.

use crate::error::Result;
use crate::process::Program;
use crate::steps::{self, Step};
use crate::{dist, features, image, msrv, neighbours, package, proofs};

const STEPS: &[Step] = &[
    ("features", features::run),
    ("msrv", msrv::run),
    ("package", package::run),
    ("neighbours", neighbours::run),
    ("dist", dist::run),
    ("image", image::run),
    ("mutants", mutants),
    ("tamperings", tamperings),
    ("payloads", payloads),
    ("agreement", agreement),
    ("kills", kills),
    ("undos", undos),
    ("undo kills", undo_kills),
    ("races", races),
    ("overspend", overspend),
    ("reload", || proofs::run(&["reload"])),
    ("soak log", || proofs::run(&["soak", "log"])),
    ("soak scribe", || proofs::run(&["soak", "scribe"])),
    ("soak sequences", || proofs::run(&["soak", "sequences"])),
    ("soak sessions", || proofs::run(&["soak", "sessions"])),
    ("storm", || proofs::run(&["storm", "--nightly"])),
    ("harm", || proofs::run(&["harm"])),
    ("harm, Landlock alone", || proofs::run(&["harm", "--landlock", "--as", "65534"])),
    ("harm, projects", || proofs::run(&["harm", "--projects"])),
    ("e2e", || proofs::run(&["e2e"])),
    ("pre-commit", || Program::new(".ci/pre-commit", []).run()),
];

/// Runs all steps.
///
/// # Errors
/// Returns an error if a step fails; the steps after it do not run.
pub(crate) fn run() -> Result {
    steps::run(STEPS)
}

/// Runs a test whose size is set by a variable.
fn sized(variable: &str, size: &str, arguments: &[&str]) -> Result {
    Program::cargo(["test", "--profile", "fast"].into_iter().chain(arguments.iter().copied()))
        .with_variable(variable, size)
        .run()
}

fn mutants() -> Result {
    sized("HOOKS_MUTANTS", "10000", &["-p", "tower-hooks-cli", "--bin", "hooks", "mutants"])
}

fn tamperings() -> Result {
    sized("HOOKS_TAMPERINGS", "10000", &["-p", "tower-hooks-audit", "verify"])
}

/// Hostile payloads of every client and event, and each text of each payload as a long one.
fn payloads() -> Result {
    Program::cargo(["test", "--profile", "fast", "-p", "tower-hooks-cli", "--test", "every_event"])
        .with_variable("HOOKS_MUTANTS", "10000")
        .with_variable("HOOKS_EVERY_FIELD", "1")
        .run()
}

/// Whether `run`, `eval` and `explain` agree on every event of `proofs`.
fn agreement() -> Result {
    sized("HOOKS_EVERY_EVENT", "1", &["-p", "tower-hooks-cli", "--bin", "hooks", "agreement"])
}

fn kills() -> Result {
    sized("HOOKS_AUDIT_KILLS", "1000", &["-p", "tower-hooks", "--test", "audit"])
}

/// Random trees and commands, each undone.
fn undos() -> Result {
    sized("HOOKS_UNDO_CASES", "10000", &["-p", "tower-hooks-snapshots", "--test", "snapshots", "undo::"])
}

/// Snapshots and undos that are killed at random moments.
fn undo_kills() -> Result {
    sized("HOOKS_UNDO_CASES", "1000", &["-p", "tower-hooks-snapshots", "--test", "snapshots", "kill::"])
}

fn races() -> Result {
    sized("HOOKS_RACE_ROUNDS", "40", &["-p", "tower-hooks-cli", "--test", "store", "run_races"])
}

fn overspend() -> Result {
    ["memory", "embedded", "redis"].iter().try_for_each(|engine| proofs::run(&["overspend", engine]))
}
