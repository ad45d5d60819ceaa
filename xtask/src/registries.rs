//! Steps that install packages from npm and PyPI.

use crate::error::{Error, Result};
use crate::process::{Program, is_installed};

/// Variable that is set where these steps may not be skipped, as in CI.
const REQUIRED: &str = "HOOKS_REGISTRIES_REQUIRED";

/// Runs a step if npm can be reached. If not, prints that the step is skipped.
///
/// # Errors
/// Returns the error of the step. If npm cannot be reached and `HOOKS_REGISTRIES_REQUIRED` is set, returns an error.
pub fn needed(step: &str, run: impl FnOnce() -> Result) -> Result {
    let is_required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
    run_or_skip(step, reachable(), is_required, run)
}

fn run_or_skip(
    step: &str,
    reached: std::result::Result<(), &str>,
    is_required: bool,
    run: impl FnOnce() -> Result,
) -> Result {
    match reached {
        Ok(()) => run(),
        Err(why) if is_required => {
            Err(Error::new(format!("`{REQUIRED}` is set, and {why}: `{step}` cannot run")))
        }
        Err(why) => {
            println!("SKIPPED: {step}: {why}");
            Ok(())
        }
    }
}

/// Checks that npm is installed and its registry answers.
fn reachable() -> std::result::Result<(), &'static str> {
    if !is_installed("node") || !is_installed("npm") {
        return Err("there is no `npm`");
    }
    let ping = Program::new("npm", ["ping", "--fetch-retries=1", "--fetch-timeout=15000"]);
    match ping.answer(&[]) {
        Ok(answered) if answered.status.success() => Ok(()),
        _ => Err("the registry of npm cannot be reached"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_required_step_is_not_skipped() {
        let fails = || Err(Error::new("the step failed"));
        let text = |result: Result| result.map_err(|error| error.to_string());
        assert_eq!(text(run_or_skip("a", Ok(()), false, fails)), Err("the step failed".to_owned()));
        assert_eq!(text(run_or_skip("a", Err("no npm"), false, fails)), Ok(()));
        let required = text(run_or_skip("a", Err("no npm"), true, fails)).unwrap_err();
        assert_eq!(required, "`HOOKS_REGISTRIES_REQUIRED` is set, and no npm: `a` cannot run");
    }
}
