//! Compares logs with checkpoints, to find chains that are missing, forked, shortened or rolled back.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use hooks_core::fs::LogDisk;

use super::collect::{CheckpointedChain, collect};
use super::keys::Keys;
use crate::verify::{self, Anchor, ChainReport, Condition, Finding, Report};

/// A log to compare.
///
/// ```
/// use hooks_audit::checkpoint::LogPlace;
///
/// let mut log = LogPlace { name: None, folder: "/srv/build7/log".into() };
/// assert_eq!(log.called(), "log");
/// log.name = Some("example.com/build7".to_owned());
/// assert_eq!(log.called(), "example.com/build7");
/// ```
#[derive(Clone, Debug)]
pub struct LogPlace {
    /// Name of the log in checkpoints; if absent, the name of its folder.
    pub name: Option<String>,
    /// Folder of the log.
    pub folder: PathBuf,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckpointReport {
    /// Reports of the logs, in order. [`agreed`](verify::ChainReport::agreed) of a chain is the number of
    /// records confirmed by checkpoints.
    pub reports: Vec<(String, Report)>,
    /// Number of trusted checkpoints.
    pub believed: u64,
    /// Defects of the checkpoints, and checkpoints of logs that are not here.
    pub findings: Vec<Finding>,
}

impl LogPlace {
    /// Name of the log in checkpoints.
    pub fn called(&self) -> String {
        let last = || self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        self.name.clone().or_else(last).unwrap_or_default()
    }
}

impl CheckpointReport {
    /// The worst condition of all findings.
    pub fn condition(&self) -> Condition {
        let own = self.findings.iter().map(|finding| finding.condition);
        own.chain(self.reports.iter().map(|(_, report)| report.condition())).max().unwrap_or_default()
    }
}

/// Verifies `logs` themselves, and against the checkpoints in `folder` that are trusted by `keys`. A single
/// log without a name gets the name that the checkpoints of its chains use.
///
/// Every note counts, not only the newest, so that contradictions between notes and between a note and the
/// records are both found. Records deleted by retention cannot be compared any more.
///
/// # Errors
/// Returns `NotFound` if the folder of the checkpoints does not exist; any other error if a file cannot be
/// read.
pub fn verify(
    disk: &dyn LogDisk,
    logs: &[LogPlace],
    folder: &Path,
    keys: &Keys,
) -> io::Result<CheckpointReport> {
    let collected = collect(disk, folder, keys)?;
    let mut outcome =
        CheckpointReport { reports: Vec::new(), believed: collected.believed, findings: collected.findings };
    if collected.believed == 0 {
        let what = if keys.is_empty() {
            "there is no checkpoint here"
        } else {
            "no checkpoint here is by one of the keys"
        };
        outcome.find(folder.display().to_string(), what.to_owned());
    }
    let names = Names::from_logs(logs, &collected.checkpointed);
    let mut anchors: BTreeMap<&str, Vec<Anchor>> = BTreeMap::new();
    for checkpointed in &collected.checkpointed {
        let anchor = Anchor {
            chain: checkpointed.head.chain.clone(),
            size: checkpointed.head.size,
            root: checkpointed.head.root,
        };
        anchors.entry(names.of_log(checkpointed)).or_default().push(anchor);
    }
    for (log, name) in logs.iter().zip(&names.logs) {
        let anchors = anchors.remove(&**name).unwrap_or_default();
        let mut report = verify::verify(disk, &log.folder, &anchors)?;
        for chain in &mut report.chains {
            let last = anchors.iter().filter(|anchor| anchor.chain == chain.chain).map(|anchor| anchor.size);
            chain.findings.extend(missing(chain, last.max()));
        }
        outcome.reports.push((name.clone(), report));
    }
    for (name, anchors) in anchors {
        let what = format!(
            "{} checkpoints are about this log, which is not among those that are checked: name its folder, as `{name}=FOLDER`",
            anchors.len()
        );
        outcome.find(name.to_owned(), what);
    }
    Ok(outcome)
}

/// Finds missing checkpoints of `chain`, which states itself that some were made. `last` is the number of
/// records in its last trusted checkpoint.
fn missing(chain: &ChainReport, last: Option<u64>) -> Option<Finding> {
    let checkpointed = chain.checkpoint?;
    let here = match last {
        Some(last) => format!("the last one here is over {last}"),
        None => "there is no checkpoint of it here".to_owned(),
    };
    let (condition, what) = if checkpointed > last.unwrap_or(0) {
        let what = format!(
            "checkpoints are missing: according to the chain, one over {checkpointed} records was made, and {here}"
        );
        (Condition::Mismatched, what)
    } else if last.is_none() && chain.seq > 0 {
        // A writer that was killed before the first checkpoint leaves this state as well; the next writer
        // makes the checkpoint.
        let what = "checkpoints are made of the chain, and there is no checkpoint of it here: its writer was interrupted before the \
                    first one, or they and the end of the chain were removed";
        (Condition::Torn, what.to_owned())
    } else {
        return None;
    };
    Some(Finding { condition, file: chain.chain.clone(), offset: 0, what })
}

impl CheckpointReport {
    fn find(&mut self, file: String, what: String) {
        self.findings.push(Finding { condition: Condition::Mismatched, file, offset: 0, what });
    }
}

/// Names of the logs.
struct Names {
    logs: Vec<String>,
    /// Name of the only log in the checkpoints of single chains.
    alias: Option<String>,
}

impl Names {
    fn from_logs(logs: &[LogPlace], checkpointed: &[CheckpointedChain]) -> Self {
        let in_chains: BTreeSet<_> = checkpointed
            .iter()
            .filter(|checkpointed| !checkpointed.is_fleet)
            .map(|checkpointed| &checkpointed.head.log)
            .collect();
        let alias = match (logs, in_chains.first()) {
            ([LogPlace { name: None, .. }], Some(name)) if in_chains.len() == 1 => Some((*name).clone()),
            _ => None,
        };
        Self { logs: logs.iter().map(LogPlace::called).collect(), alias }
    }

    /// Name of the log that a checkpoint is about.
    fn of_log<'a>(&'a self, checkpointed: &'a CheckpointedChain) -> &'a str {
        match (&self.alias, self.logs.first()) {
            (Some(alias), Some(only)) if *alias == checkpointed.head.log => only,
            _ => &checkpointed.head.log,
        }
    }
}
