//! Reads the files of a chain for the verifier: all of a file, or its first line.

use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;

use crate::chain::{Chain, Header, Mark, Scan};
use crate::segment::{self, MOST_BYTES, Segment};

/// Longer than any header, in bytes.
const HEADER: usize = 16 << 10;

/// Content of a file.
pub(super) enum Content {
    /// The lines of the file.
    Lines(Vec<u8>),
    /// Reason why the file cannot be read as lines.
    None(String),
}

/// Reads the lines of a file.
pub(super) fn content(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<Content> {
    if let Some(kind) = segment::stand_in(disk, folder, file)? {
        return Ok(Content::None(format!("{kind} stands in its place")));
    }
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    match segment::read(disk, folder, file, 0, most.saturating_add(1)) {
        Ok(bytes) if bytes.as_ref().is_some_and(|bytes| bytes.len() > most) => Ok(too_large()),
        Ok(bytes) => Ok(Content::Lines(bytes.unwrap_or_default())),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Ok(too_large()),
        Err(error) if error.kind() == ErrorKind::InvalidData && error.to_string() == segment::BEHIND => {
            Ok(Content::None(segment::BEHIND.to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Ok(Content::None("it cannot be decompressed".to_owned()))
        }
        Err(error) => Err(error),
    }
}

fn too_large() -> Content {
    Content::None("it is larger than any file of a log".to_owned())
}

/// Returns the lines of a file; `None` if it cannot be read as lines.
pub(super) fn bytes(disk: &dyn LogDisk, folder: &Path, file: &Segment) -> io::Result<Option<Vec<u8>>> {
    Ok(match content(disk, folder, file)? {
        Content::Lines(bytes) => Some(bytes),
        Content::None(_) => None,
    })
}

/// Returns the header of a file, if it is valid, and the chain behind it.
pub(super) fn header(
    disk: &dyn LogDisk,
    folder: &Path,
    file: &Segment,
) -> io::Result<Option<(Header, Chain)>> {
    let is_file = segment::stand_in(disk, folder, file)?.is_none();
    let bytes = match segment::read(disk, folder, file, 0, HEADER) {
        _ if !is_file => None,
        Ok(bytes) => bytes,
        Err(error) if [ErrorKind::InvalidData, ErrorKind::FileTooLarge].contains(&error.kind()) => None,
        Err(error) => return Err(error),
    };
    let bytes = bytes.unwrap_or_default();
    let group = Scan::new(&bytes, None).next_group().ok().flatten();
    Ok(group.and_then(|group| match group.mark {
        Mark::Header(header) => Chain::behind(&header, group.head).map(|chain| (header, chain)),
        Mark::Commit(_) => None,
    }))
}
