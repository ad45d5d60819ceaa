//! Beginning of a chain, which distinguishes it from all others, also from those of the same name in other
//! logs.
//!
//! The id is a digest of the first available records. It covers their times, sessions and salted payloads, so
//! that no two chains share it. It is always the same, until the files it was computed from are deleted by
//! retention. Therefore it is stored (see [`chains`](super::chains)), with the header of its file. Headers
//! never change, so the chain can be recognized by it.

use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::LogDisk;
use serde::{Deserialize, Serialize};

use crate::chain::{Group, Mark, Scan};
use crate::read::ReadError;
use crate::record::Record;
use crate::segment::{self, MOST_BYTES, Segment, State};
use crate::verify::holder;

/// Bytes read from a file at first; more if a group is longer.
const CHUNK: usize = 1 << 20;
/// Length of an id in hexadecimal digits: 128 bits.
const ID: usize = 32;

/// Beginning of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Unique id of the chain, of letters and digits.
    id: Arc<str>,
    /// Number of the file in which the beginning was found.
    file: u64,
    /// Hash of that file's header.
    header: String,
}

impl Origin {
    /// Unique id of the chain, of letters and digits.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }
}

/// Files of one chain.
pub(super) struct Files<'a> {
    disk: &'a dyn LogDisk,
    folder: &'a Path,
    files: Vec<Segment>,
}

impl<'a> Files<'a> {
    pub(super) fn list(disk: &'a dyn LogDisk, folder: &'a Path, chain: &str) -> Result<Self, ReadError> {
        let mut files = segment::list(disk, folder).map_err(|source| ReadError::Folder { source })?;
        files.retain(|file| file.chain == chain);
        Ok(Self { disk, folder, files })
    }

    /// Returns the beginning of the chain: `known` if it still matches; `None` if the chain has no records
    /// yet.
    pub(super) fn origin(&self, known: Option<&Origin>) -> Result<Option<Origin>, ReadError> {
        if let Some(known) = known
            && self.is_of(known)?
        {
            return Ok(Some(known.clone()));
        }
        for file in &self.files {
            let (mut header, mut id) = (None, None);
            self.each(file, |group| match &group.mark {
                Mark::Header(begins) => {
                    header = Some((begins.segment, group.head.to_string()));
                    ControlFlow::Continue(())
                }
                Mark::Commit(commit) if commit.records == 0 => ControlFlow::Continue(()),
                Mark::Commit(_) => {
                    id = Some(group.head.to_string().chars().take(ID).collect::<String>());
                    ControlFlow::Break(())
                }
            })?;
            if let (Some((file, header)), Some(id)) = (header, id) {
                return Ok(Some(Origin { id: id.into(), file, header }));
            }
        }
        Ok(None)
    }

    /// Whether this is the chain with this beginning. If its first files are deleted or damaged, it is
    /// assumed to be.
    fn is_of(&self, origin: &Origin) -> Result<bool, ReadError> {
        let Some(first) = self.files.first() else { return Ok(false) };
        if first.number > origin.file {
            return Ok(true);
        }
        let Some(file) = self.files.iter().find(|file| file.has(origin.file)) else { return Ok(false) };
        let mut is_same = true;
        self.each(file, |group| match &group.mark {
            // A joined file has headers of earlier files before it.
            Mark::Header(header) if header.segment < origin.file => ControlFlow::Continue(()),
            Mark::Commit(_) if file.is_joined() => ControlFlow::Continue(()),
            mark => {
                is_same = !matches!(mark, Mark::Header(_)) || group.head.to_string() == origin.header;
                ControlFlow::Break(())
            }
        })?;
        Ok(is_same)
    }

    /// Whether the chain has reached record `seq`, or its end is damaged, so that it may have.
    pub(super) fn reach(&self, seq: u64) -> Result<bool, ReadError> {
        let Some(last) = self.files.last() else { return Ok(seq == 0) };
        let mut end = None;
        let is_whole = self.each(last, |group| {
            end = end.max(Some(group.mark.seq()));
            if end.is_some_and(|end| end >= seq) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(!is_whole || end.is_none_or(|end| end >= seq))
    }

    /// Returns record `seq`; `None` if it is missing or damaged. Finds the file by binary search over the
    /// headers, and reads it up to the record.
    pub(super) fn record(&self, seq: u64) -> Result<Option<Record>, ReadError> {
        let before = seq.saturating_sub(1);
        let holder = holder(self.disk, self.folder, &self.files, before);
        let Some((file, _)) = holder.map_err(|source| ReadError::Folder { source })? else { return Ok(None) };
        let mut record = None;
        self.each(file, |group| {
            let Some(line) = group.lines.iter().find(|line| line.seq >= seq) else {
                return ControlFlow::Continue(());
            };
            if line.seq == seq {
                record = serde_json::from_slice(line.text).ok();
            }
            ControlFlow::Break(())
        })?;
        Ok(record)
    }

    /// Calls `see` with the groups of `file`, until it breaks, a flaw, or the end; returns whether there was
    /// no flaw.
    fn each(
        &self,
        file: &Segment,
        mut see: impl FnMut(&Group<'_>) -> ControlFlow<()>,
    ) -> Result<bool, ReadError> {
        let failed = |source| ReadError::File { file: file.name(), source };
        let most = MOST_BYTES as usize;
        // In a compressed file, every read decompresses the bytes before again, so all is read at once.
        let (mut offset, mut limit) = (0, if file.state == State::Compressed { most } else { CHUNK });
        loop {
            let bytes = segment::read(self.disk, self.folder, file, offset, limit).map_err(failed)?;
            // The file was renamed since the folder was listed: the next call sees its new name.
            let bytes = bytes.ok_or_else(|| failed(io::Error::from(ErrorKind::NotFound)))?;
            let mut scan = Scan::new(&bytes, None);
            loop {
                match scan.next_group() {
                    Ok(Some(group)) if see(&group).is_break() => return Ok(true),
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => return Ok(false),
                }
            }
            match scan.offset() as u64 {
                _ if bytes.len() < limit => return Ok(true),
                0 if limit >= most => return Ok(false),
                0 => limit = limit.saturating_mul(8).min(most),
                taken => offset += taken,
            }
        }
    }
}
