//! What it costs to put an event on the record: agentmesh's audit logger beside ours, on the same events, in one run.
//!
//! Both are given who did what with which arguments and what was decided, and chain SHA-256 over it. What they do beside
//! is not the same: theirs keeps entries in memory and forgets the oldest beyond its limit (100,000 by itself); ours
//! redacts and describes the event, writes it to a file in its own thread, keeps a Merkle tree, and stands a salted
//! payload beside the record. So it is also said what is left when the process is gone. Times are CPU of all threads,
//! the least of interleaved batches.

mod ours;
mod theirs;

use std::fs;

/// Why something could not be set up.
pub type Error = Box<dyn std::error::Error>;

/// How many events a batch has.
pub const BATCH: u32 = 10_000;
const ROUNDS: usize = 10;

fn main() -> Result<(), Error> {
    if cpu().is_none() {
        println!("SKIPPED: the scheduler of this system does not say what a thread costs");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let our_log = ours::Ours::open(folder.path())?;
    let (mut ours, mut below, mut at) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let full = theirs::Theirs::full();
    for _ in 0..ROUNDS {
        ours = ours.min(least(BATCH, || our_log.put(BATCH))?);
        let fresh = theirs::Theirs::new();
        below = below.min(least(BATCH, || fresh.put(BATCH))?);
        // Each of these moves all the others: fewer of them say as much.
        at = at.min(least(BATCH / 100, || full.put(BATCH / 100))?);
    }
    let their_verify = least(theirs::LIMIT, || full.verify())?;
    let left = our_log.close()?;
    let our_verify = least(left, || ours::verify(folder.path(), left))?;
    let line = |what: &str, ours: String, theirs: String| println!("{what:<44} {ours:>16} {theirs:>16}");
    line("", "hooks-audit".into(), "agentmesh".into());
    line("us of CPU an event", format!("{ours:.2}"), format!("{below:.2}"));
    line("  once 100,000 are there", format!("{ours:.2}"), format!("{at:.2}"));
    line("  as a ratio to ours", "1".into(), format!("{:.2} / {:.0}", below / ours, at / ours));
    line("thousand records verified a second", format!("{:.0}", 1e3 / our_verify), format!("{:.0}", 1e3 / their_verify));
    line("events of this run that can still be checked", format!("{left}"), format!("{}", full.kept()));
    line("  after the process is gone", format!("{left}"), "0".into());
    Ok(())
}

/// Microseconds of CPU that each of `count` takes.
fn least(count: u32, work: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let before = cpu().ok_or("no clock")?;
    work()?;
    Ok((cpu().ok_or("no clock")? - before) / f64::from(count) * 1e6)
}

/// The seconds of CPU that this process took so far.
fn cpu() -> Option<f64> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let all = tasks.flatten().map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
    });
    all.sum()
}
