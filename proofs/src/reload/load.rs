//! Two threads judge calls by rules that change.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hooks::config::{LiveConfig, Reloaded};
use hooks::event::PreToolUse;
use hooks::{HookContext, HookRequest, Judged, decide};
use serde_json::json;

use super::rules;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// Threads that judge: one for each core of the machine that the bars are for.
const CALLERS: usize = 2;

/// Phases with reloads, each of which follows a phase without.
const PHASES: usize = 10;

/// Pause of an operator between two changes.
const PAUSE: Duration = Duration::from_millis(5);

/// Extent of a run.
pub(super) struct Plan {
    reloads: usize,
}

impl Plan {
    pub(super) fn with_reloads(reloads: impl TryInto<usize>) -> Self {
        Self { reloads: reloads.try_into().unwrap_or(usize::MAX) }
    }
}

/// Result of a run.
#[derive(Default)]
pub(super) struct Report {
    pub(super) reloads: usize,
    /// Versions that answers named.
    pub(super) versions: usize,
    pub(super) growth_kib: u64,
    calls: usize,
    /// Calls that were not denied.
    lost: usize,
    /// Answers whose reasons are of different rules, or not of those that the answer names.
    mixed: usize,
    with: Vec<Duration>,
    without: Vec<Duration>,
}

/// Answers that one thread got.
#[derive(Default)]
struct Seen {
    lost: usize,
    mixed: usize,
    /// Number in the reasons, by the version that the answer named.
    numbers: HashMap<String, usize>,
    times: Vec<Duration>,
}

/// Runs the plan.
///
/// # Errors
/// Returns an error if the rules cannot be written, or a change is not noticed.
pub(super) fn run(plan: &Plan) -> Result<Report> {
    let folder = tempfile::tempdir().map_err(|cause| Error::doing("making a folder", cause))?;
    let file = folder.path().join("hooks.yaml");
    rules::replace(&file, &rules::text(0, rules::COUNT))?;
    let config = LiveConfig::read(&file).map_err(|errors| Error::new(errors.to_string()))?;
    let mut numbers = HashMap::from([(config.current().rules_version().to_owned(), 0)]);
    let mut report = Report::default();
    // The first phase warms up.
    phase(&config, || wait(Duration::from_millis(50)))?;
    let before = memory_kib();
    for phase_number in 0..PHASES {
        let (from, to) = (plan.reloads * phase_number / PHASES, plan.reloads * (phase_number + 1) / PHASES);
        let watch = Stopwatch::start();
        let seen = phase(&config, || {
            for number in from + 1..=to {
                rules::replace(&file, &rules::text(number, rules::COUNT))?;
                config.check();
                let Some(Reloaded::Swapped { version, .. }) = config.check() else {
                    return Err(Error::new("a change was not noticed"));
                };
                numbers.insert(version.to_string(), number);
                futures_util::FutureExt::now_or_never(config.retire())
                    .ok_or_else(|| Error::new("these rules leave nothing to wait for"))?
                    .map_err(|cause| Error::new(cause.to_string()))?;
                wait(PAUSE)?;
            }
            Ok(())
        })?;
        let length = watch.elapsed();
        report.reloads += to - from;
        report.add(seen, &numbers, true);
        let seen = phase(&config, || wait(length))?;
        report.add(seen, &numbers, false);
    }
    report.growth_kib = memory_kib().saturating_sub(before);
    report.with.sort_unstable();
    report.without.sort_unstable();
    Ok(report)
}

#[expect(clippy::disallowed_methods, reason = "threads judge meanwhile, and their times are measured")]
fn wait(time: Duration) -> Result {
    thread::sleep(time);
    Ok(())
}

/// Judges calls on all threads while `change` runs.
fn phase(config: &LiveConfig, change: impl FnOnce() -> Result<()>) -> Result<Vec<Seen>> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| judge(config, &is_over))).collect();
        let changed = change();
        is_over.store(true, Ordering::Relaxed);
        let seen = callers
            .into_iter()
            .map(|caller| caller.join().map_err(|_| Error::new("a thread that judges panicked")));
        let seen = seen.collect::<Result<Vec<_>>>();
        changed?;
        seen
    })
}

fn judge(config: &LiveConfig, is_over: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let context = Arc::new(HookContext::new("session-1", "backend").in_dir("/repo"));
    let request = || {
        let call = PreToolUse::new("bash", json!({"command": rules::DENIED}));
        HookRequest::new(Arc::clone(&context), call)
    };
    while !is_over.load(Ordering::Relaxed) {
        // A host that names the rules keeps one configuration for a call; a driver asks the holder of the hooks.
        let watch = Stopwatch::start();
        let rules = config.current();
        let decided = futures_util::FutureExt::now_or_never(decide(rules.as_hooks(), request()));
        seen.times.push(watch.elapsed());
        let number = decided.as_ref().and_then(|decided| number_in(decided.outcome.reasons()));
        seen.lost += usize::from(decided.is_none_or(|decided| !decided.outcome.is_denied()));
        match number {
            Some(number) => {
                let version = rules.rules_version();
                let known = seen.numbers.get(version).copied();
                seen.mixed += usize::from(known.is_some_and(|known| known != number));
                if known.is_none() {
                    seen.numbers.insert(version.to_owned(), number);
                }
            }
            None => seen.mixed += 1,
        }
        drop(rules);
        let watch = Stopwatch::start();
        let decided = futures_util::FutureExt::now_or_never(config.live().decide(request()));
        seen.times.push(watch.elapsed());
        seen.mixed +=
            usize::from(decided.as_ref().is_none_or(|one| number_in(one.outcome.reasons()).is_none()));
        seen.lost += usize::from(decided.is_none_or(|decided| !decided.outcome.is_denied()));
    }
    seen
}

/// The number that all reasons carry; `None` if they differ, or one is missing.
fn number_in(reasons: &[hooks::Reason]) -> Option<usize> {
    let numbers = reasons.iter().map(|reason| reason.rule.rsplit('-').next()?.parse::<usize>().ok());
    let numbers: Option<Vec<_>> = numbers.collect();
    match numbers?.as_slice() {
        [first, second] if first == second => Some(*first),
        _ => None,
    }
}

impl Report {
    fn add(&mut self, seen: Vec<Seen>, numbers: &HashMap<String, usize>, reloads: bool) {
        for mut one in seen {
            self.calls += one.times.len();
            self.lost += one.lost;
            self.mixed += one.mixed;
            self.mixed +=
                one.numbers.iter().filter(|(version, number)| numbers.get(*version) != Some(number)).count();
            self.versions += one.numbers.len();
            let all = if reloads { &mut self.with } else { &mut self.without };
            all.append(&mut one.times);
        }
    }

    /// Faults that must never happen.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.lost > 0 {
            faults.push(format!("{} calls were lost", self.lost));
        }
        if self.mixed > 0 {
            faults.push(format!("{} answers do not follow from the rules that they name", self.mixed));
        }
        faults
    }

    /// Time that reloads add to the 99.9th percentile.
    pub(super) fn added(&self) -> Duration {
        percentile(&self.with, 999).saturating_sub(percentile(&self.without, 999))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} reloads of {} rules beside {} calls on {CALLERS} threads: {} lost, {} judged by a mixture; memory grew by {} KiB",
            self.reloads,
            rules::COUNT,
            self.calls,
            self.lost,
            self.mixed,
            self.growth_kib
        )?;
        for (name, times) in [("without reloads", &self.without), ("with reloads", &self.with)] {
            let [half, most, worst] = [500, 999, 1_000].map(|permille| percentile(times, permille));
            writeln!(f, "a call {name}: p50 {half:?}, p99.9 {most:?}, slowest {worst:?} of {}", times.len())?;
        }
        Ok(())
    }
}

/// The value below which `permille` of the sorted `times` are.
fn percentile(times: &[Duration], permille: usize) -> Duration {
    let at = (times.len() * permille / 1_000).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

/// Memory of this process, if the system reports it.
fn memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
