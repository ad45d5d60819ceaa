//! Full files of one chain: all except the last, which is being written. Callers hold the lock of the chain.

use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;

use crate::chain::{Group, Scan, Stored, push_erased};
use crate::join;
use crate::record::Record;
use crate::segment::{self, MOST_BYTES, Segment, State};

/// Bytes read from the beginning of a file to decide whether all of it has to be read.
const BEGINNING: usize = 64 << 10;

/// Full files of one chain.
#[derive(Clone, Copy)]
pub(crate) struct FullFiles<'a> {
    pub(crate) disk: &'a dyn LogDisk,
    pub(crate) folder: &'a Path,
    pub(crate) chain: &'a str,
}

/// Files to be deleted.
#[derive(Debug, Default)]
pub(crate) struct Doomed {
    /// The oldest files of the chain, in order.
    pub(crate) files: Vec<Segment>,
    /// Numbers of the first and the last record in them.
    pub(crate) covers: Option<(u64, u64)>,
    /// The next file, if it is old enough but held.
    pub(crate) held: Option<Segment>,
}

impl FullFiles<'_> {
    /// All full files.
    pub(crate) fn all(&self) -> io::Result<Vec<Segment>> {
        let mut files = segment::list(self.disk, self.folder)?;
        files.retain(|file| file.chain == self.chain);
        files.pop();
        Ok(files)
    }

    /// The full files that are not compressed yet.
    pub(crate) fn plain(&self) -> io::Result<Vec<Segment>> {
        let mut files = self.all()?;
        files.retain(|file| file.state == State::Plain);
        Ok(files)
    }

    /// Compresses a file.
    pub(crate) fn compress(&self, file: &Segment) -> io::Result<()> {
        let bytes = self.bytes(file)?;
        let lines = self.counted(file, &bytes)?.unwrap_or(&bytes);
        segment::put(self.disk, self.folder, &file.when(State::Compressed), lines)?;
        self.disk.remove(&file.path(self.folder))?;
        self.disk.sync_directory(self.folder)
    }

    /// Selects the files whose records are all older than `moment`, the oldest first, up to the first file
    /// with a record that `hold` keeps.
    pub(crate) fn before(&self, moment: Timestamp, hold: &dyn Fn(&Record) -> bool) -> io::Result<Doomed> {
        let mut doomed = Doomed::default();
        for file in self.all()? {
            if self.begins(&file)?.is_some_and(|at| at >= moment) {
                break;
            }
            let bytes = self.bytes(&file)?;
            let (mut is_young, mut is_held, mut covers) = (false, false, doomed.covers);
            for line in groups(&file, &bytes)?.iter().flat_map(|group| &group.lines) {
                let record = record(&file, line.text)?;
                is_young |= record.at >= moment;
                is_held |= hold(&record);
                covers = Some((covers.map_or(line.seq, |(first, _)| first), line.seq));
            }
            if is_young {
                break;
            }
            if is_held {
                doomed.held = Some(file);
                break;
            }
            doomed.covers = covers;
            doomed.files.push(file);
        }
        Ok(doomed)
    }

    /// Deletes a file.
    pub(crate) fn delete(&self, file: &Segment) -> io::Result<()> {
        self.disk.remove(&file.path(self.folder))?;
        self.disk.sync_directory(self.folder)
    }

    /// Numbers of the records in `file` that have a payload and that `which` selects.
    pub(crate) fn picked(&self, file: &Segment, which: &dyn Fn(&Record) -> bool) -> io::Result<Vec<u64>> {
        let bytes = self.bytes(file)?;
        let mut picked = Vec::new();
        for line in groups(file, &bytes)?.iter().flat_map(|group| &group.lines) {
            if matches!(line.stored, Stored::Payload(_)) && which(&record(file, line.text)?) {
                picked.push(line.seq);
            }
        }
        Ok(picked)
    }

    /// Erases from `file` the payloads of the records in `picked`, which is sorted; the record `by` documents
    /// it.
    pub(crate) fn erase(&self, file: &Segment, picked: &[u64], by: u64) -> io::Result<()> {
        let bytes = self.bytes(file)?;
        match without(file, &bytes, picked, by)? {
            Some(without) => segment::put(self.disk, self.folder, file, &without),
            None => Ok(()),
        }
    }

    /// Returns the valid part of the `bytes` of a file, without void bytes of a failed write. `None` if the
    /// file behind it is missing or does not show where that part ends.
    fn counted<'a>(&self, file: &Segment, bytes: &'a [u8]) -> io::Result<Option<&'a [u8]>> {
        let mut files = segment::list(self.disk, self.folder)?.into_iter();
        let next = files.find(|next| next.chain == file.chain && next.number == file.last + 1);
        let Some(next) = next else { return Ok(None) };
        let begins = match segment::read(self.disk, self.folder, &next, 0, BEGINNING) {
            Err(error) if error.kind() == ErrorKind::InvalidData => return Ok(None),
            begins => begins?.unwrap_or_default(),
        };
        Ok(join::first_header(&begins).and_then(|(header, _)| join::counted(bytes, &header)))
    }

    /// Time of the first record of a file, if the record is in the first bytes.
    fn begins(&self, file: &Segment) -> io::Result<Option<Timestamp>> {
        let bytes = segment::read(self.disk, self.folder, file, 0, BEGINNING)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        // The first line is the header. The seal is checked only when the whole file is read.
        let records = lines.skip(1).take_while(|line| !line.is_empty());
        let mut read = records.filter_map(|line| serde_json::from_slice::<Record>(line).ok());
        Ok(read.find(|record| record.seq > 0 && !record.event.is_empty()).map(|record| record.at))
    }

    /// Reads the lines of a file.
    fn bytes(&self, file: &Segment) -> io::Result<Vec<u8>> {
        let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
        Ok(segment::read(self.disk, self.folder, file, 0, limit)?.unwrap_or_default())
    }
}

/// Returns the valid groups of a file; void bytes of a failed write behind them are ignored.
fn groups<'a>(file: &Segment, bytes: &'a [u8]) -> io::Result<Vec<Group<'a>>> {
    let mut scan = Scan::new(bytes, None);
    let mut groups = Vec::new();
    while let Ok(Some(group)) = scan.next_group() {
        groups.push(group);
    }
    if groups.is_empty() || file.state == State::Damaged {
        return Err(damaged(file));
    }
    Ok(groups)
}

fn record(file: &Segment, line: &[u8]) -> io::Result<Record> {
    serde_json::from_slice(line).map_err(|_| damaged(file))
}

fn damaged(file: &Segment) -> io::Error {
    let text = format!("`{}` is damaged; run `hooks audit verify`", file.name());
    io::Error::new(ErrorKind::InvalidData, text)
}

/// Returns the lines of a file without the payloads of the records in `picked`, which is sorted; `None` if it
/// holds no such payload.
fn without(file: &Segment, bytes: &[u8], picked: &[u64], by: u64) -> io::Result<Option<Vec<u8>>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    let mut is_changed = false;
    for line in groups(file, bytes)?.iter().flat_map(|group| &group.lines) {
        if matches!(line.stored, Stored::Payload(_)) && picked.binary_search(&line.seq).is_ok() {
            // Keep the record's own line; its payload follows it.
            let kept = line.start + line.text.len() + 1;
            out.extend_from_slice(bytes.get(end..kept).unwrap_or_default());
            push_erased(line.seq, by, &mut out);
            end = line.end;
            is_changed = true;
        }
    }
    out.extend_from_slice(bytes.get(end..).unwrap_or_default());
    Ok(is_changed.then_some(out))
}

/// Compresses sorted numbers to pairs of first and last.
pub(crate) fn ranges(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    ranges
}
