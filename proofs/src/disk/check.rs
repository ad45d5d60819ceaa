//! Holds what is on the device against what was acknowledged.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::record::notes;
use hooks::audit::verify::{self, Condition};
use hooks::audit::{Positions, Reader};

use super::device::Device;
use super::process::Call;
use super::writer::SPILL;
use super::{Policy, text};
use crate::error::{Error, Result};
use crate::process::Program;

/// What was found, as a line. `is_one_life` says that one process made all calls.
///
/// # Errors
/// Something that was acknowledged is not there, the log is not clean, tools ran or did not run against the policy.
pub(super) fn check(device: &Device, policy: Policy, calls: &[Call], is_one_life: bool) -> Result<String> {
    let mut found = Found::default();
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
        // What was refused by a process that is gone did not run, and nobody can count it any more.
        Policy::Deny | Policy::Warn if is_one_life && found.missing == 0 => {
            "the log does not say what is missing"
        }
        _ => return Ok(line),
    };
    Err(Error::new(format!("{wrong}: {line}")))
}

/// In what condition a process that was killed left the log, which is nothing that was changed.
///
/// # Errors
/// The log is damaged, or cannot be read.
pub(super) fn left(device: &Device) -> Result<Condition> {
    let report = verify::verify(&StdFileSystem, &device.log(), &[])?;
    match report.condition() {
        condition @ (Condition::Clean | Condition::Torn) => Ok(condition),
        _ => Err(Error::new(format!("a failed disk is taken for damage: {report:?}"))),
    }
}

#[derive(Default)]
struct Found {
    /// The sessions that have a record. Each call has one of its own.
    sessions: HashSet<String>,
    /// How many records say that others are missing.
    gaps: u64,
    /// How many others.
    missing: u64,
    /// How many files go on where one could not be written any more.
    failed: usize,
}

impl Found {
    /// Reads the log in `folder`, which must be clean.
    fn read(&mut self, folder: &Path) -> Result {
        let report = verify::verify(&StdFileSystem, folder, &[])?;
        if report.condition() != Condition::Clean {
            return Err(Error::new(format!("the log in `{}` is not clean: {report:?}", folder.display())));
        }
        let mut reader = Reader::new(Arc::new(StdFileSystem), folder, Positions::default());
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
