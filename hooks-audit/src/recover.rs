//! Examines a file whose writer did not close it: separates valid groups, an interrupted write, and
//! tampering.
//!
//! A power loss may leave any part of unsynced data: groups torn in the middle, holes, stale bytes, and
//! complete groups behind them. Every commit states the last mark that was synced before it. So if a mark is
//! damaged and an intact later mark states that it was synced, an interrupted write cannot be the cause.
//!
//! An unfinished write is void; a change of a synced record is damage:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use hooks_audit::recover::{Rest, examine};
//! use hooks_audit::{Appender, Record, AppendSettings};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
//! let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
//! appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
//! appender.settle()?;
//! let whole = disk.files()[Path::new("/log/w0.00000001.jsonl")].clone();
//!
//! let torn = [&whole[..], br#"{"seq":2,"at":"19"#].concat();
//! let found = examine(&torn).ok_or("no header")?;
//! assert_eq!((found.end.seq, found.rest), (1, Rest::Torn(17)));
//!
//! let changed = String::from_utf8(whole)?.replace("stop", "stap");
//! let found = examine(changed.as_bytes()).ok_or("no header")?;
//! assert!(found.end.seq == 0 && matches!(found.rest, Rest::Damaged(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::VecDeque;

use crate::chain::{Chain, Flaw, Group, Lines, Mark, Scan, intact};
use crate::mutant::{self, Mutant};

/// Result for the last file of a chain.
#[derive(Clone, Debug)]
pub struct RecoveredChain {
    /// The chain behind the last mark that is known to be synced.
    pub durable: Chain,
    /// The complete records behind that, which may not be synced.
    pub lines: Lines,
    /// The chain behind the last complete group.
    pub end: Chain,
    /// Content behind that.
    pub rest: Rest,
}

/// Content behind the last complete group of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing.
    Nothing,
    /// This many bytes of an unfinished write.
    Torn(usize),
    /// Data that was complete once, and is damaged.
    Damaged(Flaw),
}

/// Examines all bytes of a file; `None` if its header is not valid. Linear.
pub fn examine(bytes: &[u8]) -> Option<RecoveredChain> {
    let mut scan = Scan::new(bytes, None);
    let header = scan.next_group().ok()??;
    let Mark::Header(first) = &header.mark else { return None };
    let mut chain = Chain::behind(first, header.head)?;
    let mut durable = chain.clone();
    let mut end = header.end;
    // Groups that are not known to be synced, the oldest first.
    let mut behind: VecDeque<(Chain, Group<'_>)> = VecDeque::new();
    let flaw = loop {
        match next(&mut scan, &chain) {
            Ok((state, group)) => {
                let synced = group.mark.synced();
                end = group.end;
                chain = state.clone();
                behind.push_back((state, group));
                while behind.front().is_some_and(|(state, _)| state.commit <= synced) {
                    durable = behind.pop_front().map_or(durable, |(state, _)| state);
                }
            }
            Err(flaw) => break flaw,
        }
    };
    let rest = bytes.get(end..).unwrap_or_default();
    if synced_behind(rest, chain.commit) > chain.commit && !mutant::is(Mutant::CutsAnything) {
        // Everything before a synced mark is synced, so all valid groups are.
        let lines = Lines::behind(chain.seq);
        return Some(RecoveredChain { durable: chain.clone(), lines, end: chain, rest: Rest::Damaged(flaw) });
    }
    let mut lines = Lines::behind(durable.seq);
    for line in behind.iter().flat_map(|(_, group)| &group.lines) {
        lines.push_line(line, bytes);
    }
    let rest = if rest.is_empty() { Rest::Nothing } else { Rest::Torn(rest.len()) };
    Some(RecoveredChain { durable, lines, end: chain, rest })
}

/// Returns the next group, if it follows `chain`, and the chain behind it.
fn next<'a>(scan: &mut Scan<'a>, chain: &Chain) -> Result<(Chain, Group<'a>), Flaw> {
    let offset = scan.offset();
    let group = scan.next_group()?.ok_or(Flaw { offset, what: "a group without an end" })?;
    // A header follows another group only in a joined file.
    let follows = chain.follow(&group).filter(|next| match group.mark {
        Mark::Header(_) => next.segment == chain.segment + 1,
        Mark::Commit(_) => true,
    });
    match follows {
        Some(next) => Ok((next, group)),
        None => Err(Flaw { offset, what: "a group that is not the next one" }),
    }
}

/// Limit on the marks that are examined further because their group does not begin at the start of a line.
const CLOSER_LOOKS: usize = 8;

/// Returns the last mark that is synced according to the intact marks in `rest`; stops as soon as it is more
/// than `enough`. Groups need not follow one another here: each is checked against its own sum.
pub(crate) fn synced_behind(rest: &[u8], enough: u64) -> u64 {
    let mut most = 0;
    let mut closer_looks = CLOSER_LOOKS;
    // Lines that may be records of the next mark.
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut group_start = 0;
    let mut offset = 0;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        let start = offset;
        offset += line.len();
        let Some(text) = line.strip_suffix(b"\n") else { break };
        if text.starts_with(b"{\"p\":") {
            continue;
        }
        if !intact::is_mark(text) {
            lines.push(text);
            continue;
        }
        let mut mark = intact::mark(text, &lines);
        if mark.is_none() && closer_looks > 0 {
            closer_looks -= 1;
            mark = intact::mark_in(text, rest.get(group_start..start).unwrap_or_default());
        }
        most = most.max(mark.map_or(0, |mark| mark.synced()));
        if most > enough {
            break;
        }
        lines.clear();
        group_start = offset;
    }
    most
}
