//! `cargo xtask storm`: days of a fleet's model calls against providers that fail, simulated in seconds, the
//! same at every run. It fails if the layers of `hooks-resilience` miss a gate.
//!
//! A storm is a file of parameters ([`params`]). Chance follows from its seed and from the request
//! ([`dice`]), so that all policies meet the same weather and the same luck. [`sim`] is the world of one run,
//! [`meter`] measures it from outside, [`policy`] has the policies to compare, and [`gates`] the limits that
//! they have to keep.

mod dice;
mod gates;
mod meter;
mod nightly;
mod options;
mod params;
mod plot;
mod policy;
mod providers;
mod report;
mod sim;
#[cfg(test)]
mod tests;
mod traffic;
mod weather;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use self::meter::Measures;
use self::options::Options;
use self::params::Params;
use self::policy::{Contender, Policy};
use self::sim::Sim;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;
use crate::workspace;

/// One policy in one storm.
#[derive(Debug)]
struct Run {
    storm: Arc<Params>,
    contender: &'static Contender,
    measures: Measures,
}

/// Runs the storms that the arguments select.
///
/// # Errors
/// Returns an error if an argument or a file is invalid, or a gate is missed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let options = Options::parse(arguments)?;
    let watch = Stopwatch::start();
    let storms = options.storms()?;
    if options.is_nightly {
        return match nightly::run(&storms, &options)? {
            0 => Ok(()),
            missed => Err(Error::new(format!("{missed} gates are missed"))),
        };
    }
    let runs = if options.is_whole() {
        // Parts are judged only in storms that are for it; the gates are judged in all storms.
        let contenders = options.contenders()?;
        let has_to_hold: Vec<_> = contenders.iter().copied().filter(|it| !it.role.is_of_parts()).collect();
        let (with, without): (Vec<_>, Vec<_>) = storms.iter().cloned().partition(|storm| storm.is_for_parts);
        let mut runs = simulate(&with, &contenders)?;
        runs.extend(simulate(&without, &has_to_hold)?);
        runs
    } else {
        simulate(&storms, &options.contenders()?)?
    };
    if options.json {
        println!("{}", report::json(&runs)?);
    } else {
        for storm in &storms {
            report::print(storm, &runs);
        }
    }
    if let Some(path) = &options.svg {
        workspace::write(path, &plot::draw(&runs))?;
    }
    let verdicts = gates::judge(&runs, options.is_whole());
    if !options.json {
        report::print_gates(&verdicts);
        println!("\n{} runs in {watch}", runs.len());
    }
    let missed = verdicts.iter().filter(|verdict| !verdict.holds).count();
    if missed > 0 {
        return Err(Error::new(format!("{missed} gates are missed")));
    }
    Ok(())
}

/// Every policy in every storm, on all cores. A policy that is compared in two roles runs once.
fn simulate(storms: &[Arc<Params>], contenders: &[&'static Contender]) -> Result<Vec<Run>> {
    let mut policies: Vec<Policy> = Vec::new();
    for contender in contenders {
        if !policies.contains(&contender.policy) {
            policies.push(contender.policy);
        }
    }
    let jobs: Vec<_> =
        storms.iter().flat_map(|storm| policies.iter().map(move |policy| (storm, *policy))).collect();
    let measured = on_all_cores(&jobs, |(storm, policy)| Sim::run(storm, *policy))?;
    let mut runs = Vec::new();
    for (storm, of_storm) in storms.iter().zip(measured.chunks(policies.len().max(1))) {
        for contender in contenders {
            let of_policy = policies.iter().zip(of_storm).find(|(policy, _)| **policy == contender.policy);
            if let Some((_, measures)) = of_policy {
                runs.push(Run { storm: Arc::clone(storm), contender, measures: measures.clone() });
            }
        }
    }
    Ok(runs)
}

/// Does `job` for each of `jobs`, on all cores; the results are in their order.
///
/// # Errors
/// Returns the error of the first job in the list that failed.
fn on_all_cores<J: Sync, T: Send>(jobs: &[J], job: impl Fn(&J) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(jobs.iter().map(|_| None).collect::<Vec<_>>());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(of) = jobs.get(place) else { break };
                    let result = job(of);
                    if let Some(slot) = done.lock().unwrap_or_else(PoisonError::into_inner).get_mut(place) {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().flatten().collect()
}
