//! `cargo xtask disk`: real processes write the audit log to real disks that get full, or whose sync fails, and go on
//! once there is room again; fails where something is missing afterwards that was acknowledged.
//!
//! It mounts small disks of its own below a temporary folder, which takes root, and says SKIPPED where it may not. What
//! is there is read after the disk was unmounted and mounted again: from the device, not from the memory of the system.
//! That the fault is one is shown by a loop that makes the known mistake, and loses what it acknowledged ([`again`]).

mod again;
mod check;
mod device;
mod mount;
mod process;
mod writer;

use std::path::Path;

use self::device::{Device, Fault};
use self::process::{Call, Process};
use crate::error::{Error, Result};

/// So many calls at least are made in each state of the disk.
const CALLS: usize = 40;
/// How often what is left of the room is taken.
const FILLS: usize = 3;

/// What a log that cannot be written means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Tools that change something do not run.
    Deny,
    /// They run, and the log says how many records are missing.
    Warn,
    /// They run, and are on the record in another place.
    Spill,
}

/// Runs all of it, or one process of it.
///
/// # Errors
/// An argument makes no sense, or something that was acknowledged is lost.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        [] => all(),
        ["writer", config] => writer::run(Path::new(config)),
        ["again", file] => again::run(Path::new(file)),
        _ => Err(Error::new("`cargo xtask disk` takes no arguments")),
    }
}

fn all() -> Result {
    if let Err(error) = Device::new(Fault::FullMemory) {
        println!("SKIPPED: no disk can be mounted here: {error}");
        return Ok(());
    }
    for fault in [Fault::FullMemory, Fault::FullDisk, Fault::FailedSync] {
        for policy in [Policy::Deny, Policy::Warn, Policy::Spill] {
            while_running(fault, policy)?;
        }
    }
    restarted(Fault::FailedJournal)?;
    again::shows(Fault::FailedSync)
}

/// One process that sees the disk fail, and recover.
fn while_running(fault: Fault, policy: Policy) -> Result {
    let mut device = Device::new(fault)?;
    let mut process = Process::start(&writer::configure(&device, policy)?)?;
    process.calls(CALLS)?;
    for _ in 0..FILLS {
        // A file system finds some more room when it looks again.
        device.fill()?;
        process.calls(CALLS)?;
    }
    process.calls_until(CALLS, |calls| policy != Policy::Deny || calls.iter().any(Call::is_refused))?;
    process.calls(CALLS)?;
    device.make_room()?;
    // With `Warn`, nobody sees from outside that the log is well again.
    let is_well = |calls: &[Call]| {
        policy == Policy::Warn || calls.last().is_some_and(|call| call.is_acknowledged(policy))
    };
    process.calls_until(CALLS, is_well)?;
    process.calls(CALLS)?;
    let calls = process.end()?;
    device.remount()?;
    println!("{fault}, {policy:?}: {}", check::check(&device, policy, &calls, true)?);
    Ok(())
}

/// A disk that takes nothing any more until somebody has repaired it, and the process that goes on there.
fn restarted(fault: Fault) -> Result {
    let mut device = Device::new(fault)?;
    let config = writer::configure(&device, Policy::Deny)?;
    let mut process = Process::start(&config)?;
    process.calls(CALLS)?;
    device.fill()?;
    process.calls_until(CALLS, |calls| calls.iter().any(Call::is_refused))?;
    let mut calls = process.end()?;
    device.make_room()?;
    device.repair()?;
    let mut process = Process::start(&config)?;
    process.calls(CALLS)?;
    calls.extend(process.end()?);
    device.remount()?;
    println!("{fault}, repaired, Deny: {}", check::check(&device, Policy::Deny, &calls, false)?);
    Ok(())
}
