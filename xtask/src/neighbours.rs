//! `cargo xtask neighbours`: tests programs of other libraries without hooks and with them, and measures the difference between
//! their builds. They are in a workspace of their own.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace;

const MANIFEST: &str = "neighbours/Cargo.toml";

/// Libraries with a program `LIBRARY-hello` and a program `LIBRARY-governed`.
const LIBRARIES: &[&str] = &["axum", "async-openai", "rig", "rmcp", "tonic", "tower-mcp"];

/// Packages that CI tests. The others take minutes to build, and are tested by `cargo xtask nightly`.
const IN_CI: &[&str] = &[
    "axum-governed",
    "async-openai-governed",
    "rmcp-governed",
    "tower-mcp-governed",
    "support",
    "tower-hooks-async-openai",
    "tower-hooks-rmcp",
    "tower-hooks-tower-mcp",
];

/// Tests all of them.
///
/// # Errors
/// Returns an error if one does not build, or a test fails.
pub(crate) fn run() -> Result {
    tests(["--workspace"]).run()
}

/// Tests those that CI tests, and returns the output.
///
/// # Errors
/// Returns an error if one does not build, or a test fails; it holds the output.
pub(crate) fn check_quietly() -> Result<String> {
    tests(IN_CI.iter().flat_map(|package| ["-p", package])).both_outputs()
}

/// Tests in a target folder of their own, because another cargo may hold the lock of ours.
fn tests<'a>(options: impl IntoIterator<Item = &'a str>) -> Program {
    let target = workspace::target().join("neighbours");
    cargo(["test", "--quiet"], options).with_variable("CARGO_TARGET_DIR", &target.to_string_lossy())
}

/// Most packages that a governed program may have beyond its hello world.
const MOST_PACKAGES: usize = 40;

/// Most processor time, in seconds, that its cold build may take beyond that of its hello world.
#[cfg(unix)]
const MOST_SECONDS: f64 = 20.0;

/// Counts the packages of each program, without a build.
///
/// # Errors
/// Returns an error if `Cargo.lock` is not up to date, or a program misses the bar.
pub(crate) fn count() -> Result {
    for library in LIBRARIES {
        let (hello, more) = packages_more(library)?;
        println!("{library}: {hello} packages, {more} more with hooks");
        if more > MOST_PACKAGES {
            return Err(Error::new(format!("{library}: more than {MOST_PACKAGES} packages")));
        }
    }
    Ok(())
}

/// Measures the processor time of cold builds of the programs of these libraries, or of all.
///
/// # Errors
/// Returns an error if a program does not build, or misses a bar.
#[cfg(unix)]
pub(crate) fn measure(libraries: &[&str]) -> Result {
    count()?;
    let mut missed = Vec::new();
    for library in if libraries.is_empty() { LIBRARIES } else { libraries } {
        let (hello, governed) = (seconds(library, false)?, seconds(library, true)?);
        let more = governed - hello;
        println!("{library}: cold build {hello:.1} s of processor time, {more:.1} s more with hooks");
        if more > MOST_SECONDS {
            missed.push(*library);
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!("more than {MOST_SECONDS} s: {}", missed.join(", "))))
}

/// The number of packages of a hello world, and of those that its governed form has beyond them.
fn packages_more(library: &str) -> Result<(usize, usize)> {
    let package = format!("{library}-governed");
    let (hello, governed) = (packages(&package, false)?, packages(&package, true)?);
    Ok((hello.len(), governed.difference(&hello).count()))
}

/// The packages that a build compiles, build scripts and macros included.
fn packages(package: &str, is_governed: bool) -> Result<BTreeSet<String>> {
    let tree = ["--locked", "-p", package, "-e", "normal,build", "--prefix", "none", "--no-dedupe"];
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
