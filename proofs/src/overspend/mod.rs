//! `cargo xtask overspend ENGINE`: processes that overlap, are cancelled and killed spend from shared budgets; fails
//! where they spend more than there is, where less than 99 % of a budget can be used, or something stays held.
//!
//! Each real spend is written to a file of its own before the store hears of it ([`ledger`]), so that what was spent is
//! known without asking whoever is on trial ([`audit`]). The same calls ([`call`]) are made twice: as published
//! budgets do it, check and then count, and as ours do, reserve and then settle.

mod audit;
mod call;
mod engine;
mod fleet;
mod ledger;
mod options;
mod plan;
mod redis;
mod worker;

use self::audit::Audit;
use self::call::Policy;
use self::engine::Engine;
use self::options::Options;
use self::plan::Plan;
use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// Runs the script against an engine, or one process of it.
///
/// # Errors
/// An argument makes no sense, a process cannot be started, or a gate is missed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    if let ["worker", arguments @ ..] = arguments {
        return worker::run(arguments);
    }
    let options = Options::parse(arguments)?;
    let mut missed = Vec::new();
    for policy in [Policy::CheckThenCount, Policy::Reserve] {
        // What others do needs no long look.
        let share = if policy == Policy::Reserve { 1 } else { 10 };
        let operations = (options.operations / share).max(options.operations.min(LEAST));
        let plan = Plan::for_operations(operations);
        let watch = Stopwatch::start();
        let audit = match options.engine {
            Engine::Memory => worker::run_threads(&plan, policy)?,
            Engine::Embedded | Engine::Redis => fleet::run(options.engine, &plan, policy, options.seed)?,
        };
        println!("{:<20} {audit} in {watch}", policy.name());
        missed.extend(judge(policy, &audit));
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(Error::new(missed.join("; ")))
}

/// With fewer than that, nobody gets to the end of a budget.
const LEAST: u64 = 40_000;

/// What does not hold.
fn judge(policy: Policy, audit: &Audit) -> Vec<String> {
    let mut missed = Vec::new();
    if policy == Policy::CheckThenCount {
        if audit.overspent == 0 {
            missed.push("the script does not tell who checks and then counts".to_owned());
        }
        return missed;
    }
    if audit.overspent > 0 {
        missed.push(format!("{} spent beyond a budget", audit.overspent));
    }
    if audit.usable < 0.99 {
        missed.push(format!("only {:.2} % of a budget could be used", audit.usable * 100.0));
    }
    if audit.held > 0 {
        missed.push(format!("{} held for ever", audit.held));
    }
    if audit.lost > 0 {
        missed.push(format!("{} spent that the books do not have", audit.lost));
    }
    missed
}
