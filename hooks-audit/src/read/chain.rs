//! Reads one chain.

use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use super::{Committed, Kept, ReadError, Skipped};
use crate::chain::{Digest, Flaw, Group, Line, Mark, Scan, Stored};
use crate::segment::{self, MOST_BYTES, Segment, State};

/// Bytes read from a file at first; more if a group is longer.
const CHUNK: usize = 1 << 20;
/// Longer than any header, in bytes.
const HEADER: usize = 16 << 10;

/// Reads one chain, file by file.
#[derive(Debug)]
pub(super) struct ChainReader {
    chain: Arc<str>,
    /// Place behind the last record that the caller took, if known.
    place: Option<ChainPosition>,
    /// Ends of the groups returned last time, each with the number of its last record.
    given: Vec<(u64, ChainPosition)>,
    /// Number of the last file that was reported to have missing records.
    told: u64,
    /// Files skipped since the last call of `take_skipped`.
    skipped: Vec<Skipped>,
}

/// A place between two groups.
#[derive(Clone, Copy, Debug)]
struct ChainPosition {
    /// Number of the file.
    file: u64,
    /// Offset in the file.
    offset: u64,
    /// Number of the mark before; 0 at the beginning of a file.
    commit: u64,
    /// Head of the mark before.
    head: Option<Digest>,
}

/// Result of one look at a file.
#[derive(Default)]
struct Look {
    records: Vec<Committed>,
    /// Ends of the groups with these records.
    ends: Vec<(u64, ChainPosition)>,
    /// Whether the chain continues in the next file.
    is_over: bool,
}

/// First line of a file.
enum First {
    /// A valid mark.
    Mark(Mark),
    /// Nothing readable.
    Nothing,
    /// The file was renamed or deleted since the folder was listed.
    Gone,
}

/// End of a file according to the files behind it.
#[derive(Clone, Copy)]
struct Next {
    /// Number of the last mark that counts in the file.
    ends: u64,
    /// Number of the last record before the next readable file.
    seq: Option<u64>,
    /// Whether the file directly behind it states the end, and not one after unreadable files.
    is_exact: bool,
}

impl ChainReader {
    pub(super) fn new(chain: &str) -> Self {
        Self { chain: chain.into(), place: None, given: Vec::new(), told: 0, skipped: Vec::new() }
    }

    /// Files skipped since the last call.
    pub(super) fn take_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    /// Returns about `most` records behind number `after` that are synced. `files` are those of the chain.
    pub(super) fn read(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        files: &[Segment],
        after: u64,
        most: usize,
    ) -> Result<Vec<Committed>, ReadError> {
        match self.read_on(disk, folder, files, after, most) {
            // Payloads may have been erased from the file meanwhile, which moves its groups.
            Err(ReadError::Damaged { .. }) if self.place.take().is_some() => {
                self.given.clear();
                self.read_on(disk, folder, files, after, most)
            }
            read => read,
        }
    }

    fn read_on(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        files: &[Segment],
        after: u64,
        most: usize,
    ) -> Result<Vec<Committed>, ReadError> {
        let taken = self.given.drain(..).take_while(|(seq, _)| *seq <= after);
        self.place = taken.last().map(|(_, end)| end).or(self.place);
        let start = match self.place {
            Some(place) => files.partition_point(|file| file.last < place.file),
            None => file_behind(disk, folder, files, after)?,
        };
        let (mut records, mut seq) = (Vec::new(), after);
        for (index, file) in files.iter().enumerate().skip(start) {
            // Determined before the file is read: once there is a next file, nothing is added to this one.
            let next = next(disk, folder, files.get(index + 1..).unwrap_or_default())?;
            let mut place = self.place.filter(|place| place.file == file.number).unwrap_or(ChainPosition {
                file: file.number,
                offset: 0,
                commit: 0,
                head: None,
            });
            if place.offset == 0 && (file.state == State::Damaged || next.is_none()) {
                match first(disk, folder, file)? {
                    First::Mark(mark) => seq = seq.max(mark.seq()),
                    First::Gone => return Ok(records),
                    First::Nothing => {
                        self.skip(file, seq, next);
                        continue;
                    }
                }
            }
            loop {
                let look = match self.look(disk, folder, file, place, next, after) {
                    // The damage is known, and the chain continues in the next file.
                    Err(ReadError::Damaged { .. }) if file.state == State::Damaged && next.is_some() => break,
                    look => look?,
                };
                records.extend(look.records);
                let Some((last, end)) = look.ends.last() else {
                    if look.is_over {
                        break;
                    }
                    if next.is_none() && is_shorter(disk, folder, file, place.offset)? {
                        self.skip(file, seq, None);
                    }
                    return Ok(records);
                };
                (place, seq) = (*end, seq.max(*last));
                self.given.extend(look.ends);
                if records.len() >= most {
                    return Ok(records);
                }
                if look.is_over {
                    break;
                }
            }
            if file.state == State::Damaged && next.is_some() {
                self.skip(file, seq, next);
            }
        }
        Ok(records)
    }

    /// Notes, once, that the records of `file` behind record `seq` are missing.
    fn skip(&mut self, file: &Segment, seq: u64, next: Option<Next>) {
        if file.number <= self.told {
            return;
        }
        self.told = file.number;
        let next = next.and_then(|next| next.seq);
        let from = next.map_or(seq, |next| seq.min(next)) + 1;
        self.skipped.push(Skipped { file: file.name(), from, to: next.filter(|next| seq < *next) });
    }

    /// Reads `file` from `place` on; `next` is the end of the file, if known.
    fn look(
        &self,
        disk: &dyn LogDisk,
        folder: &Path,
        file: &Segment,
        place: ChainPosition,
        next: Option<Next>,
        after: u64,
    ) -> Result<Look, ReadError> {
        let damaged = |flaw| ReadError::Damaged { file: file.name(), flaw };
        let ends = next.map(|next| next.ends);
        if ends.is_some_and(|ends| place.commit >= ends) {
            return Ok(Look { is_over: true, ..Look::default() });
        }
        let mut limit = if file.state == State::Compressed { MOST_BYTES as usize } else { CHUNK };
        loop {
            let bytes = segment::read(disk, folder, file, place.offset, limit)
                .map_err(|source| ReadError::File { file: file.name(), source })?;
            // Deleted or renamed since the folder was listed.
            let Some(bytes) = bytes else { return Ok(Look::default()) };
            let (groups, flaw) = groups(&bytes, place.head);
            let synced = groups.iter().map(|group| group.mark.synced()).max().max(ends).unwrap_or(0);
            let last = ends.unwrap_or(u64::MAX).min(synced);
            let mut look = Look::default();
            for group in groups.iter().take_while(|group| group.mark.commit() <= last) {
                let commit = group.mark.commit();
                let place = ChainPosition {
                    commit,
                    offset: place.offset + group.end as u64,
                    head: Some(group.head),
                    ..place
                };
                look.ends.push((group.mark.seq(), place));
                look.is_over = ends.is_some_and(|ends| commit >= ends);
                for line in group.lines.iter().filter(|line| line.seq > after) {
                    look.records.push(self.committed(line).map_err(damaged)?);
                }
            }
            let was_all = bytes.len() < limit;
            if !look.ends.is_empty() || (was_all && flaw.is_none() && ends.is_none()) {
                return Ok(look);
            }
            // If no readable file states the end, all complete groups count.
            if was_all && flaw.is_none() && next.is_some_and(|next| !next.is_exact) {
                look.is_over = true;
                return Ok(look);
            }
            match flaw {
                Some(flaw) => {
                    return Err(damaged(Flaw { offset: flaw.offset + place.offset as usize, ..flaw }));
                }
                None if was_all || limit >= MOST_BYTES as usize => {
                    return Err(damaged(Flaw { offset: place.offset as usize, what: "it ends too early" }));
                }
                None => limit = limit.saturating_mul(8).min(MOST_BYTES as usize),
            }
        }
    }

    fn committed(&self, line: &Line<'_>) -> Result<Committed, Flaw> {
        let flaw = |what| Flaw { offset: line.start, what };
        let record = serde_json::from_slice(line.text).map_err(|_| flaw("a record that cannot be read"))?;
        let payload = match line.stored {
            Stored::Nothing => Kept::Nothing,
            Stored::Erased(by) => Kept::Erased(by),
            Stored::Payload(data) => Kept::Payload(
                serde_json::from_slice(data).map_err(|_| flaw("a payload that cannot be read"))?,
            ),
        };
        Ok(Committed { chain: Arc::clone(&self.chain), log: "".into(), record, payload })
    }
}

/// Returns the groups in `bytes` up to a flaw; `head` is the head of the mark before them.
fn groups(bytes: &[u8], head: Option<Digest>) -> (Vec<Group<'_>>, Option<Flaw>) {
    let mut scan = Scan::new(bytes, head);
    let mut groups = Vec::new();
    loop {
        match scan.next_group() {
            Ok(Some(group)) => groups.push(group),
            Ok(None) => return (groups, None),
            Err(flaw) => return (groups, Some(flaw)),
        }
    }
}

/// Reads the first line of `file`. If it is not valid, that is damage in the last file, and expected in a
/// file that was moved aside.
fn first(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> Result<First, ReadError> {
    let bytes = segment::read(disk, folder, file, 0, HEADER)
        .map_err(|source| ReadError::File { file: file.name(), source })?;
    let Some(bytes) = bytes else { return Ok(First::Gone) };
    match Scan::new(&bytes, None).next_group() {
        Ok(group) => Ok(group.map_or(First::Nothing, |group| First::Mark(group.mark))),
        Err(_) if file.state == State::Damaged => Ok(First::Nothing),
        Err(flaw) => Err(ReadError::Damaged { file: file.name(), flaw }),
    }
}

/// Returns the end of the file before `files`; `None` if it is the last one.
fn next(disk: &dyn LogDisk, folder: &Path, files: &[Segment]) -> Result<Option<Next>, ReadError> {
    for (index, file) in files.iter().enumerate() {
        match first(disk, folder, file)? {
            First::Mark(mark) => {
                return Ok(Some(Next { ends: mark.synced(), seq: Some(mark.seq()), is_exact: index == 0 }));
            }
            First::Gone => return Ok(None),
            First::Nothing => {}
        }
    }
    Ok((!files.is_empty()).then_some(Next { ends: u64::MAX, seq: None, is_exact: false }))
}

/// Whether `file` is shorter than `offset`, up to which it was read.
fn is_shorter(disk: &dyn LogDisk, folder: &Path, file: &Segment, offset: u64) -> Result<bool, ReadError> {
    let Some(before) = offset.checked_sub(1) else { return Ok(false) };
    let byte = segment::read(disk, folder, file, before, 1);
    let byte = byte.map_err(|source| ReadError::File { file: file.name(), source })?;
    Ok(byte.is_some_and(|byte| byte.is_empty()))
}

/// Returns the index of the file with the record behind number `after`, or where it will be written; the
/// first file if that record was deleted.
fn file_behind(disk: &dyn LogDisk, folder: &Path, files: &[Segment], after: u64) -> Result<usize, ReadError> {
    let (mut low, mut high) = (0, files.len().saturating_sub(1));
    while low < high {
        let middle = high - (high - low) / 2;
        let Some(file) = files.get(middle) else { break };
        match first(disk, folder, file)? {
            First::Mark(mark) if mark.seq() <= after => low = middle,
            _ => high = middle - 1,
        }
    }
    Ok(low)
}
