//! `cargo xtask disk`: real processes write the audit log to real disks that get full or whose syncs fail,
//! and continue once there is room again. Fails if an acknowledged record is missing afterwards.
//!
//! It mounts small disks below a temporary folder, which requires root; without root it prints SKIPPED. The
//! records are read after the disk was unmounted and mounted again, so that they come from the device and not
//! from the page cache. A simple write loop beside the log ([`bare`]) shows the effect of a disk whose syncs
//! fail.

mod bare;
mod check;
mod device;
mod mount;
mod process;
mod trace;
mod writer;
mod zram;

use std::path::Path;

use self::bare::Loop;
use self::device::{Device, Fault};
use self::process::{Call, Process};
use self::trace::{Syncs, Trace};
use crate::error::{Error, Result};

/// Fewest calls in each state of the disk.
const CALLS: usize = 40;
/// Number of times that the rest of the room is filled.
const FILLS: usize = 3;

/// Reaction of the host to a log that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Tools that may change something do not run.
    Deny,
    /// The tools run, and the log reports how many records are missing.
    Warn,
    /// The tools run, and their records are written to another disk.
    Spill,
}

/// Runs all checks, or one process of them.
///
/// # Errors
/// Returns an error if an argument is invalid, or an acknowledged record is lost.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        [] => all(),
        ["writer", config] => writer::run(Path::new(config)),
        ["bare", word, folder] => Loop::named(word)?.run(Path::new(folder)),
        _ => Err(Error::new("`cargo xtask disk` takes no arguments")),
    }
}

fn all() -> Result {
    if let Err(error) = Device::new(Fault::FullMemory) {
        println!("SKIPPED: no disk can be mounted here: {error}");
        return Ok(());
    }
    for fault in [Fault::FullMemory, Fault::FullDisk] {
        for policy in [Policy::Deny, Policy::Warn, Policy::Spill] {
            log(fault, policy)?;
        }
    }
    if let Err(error) = Device::new(Fault::FailedSync) {
        println!("SKIPPED: no disk can be had here whose syncs fail: {error}");
        return Ok(());
    }
    for fault in [Fault::FailedSync, Fault::FailedJournal] {
        control(fault, Loop::LeavesTheFile)?;
        if fault == Fault::FailedSync {
            control(fault, Loop::AsksAgain)?;
        }
        for policy in [Policy::Deny, Policy::Warn, Policy::Spill] {
            log(fault, policy)?;
        }
        killed(fault)?;
    }
    Ok(())
}

/// Tests the log while its disk fails.
fn log(fault: Fault, policy: Policy) -> Result {
    let mut device = Device::new(fault)?;
    let config = writer::configure(&device, policy)?;
    let is_well = |calls: &[Call]| {
        // With `Warn`, the recovery of the log cannot be seen from outside.
        policy == Policy::Warn || calls.last().is_some_and(|call| call.is_acknowledged(policy))
    };
    let words = ["writer", text(&config)?];
    let (calls, syncs) = through(&mut device, &words, policy == Policy::Deny, is_well)?;
    let is_one_life = fault != Fault::FailedJournal;
    let found = check::check(&device, policy, &calls, is_one_life)?;
    println!("{fault}, {policy:?}: {found}{}", describe(fault, syncs.as_ref()));
    match syncs {
        Some(syncs) if syncs.asked_again > 0 => Err(Error::new("a failed sync was asked again")),
        Some(Syncs { failed: 0, .. }) => Err(Error::new("no sync failed")),
        _ => Ok(()),
    }
}

/// Tests the simple loop while its disk fails in the same way.
fn control(fault: Fault, done: Loop) -> Result {
    let mut device = Device::new(fault)?;
    let folder = device.log();
    let words = ["bare", done.word(), text(&folder)?];
    let is_well = |calls: &[Call]| calls.last().is_some_and(|call| call.ran);
    let (calls, syncs) = through(&mut device, &words, done == Loop::LeavesTheFile, is_well)?;
    let (lost, found) = bare::check(&device, &calls);
    println!("{fault}, a loop that {done}: {found}{}", describe(fault, syncs.as_ref()));
    let asked_again = syncs.map(|syncs| syncs.asked_again > 0);
    match done {
        Loop::LeavesTheFile if lost > 0 => Err(Error::new("this disk loses what it took: it shows nothing")),
        Loop::LeavesTheFile if asked_again == Some(true) => Err(Error::new("the loop asked again")),
        Loop::AsksAgain if lost == 0 => {
            Err(Error::new("nothing is lost by asking again: this disk shows no fault"))
        }
        Loop::AsksAgain if asked_again == Some(false) => {
            Err(Error::new("that the loop asked again was not seen"))
        }
        _ => Ok(()),
    }
}

/// Kills the process of the log while its disk fails, and checks that another process can continue.
fn killed(fault: Fault) -> Result {
    let mut device = Device::new(fault)?;
    let config = writer::configure(&device, Policy::Deny)?;
    let folder = device.elsewhere().to_owned();
    let start = || Process::start(&["writer", text(&config)?], &folder, None);
    let mut process = start()?;
    process.calls(CALLS)?;
    device.fill()?;
    process.calls_until(CALLS, |calls| calls.iter().any(Call::is_refused))?;
    let mut calls = process.kill()?;
    device.repair()?;
    let left = check::left(&device)?;
    let mut process = start()?;
    process.calls(CALLS)?;
    calls.extend(process.end()?);
    device.remount()?;
    println!("{fault}, killed, {left:?}, Deny: {}", check::check(&device, Policy::Deny, &calls, false)?);
    Ok(())
}

/// Runs this command with `words` as a process, and lets `device` fail and recover meanwhile. Returns its
/// calls, and its syncs if they fail and can be traced. Mounts the device again afterwards.
///
/// A disk that accepts no more writes is repaired first, as an operator would, and another process continues
/// on it.
fn through(
    device: &mut Device,
    words: &[&str],
    refuses: bool,
    is_well: impl Fn(&[Call]) -> bool,
) -> Result<(Vec<Call>, Option<Syncs>)> {
    let folder = device.elsewhere().to_owned();
    let trace = if device.fault().fails_syncs() { Trace::new(folder.join("trace"))? } else { None };
    let start = || Process::start(words, &folder, trace.as_ref());
    let mut process = start()?;
    process.calls(CALLS)?;
    for _ in 0..FILLS {
        // A file system finds some more room when it looks again.
        device.fill()?;
        process.calls(CALLS)?;
    }
    process.calls_until(CALLS, |calls| !refuses || calls.iter().any(Call::is_refused))?;
    process.calls(CALLS)?;
    let mut before = Vec::new();
    if device.fault() == Fault::FailedJournal {
        before = process.end()?;
        device.repair()?;
        process = start()?;
    } else {
        device.make_room()?;
    }
    process.calls_until(CALLS, is_well)?;
    process.calls(CALLS)?;
    before.extend(process.end()?);
    device.remount()?;
    Ok((before, trace.map(|trace| trace.read()).transpose()?))
}

fn describe(fault: Fault, syncs: Option<&Syncs>) -> String {
    match syncs {
        Some(Syncs { failed, asked_again }) => format!("; {failed} syncs failed, {asked_again} asked again"),
        None if fault.fails_syncs() => "; syncs not counted, for want of strace".to_owned(),
        None => String::new(),
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(format!("`{}` is not a string", path.display())))
}
