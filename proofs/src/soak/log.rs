//! `cargo xtask soak log`: one process writes millions of records. Fails if a later million costs more than
//! the first one, in time, memory or open files.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hooks::audit::verify::{self, Condition};
use hooks::audit::{Entry, Log, LogSettings, Payload, Record};
use hooks::{StdFileSystem, SystemClock};
use serde_json::json;

use super::number;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// Number of records in a line of the table.
const STEP: u64 = 1_000_000;
/// Most records in flight.
const AHEAD: u64 = 1_000;
/// Most CPU time of a later step, relative to the first.
const MOST_TIME: f64 = 1.25;
/// Most growth of memory, in MiB.
const MOST_MEMORY: f64 = 16.0;

/// Writes `--records` records, 10,000,000 by default.
///
/// # Errors
/// Returns an error if a step costs more than the first, or the log is not clean.
pub(super) fn run(arguments: &[&str]) -> Result {
    let records = match arguments {
        [] => 10 * STEP,
        ["--records", count] => number(count)?,
        _ => return Err(Error::new("`soak log` takes `--records N`; see `cargo xtask help`")),
    };
    if Usage::now().is_none() {
        println!("SKIPPED: this system does not report the memory of a process");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut settings = LogSettings::new([1; 32]);
    settings.files.file_bytes = 16 << 20;
    let log = Log::open(Arc::new(StdFileSystem), folder.path(), settings, Arc::new(SystemClock))
        .map_err(|error| Error::new(error.to_string()))?;
    println!(
        "{:>10} {:>12} {:>14} {:>10} {:>6} {:>7}",
        "records", "records/s", "us CPU/record", "MiB", "open", "files"
    );
    let mut steps = Vec::new();
    for step in 0..records.div_ceil(STEP) {
        let count = STEP.min(records - step * STEP);
        let usage = put(&log, count)?;
        let files = fs::read_dir(folder.path())?.count();
        println!("{:>10} {usage} {files:>7}", step * STEP + count);
        steps.push(usage);
    }
    drop(log);
    is_flat(&steps)?;
    check(folder.path(), records)
}

/// Writes `count` records, syncs the last of them, and measures the cost.
fn put(log: &Log, count: u64) -> Result<Step> {
    let (before, watch) = (Usage::read()?, Stopwatch::start());
    let failed = |error: hooks::audit::Unwritten| Error::new(error.to_string());
    for number in 1..=count {
        if number.is_multiple_of(AHEAD) || number == count {
            log.put_through(entry).map_err(failed)?.wait().map_err(failed)?;
        } else {
            log.put(entry).map_err(failed)?;
        }
    }
    let after = Usage::read()?;
    Ok(Step {
        rate: count as f64 / watch.elapsed().as_secs_f64(),
        time: (after.time - before.time) / count as f64 * 1e6,
        memory: after.memory,
        open: after.open,
    })
}

fn entry() -> Entry {
    let payload =
        Payload::new(json!({"tool_name": "write_file", "tool_args": {"path": "src/main.rs", "n": 17}}));
    Entry { payload: Some(payload), ..Record::new("pre_tool_use", hooks::time::Timestamp(1)).into() }
}

fn is_flat(steps: &[Step]) -> Result {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Ok(()) };
    let (time, memory) = (last.time / first.time, last.memory - first.memory);
    println!(
        "the last step: {time:.2} times the CPU of the first, {memory:+.1} MiB, {} files open",
        last.open
    );
    if time > MOST_TIME || memory > MOST_MEMORY || last.open > first.open {
        return Err(Error::new("a log that gets longer gets more expensive"));
    }
    Ok(())
}

/// Verifies the whole log.
fn check(folder: &Path, records: u64) -> Result {
    let (before, watch) = (Usage::read()?, Stopwatch::start());
    let report = verify::verify(&StdFileSystem, folder, &[])?;
    let after = Usage::read()?;
    let seen: u64 = report.chains.iter().map(|chain| chain.records).sum();
    println!(
        "verified {seen} records in {watch}: {:.0} thousand a second of CPU, {:.0} MiB at the end",
        seen as f64 / (after.time - before.time) / 1e3,
        after.memory
    );
    if report.condition() != Condition::Clean || seen != records {
        return Err(Error::new(format!("{records} records were put down, and {seen} are there: {report:?}")));
    }
    Ok(())
}

/// Cost of a part of the records.
struct Step {
    /// Records per second.
    rate: f64,
    /// Microseconds of CPU per record, over all threads.
    time: f64,
    /// Memory in MiB at the end.
    memory: f64,
    /// Open files at the end.
    open: usize,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rate, time, memory, open } = self;
        write!(f, "{rate:>12.0} {time:>14.2} {memory:>10.1} {open:>6}")
    }
}

/// Resource usage of the process, as Linux reports it.
pub(super) struct Usage {
    /// CPU time so far, in seconds.
    time: f64,
    /// Memory in MiB.
    pub(super) memory: f64,
    /// Open files.
    open: usize,
}

impl Usage {
    pub(super) fn read() -> Result<Self> {
        Self::now().ok_or_else(|| Error::new("this system stopped reporting the memory of a process"))
    }

    pub(super) fn now() -> Option<Self> {
        let of_thread = |task: fs::DirEntry| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        };
        let time: Option<f64> = fs::read_dir("/proc/self/task").ok()?.flatten().map(of_thread).sum();
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let memory: f64 = memory.trim().strip_suffix(" kB")?.parse().ok()?;
        let open = fs::read_dir("/proc/self/fd").ok()?.count();
        Some(Self { time: time? / 1e9, memory: memory / 1024.0, open })
    }
}
