//! End files: a writer that closes a chain records where the chain ends, so that the next writer need not
//! read the file.
//!
//! An end file is trusted only if the log file has the recorded length and ends with the recorded mark. It is
//! never synced, because the log file holds the same facts. The writer that takes it removes it; a writer
//! that ends without closing the chain leaves no end file.

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;

use crate::chain::{After, Chain, Mark, Scan};
use crate::segment::{Segment, State};

/// Longer than any mark, in bytes.
const MARK: usize = 8 << 10;
/// Longer than any end file, in bytes.
const MOST: u64 = 16 << 10;

/// Writes the end file of the chain `durable`: its last file was begun at `since` and has `length` bytes. At
/// most one mark follows the end of `durable` there, and it states that everything before it is synced.
pub(super) fn write(
    disk: &dyn LogDisk,
    folder: &Path,
    durable: &Chain,
    length: u64,
    since: Timestamp,
) -> io::Result<()> {
    let mut text = format!("{length}\n").into_bytes();
    // The header of a next file holds everything needed. Its time is that of the current file, so that a file
    // that many short-lived processes hand on to each other still ends when it is old.
    durable.clone().header(After::Sealed, since, &mut text);
    let mut file = disk.open_log(&folder.join(name(&durable.name)))?;
    file.truncate(0)?;
    file.append(&text)
}

/// State that a writer hands over.
pub(super) struct End {
    /// The chain up to its last synced mark.
    pub(super) durable: Chain,
    /// The chain including the mark that states the sync, if there is one.
    pub(super) chain: Chain,
    /// The length of the file.
    pub(super) length: u64,
    /// Time when the file was begun.
    pub(super) since: Timestamp,
}

/// Returns the end of the chain whose last file is `last`; `None` if there is no end file or it does not
/// match the file.
pub(super) fn take(disk: &dyn LogDisk, folder: &Path, last: &Segment) -> Option<End> {
    if last.is_remade() || last.state != State::Plain {
        return None;
    }
    let path = folder.join(name(&last.chain));
    let text = disk.read(&path, MOST).ok()??;
    disk.remove(&path).ok()?;
    let line = text.iter().position(|byte| *byte == b'\n')?;
    let (length, header) = text.split_at_checked(line + 1)?;
    let length: u64 = std::str::from_utf8(length).ok()?.trim_end().parse().ok()?;
    let group = Scan::new(header, None).next_group().ok()??;
    let Mark::Header(next) = &group.mark else { return None };
    let since = next.at;
    let mut durable = Chain::behind(next, next.prev)?;
    durable.segment = durable.segment.checked_sub(1)?;
    durable.commit = durable.commit.checked_sub(1)?;
    if durable.name != last.chain || durable.segment != last.number {
        return None;
    }
    let offset = length.saturating_sub(MARK as u64);
    let tail = disk.read_part(&last.path(folder), offset, 2 * MARK).ok()??;
    if offset + tail.len() as u64 != length {
        return None;
    }
    let before = tail.strip_suffix(b"\n")?.iter().rposition(|byte| *byte == b'\n');
    let last = tail.get(before.map_or(0, |at| at + 1)..)?;
    if let Some(group) = Scan::new(last, None).next_group().ok()?.filter(|group| group.head == durable.head) {
        return (group.mark.commit() == durable.commit).then(|| End {
            chain: durable.clone(),
            durable,
            length,
            since,
        });
    }
    let group = Scan::new(last, Some(durable.head)).next_group().ok()??;
    let Mark::Commit(commit) = &group.mark else { return None };
    let says_all = commit.synced == durable.commit && commit.records == 0;
    Some(End { chain: durable.follow(&group).filter(|_| says_all)?, durable, length, since })
}

fn name(chain: &str) -> String {
    format!("{chain}.end")
}
