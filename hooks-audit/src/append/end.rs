//! Where a chain ends: how a writer hands its file over, so that the next one need not read it.
//!
//! It is believed only where the file is as long as it says and ends with the mark that it says; it is never written
//! through, because the file itself says the same. Whoever takes it takes it away: who ends without closing the chain
//! hands nothing over.

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;
use hooks_core::time::Timestamp;

use crate::chain::{After, Chain, Mark, Scan};
use crate::segment::{Segment, State};

/// More than any mark has.
const MARK: usize = 8 << 10;
/// More than there is ever to say.
const MOST: u64 = 16 << 10;

/// Writes down that the file of the chain `durable`, begun at `since`, ends after `length` bytes, with nothing behind it
/// but perhaps a mark that says that it was written through.
pub(super) fn write(
    disk: &dyn LogDisk,
    folder: &Path,
    durable: &Chain,
    length: u64,
    since: Timestamp,
) -> io::Result<()> {
    let mut text = format!("{length}\n").into_bytes();
    // The header that another file would have says all there is to know. Its moment is that of this one, so that a file
    // which many short-lived processes hand on to each other ends when it is old.
    durable.clone().header(After::Sealed, since, &mut text);
    let mut file = disk.open_log(&folder.join(name(&durable.name)))?;
    file.truncate(0)?;
    file.append(&text)
}

/// What is handed over.
pub(super) struct End {
    /// The chain as it was written through.
    pub(super) durable: Chain,
    /// The chain behind the mark that says so, if there is one.
    pub(super) chain: Chain,
    /// The length of the file.
    pub(super) length: u64,
    /// When it was begun.
    pub(super) since: Timestamp,
}

/// Where the chain ends whose last file is `last`; `None` where it was not handed over as it is.
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
