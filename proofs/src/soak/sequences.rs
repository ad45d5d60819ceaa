//! `cargo xtask soak sequences`: the sequence rules in a long session, beside a naive reference, and in processes that are
//! killed. It runs the tests of these promises in their long forms, each of which prints its figures.

use super::number;
use crate::error::{Error, Result};
use crate::process::Program;

/// Sizes of the long forms.
struct Sizes {
    /// Events of one session, through 100 rules.
    events: u64,
    /// Random traces that are compared with the reference.
    traces: u64,
    /// Processes of `hooks run` that are killed, for each store.
    kills: u64,
}

const LONG: Sizes = Sizes { events: 1_000_000, traces: 100_000, kills: 200 };

const SHORT: Sizes = Sizes { events: 3_000, traces: 300, kills: 20 };

/// Runs the long forms.
///
/// # Errors
/// Returns an error if an argument is invalid, an event gets more expensive, a verdict differs, or a taint is lost.
pub(super) fn run(arguments: &[&str]) -> Result {
    let mut sizes = LONG;
    for pair in arguments.chunks(2) {
        match pair {
            ["--events", count] => sizes.events = number(count)?,
            ["--traces", count] => sizes.traces = number(count)?,
            ["--kills", count] => sizes.kills = number(count)?,
            _ => return Err(Error::new("`soak sequences` takes `--events N`, `--traces N` and `--kills N`")),
        }
    }
    let alone = |package: &'static str| vec!["--profile", "fast", "-p", package];
    tests(&sizes, &alone("tower-hooks-team-rules"), &alone("tower-hooks-cli"))
}

/// Runs the short forms as the test command built them. With the packages alone, other features would build most of the
/// workspace again.
///
/// # Errors
/// Returns an error like [`run`].
pub(super) fn check() -> Result {
    tests(&SHORT, &["--workspace"], &["--workspace"])
}

fn tests(sizes: &Sizes, of_rules: &[&str], of_processes: &[&str]) -> Result {
    let rules = [of_rules, &["--lib"]].concat();
    let processes = [of_processes, &["--test", "store"]].concat();
    for (variable, size, package, test) in [
        ("HOOKS_SEQUENCE_EVENTS", sizes.events, &rules, "an_event_costs_the_same"),
        ("HOOKS_TRACES", sizes.traces, &rules, "the_rules_agree_with_the_reference"),
        ("HOOKS_SEQUENCE_KILLS", sizes.kills, &processes, "no_acknowledged_taint_is_lost"),
    ] {
        let words = [&["test", "--quiet"][..], package.as_slice(), &[test, "--", "--nocapture"]].concat();
        Program::cargo(words).with_variable(variable, &size.to_string()).run()?;
    }
    Ok(())
}
