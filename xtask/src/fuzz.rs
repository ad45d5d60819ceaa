//! `cargo xtask fuzz`: searches for inputs that break the properties of a fuzz target.

use std::fs;

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace;

/// Flags that put the instruments of the fuzzer into the code. They need no nightly compiler.
const INSTRUMENTS: &str = "--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Searches with a target for a number of seconds, a minute by default.
///
/// # Errors
/// Returns an error if there is no such target, it cannot be built, or a property is broken.
pub(crate) fn run(target: &str, seconds: Option<&str>) -> Result {
    let seconds = seconds.unwrap_or("60");
    if seconds.parse::<u32>().is_err() {
        return Err(Error::new(format!("`{seconds}` is not a number of seconds")));
    }
    let root = workspace::root();
    let corpus = root.join("fuzz/corpus").join(target);
    if !corpus.is_dir() {
        return Err(Error::new(format!("there is no fuzz target `{target}`; `fuzz/README.md` lists them")));
    }
    // For a target of its own, build scripts get no instruments.
    let about = Program::new("rustc", ["-vV"]).output()?;
    let Some(host) = about.lines().find_map(|line| line.strip_prefix("host: ")) else {
        return Err(Error::new("`rustc -vV` names no host".to_owned()));
    };
    // The first folder is the one that new inputs are written to.
    let found = root.join("target/fuzz").join(target);
    fs::create_dir_all(&found).map_err(|cause| Error::doing("a folder for inputs cannot be made", cause))?;
    let (found, corpus) = (found.to_string_lossy().into_owned(), corpus.to_string_lossy().into_owned());
    let time = format!("-max_total_time={seconds}");
    let prefix = format!("-artifact_prefix={found}/");
    let arguments = [
        "run",
        "--release",
        "--target",
        host,
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--bin",
        target,
        "--",
        &found,
        &corpus,
    ];
    let all = arguments.into_iter().chain([
        &*time,
        &*prefix,
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=65536",
    ]);
    Program::cargo(all).with_variable("RUSTFLAGS", INSTRUMENTS).run()
}
