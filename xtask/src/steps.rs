//! Runs of many steps: the first that fails ends the run.

use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// A step: a name and a function.
pub(crate) type Step = (&'static str, fn() -> Result);

/// Runs all steps, in order, and prints how long each took.
///
/// # Errors
/// Returns the error of the first step that failed; the steps after it do not run.
pub(crate) fn run(steps: &[Step]) -> Result {
    let whole = Stopwatch::start();
    for (name, step) in steps {
        println!("\n== {name}");
        let watch = Stopwatch::start();
        step().map_err(|cause| Error::doing(format!("step `{name}` failed after {watch}"), cause))?;
        println!("== {name}: ok, {watch}");
    }
    println!("\n== all {} steps passed in {whole}", steps.len());
    Ok(())
}
