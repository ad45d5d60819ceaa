//! `cargo xtask soak sessions`: one process serves sessions by the million through one set of hooks; a third
//! of them are abandoned. It fails if memory still grows after everything with a bound is full.
//!
//! The hooks have every section that keeps something in memory. All of them use one simulated clock: a
//! session begins every nine seconds, so a million of them take a hundred days.

mod stack;

use std::time::Duration;

use hooks_core::state::Memory;

use super::log::Usage;
use super::number;
use crate::error::{Error, Result};

use self::stack::Served;

/// Time between the starts of two sessions.
const EVERY: Duration = Duration::from_millis(8_640);
/// Most growth of memory after everything is full: as a share of it, and in MiB. The larger of the two
/// applies.
const MOST: (f64, f64) = (0.05, 4.0);

/// Sizes of a run, and of the state that its sessions fill.
#[derive(Clone, Copy)]
struct Plan {
    sessions: u64,
    /// Number of sessions for each line of the table.
    step: u64,
    /// Number of sessions after which everything is full. The largest bound is that of the names of a store,
    /// [`Memory::NAMES`]; before it is reached, its table doubles once more.
    full: u64,
    /// Number of names that the state store keeps.
    names: usize,
}

const LONG: Plan = Plan { sessions: 1_000_000, step: 50_000, full: 300_000, names: Memory::NAMES };

/// Serves the number of sessions in `--sessions`, by default 1,000,000.
///
/// # Errors
/// Returns an error if an argument is invalid, memory grows, or the answer to a call is not the one that its
/// limits require.
pub(super) fn run(arguments: &[&str]) -> Result {
    let plan = match arguments {
        [] => LONG,
        ["--sessions", count] => Plan { sessions: number(count)?, ..LONG },
        _ => {
            return Err(Error::new("`soak sessions` takes `--sessions N`; see `cargo xtask help`"));
        }
    };
    soak(plan)
}

fn soak(plan: Plan) -> Result {
    if Usage::now().is_none() {
        println!("SKIPPED: this system does not report the memory of a process");
        return Ok(());
    }
    let served = Served::new(plan.names)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    println!("{:>10} {:>10}", "sessions", "MiB");
    let mut steps = Vec::new();
    for session in 0..plan.sessions {
        let done = runtime.block_on(served.serve(session));
        done.map_err(|error| Error::new(format!("session {session}: {error}")))?;
        served.pass(EVERY);
        let count = session + 1;
        if count.is_multiple_of(plan.step) {
            let memory = Usage::read()?.memory;
            println!("{count:>10} {memory:>10.1}");
            steps.push((count, memory));
        }
    }
    is_flat(&steps, plan.full)
}

/// Checks that no step after everything is full is much larger than the first of them.
fn is_flat(steps: &[(u64, f64)], full: u64) -> Result {
    let mut after = steps.iter().filter(|(count, _)| *count >= full).map(|(_, memory)| *memory);
    let Some(first) = after.next() else {
        return Err(Error::new(format!(
            "it takes more than {full} sessions until all that is bounded is full"
        )));
    };
    let most = after.fold(first, f64::max);
    println!("from {full} sessions on: {:+.1} MiB at most", most - first);
    if most - first > MOST.1.max(first * MOST.0) {
        return Err(Error::new("memory grows with sessions"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_after_all_is_full_is_found() {
        let steps =
            |per_step: f64| [1.0, 2.0, 3.0, 4.0].map(|step| (step as u64 * 10, 100.0 + step * per_step));
        assert!(is_flat(&steps(0.1), 20).is_ok());
        assert!(is_flat(&steps(3.0), 20).is_err());
        assert!(is_flat(&steps(3.0), 40).is_ok(), "it grew before");
        assert!(is_flat(&steps(0.0), 50).is_err(), "nothing was judged");
    }
}
