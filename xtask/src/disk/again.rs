//! A loop that asks a failed sync again, as a program does that takes the second answer for an answer about the first.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use super::device::{Device, Fault};
use crate::error::{Error, Result};

/// The size of what is written at a time.
const BLOCK: usize = 16 << 10;
/// How many of those.
const BLOCKS: u8 = 40;

/// Writes all blocks, and says of each whether it was acknowledged.
///
/// # Errors
/// The file cannot be made.
pub(super) fn run(path: &Path) -> Result {
    let mut file = File::create(path)?;
    for number in 1..=BLOCKS {
        let is_written = file.write_all(&[number; BLOCK]).is_ok();
        let is_through = is_written && (file.sync_data().is_ok() || file.sync_data().is_ok());
        println!("{number} {is_through}");
    }
    Ok(())
}

/// Shows that what such a loop acknowledges is not on the device, so that the other checks see a fault that is one.
///
/// # Errors
/// It is there.
#[expect(
    clippy::disallowed_methods,
    reason = "it has to be a process of its own, which the disk does not outlive"
)]
pub(super) fn shows(fault: Fault) -> Result {
    let mut device = Device::new(fault)?;
    let path = device.log();
    device.fill()?;
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let output = command.args(["disk", "again"]).arg(&path).output()?;
    device.make_room()?;
    device.remount()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let acknowledged: Vec<u8> =
        (1..=BLOCKS).filter(|number| told.contains(&format!("{number} true\n"))).collect();
    let content = fs::read(&path).unwrap_or_default();
    let is_lost = |number: &&u8| {
        let end = usize::from(**number) * BLOCK;
        content.get(end - BLOCK..end).is_none_or(|block| block.iter().any(|byte| byte != *number))
    };
    let lost = acknowledged.iter().filter(is_lost).count();
    println!("{fault}, a loop that asks again: {} blocks acknowledged, {lost} lost", acknowledged.len());
    if lost > 0 {
        return Ok(());
    }
    Err(Error::new("a loop that asks a failed sync again lost nothing: this disk shows no fault"))
}
