//! `cargo xtask reload`: rules change a thousand times while all cores judge calls by them ([`load`]), and a thousand
//! rules are read again ([`cost`]). Fails if a call is lost, if an answer does not follow from the rules that it names,
//! or if a figure misses its bar.

mod cost;
mod load;
mod rules;

use std::time::Duration;

use self::load::Plan;
use crate::error::{Error, Result};
use crate::soak::number;

/// Highest addition to the 99.9th percentile of a call.
const MOST_ADDED: Duration = Duration::from_millis(1);
/// Highest CPU time of one reload of a thousand rules.
const MOST_CPU: Duration = Duration::from_millis(50);
/// Highest growth of memory over all reloads, in KiB.
const MOST_GROWTH: u64 = 32 << 10;

/// Runs the long form.
///
/// # Errors
/// Returns an error if an argument is invalid, or a bar is missed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let reloads = match arguments {
        [] => 1_000,
        ["--reloads", count] => number(count)?,
        other => {
            return Err(Error::new(format!("unknown options `{}`; see `cargo xtask help`", other.join(" "))));
        }
    };
    let mut missed = Vec::new();
    let report = load::run(&Plan::with_reloads(reloads))?;
    print!("{report}");
    missed.extend(report.faults());
    if report.added() > MOST_ADDED {
        missed.push(format!("reloads add {:?} to the 99.9th percentile of a call", report.added()));
    }
    if report.growth_kib > MOST_GROWTH {
        missed.push(format!("memory grew by {} KiB", report.growth_kib));
    }
    let cost = cost::measure(1_000, 20)?;
    println!("a reload of 1,000 rules: {cost:?} of CPU time, the least of 20");
    if cost > MOST_CPU {
        missed.push(format!("a reload of 1,000 rules takes {cost:?} of CPU time"));
    }
    if missed.is_empty() { Ok(()) } else { Err(Error::new(missed.join("; "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_is_lost_or_judged_by_a_mixture() {
        let report = load::run(&Plan::with_reloads(40)).unwrap();
        assert_eq!(report.faults(), Vec::<String>::new());
        assert_eq!(report.reloads, 40);
        assert!(report.versions > 1, "calls were judged by rules before and after a reload");
    }
}
