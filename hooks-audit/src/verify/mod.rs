//! Checks a log: that every record stands where it was written, and nothing in between is missing.
//!
//! A chain that is right proves that nothing was changed by accident, and by nobody who could not write it all anew: who
//! can write the files can also hash them. What shows that is an [`Anchor`]: what the chain was at some time, kept where
//! they cannot write. Files that are missing at the end of a chain show only there.

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

/// How a log is, the worst last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Everything is as it was written.
    #[default]
    Clean,
    /// What a writer that was interrupted left; the next one deals with it.
    Torn,
    /// Something was changed, or is missing.
    Damaged,
    /// It is another log than the one that was anchored, or less of it.
    Mismatched,
}

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub condition: Condition,
    /// In which file.
    pub file: String,
    /// Where in it, in bytes of its lines.
    pub offset: u64,
    /// What it is.
    pub what: String,
}

/// What was found out about one chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainReport {
    /// Its name.
    pub chain: String,
    /// How many files it has.
    pub files: u64,
    /// How many records were looked at.
    pub records: u64,
    /// The number of the last one, which is also how many leaves its tree has.
    pub seq: u64,
    /// The hash of its last mark.
    pub head: Digest,
    /// The root of its tree.
    pub root: Digest,
    /// The most records of which an anchor says that they are these, and they are.
    pub agreed: u64,
    /// How many records the last checkpoint is about that the chain says was made of it: 0 where it says that checkpoints
    /// are made, and of none; absent where it says nothing.
    pub checkpoint: Option<u64>,
    /// How many payloads were erased, each with a record that says so.
    pub erased: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// What was found out about a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Its chains, by name.
    pub chains: Vec<ChainReport>,
}

impl Report {
    /// How it is: the worst of what was found.
    pub fn condition(&self) -> Condition {
        let findings = self.chains.iter().flat_map(|chain| &chain.findings);
        findings.map(|finding| finding.condition).max().unwrap_or_default()
    }
}

/// Checks the log in `folder` against itself and `anchors`. Linear, but for a sort of the anchors; one file is held in
/// memory at a time.
///
/// # Errors
/// Where the folder or a file cannot be read.
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
