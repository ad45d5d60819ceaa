//! Checks a mark on its own, when the lines before it may be damaged.

use super::mark::{self, Mark};
use super::tree::leaf;

pub(crate) use super::mark::is_mark;

/// Returns the mark on `line`, if its records are the last of `lines`.
pub(crate) fn mark(line: &[u8], lines: &[&[u8]]) -> Option<Mark> {
    let parts = mark::parse(line)?;
    let records = usize::try_from(parts.mark.records()).ok()?;
    let records = lines.get(lines.len().checked_sub(records)?..)?;
    let leaves: Vec<_> = records.iter().map(|line| leaf(line)).collect();
    parts.has_body(&mark::body(&leaves, parts.covered)).then_some(parts.mark)
}

/// Returns the mark on `line`, if its first record begins somewhere in `before`, perhaps within a damaged
/// line.
pub(crate) fn mark_in(line: &[u8], before: &[u8]) -> Option<Mark> {
    let records = mark::parse(line)?.mark;
    let first = format!("{{\"seq\":{},\"at\":", (records.seq() + 1).checked_sub(records.records())?);
    let start = memchr::memmem::rfind(before, first.as_bytes())?;
    let lines = before.get(start..)?.split(|byte| *byte == b'\n');
    let lines: Vec<_> = lines.filter(|line| !line.is_empty() && !line.starts_with(b"{\"p\":")).collect();
    mark(line, &lines)
}
