//! Goes through the records of a log, past what cannot be read of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::chain::Scan;
use hooks::audit::segment::{self, Segment};
use hooks::audit::{Committed, Positions, ReadError, Reader};

use super::output::err;
use super::plain::plain;
use crate::failure::{Failure, Status};
use crate::paint::{BAD, OPEN};

/// How many records are read at a time.
const MOST: usize = 4_096;
/// More bytes than the first line of a file has.
const HEADER: usize = 16 << 10;

/// Reads a log batch by batch. What is damaged keeps nothing else back: the records before it come first, then those from
/// the next file of its chain on. It is said once on standard error, and [`Reading::status`] tells.
pub(super) struct Reading {
    folder: PathBuf,
    reader: Reader,
    looked_at: u64,
    /// What was said about files that cannot be read.
    said: BTreeSet<String>,
    /// The exit status that the first of them asks for.
    trouble: Option<Status>,
    /// The number of the file in which a chain was gone on with.
    gone_on: BTreeMap<String, u64>,
}

impl Reading {
    /// Reads the log in `folder` behind `after`.
    pub(super) fn new(folder: &Path, after: Positions) -> Self {
        Self {
            folder: folder.to_owned(),
            reader: Reader::new(Arc::new(StdFileSystem), folder, after),
            looked_at: 0,
            said: BTreeSet::new(),
            trouble: None,
            gone_on: BTreeMap::new(),
        }
    }

    /// The next records; none where there are no more for now. A file that cannot be read costs some more looks: with
    /// each of them half as many records are asked for, until only those before the flaw are.
    pub(super) fn next(&mut self) -> Result<Vec<Committed>, Failure> {
        let mut most = MOST;
        loop {
            let records = self.reader.read(most);
            for skipped in self.reader.take_skipped() {
                self.say(&format!("{OPEN}warning{OPEN:#}: {skipped}"))?;
            }
            match records {
                Ok(records) => {
                    self.looked_at += records.len() as u64;
                    return Ok(records);
                }
                Err(error @ ReadError::Folder { .. }) => {
                    return Err(Failure::said(plain(&error.to_string())));
                }
                Err(_) if most > 1 => most /= 2,
                Err(error) if self.pass(&error)? => most = MOST,
                Err(_) => return Ok(Vec::new()),
            }
        }
    }

    /// How many records were read.
    pub(super) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Behind what was read, and behind what could not be.
    pub(super) fn positions(&self) -> &Positions {
        self.reader.positions()
    }

    /// What to exit with: `otherwise`, unless something could not be read.
    pub(super) fn status(&self, otherwise: Status) -> Status {
        self.trouble.unwrap_or(otherwise)
    }

    /// Goes on behind the file that cannot be read; whether there is something behind it. Says what is left out.
    fn pass(&mut self, error: &ReadError) -> Result<bool, Failure> {
        let (file, status) = match error {
            ReadError::Damaged { file, .. } => (file, Status::Damaged),
            ReadError::File { file, .. } => (file, Status::Usage),
            _ => return Err(Failure::said(plain(&error.to_string()))),
        };
        self.trouble = self.trouble.or(Some(status));
        let error = plain(&error.to_string());
        let Some(file) = Segment::parse(file) else { return Err(Failure::said(error)) };
        let before = self.positions().of(&file.chain);
        let Some((number, seq)) = self.next_file(&file)? else {
            self.say(&format!(
                "{BAD}error{BAD:#}: {error}; what stands there behind record {before} of `{}` is left out",
                file.chain
            ))?;
            return Ok(false);
        };
        if seq > before {
            let from = before + 1;
            self.say(&format!(
                "{BAD}error{BAD:#}: {error}; records {from} to {seq} of `{}` are left out",
                file.chain
            ))?;
        }
        let mut after = self.positions().clone();
        after.advance(&file.chain, seq);
        self.gone_on.insert(file.chain, number);
        self.reader = Reader::new(Arc::new(StdFileSystem), &self.folder, after);
        Ok(true)
    }

    /// The first file behind `file`, and behind those that were tried, that has a header: its number, and that of the last
    /// record before it.
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

    /// Says something, once.
    fn say(&mut self, text: &str) -> Result<(), Failure> {
        if self.said.insert(text.to_owned()) {
            writeln!(err(), "{text}")?;
        }
        Ok(())
    }
}
