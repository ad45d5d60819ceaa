//! `cargo xtask neighbours`: tests programs of other libraries without hooks and with them, and measures the difference between
//! their builds. They are in a workspace of their own.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::process::Program;

const MANIFEST: &str = "neighbours/Cargo.toml";

/// Tests all of them.
///
/// # Errors
/// Returns an error if one does not build, or a test fails.
pub(crate) fn run() -> Result {
    cargo(["test", "--quiet"], ["--workspace"]).run()
}

/// Libraries with a program `LIBRARY-hello` and a program `LIBRARY-governed`.
const LIBRARIES: &[&str] = &["axum", "async-openai", "rig", "tonic"];

/// Most packages that a governed program may have beyond its hello world.
const MOST_PACKAGES: usize = 40;

/// Most processor time, in seconds, that its cold build may take beyond that of its hello world.
#[cfg(unix)]
const MOST_SECONDS: f64 = 20.0;

/// Measures the packages and the processor time of a cold build of each program.
///
/// # Errors
/// Returns an error if a program does not build, or misses a bar.
#[cfg(unix)]
pub(crate) fn measure() -> Result {
    let mut missed = Vec::new();
    for library in LIBRARIES {
        let package = format!("{library}-governed");
        let (hello, governed) = (packages(&package, false)?, packages(&package, true)?);
        let more = governed.difference(&hello).count();
        let (before, after) = (seconds(library, false)?, seconds(library, true)?);
        println!(
            "{library}: {} packages, {more} more with hooks; cold build {before:.1} s of processor time, {:.1} s more with hooks",
            hello.len(),
            after - before
        );
        if more > MOST_PACKAGES || after - before > MOST_SECONDS {
            missed.push(*library);
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!("above {MOST_PACKAGES} packages or {MOST_SECONDS} s: {}", missed.join(", "))))
}

/// The packages that a build compiles, build scripts and macros included.
fn packages(package: &str, is_governed: bool) -> Result<BTreeSet<String>> {
    let tree = ["-p", package, "-e", "normal,build", "--prefix", "none", "--no-dedupe"];
    let printed = cargo(["tree", "--quiet"], tree.into_iter().chain(features(is_governed))).output()?;
    // A package with only features beside its name is listed twice, so the name and the version count.
    let name = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    Ok(printed.lines().map(name).collect())
}

/// Processor time of a cold build of one program, in seconds.
#[cfg(unix)]
fn seconds(library: &str, is_governed: bool) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let package = format!("{library}-governed");
    let program = format!("{library}-{}", if is_governed { "governed" } else { "hello" });
    let build = ["-p", &package, "--bin", &program].into_iter().chain(features(is_governed));
    let build = cargo(["build", "--quiet"], build)
        .with_variable("CARGO_TARGET_DIR", &folder.path().to_string_lossy());
    let watch = crate::processor::ProcessorWatch::start()?;
    build.with_variable("CARGO_INCREMENTAL", "0").run()?;
    Ok(watch.elapsed()?.as_secs_f64())
}

fn features(is_governed: bool) -> Option<&'static str> {
    (!is_governed).then_some("--no-default-features")
}

fn cargo<'a>(command: [&'a str; 2], options: impl IntoIterator<Item = &'a str>) -> Program {
    Program::cargo(command.into_iter().chain(["--manifest-path", MANIFEST]).chain(options))
}
