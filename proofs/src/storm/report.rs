//! The results of the storms as tables and as JSON.

use serde_json::json;

use super::Run;
use super::gates::{Verdict, avoidable, oracle_of};
use super::params::Params;
use crate::error::{Error, Result};

/// Prints the measures of every policy in one storm.
pub(super) fn print(storm: &Params, runs: &[Run]) {
    println!("\n{}: {}", storm.name, storm.about);
    println!(
        "{} instances, {} days, seed {}; X is the provider `{}`\n",
        storm.instances,
        storm.days,
        storm.seed,
        storm.models.first().map_or("", |model| &model.provider),
    );
    println!(
        "{:<46} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>5} {:>8} {:>22} {:>7}",
        "policy",
        "sessions",
        "failed %",
        "avoid %",
        "load",
        "on X",
        "5 min",
        "late",
        "idle",
        "p50 / p99 / p99.9 s",
        "$"
    );
    for run in runs.iter().filter(|run| run.storm.name == storm.name) {
        let measures = &run.measures;
        let [median, slow, slowest] = measures.waits_s;
        println!(
            "{:<46} {:>8} {:>8.3} {:>8.3} {:>6.3} {:>6.2} {:>6.2} {:>5} {:>8} {:>22} {:>7.0}",
            run.contender.name,
            measures.sessions,
            100.0 * measures.failures(),
            100.0 * avoidable(run, oracle_of(run, runs)),
            measures.load(),
            measures.load_in_trouble(),
            measures.worst.ratio(),
            measures.late,
            measures.idle,
            format!("{median:.1} / {slow:.0} / {slowest:.0}"),
            measures.cost,
        );
    }
}

/// Prints the gates, and whether each is held.
pub(super) fn print_gates(verdicts: &[Verdict]) {
    if verdicts.is_empty() {
        return;
    }
    println!("\n{:<12} {:<34} {:>10} {:>10}  of", "policy", "gate", "bar", "measured");
    for verdict in verdicts {
        println!(
            "{:<12} {:<34} {:>10} {:>10}  {:<7} {}",
            verdict.who,
            verdict.gate,
            verdict.bar,
            verdict.measured,
            if verdict.holds { "ok" } else { "MISSED" },
            verdict.storm
        );
    }
}

/// Returns all measures as JSON.
///
/// # Errors
/// Returns an error if the report cannot be written as JSON.
pub(super) fn json(runs: &[Run]) -> Result<String> {
    let as_json = |run: &Run| {
        json!({
            "storm": run.storm.name,
            "seed": run.storm.seed,
            "policy": run.contender.key,
            "failures": run.measures.failures(),
            "avoidable": avoidable(run, oracle_of(run, runs)),
            "beyond_oracle": oracle_of(run, runs).map(|oracle| run.measures.beyond(oracle)),
            "load": run.measures.load(),
            "load_in_trouble": run.measures.load_in_trouble(),
            "measures": run.measures,
        })
    };
    let runs: Vec<_> = runs.iter().map(as_json).collect();
    serde_json::to_string_pretty(&runs).map_err(|cause| Error::doing("the report", cause))
}
