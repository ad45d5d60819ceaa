//! Gates that the layers have to hold in every storm. To show that the storms are worth something, the layers
//! without any one part must miss a gate.

use super::Run;
use super::meter::Measures;
use super::params::Params;
use super::policy::{NAIVE, Role};

/// A gate with its measured value.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) storm: String,
    pub(super) who: &'static str,
    pub(super) gate: &'static str,
    pub(super) bar: String,
    pub(super) measured: String,
    pub(super) holds: bool,
}

impl Verdict {
    fn as_text(&self) -> String {
        format!("{}: {} {}", self.storm, self.gate, self.measured)
    }
}

/// Judges `runs`; `is_whole` is whether they are of all storms, so that each part taken out has to miss a
/// gate.
pub(super) fn judge(runs: &[Run], is_whole: bool) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for run in runs {
        match run.contender.role {
            Role::Ours => verdicts.extend(gates(run, runs, FLEET)),
            Role::Lone if run.storm.is_for_loners => verdicts.extend(gates(run, &[], LONE)),
            _ => {}
        }
    }
    if is_whole {
        verdicts.extend(mutants(runs));
    }
    verdicts
}

/// Most attempts for each call.
const MOST_ATTEMPTS: f64 = 1.10;
/// Load on a failing provider that a fleet may cause, as long as another one could answer.
const FLEET: f64 = 1.0;
/// The same for an instance that does not know of any other: it has to find out everything by itself.
const LONE: f64 = 1.25;

/// The gates of one run, beside those of the same storm.
fn gates(run: &Run, runs: &[Run], load_in_trouble: f64) -> Vec<Verdict> {
    let measures = &run.measures;
    let oracle = oracle_of(run, runs);
    let mut same = runs.iter().filter(|other| other.storm.name == run.storm.name);
    let naive = same.find(|other| other.contender.key == NAIVE).map(|other| &other.measures);
    let verdict = |gate, bar: String, measured: String, holds| Verdict {
        storm: run.storm.name.clone(),
        who: run.contender.key,
        gate,
        bar,
        measured,
        holds,
    };
    let below = |gate, bar: f64, measured: f64| {
        verdict(gate, format!("<= {bar:.3}"), format!("{measured:.3}"), measured <= bar)
    };
    let none = |gate, measured: u64| verdict(gate, "0".into(), measured.to_string(), measured == 0);
    let avoidable = 100.0 * avoidable(run, oracle);
    // In a brown-out of all providers a call takes as many attempts as the best of them makes it take; a twentieth more may miss it.
    let needed = 1.05 * measures.all.needed();
    let mut found = Vec::new();
    if run.contender.role != Role::Lone {
        if has_second_provider(&run.storm) {
            found.push(verdict(
                "avoidable failures, %",
                "< 0.1".into(),
                format!("{avoidable:.3}"),
                avoidable < 0.1,
            ));
        }
        if let Some(naive) = naive {
            let (ours, naive_failures) = (100.0 * measures.failures(), 100.0 * naive.failures());
            found.push(below("failures of three naive tries, %", naive_failures, ours));
            let most = naive.attempts_a_session().max(needed * measures.calls_a_session());
            found.push(below("attempts a session, of naive tries", most, measures.attempts_a_session()));
        }
        found.push(below("attempts a call", MOST_ATTEMPTS.max(needed), measures.load()));
        let hardest = measures.hardest;
        found.push(below("its worst five minutes", hardest.most_in_five_minutes(), hardest.ratio()));
    }
    found.push(below(
        "on the failing provider, a call",
        load_in_trouble,
        measures.load_in_trouble_elsewhere(),
    ));
    found.push(none("calls beyond their deadline", measures.late));
    found.push(none("waits while another could answer", measures.idle));
    if let Some(oracle) = oracle {
        let share = 100.0 * measures.answered as f64 / oracle.answered.max(1) as f64;
        found.push(verdict(
            "goodput, % of the oracle's",
            ">= 95".into(),
            format!("{share:.2}"),
            share >= 95.0,
        ));
    }
    found
}

/// Whether there is a second provider to use if the first one fails.
fn has_second_provider(storm: &Params) -> bool {
    let mut providers = storm.models.iter().map(|model| &model.provider);
    let first = providers.next();
    providers.any(|provider| Some(provider) != first)
}

/// Checks that each part, if taken out, misses a gate in some storm that is held with it.
fn mutants(runs: &[Run]) -> Vec<Verdict> {
    let of = |run: &Run| gates(run, runs, FLEET);
    let whole = runs.iter().filter(|run| run.contender.role == Role::Ours);
    let missed_anyway: Vec<Verdict> = whole.flat_map(of).filter(|verdict| !verdict.holds).collect();
    let by_itself = |missed: &Verdict| {
        !missed_anyway.iter().any(|other| other.storm == missed.storm && other.gate == missed.gate)
    };
    // If only all instances together can keep a quota, instances that know nothing of each other miss the
    // gate in any case. That shows nothing about the other things that they share.
    let tells = |run: &&Run| run.storm.is_for_loners || run.contender.policy.is_shared();
    let mutants = runs.iter().filter(|run| run.contender.role == Role::Mutant);
    let mut found: Vec<Verdict> = Vec::new();
    for mutant in mutants.map(|run| run.contender) {
        if found.iter().any(|verdict| verdict.who == mutant.key) {
            continue;
        }
        let same = runs.iter().filter(|run| run.contender.key == mutant.key);
        let missed: Vec<Verdict> =
            same.filter(tells).flat_map(of).filter(|verdict| !verdict.holds && by_itself(verdict)).collect();
        found.push(Verdict {
            storm: missed.first().map_or_else(String::new, Verdict::as_text),
            who: mutant.key,
            gate: "gates missed, taken out",
            bar: ">= 1".into(),
            measured: missed.len().to_string(),
            holds: !missed.is_empty(),
        });
    }
    found
}

/// Share of sessions that failed although they could have been saved; without an oracle to compare with, the
/// share of all that failed.
pub(super) fn avoidable(run: &Run, oracle: Option<&Measures>) -> f64 {
    oracle.map_or_else(|| run.measures.failures(), |oracle| run.measures.avoidable(oracle))
}

/// The oracle in the storm of `run`, if it ran.
pub(super) fn oracle_of<'r>(run: &Run, runs: &'r [Run]) -> Option<&'r Measures> {
    runs.iter()
        .find(|other| other.contender.role == Role::Oracle && other.storm.name == run.storm.name)
        .map(|oracle| &oracle.measures)
}
