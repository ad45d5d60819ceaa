//! Takes a file apart into groups, and checks each of them alone.

use std::fmt;

use memchr::memchr;

use super::SALT;
use super::digest::{Digest, HEX, parse_hex, push_hex};
use super::mark::{self, Mark};
use super::tree::leaf;
use crate::mutant::{self, Mutant};

/// What stands before the digest of a payload, at the end of its record's line.
pub(super) const PAYLOAD: &[u8] = b",\"payload\":\"";
const SEQ: &[u8] = b"{\"seq\":";
const KEPT: &[u8] = b"{\"p\":";
const KEPT_SALT: &[u8] = b",\"salt\":\"";
const KEPT_DATA: &[u8] = b"\",\"data\":";
const KEPT_ERASED: &[u8] = b",\"erased\":";

/// Goes through the groups of a file from `offset` on.
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// The head of the mark before, once that is known.
    head: Option<Digest>,
}

/// A group: its records, and the mark that ends it. The sum of the mark is right, and so is its head if the mark before
/// is known; whether it stands in its place, [`Chain::follow`](super::Chain::follow) tells.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// Where its first line begins.
    pub start: usize,
    /// Where its mark begins.
    pub mark_start: usize,
    /// Where the next group begins.
    pub end: usize,
    /// The records.
    pub lines: Vec<Line<'a>>,
    /// The mark.
    pub mark: Mark,
    /// What the mark's sum and head are of.
    pub body: Digest,
    /// The head that the mark says.
    pub head: Digest,
}

/// The line of a record.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it begins.
    pub start: usize,
    /// Where the next record begins, or the mark: behind the payload.
    pub end: usize,
    /// The line, without its end.
    pub text: &'a [u8],
    /// Its number.
    pub seq: u64,
    /// Its digest.
    pub leaf: Digest,
    /// What stands beside it.
    pub stored: Stored<'a>,
}

/// The payload beside a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored<'a> {
    /// It never had one.
    Nothing,
    /// Its JSON, which is what the record's digest is of.
    Payload(&'a [u8]),
    /// It was erased; the record of this number says so.
    Erased(u64),
}

/// Why bytes are no group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where the line begins at which it was seen.
    pub offset: usize,
    /// What it is.
    pub what: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl<'a> Scan<'a> {
    /// Starts at the beginning of `bytes`, where a group begins: behind a mark with the head `head`, if that is known.
    pub fn new(bytes: &'a [u8], head: Option<Digest>) -> Self {
        Self { bytes, offset: 0, head }
    }

    /// Where the next group begins.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next group; `None` where the bytes end before its mark does. Stays where it is unless there is one.
    ///
    /// # Errors
    /// Where the bytes are no group.
    pub fn next_group(&mut self) -> Result<Option<Group<'a>>, Flaw> {
        let start = self.offset;
        let mut offset = start;
        let (mut lines, mut leaves) = (Vec::new(), Vec::new());
        loop {
            let Some((text, next)) = self.line(offset) else { return Ok(None) };
            let flaw = |what| Flaw { offset, what };
            if mark::is_mark(text) {
                let parts = mark::parse(text).ok_or(flaw("a mark that cannot be read"))?;
                let body = mark::body(&leaves, parts.covered);
                if !parts.has_body(&body) && !mutant::is(Mutant::ChecksNoHash) {
                    return Err(flaw("a mark whose sum is wrong"));
                }
                if parts.mark.records() != lines.len() as u64 {
                    return Err(flaw("a mark of another number of records"));
                }
                let head = parts.head;
                let prev = match &parts.mark {
                    Mark::Header(header) => Some(header.prev),
                    Mark::Commit(_) => self.head,
                };
                if prev.is_some_and(|prev| mark::head(&prev, &body) != head)
                    && !mutant::is(Mutant::ChecksNoHash)
                {
                    return Err(flaw("a mark whose head is wrong"));
                }
                (self.offset, self.head) = (next, Some(head));
                return Ok(Some(Group {
                    start,
                    mark_start: offset,
                    end: next,
                    lines,
                    mark: parts.mark,
                    body,
                    head,
                }));
            }
            let (seq, digest) = record(text).ok_or(flaw("a line that is no record"))?;
            let leaf = leaf(text);
            leaves.push(leaf);
            let start = offset;
            offset = next;
            let stored = match digest {
                None => Stored::Nothing,
                Some(digest) => {
                    let Some((text, next)) = self.line(offset) else { return Ok(None) };
                    let flaw = Flaw { offset, what: "a payload that is not that of its record" };
                    offset = next;
                    stored(text, seq, &digest).ok_or(flaw)?
                }
            };
            lines.push(Line { start, end: offset, text, seq, leaf, stored });
        }
    }

    /// The line that begins at `offset`, without its end, and where the next one begins.
    fn line(&self, offset: usize) -> Option<(&'a [u8], usize)> {
        let rest = self.bytes.get(offset..)?;
        let length = memchr(b'\n', rest)?;
        Some((rest.get(..length)?, offset + length + 1))
    }
}

/// The number of the record on this line, and the digest of its payload.
fn record(line: &[u8]) -> Option<(u64, Option<Digest>)> {
    let (seq, _) = number(line.strip_prefix(SEQ)?)?;
    let rest = line.strip_suffix(b"}")?;
    let before_digest =
        rest.strip_suffix(b"\"").and_then(|rest| rest.split_at_checked(rest.len().checked_sub(HEX)?));
    let digest = match before_digest {
        Some((before, hex)) if before.ends_with(PAYLOAD) => Some(Digest::parse(hex)?),
        _ => None,
    };
    Some((seq, digest))
}

/// The payload of record `seq` on this line.
fn stored<'a>(line: &'a [u8], seq: u64, digest: &Digest) -> Option<Stored<'a>> {
    let (of, rest) = number(line.strip_prefix(KEPT)?)?;
    if of != seq {
        return None;
    }
    if let Some(rest) = rest.strip_prefix(KEPT_ERASED) {
        let (by, rest) = number(rest)?;
        return (rest == b"}").then_some(Stored::Erased(by));
    }
    let (hex, rest) = rest.strip_prefix(KEPT_SALT)?.split_at_checked(2 * SALT)?;
    let mut salt = [0; SALT];
    parse_hex(hex, &mut salt)?;
    let data = rest.strip_prefix(KEPT_DATA)?.strip_suffix(b"}")?;
    (Digest::of(&[&salt, data]) == *digest).then_some(Stored::Payload(data))
}

/// Adds the line of a payload.
pub(super) fn push_payload(seq: u64, salt: &[u8; SALT], data: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(KEPT);
    out.extend_from_slice(seq.to_string().as_bytes());
    out.extend_from_slice(KEPT_SALT);
    push_hex(out, salt);
    out.extend_from_slice(KEPT_DATA);
    out.extend_from_slice(data);
    out.extend_from_slice(b"}\n");
}

/// Adds the line that stands in place of an erased payload.
pub(crate) fn push_erased(seq: u64, by: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(KEPT);
    out.extend_from_slice(seq.to_string().as_bytes());
    out.extend_from_slice(KEPT_ERASED);
    out.extend_from_slice(by.to_string().as_bytes());
    out.extend_from_slice(b"}\n");
}

/// The number that `text` begins with, in the one form in which it is written, and the rest.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    if digits.len() > 1 && digits.starts_with(b"0") {
        return None;
    }
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, rest))
}
