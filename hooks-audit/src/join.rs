//! Joins small files of a chain into one.
//!
//! The file of a killed writer is never written again, so writers that are killed over and over would fill a
//! folder with files. The writer that recovers a chain joins its last files. A joined file has the lines of
//! its parts unchanged, headers included. Void bytes that a failed write left at the end of a part are left
//! out.
//!
//! A file is joined with the files behind it once those are half as large together. So a byte is written
//! again once for each growth of its file by half. The result is full files, some files that wait, and others
//! that are each larger than twice all files behind them.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;

use crate::append::AppendSettings;
use crate::chain::{After, Chain, Group, Mark, Scan};
use crate::segment::{self, Segment, State};

/// Fewer files are left as they are, unless they make up a full file: each join waits for a sync.
const LEAST: usize = 8;
/// Limit on the length of a joined file, in bytes: the process that opens the chain waits for the join.
const MOST: u64 = 4 << 20;
/// Longer than any header, in bytes.
const HEADER: usize = 16 << 10;

/// Joins the last files of `chain`, except the one being written, if there are enough small ones. Returns the
/// joined file. The parts span at most the age and the length of one file, so that joining delays no deletion
/// by retention.
///
/// # Errors
/// Returns an error if the disk fails; no record is lost then.
pub(crate) fn last_files(
    disk: &dyn LogDisk,
    folder: &Path,
    chain: &str,
    settings: &AppendSettings,
) -> io::Result<Option<Segment>> {
    let most = settings.file_bytes.min(MOST) as usize;
    let listed = segment::list_all(disk, folder)?;
    let mut files = listed.files.into_iter().filter(|file| file.chain == chain).rev();
    let Some(mut next) = files.next() else { return Ok(None) };
    let mut header = segment::read(disk, folder, &next, 0, HEADER)?.unwrap_or_default();
    let Some(end) = first_header(&header).map(|(_, at)| at) else { return Ok(None) };
    // Parts, the newest first.
    let mut parts: Vec<(Segment, Vec<u8>)> = Vec::new();
    let (mut total, mut is_full) = (0, false);
    for file in files {
        // A file larger than twice all files behind it stays; reading one byte more shows that it is.
        let limit = if parts.is_empty() { most } else { (2 * total).min(most.saturating_sub(total)) };
        if file.last + 1 != next.number || file.state == State::Damaged {
            break;
        }
        let bytes = match segment::read(disk, folder, &file, 0, limit.saturating_add(1)) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::InvalidData => break,
            Err(error) => return Err(error),
        };
        if bytes.len() > limit {
            is_full = limit < 2 * total && total > most / 2;
            break;
        }
        let Some(at) = first_header(&bytes).map(|(_, at)| at) else { break };
        let Some(counted) = first_header(&header).and_then(|(next, _)| counted(&bytes, &next)) else { break };
        if apart(at, end) > settings.file_age {
            break;
        }
        header = bytes.get(..bytes.len().min(HEADER)).unwrap_or_default().to_vec();
        total += counted.len();
        parts.push((file.clone(), counted.to_vec()));
        next = file;
    }
    if parts.len() < LEAST && !(is_full && parts.len() > 1) {
        return Ok(None);
    }
    parts.reverse();
    let (Some((first, _)), Some((last, _))) = (parts.first(), parts.last()) else { return Ok(None) };
    let joined = Segment { last: last.last, state: State::Plain, ..first.clone() };
    let lines: Vec<_> = parts.iter().flat_map(|(_, lines)| lines).copied().collect();
    segment::put(disk, folder, &joined, &lines)?;
    parts.iter().try_for_each(|(file, _)| disk.remove(&file.path(folder)))?;
    disk.sync_directory(folder)?;
    Ok(Some(joined))
}

/// Removes the files of `chain` whose lines are all in a joined file; an interrupted writer leaves such
/// files. A file with other content is left for verifiers.
///
/// # Errors
/// Returns an error if the disk fails.
pub(crate) fn remove_beside(disk: &dyn LogDisk, folder: &Path, chain: &str) -> io::Result<()> {
    let listed = segment::list_all(disk, folder)?;
    for file in listed.beside.iter().filter(|file| file.chain == chain) {
        let is_in = |kept: &&Segment| kept.chain == chain && kept.is_joined() && kept.has(file.number);
        let Some(kept) = listed.files.iter().find(is_in) else { continue };
        let whole = |file| segment::read(disk, folder, file, 0, segment::MOST_BYTES as usize);
        let (Ok(Some(kept)), Ok(Some(bytes))) = (whole(kept), whole(file)) else { continue };
        if stands_in(&kept, file, &bytes) {
            disk.remove(&file.path(folder))?;
            disk.sync_directory(folder)?;
        }
    }
    Ok(())
}

/// Whether the valid lines of `file`, which has these `bytes`, are in `kept` at the place of the file with
/// the same numbers.
pub(crate) fn stands_in(kept: &[u8], file: &Segment, bytes: &[u8]) -> bool {
    let (mut scan, mut start, mut end) = (Scan::new(kept, None), None, kept.len());
    while let Ok(Some(group)) = scan.next_group() {
        if let Mark::Header(header) = &group.mark {
            if header.segment == file.number {
                start = Some(group.start);
            } else if header.segment > file.last {
                end = group.start;
                break;
            }
        }
    }
    let Some(part) = start.and_then(|start| kept.get(start..end)) else { return false };
    if file.is_remade() { bytes == part } else { bytes.starts_with(part) }
}

/// Returns the valid part of a file behind which a file with the header `next` was begun. `None` if the file
/// is invalid before that point, or its writer found it damaged.
pub(crate) fn counted<'a>(bytes: &'a [u8], next: &Group<'_>) -> Option<&'a [u8]> {
    let Mark::Header(header) = &next.mark else { return None };
    let mut scan = Scan::new(bytes, None);
    let first = scan.next_group().ok()??;
    let Mark::Header(begins) = &first.mark else { return None };
    let mut chain = Chain::behind(begins, first.head)?;
    while chain.commit + 1 < header.commit {
        chain = chain.follow(&scan.next_group().ok()??)?;
    }
    let is_next = header.after != After::Damaged && chain.follow(next).is_some();
    is_next.then(|| bytes.get(..scan.offset()))?
}

/// Returns the header that `bytes` begin with, and the time when it was written.
pub(crate) fn first_header(bytes: &[u8]) -> Option<(Group<'_>, Timestamp)> {
    let group = Scan::new(bytes, None).next_group().ok()??;
    let Mark::Header(header) = &group.mark else { return None };
    let at = header.at;
    Some((group, at))
}

/// Time between two timestamps, in either order.
fn apart(a: Timestamp, b: Timestamp) -> Duration {
    a.since(b).max(b.since(a))
}
