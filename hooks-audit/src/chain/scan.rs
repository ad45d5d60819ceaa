//! Splits a file into groups, and checks each of them alone.

use std::fmt;

use memchr::memchr;

use super::SALT;
use super::digest::{Digest, HEX, parse_hex, push_hex};
use super::mark::{self, Mark};
use super::tree::leaf;
use crate::mutant::{self, Mutant};

/// Field before the digest of a payload, at the end of a record line.
pub(super) const PAYLOAD: &[u8] = b",\"payload\":\"";
const SEQ: &[u8] = b"{\"seq\":";
const KEPT: &[u8] = b"{\"p\":";
const KEPT_SALT: &[u8] = b",\"salt\":\"";
const KEPT_DATA: &[u8] = b"\",\"data\":";
const KEPT_ERASED: &[u8] = b",\"erased\":";

/// Iterates over the groups of a file, from `offset` on.
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Head of the mark before, if known.
    head: Option<Digest>,
}

/// A group: records, and the mark that ends it. The sum of the mark is correct, and so is its head if the
/// mark before is known. [`Chain::follow`](super::Chain::follow) checks whether the group is in its place.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// Offset of its first line.
    pub start: usize,
    /// Offset of its mark.
    pub mark_start: usize,
    /// Offset of the next group.
    pub end: usize,
    /// The records.
    pub lines: Vec<Line<'a>>,
    /// The mark.
    pub mark: Mark,
    /// Digest that the mark's sum and head are computed from.
    pub body: Digest,
    /// Head that the mark states.
    pub head: Digest,
}

/// Line of a record.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Offset of the line.
    pub start: usize,
    /// Offset of the next record or the mark, behind the payload.
    pub end: usize,
    /// Text of the line, without its end.
    pub text: &'a [u8],
    /// Number of the record.
    pub seq: u64,
    /// Digest of the line.
    pub leaf: Digest,
    /// Payload line of the record.
    pub stored: Stored<'a>,
}

/// Payload line of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored<'a> {
    /// The record never had a payload.
    Nothing,
    /// JSON of the payload; the record holds its salted digest.
    Payload(&'a [u8]),
    /// The payload was erased; the record with this number documents it.
    Erased(u64),
}

/// Error in bytes that should be a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Offset of the line with the error.
    pub offset: usize,
    /// Description of the error.
    pub what: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl<'a> Scan<'a> {
    /// Starts at the beginning of `bytes`, where a group begins. `head` is the head of the mark before it, if
    /// known.
    pub fn new(bytes: &'a [u8], head: Option<Digest>) -> Self {
        Self { bytes, offset: 0, head }
    }

    /// Offset of the next group.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the next group; `None` if the bytes end before its mark does. The position advances only past
    /// a complete group.
    ///
    /// # Errors
    /// Returns a `Flaw` if the bytes are not a valid group.
    ///
    /// ```
    /// use hooks_audit::Record;
    /// use hooks_audit::chain::{After, Chain, Lines, SALT, Scan};
    /// use hooks_core::time::Timestamp;
    ///
    /// let (mut chain, mut file) = (Chain::new("w0"), Vec::new());
    /// chain.header(After::Start, Timestamp(1), &mut file);
    /// let end_of_header = file.len();
    /// let mut lines = Lines::behind(0);
    /// lines.push(&mut Record::new("stop", Timestamp(1)), None, &[0; SALT])?;
    /// chain.commit(&lines, chain.commit, Timestamp(1), &mut file);
    ///
    /// let mut scan = Scan::new(&file[..file.len() - 1], None);
    /// assert!(scan.next_group().is_ok_and(|group| group.is_some()), "the header");
    /// assert!(scan.next_group().is_ok_and(|group| group.is_none()), "the rest is not complete");
    /// assert_eq!(scan.offset(), end_of_header);
    ///
    /// let changed = String::from_utf8(file)?.replace("stop", "stap");
    /// let mut scan = Scan::new(changed.as_bytes(), None);
    /// let flaw = scan.next_group().and_then(|_| scan.next_group()).err().map(|flaw| flaw.what);
    /// assert_eq!(flaw, Some("a mark whose sum is wrong"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_group(&mut self) -> Result<Option<Group<'a>>, Flaw> {
        let start = self.offset;
        let mut offset = start;
        let mut lines: Vec<Line<'a>> = Vec::new();
        loop {
            let Some((text, next)) = self.line(offset) else { return Ok(None) };
            let flaw = |what| Flaw { offset, what };
            if mark::is_mark(text) {
                let parts = mark::parse(text).ok_or(flaw("a mark that cannot be read"))?;
                let body = mark::body(lines.iter().map(|line| &line.leaf), parts.covered);
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

    /// Returns the line that begins at `offset`, without its end, and the offset of the next line.
    fn line(&self, offset: usize) -> Option<(&'a [u8], usize)> {
        let rest = self.bytes.get(offset..)?;
        let length = memchr(b'\n', rest)?;
        Some((rest.get(..length)?, offset + length + 1))
    }
}

/// Returns the number of the record on this line, and the digest of its payload.
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

/// Returns the payload of record `seq` on this line.
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
    (Digest::hash(&[&salt, data]) == *digest).then_some(Stored::Payload(data))
}

/// Appends a payload line.
pub(super) fn push_payload(seq: u64, salt: &[u8; SALT], data: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(KEPT);
    out.extend_from_slice(seq.to_string().as_bytes());
    out.extend_from_slice(KEPT_SALT);
    push_hex(out, salt);
    out.extend_from_slice(KEPT_DATA);
    out.extend_from_slice(data);
    out.extend_from_slice(b"}\n");
}

/// Appends the line that replaces an erased payload.
pub(crate) fn push_erased(seq: u64, by: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(KEPT);
    out.extend_from_slice(seq.to_string().as_bytes());
    out.extend_from_slice(KEPT_ERASED);
    out.extend_from_slice(by.to_string().as_bytes());
    out.extend_from_slice(b"}\n");
}

/// Parses the number that `text` begins with and returns it with the rest. Leading zeros are refused: each
/// number has one form.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits)?;
    if digits.len() > 1 && digits.starts_with(b"0") {
        return None;
    }
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, rest))
}
