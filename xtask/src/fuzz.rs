//! `cargo xtask fuzz`: searches for inputs that break the properties of a fuzz target, and keeps a log of how
//! many it has tried.

use std::collections::BTreeMap;
use std::fs;

use crate::error::{Error, Result};
use crate::process::Program;
use crate::stopwatch::Stopwatch;
use crate::workspace;

/// A line for each run: commit, target, inputs, seconds.
const LOG: &str = "fuzz/log.tsv";

/// Inputs that each target is to have seen, over all runs.
const ENOUGH: u64 = 10_000_000;

/// Inputs that all targets together are to have seen.
const ENOUGH_OF_ALL: u64 = 100_000_000;

/// Flags that put the instruments of the fuzzer into the code. They need no nightly compiler.
const INSTRUMENTS: &str = "--cfg fuzzing -Cdebug-assertions -Cpasses=sancov-module -Ccodegen-units=1 \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Searches with a target for a number of seconds, a minute by default, and adds the run to the log.
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
        "-print_final_stats=1",
    ]);
    let search = Stopwatch::start();
    let mut inputs = 0;
    let searched = Program::cargo(all).with_variable("RUSTFLAGS", INSTRUMENTS).run_with_errors(|line| {
        inputs = number_of_inputs(line).unwrap_or(inputs);
    });
    note(target, inputs, search.elapsed().as_secs())?;
    searched
}

/// Prints how many inputs each target has seen, over all runs of the log.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub(crate) fn log() -> Result {
    let log = workspace::read(LOG)?;
    let seen = sums(&log)?;
    for (target, inputs) in &seen {
        println!("{target:<14} {inputs:>12} of {ENOUGH}");
    }
    println!("{:<14} {:>12} of {ENOUGH_OF_ALL}", "all", seen.values().sum::<u64>());
    Ok(())
}

/// The number of inputs, from the line in which libFuzzer gives it at its end.
fn number_of_inputs(line: &str) -> Option<u64> {
    line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok()
}

fn note(target: &str, inputs: u64, seconds: u64) -> Result {
    let commit = Program::new("git", ["rev-parse", "--short=12", "HEAD"]).output()?;
    let mut log = workspace::read(LOG)?;
    log.push_str(&format!("{}\t{target}\t{inputs}\t{seconds}\n", commit.trim()));
    workspace::write(LOG, &log)
}

/// Inputs by target.
fn sums(log: &str) -> Result<BTreeMap<&str, u64>> {
    let mut sums = BTreeMap::new();
    for line in log.lines().filter(|line| !line.starts_with('#')) {
        let [_, target, inputs, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(Error::new(format!("`{LOG}`: the line `{line}` does not have four columns")));
        };
        let inputs: u64 =
            inputs.parse().map_err(|cause| Error::doing(format!("`{LOG}`: inputs of `{line}`"), cause))?;
        *sums.entry(target).or_default() += inputs;
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_added_up_by_target() {
        let sums =
            sums("# commit\ttarget\tinputs\tseconds\na\tglobs\t5\t60\nb\tglobs\t7\t60\nb\tother\t1\t9\n");
        assert_eq!(sums.unwrap(), BTreeMap::from([("globs", 12), ("other", 1)]));
        assert!(super::sums("a\tglobs\n").is_err() && super::sums("a\tglobs\tmany\t1\n").is_err());
    }

    #[test]
    fn the_fuzzer_gives_its_number_of_inputs() {
        assert_eq!(number_of_inputs("stat::number_of_executed_units: 174321"), Some(174_321));
        assert_eq!(number_of_inputs("stat::average_exec_per_sec:     2857"), None);
    }
}
