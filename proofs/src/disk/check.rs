//! Compares the device with the acknowledged calls.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::record::notes;
use hooks::audit::verify::{self, Condition};
use hooks::audit::{LogReader, Positions};

use super::device::Device;
use super::process::Call;
use super::writer::SPILL;
use super::{Policy, text};
use crate::error::{Error, Result};
use crate::process::Program;

/// Checks the device and returns the result as a line. `is_one_life` is whether one process made all calls.
///
/// # Errors
/// Returns an error if an acknowledged record is missing, if the log is not clean, or if tools ran or were
/// refused against the policy.
pub(super) fn check(device: &Device, policy: Policy, calls: &[Call], is_one_life: bool) -> Result<String> {
    let mut found = LogContents::default();
    found.read(&device.log())?;
    if policy == Policy::Spill {
        found.read(&device.elsewhere().join(SPILL))?;
    }
    let refused = calls.iter().filter(|call| call.is_refused()).count();
    let acknowledged: Vec<_> = calls.iter().filter(|call| call.is_acknowledged(policy)).collect();
    let lost = acknowledged.iter().filter(|call| !found.sessions.contains(&call.token)).count();
    let line = format!(
        "{} calls, {refused} refused; {} acknowledged, {lost} lost; {} gaps of {} records, {} files begun anew",
        calls.len(),
        acknowledged.len(),
        found.gaps,
        found.missing,
        found.failed
    );
    let reading = calls.iter().filter(|call| call.is_refused() && !call.writes).count();
    let wrong = match policy {
        _ if lost > 0 => "records that were acknowledged are lost",
        _ if reading > 0 => "a tool that only reads was refused",
        Policy::Deny if refused == 0 => "no tool was refused",
        Policy::Warn | Policy::Spill if refused > 0 => "a tool was refused",
        // Refused calls of a process that ended did not run, but it cannot report their number any more.
        Policy::Deny | Policy::Warn if is_one_life && found.missing == 0 => {
            "the log does not list what is missing"
        }
        _ => return Ok(line),
    };
    Err(Error::new(format!("{wrong}: {line}")))
}

/// The condition in which a killed process left the log; a failed disk must not count as damage.
///
/// # Errors
/// Returns an error if the log is damaged or cannot be read.
pub(super) fn left(device: &Device) -> Result<Condition> {
    let report = verify::verify(&StdFileSystem, &device.log(), &[])?;
    match report.condition() {
        condition @ (Condition::Clean | Condition::Torn) => Ok(condition),
        _ => Err(Error::new(format!("a failed disk is taken for damage: {report:?}"))),
    }
}

#[derive(Default)]
struct LogContents {
    /// Sessions that have a record; each call has its own session.
    sessions: HashSet<String>,
    /// Number of records that report missing ones.
    gaps: u64,
    /// Number of missing records.
    missing: u64,
    /// Number of files that were started because the previous one could not be written any more.
    failed: usize,
}

impl LogContents {
    /// Reads the log in `folder`, which must be clean.
    fn read(&mut self, folder: &Path) -> Result {
        let report = verify::verify(&StdFileSystem, folder, &[])?;
        if report.condition() != Condition::Clean {
            return Err(Error::new(format!("the log in `{}` is not clean: {report:?}", folder.display())));
        }
        let mut reader = LogReader::new(Arc::new(StdFileSystem), folder, Positions::default());
        loop {
            let records = reader.read(1_000).map_err(|error| Error::new(error.to_string()))?;
            if records.is_empty() {
                break;
            }
            for committed in records {
                let record = committed.record;
                if record.event == notes::GAP {
                    self.gaps += 1;
                    self.missing += record.covers.iter().map(|(_, count)| count).sum::<u64>();
                }
                self.sessions.insert(record.session);
            }
        }
        for file in std::fs::read_dir(folder)? {
            let path = file?.path();
            let text = match path.extension().and_then(|extension| extension.to_str()) {
                Some("jsonl") => std::fs::read_to_string(path)?,
                Some("gz") => Program::new("gzip", ["-dc", text(&path)?]).output()?,
                _ => continue,
            };
            let header = text.lines().next().unwrap_or_default();
            self.failed += usize::from(header.contains("\"after\":\"failed\""));
        }
        Ok(())
    }
}
