//! Verifies a log: every record is in its place, and nothing in between is missing.
//!
//! A valid chain shows that nothing was changed by accident, or by an attacker who cannot rewrite all of the
//! files; an attacker who can write the files can also compute the hashes. An [`Anchor`] detects such a
//! change: it is a state of the chain stored where that attacker cannot write. Files that are missing at the
//! end of a chain are only noticed by an anchor.
//!
//! A changed byte is found, with its place:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use hooks_audit::verify::{Anchor, Condition, verify};
//! use hooks_audit::{Appender, Record, AppendSettings};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
//! let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
//! appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
//! let chain = appender.chain();
//! let anchor = Anchor { chain: chain.name.to_string(), size: chain.seq, root: chain.tree.root() };
//! appender.close()?;
//! let check = |anchors: &[Anchor]| verify(&*disk, Path::new("/log"), anchors);
//! assert_eq!(check(&[anchor.clone()])?.condition(), Condition::Clean);
//!
//! // The anchor detects a log with fewer records.
//! let more = Anchor { size: anchor.size + 1, ..anchor };
//! assert_eq!(check(&[more])?.condition(), Condition::Mismatched);
//!
//! let file = Path::new("/log/w0.00000001.jsonl");
//! let text = String::from_utf8(disk.files()[file].clone())?;
//! disk.put(file, text.replace(r#""event":"stop""#, r#""event":"stap""#));
//! let report = check(&[])?;
//! assert_eq!(report.condition(), Condition::Damaged);
//! assert_eq!(report.chains[0].findings[0].file, "w0.00000001.jsonl");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchor;
mod chain;
mod consistency;
mod files;
mod proof;
mod root;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

pub use self::anchor::Anchor;
use self::chain::Check;
pub use self::consistency::{Consistency, prove_consistency};
pub use self::proof::{Proof, prove};
pub(crate) use self::root::holder;
pub use self::root::root_of;
use crate::chain::Digest;
use crate::segment::{self, Listed};

/// Condition of a log, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Everything is as it was written.
    #[default]
    Clean,
    /// An interrupted writer left incomplete data; the next writer handles it.
    Torn,
    /// Something was changed, or is missing.
    Damaged,
    /// The log differs from the anchored one, or has fewer records.
    Mismatched,
}

/// A defect of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Severity of the defect.
    pub condition: Condition,
    /// Name of the file.
    pub file: String,
    /// Offset in the lines of the file, in bytes.
    pub offset: u64,
    /// Description of the defect.
    pub what: String,
}

/// Result for one chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainReport {
    /// Name of the chain.
    pub chain: String,
    /// Number of its files.
    pub files: u64,
    /// Number of records that were checked.
    pub records: u64,
    /// Number of the last record, which is also the number of leaves of its tree.
    pub seq: u64,
    /// Head (hash) of its last mark.
    pub head: Digest,
    /// Root of its tree.
    pub root: Digest,
    /// Number of records confirmed by the largest matching anchor.
    pub agreed: u64,
    /// Number of records in the last checkpoint that the chain mentions: 0 if it only states that checkpoints
    /// are made; absent if it states nothing.
    pub checkpoint: Option<u64>,
    /// Number of erased payloads that a record documents.
    pub erased: u64,
    /// Defects of the chain.
    pub findings: Vec<Finding>,
}

/// Result for a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Results of its chains, by name.
    pub chains: Vec<ChainReport>,
}

impl Report {
    /// The worst condition of all findings.
    pub fn condition(&self) -> Condition {
        let findings = self.chains.iter().flat_map(|chain| &chain.findings);
        findings.map(|finding| finding.condition).max().unwrap_or_default()
    }
}

/// Verifies the log in `folder` itself and against `anchors`. Linear except for a sort of the anchors; one
/// file is in memory at a time.
///
/// # Errors
/// Returns an error if the folder or a file cannot be read.
pub fn verify(disk: &dyn LogDisk, folder: &Path, anchors: &[Anchor]) -> io::Result<Report> {
    let Listed { files: segments, beside } = segment::list_all(disk, folder)?;
    let mut anchors: Vec<_> = anchors.iter().collect();
    anchors.sort_by(|a, b| (&a.chain, a.size).cmp(&(&b.chain, b.size)));
    let mut chains = Vec::new();
    for files in segments.chunk_by(|a, b| a.chain == b.chain) {
        let Some(first) = files.first() else { continue };
        let start = anchors.partition_point(|anchor| anchor.chain < first.chain);
        let anchors = anchors.get(start..).unwrap_or_default();
        let end = anchors.partition_point(|anchor| anchor.chain == first.chain);
        let anchors = anchors.get(..end).unwrap_or_default();
        let start = beside.partition_point(|file| file.chain < first.chain);
        let beside = beside.get(start..).unwrap_or_default();
        let end = beside.partition_point(|file| file.chain == first.chain);
        let beside = beside.get(..end).unwrap_or_default();
        chains.push(Check::new(disk, folder, files, beside, anchors).run()?);
    }
    let there: BTreeSet<_> = chains.iter().map(|chain: &ChainReport| chain.chain.clone()).collect();
    for anchors in anchors.chunk_by(|a, b| a.chain == b.chain) {
        let Some(last) = anchors.last().filter(|anchor| !there.contains(&anchor.chain)) else { continue };
        let findings = vec![last.finding("the chain is missing")];
        chains.push(ChainReport { chain: last.chain.clone(), findings, ..ChainReport::default() });
    }
    Ok(Report { chains })
}

#[cfg(test)]
mod tampering;
#[cfg(test)]
mod tests;
