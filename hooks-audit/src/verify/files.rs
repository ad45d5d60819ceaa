//! The files of a chain, as a verifier reads them: whole, or their first line.

use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;

use crate::chain::{Chain, Header, Mark, Scan};
use crate::segment::{self, MOST_BYTES, Segment};

/// More than any header has.
const HEADER: usize = 16 << 10;

/// The lines of a file; `None` where they cannot be decompressed.
pub(super) fn bytes(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<Option<Vec<u8>>> {
    let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    part(disk, folder, file, limit)
}

/// The header of a file, if it is right, and the chain behind it.
pub(super) fn header(
    disk: &dyn LogDisk,
    folder: &Path,
    file: &Segment,
) -> io::Result<Option<(Header, Chain)>> {
    let bytes = part(disk, folder, file, HEADER)?.unwrap_or_default();
    let group = Scan::new(&bytes, None).next_group().ok().flatten();
    Ok(group.and_then(|group| match group.mark {
        Mark::Header(header) => Chain::behind(&header, group.head).map(|chain| (header, chain)),
        Mark::Commit(_) => None,
    }))
}

fn part(disk: &dyn LogDisk, folder: &Path, file: &Segment, limit: usize) -> io::Result<Option<Vec<u8>>> {
    match segment::read(disk, folder, file, 0, limit) {
        Ok(bytes) => Ok(Some(bytes.unwrap_or_default())),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(error),
    }
}
