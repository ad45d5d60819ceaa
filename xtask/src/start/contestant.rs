//! A program that is started again and again.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::error::{Error, Result};
use crate::stopwatch::Stopwatch;

/// A program, and what its starts cost.
#[derive(Debug)]
pub(super) struct Contestant {
    pub(super) name: &'static str,
    line: Vec<String>,
    payload: String,
    pub(super) costs: Vec<Cost>,
}

/// What a start cost, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// From start to end.
    pub(super) wall: f64,
    /// Of the processor, with what the program itself started.
    pub(super) cpu: f64,
}

impl Contestant {
    pub(super) fn new(name: &'static str, line: &[&str], payload: &str) -> Self {
        let line = line.iter().map(|word| (*word).to_owned()).collect();
        Self { name, line, payload: payload.to_owned(), costs: Vec::new() }
    }

    /// Starts it with the payload, and waits until it ends.
    pub(super) fn start(&self) -> Result<Cost> {
        let (program, arguments) =
            self.line.split_first().ok_or_else(|| Error::new("there is no program"))?;
        #[expect(clippy::disallowed_methods, reason = "starting processes is what is measured here")]
        let mut command = Command::new(program);
        command.args(arguments).stdin(File::open(&self.payload)?).stdout(Stdio::null()).stderr(Stdio::null());
        let before = of_children()?;
        let watch = Stopwatch::start();
        let status = command
            .status()
            .map_err(|cause| Error::doing(format!("`{program}` cannot be started"), cause))?;
        let (wall, after) = (watch.elapsed(), of_children()?);
        if !status.success() {
            return Err(Error::new(format!("`{}` failed ({status})", self.line.join(" "))));
        }
        Ok(Cost {
            wall: milliseconds(wall),
            cpu: milliseconds(processor(&after).saturating_sub(processor(&before))),
        })
    }

    /// What one start in ten costs at most: what a machine that is busy with other things can still tell.
    pub(super) fn floor(&self) -> Cost {
        self.at(10)
    }

    /// The cost in the middle.
    pub(super) fn median(&self) -> Cost {
        self.at(2)
    }

    /// What one start in so many costs at most.
    fn at(&self, part: usize) -> Cost {
        let least = |of: fn(&Cost) -> f64| {
            let mut all: Vec<f64> = self.costs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / part).copied().unwrap_or_default()
        };
        Cost { wall: least(|cost| cost.wall), cpu: least(|cost| cost.cpu) }
    }
}

/// What all processes that ended cost so far.
fn of_children() -> Result<Usage> {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|cause| Error::doing("the use of the processor", cause))
}

fn processor(usage: &Usage) -> Duration {
    let all = usage.user_time() + usage.system_time();
    Duration::from_micros(u64::try_from(all.num_microseconds()).unwrap_or_default())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
