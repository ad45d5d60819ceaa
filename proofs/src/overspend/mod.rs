//! `cargo xtask overspend ENGINE`: concurrent processes that are cancelled and killed spend from shared
//! budgets. Fails if they spend more than the budgets, if less than 99 % of a budget can be used, or if a
//! reservation stays.
//!
//! Each real spend is written to a separate file before the store learns of it ([`ledger`]), so that the
//! audit does not depend on the tested store ([`audit`]). The same calls ([`call`]) are made twice: with
//! check and count, as published budgets do, and with reserve and settle, as ours do.

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
/// Returns an error if an argument is invalid, a process cannot be started, or a gate is missed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    if let ["worker", arguments @ ..] = arguments {
        return worker::run(arguments);
    }
    let options = Options::parse(arguments)?;
    let mut missed = Vec::new();
    for policy in [Policy::CheckThenCount, Policy::Reserve] {
        // The method of others needs no long run.
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

/// With fewer operations, no budget is used up.
const LEAST: u64 = 40_000;

/// The gates that an audit misses.
fn judge(policy: Policy, audit: &Audit) -> Vec<String> {
    let mut missed = Vec::new();
    if policy == Policy::CheckThenCount {
        if audit.overspent == 0 {
            missed.push("the script does not show which worker checks and then counts".to_owned());
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
