//! The root over the first records of a chain, as its files stand now.

use std::io::{self, ErrorKind};
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::files;
use crate::chain::{Chain, Digest, Scan};
use crate::segment::{self, Segment};

/// The root of the tree over the first `size` records of `chain` in `folder`; `None` where the file is gone that would
/// say so, as it is by retention.
///
/// Looks at the headers of as many files as halving takes, and reads one file up to that record: the file says what the
/// tree was before it.
///
/// # Errors
/// Where a file cannot be read, `InvalidData` where the record is not there, or something before it in its file is not
/// right.
pub fn root_of(disk: &dyn LogDisk, folder: &Path, chain: &str, size: u64) -> io::Result<Option<Digest>> {
    let mut files = segment::list(disk, folder)?;
    files.retain(|file| file.chain == chain);
    let Some((file, mut at)) = holder(disk, folder, &files, size)? else { return Ok(None) };
    if at.seq == size {
        return Ok(Some(at.tree.root()));
    }
    let bytes = files::bytes(disk, folder, file)?.unwrap_or_default();
    let mut scan = Scan::new(&bytes, None);
    // Its header.
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

/// The last file that begins behind `size` records or fewer, and the chain behind its header. Files without a header are
/// passed over: they were damaged.
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
