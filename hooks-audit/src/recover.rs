//! What a file is worth whose writer did not come to its end: what counts, what was torn off, and what was tampered with.
//!
//! A loss of power leaves any part of what had not been written through: groups torn in the middle, holes, stale bytes,
//! and whole groups behind all that. Every commit says which mark had been written through before it, so damage to a
//! mark that an intact one behind it knows to have been written through is no honest accident.

use std::collections::VecDeque;

use crate::chain::{Chain, Flaw, Group, Lines, Mark, Scan, intact};
use crate::mutant::{self, Mutant};

/// What was found in the last file of a chain.
#[derive(Clone, Debug)]
pub struct Found {
    /// The chain behind the last mark that is known to have been written through.
    pub durable: Chain,
    /// The records behind it that are whole: written, perhaps not through.
    pub lines: Lines,
    /// The chain behind the last group that is whole.
    pub end: Chain,
    /// What is behind that.
    pub rest: Rest,
}

/// What is behind the last whole group of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing.
    Nothing,
    /// This many bytes of what was being written.
    Torn(usize),
    /// Something that was whole once.
    Damaged(Flaw),
}

/// Looks at all bytes of a file; `None` where not even its header is right. Linear.
pub fn examine(bytes: &[u8]) -> Option<Found> {
    let mut scan = Scan::new(bytes, None);
    let header = scan.next_group().ok()??;
    let Mark::Header(first) = &header.mark else { return None };
    let mut chain = Chain::behind(first, header.head)?;
    let mut durable = chain.clone();
    let mut end = header.end;
    // What is not known to have been written through, oldest first.
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
        // What it knows to have been written through includes all that is right.
        let lines = Lines::behind(chain.seq);
        return Some(Found { durable: chain.clone(), lines, end: chain, rest: Rest::Damaged(flaw) });
    }
    let mut lines = Lines::behind(durable.seq);
    for line in behind.iter().flat_map(|(_, group)| &group.lines) {
        lines.push_line(line, bytes);
    }
    let rest = if rest.is_empty() { Rest::Nothing } else { Rest::Torn(rest.len()) };
    Some(Found { durable, lines, end: chain, rest })
}

/// The next group, if it follows `chain`, and the chain behind it.
fn next<'a>(scan: &mut Scan<'a>, chain: &Chain) -> Result<(Chain, Group<'a>), Flaw> {
    let offset = scan.offset();
    let group = scan.next_group()?.ok_or(Flaw { offset, what: "a group without an end" })?;
    // A header is the next one where files were joined.
    let follows = chain.follow(&group).filter(|next| match group.mark {
        Mark::Header(_) => next.segment == chain.segment + 1,
        Mark::Commit(_) => true,
    });
    match follows {
        Some(next) => Ok((next, group)),
        None => Err(Flaw { offset, what: "a group that is not the next one" }),
    }
}

/// How many marks are looked at more closely whose group does not begin at the start of a line.
const CLOSER_LOOKS: usize = 8;

/// The last mark that an intact mark in `rest` says to have been written through, as soon as that is more than `enough`.
/// Groups need not follow one another here: each is checked against its own sum.
pub(crate) fn synced_behind(rest: &[u8], enough: u64) -> u64 {
    let mut most = 0;
    let mut closer_looks = CLOSER_LOOKS;
    // The lines that may be records of the next mark.
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
