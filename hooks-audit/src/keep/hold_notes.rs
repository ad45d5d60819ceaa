//! The holds in force according to the log. The file of holds can be removed, and readers of the file alone
//! would not notice.
//!
//! Each hold that begins or ends is a record (`log.held`, `log.released`) with the number of the change. The
//! last record about a name decides whether the hold is in force. Numbers order the records, not time: one
//! process at a time changes holds, but each writes its own chain, and its clock may be wrong.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;
use memchr::memmem::Finder;

use super::holds::{Hold, apart, words};
use crate::record::{Record, notes};
use crate::segment::{self, MOST_BYTES, Segment, State};

/// Changes of holds according to the log, as far as it was read. Reading continues from there.
#[derive(Clone, Debug, Default)]
pub(crate) struct HoldNotes {
    /// Notes about holds, by chain and file.
    files: BTreeMap<(String, u64), Vec<Record>>,
    /// Number of the last file of each chain that cannot change any more.
    full: BTreeMap<String, u64>,
}

impl HoldNotes {
    /// Reads the new files and the last file of each chain; the first time, all of the log. Lines are
    /// searched without being parsed. Calls `goes_on` before each file and stops if it returns false; returns
    /// whether everything was read.
    ///
    /// # Errors
    /// Returns `InvalidData` if a file cannot be decompressed; any other error if the disk fails.
    pub(crate) fn read(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        goes_on: &dyn Fn() -> bool,
    ) -> io::Result<bool> {
        let listed = match segment::list(disk, folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            listed => listed?,
        };
        for of_chain in listed.chunk_by(|a, b| a.chain == b.chain) {
            let Some(last) = of_chain.last() else { continue };
            let full = self.full.get(&last.chain).copied().unwrap_or(0);
            for file in of_chain.iter().filter(|file| file.last > full) {
                if !goes_on() {
                    return Ok(false);
                }
                let bytes = bytes(disk, folder, file)?;
                // A joined file has all notes of its parts.
                self.files.retain(|(chain, number), _| *chain != file.chain || !file.has(*number));
                let records = about_holds(&bytes);
                // Nearly all files have no records about holds.
                if !records.is_empty() {
                    self.files.insert((file.chain.clone(), file.number), records);
                }
                if file.number < last.number {
                    self.full.insert(file.chain.clone(), file.last);
                }
            }
        }
        Ok(true)
    }

    /// Checks that `holds` are those in force.
    ///
    /// # Errors
    /// Returns `InvalidData` if a hold is missing or selects other records than the log states.
    pub(crate) fn check(&self, holds: &[Hold]) -> io::Result<()> {
        match self.forgotten(holds).first() {
            Some((name, _)) => {
                let what = format!(
                    "according to the record, hold `{name}` is in force, and `holds.json` does not have it as it was: nothing is deleted or erased; run `hooks audit hold add {name}` as before, or `hooks audit hold release {name}`"
                );
                Err(io::Error::new(ErrorKind::InvalidData, what))
            }
            None => Ok(()),
        }
    }

    /// The holds in force that `holds` do not have unchanged: the name of each, and its description.
    pub(crate) fn forgotten(&self, holds: &[Hold]) -> Vec<(&str, &str)> {
        let there: BTreeMap<_, _> = holds.iter().map(|hold| (&*hold.name, words(hold))).collect();
        let in_force = self.last(&[]).into_iter().filter(|(_, record)| record.event == notes::HELD);
        let hold_notes = in_force.map(|(name, record)| (name, parts(record).0));
        hold_notes.filter(|(name, words)| there.get(name).is_none_or(|there| there != words)).collect()
    }

    /// Number of the next change of the holds.
    pub(super) fn next_change(&self) -> u64 {
        let changes = self.files.values().flatten().map(|record| parts(record).1);
        changes.max().unwrap_or(0).saturating_add(1)
    }

    /// Returns the notes that have to be written again before `doomed` are deleted, so that the remaining
    /// files state the same about every hold.
    pub(crate) fn lost_with(&self, doomed: &[Segment], now: Timestamp) -> Vec<Record> {
        let left = self.last(doomed);
        let is_held = |record: Option<&&Record>| record.is_some_and(|record| record.event == notes::HELD);
        let all = self.last(&[]).into_iter();
        let lost = all.filter(|(name, record)| is_held(Some(record)) != is_held(left.get(name)));
        let again = |record: &Record| Record::new(record.event.clone(), record.at.max(now));
        lost.map(|(_, record)| Record { note: record.note.clone(), ..again(record) }).collect()
    }

    /// The last note about each name, ignoring the files in `without`.
    fn last(&self, without: &[Segment]) -> BTreeMap<&str, &Record> {
        let mut all = Vec::new();
        let mut before: (&str, u64) = ("", 0);
        for ((chain, number), records) in &self.files {
            let mut latest = if before.0 == chain { before.1 } else { 0 };
            for record in records {
                // Notes without a number are ordered by time. A clock may have been set back, but within a
                // chain a record is no earlier than the one before.
                latest = latest.max(record.at.0);
                if !without.iter().any(|file| file.chain == *chain && file.has(*number)) {
                    all.push(((parts(record).1, latest), record));
                }
            }
            before = (chain, latest);
        }
        // The sort is stable, so that the order within each chain is kept.
        all.sort_by_key(|(order, _)| *order);
        all.into_iter().filter_map(|(_, record)| Some((name(record)?, record))).collect()
    }
}

/// Returns the lines of a file, which may have been compressed, moved aside or joined with others since it
/// was listed. If the file is missing, another process deleted it and has written its notes again.
fn bytes(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<Vec<u8>> {
    let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    for state in [file.state, State::Compressed, State::Damaged] {
        if let Some(bytes) = segment::read(disk, folder, &file.when(state), 0, limit)? {
            return Ok(bytes);
        }
    }
    let has_it = |other: &Segment| other.chain == file.chain && other.has(file.number);
    let joined = segment::list(disk, folder)?.into_iter().find(|other| other.is_joined() && has_it(other));
    let joined = joined.map(|joined| segment::read(disk, folder, &joined, 0, limit));
    Ok(joined.transpose()?.flatten().unwrap_or_default())
}

/// Description and number of the change in a note about a hold.
fn parts(record: &Record) -> (&str, u64) {
    apart(record.note.as_deref().unwrap_or_default())
}

/// Name of the hold in a note; `None` if it has none.
fn name(record: &Record) -> Option<&str> {
    record.note.as_deref()?.strip_prefix('`')?.split('`').next()
}

/// Finds the notes about holds in the lines of a file. The log's own records begin with a number and have no
/// payload, so a payload that contains the same text is ignored.
fn about_holds(bytes: &[u8]) -> Vec<Record> {
    let mut found = Vec::new();
    let mut start = 0;
    let finder = Finder::new(b"\"event\":\"log.");
    while let Some(at) = bytes.get(start..).and_then(|rest| finder.find(rest)) {
        let at = start + at;
        let begin =
            bytes.get(..at).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |end| end + 1);
        let end =
            bytes.get(at..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(bytes.len(), |end| at + end);
        start = end;
        let line = bytes.get(begin..end).filter(|line| line.starts_with(b"{\"seq\":"));
        let record = line.and_then(|line| serde_json::from_slice::<Record>(line).ok());
        found.extend(record.filter(|record| [notes::HELD, notes::RELEASED].contains(&&*record.event)));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::time::StoppedClock;

    use super::*;
    use crate::append::{AppendSettings, Appender};
    use crate::sim::SimDisk;

    /// Whether the hold `a` is in force according to chains of notes, each given as event, time and number of
    /// the change.
    fn in_force(chains: &[&[(&str, u64, u64)]]) -> bool {
        let note = |&(event, at, change): &(&str, u64, u64)| {
            let number = if change == 0 { String::new() } else { format!("; change {change}") };
            Record { note: Some(format!("`a` (b){number}")), ..Record::new(event, Timestamp(at)) }
        };
        let files = chains.iter().enumerate();
        let files = files.map(|(chain, notes)| ((format!("w{chain}"), 1), notes.iter().map(note).collect()));
        let hold_notes = HoldNotes { files: files.collect(), full: BTreeMap::new() };
        !hold_notes.forgotten(&[]).is_empty()
    }

    #[test]
    fn changes_count_in_their_order_whatever_the_clocks_of_their_writers_said() {
        let (held, released) = (notes::HELD, notes::RELEASED);
        assert!(!in_force(&[&[(held, 9, 1)], &[(released, 5, 2)]]), "the first clock was ahead");
        assert!(!in_force(&[&[(released, 5, 2)], &[(held, 5, 1)]]), "in the same moment");
        assert!(in_force(&[&[(held, 1, 1), (held, 5, 3)], &[(released, 9, 2)]]));
        assert!(in_force(&[&[(held, 1, 11), (released, 2, 9)]]), "by value");
        // Notes without a number precede those with one, and are ordered by time.
        assert!(!in_force(&[&[(held, 9, 0)], &[(released, 5, 1)]]));
        assert!(!in_force(&[&[(released, 9, 0)], &[(held, 5, 0)]]));
    }

    #[test]
    fn a_file_that_was_compressed_since_it_was_listed_is_read() {
        let (disk, folder) = (SimDisk::new(1), Path::new("/log"));
        let clock = Arc::new(StoppedClock(Timestamp(1)));
        let opened = Appender::open(Arc::new(disk.clone()), folder, AppendSettings::new([0; 32]), clock);
        let (mut appender, _) = opened.unwrap();
        let held =
            Record { note: Some("`a` holds all".to_owned()), ..Record::new(notes::HELD, Timestamp(1)) };
        appender.note(held).unwrap();
        appender.rotate().unwrap();
        let listed = segment::list(&disk, folder).unwrap();
        assert_eq!(appender.compress().unwrap(), 1);
        let found = about_holds(&bytes(&disk, folder, &listed[0]).unwrap());
        assert_eq!(found.iter().filter_map(name).collect::<Vec<_>>(), ["a"]);
        assert!(bytes(&disk, Path::new("/none"), &listed[0]).unwrap().is_empty());
    }
}
