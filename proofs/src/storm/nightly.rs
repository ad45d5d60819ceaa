//! `cargo xtask storm --nightly`: every storm with many seeds, on all cores, and a table of the worst of them.
//!
//! None of these seeds was looked at while a setting was chosen: that was done on seeds below 300.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::gates;
use super::meter::Load;
use super::options::Options;
use super::params::Params;
use super::policy::{Contender, NAIVE};
use super::sim::Sim;
use super::{Run, on_all_cores, traffic};
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;
use crate::workspace;

/// The page that holds the table, and what stands around it there.
const PAGE: &str = "docs/resilience.md";
const BEGIN: &str = "<!-- Written by `cargo xtask storm --nightly`. -->\n";
const END: &str = "<!-- Up to here, nightly. -->\n";

/// The seeds of the runs of all days, and of the short ones. Seeds whose losses were looked into are for
/// choosing settings from then on: these ranges then move on.
const ALL_DAYS: RangeInclusive<u64> = 421..=440;
const SHORT: RangeInclusive<u64> = 801..=900;

/// One storm with one seed.
struct Job {
    params: Arc<Params>,
    is_short: bool,
    /// Number of sessions: the measure for how long the job takes.
    sessions: u64,
}

/// Result of a job.
struct Outcome {
    seed: u64,
    sessions: u64,
    avoidable: f64,
    beyond: f64,
    three: f64,
    load: f64,
    /// Attempts for each session that came to its end, as a share of what three naive tries make.
    spent: f64,
    worst: Load,
    late: u64,
    missed: Vec<String>,
}

/// Runs all `storms` and returns the number of gates that were missed. If the seeds were those of every
/// night, writes the table into the page.
///
/// # Errors
/// Returns an error if a storm is invalid, or the page cannot be read or written.
pub(super) fn run(storms: &[Arc<Params>], options: &Options) -> Result<usize> {
    let jobs: Vec<Job> = storms.iter().flat_map(|storm| jobs(storm, options)).collect();
    let progress = Progress::new(&jobs);
    let outcomes = on_all_cores(&jobs, |job| {
        let outcome = job.run();
        progress.ended(job, &outcome);
        outcome
    })?;
    let table = table(&jobs, &outcomes);
    println!("{table}");
    let missed: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.missed).collect();
    missed.iter().for_each(|missed| println!("MISSED {missed}"));
    if options.is_every_night() {
        let page = workspace::read(PAGE)?;
        let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
        let Some((before, after)) = parts else {
            return Err(Error::new(format!(
                "`{PAGE}` has no place for the table; it begins with `{}`",
                BEGIN.trim()
            )));
        };
        workspace::write(PAGE, &format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    }
    Ok(missed.len())
}

/// The runs of one storm.
fn jobs(storm: &Params, options: &Options) -> Vec<Job> {
    let job = |seed, is_short| {
        let days = if is_short { storm.short_days } else { storm.days };
        let params = Params { seed, days, ..storm.clone() };
        let sessions = traffic::arrivals(&params).len() as u64;
        Job { params: Arc::new(params), is_short, sessions }
    };
    match &options.seeds {
        Some(seeds) => seeds.clone().map(|seed| job(seed, options.is_short)).collect(),
        None => ALL_DAYS.map(|seed| job(seed, false)).chain(SHORT.map(|seed| job(seed, true))).collect(),
    }
}

impl Job {
    fn run(&self) -> Result<Outcome> {
        let run = |key: &str| -> Result<Run> {
            let contender = Contender::find(key)?;
            let measures = Sim::run(&self.params, contender.policy)?;
            Ok(Run { storm: Arc::clone(&self.params), contender, measures })
        };
        let runs = [run(NAIVE)?, run("ours")?, run("oracle")?];
        let missed = gates::judge(&runs, false).into_iter().filter(|verdict| !verdict.holds).map(|verdict| {
            format!(
                "{} seed {}{}: {} {} ({})",
                self.params.name,
                self.params.seed,
                if self.is_short { ", short" } else { "" },
                verdict.gate,
                verdict.measured,
                verdict.bar
            )
        });
        let missed = missed.collect();
        let [three, ours, oracle] = runs.map(|run| run.measures);
        Ok(Outcome {
            seed: self.params.seed,
            sessions: ours.sessions,
            avoidable: 100.0 * ours.avoidable(&oracle),
            beyond: 100.0 * ours.beyond(&oracle),
            three: 100.0 * three.avoidable(&oracle),
            load: ours.load(),
            spent: ours.attempts_a_session() / three.attempts_a_session(),
            worst: ours.worst,
            late: ours.late,
            missed,
        })
    }
}

/// The worst of each storm, as Markdown.
fn table(jobs: &[Job], outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| storm | seeds | sessions a run | avoidable loss: worst (seed), mean | lost beyond the oracle: worst | three naive tries: least | attempts a call: worst (seed) | attempts a finished session, of three naive tries: worst (seed) | worst five minutes (seed; best share) | late |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let together: Vec<(&Job, &Outcome)> = jobs.iter().zip(outcomes).collect();
    for rows in together.chunk_by(|(job, _), (next, _)| {
        (&job.params.name, job.is_short) == (&next.params.name, next.is_short)
    }) {
        let Some((job, _)) = rows.first() else { continue };
        let most = |of: fn(&Outcome) -> f64| {
            let (_, it) = rows.iter().max_by(|(_, a), (_, b)| of(a).total_cmp(&of(b)))?;
            Some((of(it), *it))
        };
        let worst = |of: fn(&Outcome) -> f64| most(of).map_or((0.0, 0), |(worst, it)| (worst, it.seed));
        let mean = rows.iter().map(|(_, it)| it.avoidable).sum::<f64>() / rows.len() as f64;
        let three = rows.iter().map(|(_, it)| it.three).fold(f64::INFINITY, f64::min);
        let sessions = rows.iter().map(|(_, it)| it.sessions).sum::<u64>() / rows.len() as u64;
        let late: u64 = rows.iter().map(|(_, it)| it.late).sum();
        let ((loss, of_loss), (beyond, _)) = (worst(|it| it.avoidable), worst(|it| it.beyond));
        let ((load, of_load), (spent, of_spent)) = (worst(|it| it.load), worst(|it| it.spent));
        let five = most(|it| it.worst.ratio());
        let (five, of_five, share) =
            five.map_or((0.0, 0, 1.0), |(five, it)| (five, it.seed, it.worst.best_share()));
        let _written = writeln!(
            text,
            "| `{}`{} | {} | {sessions} | {loss:.3} % ({of_loss}), {mean:.4} % | {beyond:.3} % | {three:.1} % | {load:.3} ({of_load}) | {spent:.3} ({of_spent}) | {five:.2} ({of_five}; {share:.2}) | {late} |",
            job.params.name,
            if job.is_short { ", short" } else { "" },
            rows.len(),
        );
    }
    text
}

/// Progress of the jobs, with the remaining time: updated in place on a terminal, elsewhere a line for each
/// twentieth.
struct Progress {
    began: Stopwatch,
    all: u64,
    done: Mutex<(u64, usize, usize)>,
    jobs: usize,
}

impl Progress {
    fn new(jobs: &[Job]) -> Self {
        let all = jobs.iter().map(|job| job.sessions).sum();
        Self { began: Stopwatch::start(), all, done: Mutex::new((0, 0, 0)), jobs: jobs.len() }
    }

    fn ended(&self, job: &Job, outcome: &Result<Outcome>) {
        let mut done = lock(&self.done);
        let before = done.0 * 20 / self.all.max(1);
        done.0 += job.sessions;
        done.1 += 1;
        done.2 += outcome.as_ref().map_or(1, |outcome| outcome.missed.len());
        let is_terminal = std::io::stderr().is_terminal();
        if !is_terminal && done.0 * 20 / self.all.max(1) == before {
            return;
        }
        let (passed, part) = (self.began.elapsed(), done.0 as f64 / self.all.max(1) as f64);
        let left = Duration::from_secs_f64(passed.as_secs_f64() * (1.0 - part) / part.max(1e-9));
        let (start, end) = if is_terminal { ("\r", "\x1b[K") } else { ("", "\n") };
        let _written = write!(
            std::io::stderr(),
            "{start}{} of {} runs, {:.0} %, {} gates missed, {} min passed, {} min left{end}",
            done.1,
            self.jobs,
            100.0 * part,
            done.2,
            passed.as_secs() / 60,
            left.as_secs().div_ceil(60),
        );
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
