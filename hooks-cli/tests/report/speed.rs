//! The page of a large log: its size, and how fast its filter answers.
//!
//! `cargo xtask bench report` measures a log of a million records, with the program as it is installed.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot be set up has failed")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

use super::browser::{Browser, View};
use super::sample::Sample;
use super::{data, hooks};

/// Most bytes of a page.
const MOST_BYTES: u64 = 5_000_000;
/// Most milliseconds until a filter has answered.
const MOST_MS: f64 = 100.0;
/// Most seconds for the page of a million records.
const MOST_SECONDS: f64 = 20.0;

/// Sets `took` in the page to the time between each change of the filter and the drawing after it.
const WATCH: &str = "took = []; document.getElementById('filter').addEventListener('input', (event) =>
    requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - event.timeStamp)))), 1";

/// A command of the program that is measured.
#[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
fn program(folder: &Path, args: &[&str]) -> Command {
    let Some(program) = env::var_os("HOOKS_REPORT_PROGRAM") else { return hooks(folder, args) };
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command
}

/// Runs a command and returns its seconds. Its CPU and memory are those of all processes of the tests, so a measurement runs alone.
#[expect(clippy::disallowed_methods, reason = "this measures")]
fn timed(folder: &Path, args: &[&str]) -> f64 {
    let start = Instant::now();
    let cpu = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        (seconds(usage.user_time()) + seconds(usage.system_time()), usage.max_rss() / 1024)
    };
    let (before, _) = cpu();
    assert!(program(folder, args).stdout(Stdio::null()).status().unwrap().success());
    let took = start.elapsed().as_secs_f64();
    let (after, peak) = cpu();
    println!("hooks {}: {took:.1} s, {:.1} s of CPU, at most {peak} MiB of memory", args[0], after - before);
    took
}

/// The time in which the filter answers each of `changes`, in milliseconds.
fn answers(browser: &mut Browser, changes: impl Fn(&mut Browser)) -> Vec<f64> {
    browser.run(WATCH);
    changes(browser);
    serde_json::from_value(browser.run("took")).unwrap()
}

#[test]
fn a_large_log_is_a_small_page_that_answers_at_once() {
    let records: Option<u64> = env::var("HOOKS_REPORT_RECORDS").ok().map(|number| number.parse().unwrap());
    let is_measured = env::var_os("HOOKS_REPORT_PROGRAM").is_some();
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().canonicalize().unwrap();
    let (records, days, stopped) = records.map_or((45_000, 20, 1), |records| (records, 60, 25));
    Sample { records, days, stopped }.write(&path.join("log"));
    if is_measured {
        timed(&path, &["top", "--once", "--log", "log"]);
    }
    let took = timed(&path, &["report", "--log", "log", "-o", "report.html"]);
    let file = path.join("report.html");
    let size = fs::metadata(&file).unwrap().len();
    let data = data(&fs::read_to_string(&file).unwrap());
    let shown = data["stories"].as_array().unwrap().len();
    println!(
        "{records} records: {size} bytes, with {shown} of {} denials and {} questions",
        data["sums"]["denied"], data["sums"]["asked"]
    );
    assert_eq!(data["records"], records);
    assert!(size <= MOST_BYTES, "{size}");
    assert!(data["sums"]["denied"].as_u64().unwrap() + data["sums"]["asked"].as_u64().unwrap() > 10_000);

    assert!(!is_measured || records > 1_000_000 || took <= MOST_SECONDS, "{took}");
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&file, View::WIDE);
    assert_eq!(browser.problems(), Vec::<Value>::new());
    println!(
        "opened in {} ms",
        browser.run("Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)")
    );
    browser.click("#f-text");
    // A busy machine can make one of them wait.
    let typed =
        answers(&mut browser, |browser| "git push".chars().for_each(|one| browser.write(&one.to_string())));
    let clicked = answers(&mut browser, |browser| {
        for number in [2, 3, 1, 2, 3] {
            browser.click(&format!(".choice label:nth-child({number})"));
        }
    });
    for (what, times) in [("typed", typed), ("clicked", clicked)] {
        println!("{what}: {times:.0?} ms until the filter has answered");
        assert!(times.len() >= 5, "{times:?}");
        // Other tests run beside this one.
        let most = if is_measured { MOST_MS } else { 10.0 * MOST_MS };
        assert!(times.iter().copied().fold(f64::MAX, f64::min) <= most, "{what}: {times:?}");
    }
}
