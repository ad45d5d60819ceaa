//! Reads the records of a log, and skips the parts that cannot be read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::chain::Scan;
use hooks::audit::segment::{self, Segment};
use hooks::audit::{Committed, LogReader, ParsePayload, Positions, ReadError, Unfinished};

use super::plain::plain;
use crate::failure::{Failure, Status};
use crate::output::err;
use crate::paint::{BAD, OPEN};

/// Maximum number of records in a batch.
const MOST: usize = 4_096;
/// Maximum length in bytes of a file's first line.
const HEADER: usize = 16 << 10;

/// Reads a log in batches. Damage in a file does not hide other records: those before it are returned, and
/// then those from the next file of its chain on. Each problem is printed once on standard error, and
/// [`Reading::status`] returns the exit status.
pub(crate) struct Reading {
    folder: PathBuf,
    reader: LogReader,
    looked_at: u64,
    /// Messages that were printed about files that cannot be read.
    problems: Vec<String>,
    /// The exit status of the first of these problems.
    trouble: Option<Status>,
    /// For each chain, the number of the file with which reading continued.
    gone_on: BTreeMap<String, u64>,
}

impl Reading {
    /// Reads the log in `folder` after the positions `after`.
    pub(crate) fn new(folder: &Path, after: Positions) -> Self {
        Self {
            folder: folder.to_owned(),
            reader: LogReader::new(Arc::new(StdFileSystem), folder, after),
            looked_at: 0,
            problems: Vec::new(),
            trouble: None,
            gone_on: BTreeMap::new(),
        }
    }

    /// The next records; empty if there are no more for now. If a file cannot be read, the batch size is
    /// halved until it contains only the records before the damage.
    pub(crate) fn next(&mut self) -> Result<Vec<Committed>, Failure> {
        self.next_with(MOST, &|_, json| serde_json::from_slice(json).ok())
    }

    /// As [`Reading::next`], at most `batch` records with payloads that `parse` reads.
    pub(crate) fn next_with<P>(
        &mut self,
        batch: usize,
        parse: ParsePayload<'_, P>,
    ) -> Result<Vec<Committed<P>>, Failure> {
        let mut most = batch;
        loop {
            let records = self.reader.read_with(most, parse);
            for skipped in self.reader.take_skipped() {
                self.say(&format!("{OPEN}warning{OPEN:#}"), &skipped.to_string())?;
            }
            match records {
                Ok(records) => {
                    self.looked_at += records.len() as u64;
                    return Ok(records);
                }
                Err(error @ ReadError::Folder { .. }) => {
                    return Err(Failure::message(plain(&error.to_string())));
                }
                Err(_) if most > 1 => most /= 2,
                Err(error) if self.pass(&error)? => most = batch,
                Err(_) => return Ok(Vec::new()),
            }
        }
    }

    /// Prints a warning for each end of a file that holds no complete record, when there are no more records. Returns the
    /// files.
    pub(crate) fn warn_of_ends(&mut self) -> Result<BTreeSet<String>, Failure> {
        let ends: Vec<Unfinished> = self.reader.unfinished().cloned().collect();
        for end in &ends {
            let text = format!(
                "the last {} bytes of `{}` are not a complete record, and are left out: its writer is at work or was \
                 interrupted, or the file was cut; run `hooks audit verify`",
                end.bytes, end.file
            );
            self.say(&format!("{OPEN}warning{OPEN:#}"), &text)?;
        }
        Ok(ends.into_iter().map(|end| end.file).collect())
    }

    /// The messages about parts of the log that were left out.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The number of records that were read.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The positions after the records that were read or skipped.
    pub(crate) fn positions(&self) -> &Positions {
        self.reader.positions()
    }

    /// The exit status: `otherwise`, unless a part of the log could not be read.
    pub(crate) fn status(&self, otherwise: Status) -> Status {
        self.trouble.unwrap_or(otherwise)
    }

    /// The exit status of a part of the log that could not be read.
    pub(crate) const fn trouble(&self) -> Option<Status> {
        self.trouble
    }

    /// Skips the file that cannot be read, and prints which records are left out. Returns whether there are
    /// records after it.
    fn pass(&mut self, error: &ReadError) -> Result<bool, Failure> {
        let (file, status) = match error {
            ReadError::Damaged { file, .. } => (file, Status::Damaged),
            ReadError::File { file, .. } => (file, Status::Usage),
            _ => return Err(Failure::message(plain(&error.to_string()))),
        };
        self.trouble = self.trouble.or(Some(status));
        let error = plain(&error.to_string());
        let Some(file) = Segment::parse(file) else { return Err(Failure::message(error)) };
        let before = self.positions().last_in(&file.chain);
        let Some((number, seq)) = self.next_file(&file)? else {
            self.say(
                &format!("{BAD}error{BAD:#}"),
                &format!("{error}; what stands there behind record {before} of `{}` is left out", file.chain),
            )?;
            return Ok(false);
        };
        if seq > before {
            let from = before + 1;
            self.say(
                &format!("{BAD}error{BAD:#}"),
                &format!("{error}; records {from} to {seq} of `{}` are left out", file.chain),
            )?;
        }
        let mut after = self.positions().clone();
        after.advance(&file.chain, seq);
        self.gone_on.insert(file.chain, number);
        self.reader = LogReader::new(Arc::new(StdFileSystem), &self.folder, after);
        Ok(true)
    }

    /// The first file with a header after `file` and after those that were tried: its number, and the number
    /// of the last record before it.
    fn next_file(&self, file: &Segment) -> io::Result<Option<(u64, u64)>> {
        let disk = StdFileSystem;
        let tried = self.gone_on.get(&file.chain).copied().unwrap_or(0).max(file.last);
        let files = segment::list(&disk, &self.folder)?.into_iter();
        let mut behind = files.filter(|other| other.chain == file.chain && other.number > tried);
        Ok(behind.find_map(|file| {
            let bytes = segment::read(&disk, &self.folder, &file, 0, HEADER).ok()??;
            let header = Scan::new(&bytes, None).next_group().ok()??;
            Some((file.last, header.mark.seq()))
        }))
    }

    /// Prints a message, unless it was printed before.
    fn say(&mut self, kind: &str, text: &str) -> Result<(), Failure> {
        if !self.problems.iter().any(|said| said == text) {
            writeln!(err(), "{kind}: {text}")?;
            self.problems.push(text.to_owned());
        }
        Ok(())
    }
}
