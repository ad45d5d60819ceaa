//! Runs of many steps, in one lane or two: the first that fails ends the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// A step: a name and a function.
pub(crate) type Step = (&'static str, fn() -> Result);

/// A step of the second lane: a name, and a function that returns the output. Its error holds the output, too.
pub(crate) type QuietStep = (&'static str, fn() -> Result<String>);

/// Runs all steps, in order, and prints how long each took.
///
/// # Errors
/// Returns the error of the first step that failed; the steps after it do not run.
pub(crate) fn run(steps: &[Step]) -> Result {
    run_beside(steps, &[], &[])
}

/// Runs `first`, then `rest` with the steps of a second lane beside it, each lane in order.
///
/// The output of a step of the second lane is printed when the step ends.
///
/// # Errors
/// Returns the errors of the steps that failed. After a failure, no step begins in either lane.
pub(crate) fn run_beside(first: &[Step], rest: &[Step], second_lane: &[QuietStep]) -> Result {
    let whole = Stopwatch::start();
    let has_failed = AtomicBool::new(false);
    lane(first, &has_failed)?;
    let (main, second) = thread::scope(|scope| {
        let second = scope.spawn(|| quiet_lane(second_lane, &has_failed));
        let main = lane(rest, &has_failed);
        (main, second.join().unwrap_or_else(|_| Err(Error::new("the second lane panicked"))))
    });
    match (main, second) {
        (Err(main), Err(second)) => return Err(Error::new(format!("{main}\n{second}"))),
        (main, second) => main.and(second)?,
    }
    println!("\n== all {} steps passed in {whole}", first.len() + rest.len() + second_lane.len());
    Ok(())
}

fn lane(steps: &[Step], has_failed: &AtomicBool) -> Result {
    for (name, step) in steps {
        if has_failed.load(Ordering::Relaxed) {
            break;
        }
        println!("\n== {name}");
        let watch = Stopwatch::start();
        step().map_err(|cause| failed(name, &watch, &cause, has_failed))?;
        println!("== {name}: ok, {watch}");
    }
    Ok(())
}

fn quiet_lane(steps: &[QuietStep], has_failed: &AtomicBool) -> Result {
    for (name, step) in steps {
        if has_failed.load(Ordering::Relaxed) {
            break;
        }
        let watch = Stopwatch::start();
        let output = step().map_err(|cause| failed(name, &watch, &cause, has_failed))?;
        // In one piece, because the other lane prints too.
        println!("\n== {name}, beside the steps above\n{}\n== {name}: ok, {watch}", output.trim_end());
    }
    Ok(())
}

fn failed(name: &str, watch: &Stopwatch, cause: &Error, has_failed: &AtomicBool) -> Error {
    has_failed.store(true, Ordering::Relaxed);
    Error::doing(format!("step `{name}` failed after {watch}"), cause)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_failure_in_the_second_lane_fails_the_run_with_its_output() {
        let steps: [Step; 1] = [("well", || Ok(()))];
        let second: [QuietStep; 2] =
            [("well", || Ok("fine".to_owned())), ("ill", || Err(Error::new("printed 7")))];
        let error = run_beside(&steps, &steps, &second).unwrap_err().to_string();
        assert!(error.contains("step `ill` failed") && error.contains("printed 7"), "{error}");
        run_beside(&steps, &steps, &second[..1]).unwrap();
    }

    #[test]
    fn no_step_begins_after_a_failure() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        let has_failed = AtomicBool::new(false);
        let step: Step = ("counted", || {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            Err(Error::new("no"))
        });
        assert!(lane(&[step, step], &has_failed).is_err());
        assert!(has_failed.load(Ordering::Relaxed));
        lane(&[step], &has_failed).unwrap();
        quiet_lane(&[("quiet", || Err(Error::new("began")))], &has_failed).unwrap();
        assert_eq!(BEGUN.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_panic_in_the_second_lane_fails_the_run() {
        let second: [QuietStep; 1] = [("panics", || panic!("by the test"))];
        let error = run_beside(&[], &[], &second).unwrap_err().to_string();
        assert_eq!(error, "the second lane panicked");
    }
}
