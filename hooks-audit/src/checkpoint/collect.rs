//! Reads the checkpoints in a folder: which of them are believed, and what is wrong with the others.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::body::Checkpoint;
use super::evolve::{FirstKey, index_of};
use super::file::{ENDING, Pieces};
use super::fleet::{Fleet, Head};
use super::key::{KeyError, Verifier, is_sum, sum};
use super::note::Note;
use crate::verify::{Condition, Finding};

/// The most bytes of a file of checkpoints.
const MOST_BYTES: u64 = 1 << 30;
/// How many checkpoints of an evolving key may be missing before one: a bound on the work that a wrong number makes.
const MOST_MISSING: u64 = 1 << 24;

/// Whose checkpoints are believed.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    verifiers: Vec<Verifier>,
    firsts: Vec<FirstKey>,
}

/// What a folder of checkpoints says.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Collected {
    /// What chains were, by checkpoints that are believed: in the order of the files, and in them as it was written.
    pub said: Vec<Said>,
    /// How many checkpoints are believed.
    pub believed: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// What a chain was by one checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The chain and what it was.
    pub head: Head,
    /// Whether that stands in a note over many chains.
    pub is_fleet: bool,
    /// In which file the checkpoint is.
    pub file: String,
    /// Where in it.
    pub offset: u64,
}

/// A checkpoint that may be believed.
struct Candidate {
    checkpoint: Checkpoint,
    file: usize,
    offset: u64,
}

/// What the lines below a note are worth.
enum Worth {
    /// Somebody whose key is known vouches for it, by name.
    Vouched(String),
    /// The key of this number in this place of [`Keys::firsts`] may have made it.
    Evolving { key: usize, index: u64 },
    /// Its writer was interrupted.
    Cut,
    /// It is not believed, for this reason.
    Not(&'static str),
}

impl Keys {
    /// Believes the key that `text` is, a [`Verifier`] or a [`FirstKey`].
    ///
    /// # Errors
    /// Where it is neither; the text is not shown.
    pub fn add(&mut self, text: &str) -> Result<(), KeyError> {
        if FirstKey::is_like(text) {
            self.firsts.push(FirstKey::parse(text)?);
        } else {
            self.verifiers.push(Verifier::parse(text)?);
        }
        Ok(())
    }

    /// Whether there is none: every note that is whole is believed then.
    pub fn is_empty(&self) -> bool {
        self.verifiers.is_empty() && self.firsts.is_empty()
    }

    fn worth(&self, note: &Note) -> Worth {
        let mut worth = Worth::Not("a checkpoint that nobody signed");
        for line in &note.signatures {
            let verifier = self.verifiers.iter().find(|verifier| verifier.is_of(line));
            let first = self.firsts.iter().position(|first| first.is_of(line));
            worth = match (verifier, first) {
                (Some(_), _) if line.bytes.len() != 64 => return Worth::Cut,
                (Some(verifier), _) if verifier.has_signed(&note.text, line) => {
                    return Worth::Vouched(verifier.name().to_owned());
                }
                (Some(_), _) => return Worth::Not("a checkpoint whose signature is wrong: it was changed, or forged"),
                (None, Some(key)) => return index_of(line).map_or(Worth::Cut, |index| Worth::Evolving { key, index }),
                (None, None) if is_sum(line) && line.bytes.len() != 32 => return Worth::Cut,
                (None, None) if is_sum(line) && sum(&line.name, &note.text) != *line => {
                    return Worth::Not("a checkpoint whose sum is wrong: it was changed");
                }
                (None, None) if self.is_empty() => Worth::Vouched(line.name.clone()),
                (None, None) if is_sum(line) => worth,
                (None, None) => Worth::Not("a checkpoint by a key that is not known"),
            };
        }
        worth
    }
}

/// Reads all checkpoints in `folder`. Linear, but for a sort, and for an evolving key that made later ones than are there:
/// up to 16 million keys are gone through.
///
/// # Errors
/// Where the folder is not there, or it or a file cannot be read.
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

/// A collection under way.
struct Collecting<'a> {
    files: &'a [String],
    believed: Vec<Candidate>,
    findings: Vec<Finding>,
}

/// A checkpoint with the number of the key that is said to have made it.
type Numbered = (u64, Note, Checkpoint, usize, u64);

impl Collecting<'_> {
    fn file(&mut self, file: usize, bytes: &[u8], keys: &Keys, sealed: &mut [Vec<Numbered>]) {
        // What is wrong in the same way many times is told once, with how often.
        let mut wrong: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        let mut before: Option<Note> = None;
        for piece in Pieces::new(bytes) {
            let offset = piece.offset as u64;
            let Some((note, checkpoint)) = piece.note else {
                wrong.entry(CUT).or_insert((offset, 0)).1 += 1;
                continue;
            };
            // Put there again by the one who came next after a writer that was killed.
            if before.as_ref() == Some(&note) {
                continue;
            }
            match keys.worth(&note) {
                Worth::Vouched(name) if is_about(&checkpoint, &name) => {
                    self.believed.push(Candidate { checkpoint, file, offset });
                }
                Worth::Vouched(_) => wrong.entry(OTHER).or_insert((offset, 0)).1 += 1,
                Worth::Evolving { key, index } => {
                    if let Some(sealed) = sealed.get_mut(key) {
                        sealed.push((index, note.clone(), checkpoint, file, offset));
                    }
                }
                Worth::Cut => wrong.entry(CUT).or_insert((offset, 0)).1 += 1,
                Worth::Not(what) => wrong.entry(what).or_insert((offset, 0)).1 += 1,
            }
            before = Some(note);
        }
        for (what, (offset, times)) in wrong {
            let condition = if what == CUT { Condition::Torn } else { Condition::Mismatched };
            let more = if times > 1 { format!(", and {} more of them behind it", times - 1) } else { String::new() };
            self.find(condition, file, offset, format!("{what}{more}"));
        }
    }

    /// Goes through the keys that came from `first` with what they are said to have made.
    fn sealed(&mut self, first: &FirstKey, mut candidates: Vec<Numbered>) {
        candidates.sort_by(|a, b| (a.0, &a.1.text).cmp(&(b.0, &b.1.text)));
        candidates.dedup_by(|later, earlier| (later.0, &later.1) == (earlier.0, &earlier.1));
        let mut key = first.evolving();
        let mut expected = 0;
        for (index, note, checkpoint, file, offset) in candidates {
            if index.saturating_sub(key.index()) > MOST_MISSING {
                let what = format!("a checkpoint with the number {index}, and those before it are missing");
                self.find(Condition::Mismatched, file, offset, what);
                continue;
            }
            while key.index() < index {
                key.evolve();
            }
            let is_made = note.signatures.iter().any(|line| key.has_sealed(&note.text, line));
            if !is_made {
                let what = "a checkpoint whose signature is wrong: it was changed, or forged";
                self.find(Condition::Mismatched, file, offset, what.to_owned());
                expected = index.saturating_add(1);
                continue;
            }
            if index < expected {
                let what = format!("a second checkpoint with the number {index}: the evolving key was put back");
                self.find(Condition::Mismatched, file, offset, what);
            } else if index > expected {
                let what = format!("before this one, {} checkpoints with numbers from {expected} on are missing", index - expected);
                self.find(Condition::Mismatched, file, offset, what);
            }
            expected = index.saturating_add(1);
            if is_about(&checkpoint, key.name()) {
                self.believed.push(Candidate { checkpoint, file, offset });
            } else {
                self.find(Condition::Mismatched, file, offset, OTHER.to_owned());
            }
        }
    }

    /// Compares the checkpoints with one another.
    fn conclude(mut self) -> Collected {
        let mut believed = std::mem::take(&mut self.believed);
        believed.sort_by(|a, b| (a.file, a.offset).cmp(&(b.file, b.offset)));
        let count = believed.len() as u64;
        let mut said = Vec::new();
        let mut fleet_before: Option<Fleet> = None;
        for Candidate { checkpoint, file, offset } in believed {
            let place = |head, is_fleet| Said {
                head,
                is_fleet,
                file: self.files.get(file).cloned().unwrap_or_default(),
                offset,
            };
            if let Some(fleet) = Fleet::parse(&checkpoint) {
                if let Some(what) = fleet_before.as_ref().and_then(|before| shrunk(before, &fleet)) {
                    self.find(Condition::Mismatched, file, offset, what);
                }
                said.extend(fleet.heads().iter().map(|head| place(head.clone(), true)));
                fleet_before = Some(fleet);
            } else if let Some((log, chain)) = checkpoint.chain() {
                let (log, chain) = (log.to_owned(), chain.to_owned());
                let head = Head { log, chain, size: checkpoint.size, root: checkpoint.root };
                said.push(place(head, false));
            } else {
                self.find(Condition::Mismatched, file, offset, OTHER.to_owned());
            }
        }
        for pair in said.windows(2) {
            let [before, after] = pair else { continue };
            let is_next = before.file == after.file && !after.is_fleet && is_same_chain(before, after);
            if is_next && before.head.size > after.head.size {
                let what = format!(
                    "an older checkpoint behind a newer one: {} records behind {}; the log or this file was put back",
                    after.head.size, before.head.size
                );
                self.findings.push(finding(&after.file, after.offset, what));
            }
        }
        let mut by_size: Vec<&Said> = said.iter().collect();
        by_size.sort_by(|a, b| a.head.cmp(&b.head));
        for pair in by_size.windows(2) {
            let [one, other] = pair else { continue };
            if is_same_chain(one, other) && one.head.size == other.head.size && one.head.root != other.head.root {
                let what = format!(
                    "it says of {} records of `{}` what `{}`, byte {}, does not: the chain was forked",
                    other.head.size, other.head.chain, one.file, one.offset
                );
                self.findings.push(finding(&other.file, other.offset, what));
            }
        }
        Collected { said, believed: count, findings: self.findings }
    }

    fn find(&mut self, condition: Condition, file: usize, offset: u64, what: String) {
        let file = self.files.get(file).cloned().unwrap_or_default();
        self.findings.push(Finding { condition, file, offset, what });
    }
}

const CUT: &str = "a part of a checkpoint, whose writer was interrupted";
const OTHER: &str = "a checkpoint of something else than what its key stands for";

/// Whether the one of this name may say something about it.
fn is_about(checkpoint: &Checkpoint, name: &str) -> bool {
    checkpoint.origin.rsplit_once('/').is_some_and(|(log, _)| log == name)
}

fn is_same_chain(a: &Said, b: &Said) -> bool {
    (&a.head.log, &a.head.chain) == (&b.head.log, &b.head.chain)
}

/// What is less in the newer of two notes over many chains. A log that is not in it at all was left out on purpose.
fn shrunk(before: &Fleet, after: &Fleet) -> Option<String> {
    before.heads().iter().find_map(|old| {
        let heads = after.heads();
        let at = heads.partition_point(|new| (&new.log, &new.chain) < (&old.log, &old.chain));
        let new = heads.get(at).filter(|new| (&new.log, &new.chain) == (&old.log, &old.chain));
        let has_log = heads.get(at).is_some_and(|new| new.log == old.log)
            || at.checked_sub(1).and_then(|at| heads.get(at)).is_some_and(|new| new.log == old.log);
        match new {
            Some(new) if new.size < old.size => {
                let (chain, size) = (&old.chain, new.size);
                Some(format!("chain `{chain}` has {size} records, and had {} in the checkpoint before", old.size))
            }
            None if has_log => Some(format!("chain `{}` is missing, and was in the checkpoint before", old.chain)),
            _ => None,
        }
    })
}

fn finding(file: &str, offset: u64, what: String) -> Finding {
    Finding { condition: Condition::Mismatched, file: file.to_owned(), offset, what }
}
