//! Reads one chain.

use std::io;
use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use super::{Committed, Kept, ParsePayload, ReadError, Skipped, Unfinished};
use crate::chain::{Digest, Flaw, Group, Line, Mark, Scan, Stored};
use crate::segment::{self, MOST_BYTES, Segment, State};

/// Most bytes read from a file at first; more if a group is longer.
const CHUNK: usize = 1 << 20;
/// Least bytes read from a file.
const LEAST: usize = 16 << 10;
/// Longer than any header, in bytes.
const HEADER: usize = 16 << 10;

/// Reads one chain, file by file.
#[derive(Debug)]
pub(super) struct ChainReader {
    chain: Arc<str>,
    /// Empty id of the log.
    log: Arc<str>,
    /// Length of a record in the file, as of the last look.
    record_bytes: usize,
    /// Text of the compressed file that is read, so that it is decompressed once.
    plain: Option<(Segment, Arc<Vec<u8>>)>,
    /// Place behind the last record that the caller took, if known.
    place: Option<ChainPosition>,
    /// Ends of the groups returned last time, each with the number of its last record.
    given: Vec<(u64, ChainPosition)>,
    /// Number of the last file that was reported to have missing records.
    told: u64,
    /// Files skipped since the last call of `take_skipped`.
    skipped: Vec<Skipped>,
    /// Bytes at the end that hold no record that is known to be synced.
    unfinished: Option<Unfinished>,
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
    /// Number of the last mark of synced records, as far as it is known. A reader far behind the end of a file need not look
    /// for it again.
    synced: u64,
}

/// Result of one look at a file.
struct Look<P> {
    records: Vec<Committed<P>>,
    /// Ends of the groups with these records.
    ends: Vec<(u64, ChainPosition)>,
    /// Whether the chain continues in the next file.
    is_over: bool,
    /// Bytes of records behind these that are not known to be synced.
    rest: usize,
}

impl<P> Default for Look<P> {
    fn default() -> Self {
        Self { records: Vec::new(), ends: Vec::new(), is_over: false, rest: 0 }
    }
}

/// The records that a caller wants.
struct Wanted<'p, P> {
    /// Number of the last record that the caller has.
    after: u64,
    /// Number of records.
    most: usize,
    parse: ParsePayload<'p, P>,
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
        Self {
            chain: chain.into(),
            log: "".into(),
            record_bytes: 1 << 10,
            plain: None,
            place: None,
            given: Vec::new(),
            told: 0,
            skipped: Vec::new(),
            unfinished: None,
        }
    }

    /// Files skipped since the last call.
    pub(super) fn take_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    /// Bytes at the end of the chain that hold no record that is known to be synced, as of the last read.
    pub(super) fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// Returns about `most` records behind number `after` that are synced. `files` are those of the chain.
    pub(super) fn read<P>(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        files: &[Segment],
        after: u64,
        most: usize,
        parse: ParsePayload<'_, P>,
    ) -> Result<Vec<Committed<P>>, ReadError> {
        let wanted = Wanted { after, most, parse };
        match self.read_on(disk, folder, files, &wanted) {
            // Payloads may have been erased from the file meanwhile, which moves its groups.
            Err(ReadError::Damaged { .. }) if self.place.take().is_some() => {
                self.given.clear();
                self.read_on(disk, folder, files, &wanted)
            }
            read => read,
        }
    }

    fn read_on<P>(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        files: &[Segment],
        wanted: &Wanted<'_, P>,
    ) -> Result<Vec<Committed<P>>, ReadError> {
        let after = wanted.after;
        self.unfinished = None;
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
                synced: 0,
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
                let rest = Wanted { most: wanted.most.saturating_sub(records.len()), ..*wanted };
                let look = match self.look(disk, folder, file, place, next, &rest) {
                    // The damage is known, and the chain continues in the next file.
                    Err(ReadError::Damaged { .. }) if file.state == State::Damaged && next.is_some() => break,
                    look => look?,
                };
                let count = look.records.len();
                if records.is_empty() {
                    records = look.records;
                } else {
                    records.extend(look.records);
                }
                let Some((last, end)) = look.ends.last() else {
                    if look.is_over {
                        break;
                    }
                    if next.is_none() && is_shorter(disk, folder, file, place.offset)? {
                        self.skip(file, seq, None);
                    }
                    self.unfinished =
                        (look.rest > 0).then(|| Unfinished { file: file.name(), bytes: look.rest });
                    return Ok(records);
                };
                if let Some(bytes) = (end.offset.saturating_sub(place.offset) as usize).checked_div(count) {
                    self.record_bytes = bytes;
                }
                (place, seq) = (*end, seq.max(*last));
                self.given.extend(look.ends);
                if records.len() >= wanted.most {
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
    fn look<P>(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        file: &Segment,
        place: ChainPosition,
        next: Option<Next>,
        wanted: &Wanted<'_, P>,
    ) -> Result<Look<P>, ReadError> {
        let damaged = |flaw| ReadError::Damaged { file: file.name(), flaw };
        let ends = next.map(|next| next.ends);
        if ends.is_some_and(|ends| place.commit >= ends) {
            return Ok(Look { is_over: true, ..Look::default() });
        }
        let mut limit = wanted.most.saturating_mul(self.record_bytes).saturating_add(LEAST).min(CHUNK);
        loop {
            let read = self.part(disk, folder, file, place.offset, limit);
            let read = read.map_err(|source| ReadError::File { file: file.name(), source })?;
            // Deleted or renamed since the folder was listed.
            let Some((text, from)) = read else { return Ok(Look::default()) };
            let bytes = text.get(from..text.len().min(from.saturating_add(limit))).unwrap_or_default();
            let Groups { groups, last, flaw } = Groups::read(bytes, place, ends, wanted);
            let mut look = Look::default();
            let lines: usize = groups.iter().map(|group| group.lines.len()).sum();
            look.records.reserve_exact(lines.min(wanted.most));
            for group in groups.iter().take_while(|group| group.mark.commit() <= last) {
                let commit = group.mark.commit();
                let place = ChainPosition {
                    commit,
                    offset: place.offset + group.end as u64,
                    head: Some(group.head),
                    // A file that is over has no such mark of its own.
                    synced: if ends.is_none() { last } else { place.synced },
                    ..place
                };
                look.ends.push((group.mark.seq(), place));
                look.is_over = ends.is_some_and(|ends| commit >= ends);
                for line in group.lines.iter().filter(|line| line.seq > wanted.after) {
                    look.records.push(self.committed(line, wanted.parse).map_err(damaged)?);
                }
                if look.records.len() >= wanted.most {
                    break;
                }
            }
            let was_all = bytes.len() < limit;
            let whole = groups.last().map_or(0, |group| group.end);
            if look.ends.is_empty()
                && (whole < bytes.len() || groups.iter().any(|group| !group.lines.is_empty()))
            {
                look.rest = bytes.len();
            }
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

    /// Reads `file` from `offset` on: at least `limit` bytes, or all there are. Returns them, and where they begin.
    fn part(
        &mut self,
        disk: &dyn LogDisk,
        folder: &Path,
        file: &Segment,
        offset: u64,
        limit: usize,
    ) -> io::Result<Option<(Arc<Vec<u8>>, usize)>> {
        if file.state != State::Compressed {
            self.plain = None;
            let bytes = segment::read(disk, folder, file, offset, limit)?;
            return Ok(bytes.map(|bytes| (Arc::new(bytes), 0)));
        }
        if let Some((known, text)) = &self.plain
            && known == file
        {
            return Ok(Some((Arc::clone(text), offset as usize)));
        }
        let Some(text) = segment::read(disk, folder, file, 0, MOST_BYTES as usize)? else { return Ok(None) };
        let text = Arc::new(text);
        self.plain = Some((file.clone(), Arc::clone(&text)));
        Ok(Some((text, offset as usize)))
    }

    fn committed<P>(&self, line: &Line<'_>, parse: ParsePayload<'_, P>) -> Result<Committed<P>, Flaw> {
        let flaw = |what| Flaw { offset: line.start, what };
        let record = serde_json::from_slice(line.text).map_err(|_| flaw("a record that cannot be read"))?;
        let payload = match line.stored {
            Stored::Nothing => Kept::Nothing,
            Stored::Erased(by) => Kept::Erased(by),
            Stored::Payload(data) => {
                let payload = parse(&record, data).ok_or(flaw("a payload that cannot be read"))?;
                Kept::Payload(Box::new(payload))
            }
        };
        Ok(Committed { chain: Arc::clone(&self.chain), log: Arc::clone(&self.log), record, payload })
    }
}

/// Groups of a file.
struct Groups<'b> {
    groups: Vec<Group<'b>>,
    /// Number of the last mark of synced records, as far as these groups show.
    last: u64,
    flaw: Option<Flaw>,
}

impl<'b> Groups<'b> {
    /// Reads the groups in `bytes` up to a flaw, or until they have as many synced records as are wanted. They begin at `place`;
    /// `ends` is the number of the last mark that counts in the file, if known.
    fn read<P>(bytes: &'b [u8], place: ChainPosition, ends: Option<u64>, wanted: &Wanted<'_, P>) -> Self {
        let mut scan = Scan::new(bytes, place.head);
        let mut read = Self { groups: Vec::new(), last: ends.unwrap_or(place.synced), flaw: None };
        let (mut counted, mut found) = (0, 0);
        loop {
            match scan.next_group() {
                Ok(Some(group)) => {
                    read.last = read.last.max(group.mark.synced()).min(ends.unwrap_or(u64::MAX));
                    read.groups.push(group);
                }
                Ok(None) => return read,
                Err(flaw) => return Self { flaw: Some(flaw), ..read },
            }
            let behind = read.groups.get(counted..).unwrap_or_default();
            for group in behind.iter().take_while(|group| group.mark.commit() <= read.last) {
                found += group.lines.iter().filter(|line| line.seq > wanted.after).count();
                counted += 1;
            }
            if found >= wanted.most.max(1) {
                return read;
            }
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
