//! Joins small files of a chain into one.
//!
//! The file of a writer that was killed is never added to again, so writers that are killed over and over would fill a folder
//! with files. Who recovers a chain joins the last of them. The lines of a joined file are those of its parts, as they were
//! written, headers too; what a failed write left behind the end of a part does not count, and is left out.
//!
//! A file is joined with those behind it once they are half as large together. So a byte is written again once for each half
//! by which its file grows, and what is left is full files, some that wait, and others of which each is larger than twice all
//! behind it.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;

use crate::append::Settings;
use crate::chain::{After, Chain, Group, Mark, Scan};
use crate::segment::{self, Segment, State};

/// Fewer files are left as they are: each join waits for the device.
const LEAST: usize = 8;
/// The most bytes of a joined file: whoever opens the chain waits for it.
const MOST: u64 = 4 << 20;
/// More than any header has.
const HEADER: usize = 16 << 10;

/// Joins the last files of `chain` but the one that is written, where there are enough small ones: those that are
/// together no older than a file gets and no larger than a file gets, so that retention deletes no later for it. The joined file.
///
/// # Errors
/// Whatever the disk answers. Nothing is lost by it.
pub(crate) fn last_files(
    disk: &dyn LogDisk,
    folder: &Path,
    chain: &str,
    settings: &Settings,
) -> io::Result<Option<Segment>> {
    let most = settings.file_bytes.min(MOST) as usize;
    let listed = segment::list_all(disk, folder)?;
    let mut files = listed.files.into_iter().filter(|file| file.chain == chain).rev();
    let Some(mut next) = files.next() else { return Ok(None) };
    let mut header = segment::read(disk, folder, &next, 0, HEADER)?.unwrap_or_default();
    let Some(end) = first_header(&header).map(|(_, at)| at) else { return Ok(None) };
    // The newest first.
    let mut parts: Vec<(Segment, Vec<u8>)> = Vec::new();
    let mut total = 0;
    for file in files {
        // One that is larger than twice all behind it stays; the byte more shows that it is.
        let limit = if parts.is_empty() { most } else { (2 * total).min(most.saturating_sub(total)) };
        if file.last + 1 != next.number || file.state == State::Damaged {
            break;
        }
        let bytes = match segment::read(disk, folder, &file, 0, limit.saturating_add(1)) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::InvalidData => break,
            Err(error) => return Err(error),
        };
        let Some(at) = first_header(&bytes).map(|(_, at)| at).filter(|_| bytes.len() <= limit) else { break };
        let Some(counted) = first_header(&header).and_then(|(next, _)| counted(&bytes, &next)) else { break };
        if apart(at, end) > settings.file_age {
            break;
        }
        header = bytes.get(..bytes.len().min(HEADER)).unwrap_or_default().to_vec();
        total += counted.len();
        parts.push((file.clone(), counted.to_vec()));
        next = file;
    }
    if parts.len() < LEAST {
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

/// Removes the files of `chain` all of which stands in a joined one, as an interrupted writer leaves them. One that says
/// something else is left to verifiers.
///
/// # Errors
/// Whatever the disk answers.
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

/// Whether all that counts of `file`, which has these `bytes`, stands in its place in `kept`: the lines that count of the
/// file that has the same numbers.
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

/// What counts of the lines of a file behind which one with the header `next` was begun; `None` where they are not right up
/// to there, or its writer found them damaged.
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

/// The header that `bytes` begin with, and when it was written.
pub(crate) fn first_header(bytes: &[u8]) -> Option<(Group<'_>, Timestamp)> {
    let group = Scan::new(bytes, None).next_group().ok()??;
    let Mark::Header(header) = &group.mark else { return None };
    let at = header.at;
    Some((group, at))
}

/// How long is between two moments, whichever of them is the earlier.
fn apart(a: Timestamp, b: Timestamp) -> Duration {
    a.since(b).max(b.since(a))
}
