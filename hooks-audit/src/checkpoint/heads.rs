//! Synced end of each chain of a log, which is the part that a checkpoint may cover.

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::fleet::Head;
use crate::recover;
use crate::segment::{self, MOST_BYTES};

/// Returns the end of each chain in `folder`, for the log called `name`, up to the last synced mark. Other
/// processes may be writing. Linear in the last file of each chain.
///
/// # Errors
/// Returns `InvalidData` if a last file has no valid first line; any other error if the folder or a file
/// cannot be read.
pub fn heads(disk: &dyn LogDisk, name: &str, folder: &Path) -> io::Result<Vec<Head>> {
    let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let segments = segment::list(disk, folder)?;
    let mut heads = Vec::new();
    for files in segments.chunk_by(|a, b| a.chain == b.chain) {
        let Some(last) = files.last() else { continue };
        let bytes = segment::read(disk, folder, last, 0, limit)?.unwrap_or_default();
        let found = recover::examine(&bytes).ok_or_else(|| {
            let what = format!("`{}` does not begin as a file of a log does", last.name());
            io::Error::new(io::ErrorKind::InvalidData, what)
        })?;
        let (chain, durable) = (last.chain.clone(), found.durable);
        heads.push(Head { log: name.to_owned(), chain, size: durable.seq, root: durable.tree.root() });
    }
    Ok(heads)
}
