//! How far each chain of a log is known to have been written through: what a checkpoint may say of it.

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;

use super::fleet::Head;
use crate::recover;
use crate::segment::{self, MOST_BYTES};

/// The end of each chain in `folder`, as the log of this `name`, up to what no loss of power takes back. Others may be
/// writing. Linear in the last file of each chain.
///
/// # Errors
/// Where the folder or a file cannot be read, `InvalidData` where a last file is not right from its first line on.
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
