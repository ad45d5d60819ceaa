//! Reads the checkpoints in a folder, and decides which of them are trusted and what is wrong with the
//! others.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::body::Checkpoint;
use super::compare;
use super::evolve::FirstKey;
use super::file::{ENDING, Pieces};
use super::fleet::{Fleet, Head};
use super::keys::{FORGED, Keys, Worth};
use super::note::Note;
use crate::verify::{Condition, Finding};

/// Limit on the length of a checkpoint file, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Limit on the missing checkpoints of an evolving key before an existing one; bounds the work that a wrong
/// number causes.
const MOST_MISSING: u64 = 1 << 24;
const CUT: &str = "a part of a checkpoint, whose writer was interrupted";
const OTHER: &str = "a checkpoint of something else than what its key stands for";

/// Content of a folder of checkpoints.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Collected {
    /// States of chains according to trusted checkpoints, in the order of the files, and of the text in each.
    pub checkpointed: Vec<CheckpointedChain>,
    /// Number of trusted checkpoints.
    pub believed: u64,
    /// Defects that were found.
    pub findings: Vec<Finding>,
}

/// State of a chain according to one checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointedChain {
    /// The chain and its state.
    pub head: Head,
    /// Whether it comes from a checkpoint of many chains.
    pub is_fleet: bool,
    /// Name of the file with the checkpoint.
    pub file: String,
    /// Offset of the checkpoint in the file.
    pub offset: u64,
}

/// A checkpoint that may turn out to be trusted.
#[derive(Clone)]
struct Candidate {
    checkpoint: Checkpoint,
    file: usize,
    offset: u64,
}

impl Candidate {
    /// Whether the holder of the key with this name may make checkpoints of this log.
    fn is_about(&self, name: &str) -> bool {
        self.checkpoint.origin.rsplit_once('/').is_some_and(|(log, _)| log == name)
    }
}

/// Reads all checkpoints in `folder`. Linear except for a sort, and for checkpoints that an evolving key made
/// and that are missing: up to 16 million keys are computed to pass over them.
///
/// # Errors
/// Returns `NotFound` if the folder does not exist; any other error if it or a file cannot be read.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::chain::Digest;
/// use hooks_audit::checkpoint::{CheckpointWriter, Checkpoints, Keys, Signer, collect};
/// use hooks_core::testing::FakeDisk;
///
/// let disk = Arc::new(FakeDisk::default().with_directory("/elsewhere"));
/// let checkpoints = Checkpoints { folder: "/elsewhere".into(), signer: Signer::Nobody };
/// let mut writer = CheckpointWriter::open(disk.clone(), checkpoints)?;
/// writer.write_chain("w0", 3, Digest([1; 32]), |_size| Ok(None))?;
/// let collected = || collect(&*disk, Path::new("/elsewhere"), &Keys::default());
/// assert_eq!(collected()?.believed, 1);
///
/// let file = Path::new("/elsewhere/w0.checkpoints");
/// let text = String::from_utf8(disk.files()[file].clone())?;
/// disk.put(file, text.replace("\n3\n", "\n2\n"));
/// let changed = collected()?;
/// assert_eq!(changed.believed, 0);
/// assert_eq!(changed.findings[0].what, "a checkpoint whose sum is wrong: it was changed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn collect(disk: &dyn LogDisk, folder: &Path, keys: &Keys) -> io::Result<Collected> {
    let names = disk.list(folder)?.ok_or(io::ErrorKind::NotFound)?;
    let ending = format!(".{ENDING}");
    let files: Vec<_> = names.iter().filter_map(|name| Some(name.to_str()?.to_owned())).collect();
    let files: Vec<_> = files.into_iter().filter(|name| name.ends_with(&ending)).collect();
    let mut collecting = Collecting { files: &files, believed: Vec::new(), findings: Vec::new() };
    let mut sealed = vec![Vec::new(); keys.firsts.len()];
    for (number, name) in files.iter().enumerate() {
        let bytes = disk.read(&folder.join(name), MOST_BYTES)?.unwrap_or_default();
        collecting.file(number, &bytes, keys, &mut sealed);
    }
    for (first, candidates) in keys.firsts.iter().zip(sealed) {
        collecting.sealed(first, candidates);
    }
    Ok(collecting.conclude())
}

/// State of a collection in progress.
struct Collecting<'a> {
    files: &'a [String],
    believed: Vec<Candidate>,
    findings: Vec<Finding>,
}

/// A checkpoint with the number of the key that it claims to be sealed with.
#[derive(Clone)]
struct Sealed {
    index: u64,
    note: Note,
    candidate: Candidate,
}

impl Collecting<'_> {
    fn file(&mut self, file: usize, bytes: &[u8], keys: &Keys, sealed: &mut [Vec<Sealed>]) {
        // Repeated defects of the same kind are reported once, with their number.
        let mut wrong: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        let mut before: Option<Note> = None;
        for piece in Pieces::new(bytes) {
            let offset = piece.offset as u64;
            let Some((note, checkpoint)) = piece.note else {
                wrong.entry(CUT).or_insert((offset, 0)).1 += 1;
                continue;
            };
            // A duplicate: the next process wrote the note again after a writer was killed.
            if before.as_ref() == Some(&note) {
                continue;
            }
            let candidate = Candidate { checkpoint, file, offset };
            match keys.worth(&note) {
                Worth::Vouched(name) if candidate.is_about(&name) => self.believed.push(candidate),
                Worth::Vouched(_) => wrong.entry(OTHER).or_insert((offset, 0)).1 += 1,
                Worth::Evolving { key, index } => {
                    if let Some(sealed) = sealed.get_mut(key) {
                        sealed.push(Sealed { index, note: note.clone(), candidate });
                    }
                }
                Worth::Cut => wrong.entry(CUT).or_insert((offset, 0)).1 += 1,
                Worth::Not(what) => wrong.entry(what).or_insert((offset, 0)).1 += 1,
            }
            before = Some(note);
        }
        for (what, (offset, times)) in wrong {
            let condition = if what == CUT { Condition::Torn } else { Condition::Mismatched };
            let more =
                if times > 1 { format!(", and {} more of them behind it", times - 1) } else { String::new() };
            self.find(condition, file, offset, format!("{what}{more}"));
        }
    }

    /// Checks the checkpoints that claim to be sealed by the keys derived from `first`.
    fn sealed(&mut self, first: &FirstKey, mut all: Vec<Sealed>) {
        let order = |sealed: &Sealed| (sealed.index, sealed.note.text.clone());
        all.sort_by_cached_key(order);
        all.dedup_by(|later, earlier| (later.index, &later.note) == (earlier.index, &earlier.note));
        let mut key = first.evolving();
        // One key for each checkpoint, and for a limited number of missing ones.
        let mut steps = MOST_MISSING.saturating_add(all.len() as u64);
        let mut expected = 0;
        for Sealed { index, note, candidate } in all {
            let (file, offset) = (candidate.file, candidate.offset);
            let ahead = index.saturating_sub(key.index());
            if ahead > steps {
                let what = format!("a checkpoint with the number {index}, and those before it are missing");
                self.find(Condition::Mismatched, file, offset, what);
                continue;
            }
            steps -= ahead;
            (0..ahead).for_each(|_| key.evolve());
            let is_made = note.signatures.iter().any(|line| key.has_sealed(&note.text, line));
            let what = match expected {
                _ if !is_made => Some(FORGED.to_owned()),
                _ if !candidate.is_about(key.name()) => Some(OTHER.to_owned()),
                expected if index < expected => Some(format!(
                    "a second checkpoint with the number {index}: the evolving key was put back"
                )),
                expected if index > expected => Some(format!(
                    "before this one, {} checkpoints with numbers from {expected} on are missing",
                    index - expected
                )),
                _ => None,
            };
            expected = index.saturating_add(1);
            if is_made && candidate.is_about(key.name()) {
                self.believed.push(candidate);
            }
            if let Some(what) = what {
                self.find(Condition::Mismatched, file, offset, what);
            }
        }
    }

    /// Compares the trusted checkpoints with one another, and returns their content and all findings.
    fn conclude(mut self) -> Collected {
        let mut believed = std::mem::take(&mut self.believed);
        believed.sort_by_key(|candidate| (candidate.file, candidate.offset));
        let count = believed.len() as u64;
        let mut checkpointed = Vec::new();
        let mut before: Option<Fleet> = None;
        for Candidate { checkpoint, file, offset } in believed {
            let place = |head, is_fleet| {
                let file = self.files.get(file).cloned().unwrap_or_default();
                CheckpointedChain { head, is_fleet, file, offset }
            };
            if let Some(fleet) = Fleet::parse(&checkpoint) {
                checkpointed.extend(fleet.heads().iter().map(|head| place(head.clone(), true)));
                if let Some(what) = before.as_ref().and_then(|before| compare::shrunk(before, &fleet)) {
                    self.find(Condition::Mismatched, file, offset, what);
                }
                before = Some(fleet);
            } else if let Some((log, chain)) = checkpoint.chain() {
                let (log, chain) = (log.to_owned(), chain.to_owned());
                checkpointed
                    .push(place(Head { log, chain, size: checkpoint.size, root: checkpoint.root }, false));
            } else {
                self.find(Condition::Mismatched, file, offset, OTHER.to_owned());
            }
        }
        let mut findings = self.findings;
        findings.extend(compare::out_of_order(&checkpointed));
        findings.extend(compare::forks(&checkpointed));
        Collected { checkpointed, believed: count, findings }
    }

    fn find(&mut self, condition: Condition, file: usize, offset: u64, what: String) {
        let file = self.files.get(file).cloned().unwrap_or_default();
        self.findings.push(Finding { condition, file, offset, what });
    }
}
