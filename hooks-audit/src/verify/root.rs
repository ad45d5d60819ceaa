//! Computes the root over the first records of a chain from its present files.

use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::files;
use crate::chain::{Chain, Digest, Scan};
use crate::segment::{self, Segment};

/// Returns the root of the tree over the first `size` records of `chain` in `folder`; `None` if the necessary
/// file was deleted by retention.
///
/// Finds the file by binary search over the headers, and reads it up to that record; its header holds the
/// tree before it.
///
/// # Errors
/// Returns `InvalidData` if the record does not exist, or its file is damaged before it; any other error if a
/// file cannot be read.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::verify::root_of;
/// use hooks_audit::{Appender, Record, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
/// appender.append(&mut [Record::new("session_start", Timestamp(1)).into()])?;
/// let earlier = appender.chain().tree.root();
/// appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
/// appender.close()?;
/// assert_eq!(root_of(&*disk, Path::new("/log"), "w0", 1)?, Some(earlier));
/// let error = root_of(&*disk, Path::new("/log"), "w0", 9).err().map(|error| error.to_string());
/// assert!(error.is_some_and(|error| error.contains("is damaged before record 9")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn root_of(disk: &dyn LogDisk, folder: &Path, chain: &str, size: u64) -> io::Result<Option<Digest>> {
    let mut files = segment::list(disk, folder)?;
    files.retain(|file| file.chain == chain);
    let Some((file, mut at)) = holder(disk, folder, &files, size)? else { return Ok(None) };
    if at.seq == size {
        return Ok(Some(at.tree.root()));
    }
    let bytes = files::bytes(disk, folder, file)?.unwrap_or_default();
    let mut scan = Scan::new(&bytes, None);
    // The header of the file.
    let _begins = scan.next_group();
    while let Some((group, next)) =
        scan.next_group().ok().flatten().and_then(|group| at.follow(&group).map(|next| (group, next)))
    {
        if next.seq >= size {
            let wanted = group.lines.iter().take_while(|line| line.seq <= size);
            wanted.for_each(|line| at.tree.push(line.leaf));
            return Ok(Some(at.tree.root()));
        }
        at = next;
    }
    let what = format!("`{}` is damaged before record {size}; run `hooks audit verify`", file.name());
    Err(io::Error::new(ErrorKind::InvalidData, what))
}

/// Returns the last file that begins behind at most `size` records, and the chain behind its header. Files
/// without a valid header are skipped, because they were damaged.
pub(crate) fn holder<'a>(
    disk: &dyn LogDisk,
    folder: &Path,
    files: &'a [Segment],
    size: u64,
) -> io::Result<Option<(&'a Segment, Chain)>> {
    let (mut low, mut high) = (0, files.len());
    let mut found = None;
    while low < high {
        let middle = low + (high - low) / 2;
        let mut readable = None;
        for (index, file) in files.iter().enumerate().take(high).skip(middle) {
            if let Some((_, chain)) = files::header(disk, folder, file)? {
                readable = Some((index, file, chain));
                break;
            }
        }
        match readable {
            Some((index, file, chain)) if chain.seq <= size => {
                (low, found) = (index + 1, Some((file, chain)));
            }
            _ => high = middle,
        }
    }
    Ok(found)
}
