//! Costs of the audit log, as ratios and CPU time within one run, with their bars: `cargo xtask bench audit`.
//!
//! CPU time is that of all threads as the scheduler counts it (`/proc/self/task/*/schedstat`), so a busy
//! machine does not change it. On systems without that file nothing is measured.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a bench measures real time and ends where something is wrong"
)]

mod through;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio, exit};
use std::sync::Arc;

use hooks_audit::append::{AppendSettings, Appender};
use hooks_audit::describe::{Describe, Described};
use hooks_audit::{Entry, Log, LogSettings, Payload, Record, verify};
use hooks_core::event::PreToolUse;
use hooks_core::{Decision, HookContext, HookRequest, Verdict};
use hooks_system::{StdFileSystem, SystemClock};
use serde_json::json;

use self::through::Through;

/// Set in the process that runs at real-time priority.
const AT_ONCE: &str = "HOOKS_BENCH_AT_ONCE";

fn main() {
    if cpu("self").is_none() {
        println!("SKIPPED: the scheduler of this system does not report the cost of a thread");
        return;
    }
    match at_once() {
        Some(status) => exit(status.code().unwrap_or(1)),
        None if std::env::var_os(AT_ONCE).is_some() => println!("at real-time priority"),
        None => println!("at ordinary priority: `disk` is worth something only where nothing else runs"),
    }
    let folder = tempfile::tempdir().unwrap();
    let mut missed = 0;
    let mut bar = |name: &str, value: f64, unit: &str, holds: bool, bar: &str| {
        println!("{} {name}: {value:.2} {unit} ({bar})", if holds { "ok    " } else { "MISSED" });
        missed += usize::from(!holds);
    };

    let (all, own) = os(&folder.path().join("os"), 200_000);
    bar("os, CPU of all threads", all, "us a record", all <= 3.0, "at most 3");
    bar("os, CPU of the caller", own, "us a record", own <= 1.0, "at most 1");

    let (records, seconds) = verified(&folder.path().join("os"));
    bar(
        "verify",
        records / seconds / 1e3,
        "thousand records a second of CPU",
        records / seconds >= 5e5,
        "at least 500",
    );

    let seconds = recovered(&folder.path().join("recover"));
    bar("recovery of 64 MiB", seconds, "s of CPU", seconds < 1.0, "below 1");

    let all = through::measure(&folder.path().join("disk"), [1, 8, 64]);
    for Through { writers, of_bare, of_first, tasks, threads_of_bare } in &all {
        let name = format!("disk, {writers} at a time");
        match writers {
            64 => bar(&name, *of_first, "times the rate of one", *of_first >= 20.0, "at least 20"),
            _ => bar(&name, *of_bare, "of a bare write and fdatasync", *of_bare >= 0.8, "at least 0.8"),
        }
        println!(
            "       {tasks:.0} records a second, {of_bare:.2} of bare; from threads that block, {threads_of_bare:.2} of bare"
        );
    }
    if missed > 0 {
        exit(1);
    }
}

/// Measures in another process at real-time priority, if this one may start such a process. There a woken
/// thread runs at once, whatever else the machine does. Without that priority, a busy machine would only
/// measure its own scheduling delays.
fn at_once() -> Option<ExitStatus> {
    let chrt = |program: &Path| {
        let mut command = Command::new("chrt");
        command.args(["--fifo", "10"]).arg(program).args(std::env::args_os().skip(1)).env(AT_ONCE, "1");
        command.stderr(Stdio::null()).status().ok()
    };
    if std::env::var_os(AT_ONCE).is_some() || !chrt(Path::new("true"))?.success() {
        return None;
    }
    chrt(&std::env::current_exe().ok()?)
}

/// A typical event of a busy agent.
fn request() -> HookRequest<PreToolUse> {
    let context = HookContext::new("session-4711", "backend")
        .in_dir("/srv/agents/backend")
        .with_environment(hooks_system::system());
    let args = json!({"path": "src/server/routes/orders.rs", "content": "pub fn list() -> Vec<Order> { store().all() }"});
    HookRequest::new(context, PreToolUse::new("write_file", args))
}

fn log(folder: &Path) -> Log {
    let mut settings = LogSettings::new([1; 32]);
    settings.queue = 1 << 20;
    Log::open(Arc::new(StdFileSystem), folder, settings, Arc::new(SystemClock)).unwrap()
}

/// Microseconds of CPU per record: of all threads, and of the calling one.
fn os(folder: &Path, records: u32) -> (f64, f64) {
    let log = log(folder);
    let describe = Arc::new(Describe::default());
    let request = request();
    let recorded = || PreToolUse::recorded(&Decision::from(Verdict::ALLOW));
    let (before, before_own) = (cpu("self").unwrap(), cpu("thread-self").unwrap());
    for _ in 0..records {
        let (describe, request, recorded) = (Arc::clone(&describe), request.clone(), recorded());
        log.put(move || describe.entry(&request, recorded)).unwrap();
    }
    let own = cpu("thread-self").unwrap() - before_own;
    // Waits for the log's thread, so that its time is counted.
    log.put_through(|| Record::new("end", hooks_core::time::Timestamp(0)).into()).unwrap().wait().unwrap();
    let all = cpu("self").unwrap() - before;
    (all / f64::from(records) * 1e6, own / f64::from(records) * 1e6)
}

/// Number of records that were verified, and the seconds of CPU that it took.
fn verified(folder: &Path) -> (f64, f64) {
    let before = cpu("self").unwrap();
    let report = verify::verify(&StdFileSystem, folder, &[]).unwrap();
    let seconds = cpu("self").unwrap() - before;
    assert_eq!(report.condition(), verify::Condition::Clean);
    (report.chains[0].records as f64, seconds)
}

/// Seconds of CPU to continue after a writer that did not close a file of 64 MiB.
fn recovered(folder: &Path) -> f64 {
    let open = || {
        let settings = AppendSettings::new([1; 32]);
        Appender::open(Arc::new(StdFileSystem), folder, settings, Arc::new(SystemClock)).unwrap()
    };
    let (mut appender, _) = open();
    let mut entries: Vec<Entry> = (0..64).map(|_| entry()).collect();
    while fs::metadata(folder.join("w0.00000001.jsonl")).unwrap().len() < 63 << 20 {
        appender.append(&mut entries).unwrap();
    }
    appender.sync().unwrap();
    appender.append(&mut entries).unwrap();
    drop(appender);
    let before = cpu("self").unwrap();
    drop(open());
    cpu("self").unwrap() - before
}

fn entry() -> Entry {
    let payload =
        Some(Payload::new(json!({"tool_name": "write_file", "tool_args": {"path": "src/main.rs", "n": 17}})));
    Entry { payload, ..Record::new("pre_tool_use", hooks_core::time::Timestamp(1)).into() }
}

/// Seconds of CPU that a process or a thread used so far.
fn cpu(whose: &str) -> Option<f64> {
    let own = |path: &Path| {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
    };
    let of = Path::new("/proc").join(whose);
    match fs::read_dir(of.join("task")) {
        Ok(tasks) => tasks.flatten().map(|task| own(&task.path())).sum(),
        Err(_) => own(&of),
    }
}
