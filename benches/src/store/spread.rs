//! Fairness of the file among processes: median and worst waits of four processes that write all the time.
//!
//! If other programs keep the cores busy, a woken writer waits some milliseconds for a core, which hides all
//! other waits. So the writers run at real-time priority where that is allowed (`chrt`).

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use hooks_store::sqlite::SqliteOptions;

use super::Spender;
use super::disk::state_file;
use crate::SetupError;

const WRITERS: usize = 4;
/// Writes of each process. The first and the last ones are left out, because not all processes run then.
const WRITES: usize = 6_000;
const LEFT_OUT: usize = 1_000;
/// Bar: the 99th percentile of the waits, as a multiple of the median.
const TIMES: f64 = 5.0;
/// Number of rounds; other load on the machine disturbs some of them.
const ROUNDS: usize = 3;
/// Program that runs another one at real-time priority.
const FIRST: &str = "chrt";
const FIRST_ARGUMENTS: [&str; 2] = ["--fifo", "10"];

/// First argument of a writing process; the second is its file.
const WRITER: &str = "--write";

/// The file to write into, if this process was started to write.
pub fn is_writer(arguments: &[String]) -> Option<&str> {
    match arguments {
        [flag, path] if flag == WRITER => Some(path),
        _ => None,
    }
}

/// Writes, and prints the nanoseconds of each operation.
///
/// # Errors
/// Returns an error if the store cannot be opened, or if a write fails.
pub fn write(path: &str) -> Result<(), SetupError> {
    let mut spender = Spender::new(SqliteOptions::new(path).blocking().open()?);
    let mut waits = Vec::with_capacity(WRITES);
    for _ in 0..WRITES {
        let start = now();
        if !spender.spend() {
            return Err("a write failed".into());
        }
        // A write has two operations.
        waits.push(start.elapsed().as_nanos() / 2);
    }
    for wait in waits {
        println!("{wait}");
    }
    Ok(())
}

/// Starts the writers, prints their waits, and returns whether the bar is met.
///
/// # Errors
/// Returns an error if a writer cannot be started, or fails.
pub fn report() -> Result<bool, SetupError> {
    let mut best: Option<(f64, f64, f64)> = None;
    for _ in 0..ROUNDS {
        let (median, late) = measure()?;
        let ratio = late / median;
        if best.is_none_or(|(least, ..)| ratio < least) {
            best = Some((ratio, median, late));
        }
    }
    let (ratio, median, late) = best.unwrap_or((f64::INFINITY, 0.0, 0.0));
    let verdict = if ratio <= TIMES { "ok" } else { "MISSED" };
    println!(
        "{:<52} {:>10.1}  p99 {late:.0} ns, {ratio:.2} times it, <= {TIMES}: {verdict}",
        "store/embedded, p50 of an operation, four processes", median
    );
    Ok(ratio <= TIMES)
}

#[expect(clippy::disallowed_methods, reason = "the bench is of real processes")]
fn measure() -> Result<(f64, f64), SetupError> {
    let (_folder, path) = state_file()?;
    drop(SqliteOptions::new(&path).blocking().open()?);
    let is_allowed = Command::new(FIRST).args(FIRST_ARGUMENTS).arg("true").stderr(Stdio::null()).status();
    let start = |path: &Path| {
        let program = std::env::current_exe()?;
        let mut command = if is_allowed.as_ref().is_ok_and(ExitStatus::success) {
            let mut command = Command::new(FIRST);
            command.args(FIRST_ARGUMENTS).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.arg(WRITER).arg(path).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
    };
    let writers = (0..WRITERS).map(|_| start(&path)).collect::<Result<Vec<_>, _>>()?;
    let mut waits = Vec::new();
    for writer in writers {
        let output = writer.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("a writer failed ({})", output.status).into());
        }
        let printed = String::from_utf8(output.stdout)?;
        let of_one = printed.lines().skip(LEFT_OUT).take(WRITES - 2 * LEFT_OUT);
        for wait in of_one {
            waits.push(wait.parse::<f64>()?);
        }
    }
    waits.sort_by(f64::total_cmp);
    let at = |share: usize| waits.get(waits.len() * share / 100).copied().unwrap_or(f64::INFINITY);
    Ok((at(50), at(99)))
}

#[expect(clippy::disallowed_methods, reason = "this measures time")]
fn now() -> Instant {
    Instant::now()
}
