//! The lines that hold a chain together: the header of a file and the commit at the end of a group.

use std::io::Write as _;

use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::segment::is_chain;

use super::digest::{Digest, HEX, parse_hex, push_hex};

/// How many bytes of a body its sum has.
const SUM: usize = 8;
const SUM_FIELD: &[u8] = b",\"sum\":\"";
const HEAD_FIELD: &[u8] = b"\",\"head\":\"";
const CLOSE: &[u8] = b"\"}";
/// The length of what a mark ends with.
const END: usize = SUM_FIELD.len() + 2 * SUM + HEAD_FIELD.len() + HEX + CLOSE.len();

/// A header or a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first line of a file.
    Header(Header),
    /// The last line of a group.
    Commit(Commit),
}

/// The first line of a file: where the chain stands. It is a mark with a number of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name of the chain.
    pub chain: String,
    /// The number of the file in it, from 1.
    pub segment: u64,
    /// The number of this mark.
    pub commit: u64,
    /// The number before that of the first record, which is also how many leaves the tree has.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// How the file before ended.
    pub after: After,
    /// The right edge of the tree.
    pub range: Vec<Digest>,
    /// The hash of the mark before.
    pub prev: Digest,
    /// How many records the last checkpoint is about that its writer knows to have been made of the chain: 0 where
    /// checkpoints are made of it, and none was yet. Absent where nobody makes any.
    pub checkpoint: Option<u64>,
}

/// How the file before this one ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// There is none.
    Start,
    /// It was full, and sealed.
    Sealed,
    /// It could not be written any more. What stands behind the mark before this one is void.
    Failed,
    /// It was found damaged and moved aside. The chain goes on from the last mark that was right, behind all numbers that
    /// what cannot be read may have had.
    Damaged,
}

/// The last line of a group of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The number of this mark.
    pub commit: u64,
    /// How many records the group has.
    pub records: u64,
    /// The number of the last one.
    pub seq: u64,
    /// The last mark that had been written through to the device when this one was written.
    pub synced: u64,
    /// When it was written.
    pub at: Timestamp,
    /// As in a [`Header`].
    pub checkpoint: Option<u64>,
}

/// A mark as it is in the file. The order of the fields is the order in the line.
#[derive(Deserialize)]
struct Fields {
    v: Option<u32>,
    hash: Option<String>,
    chain: Option<String>,
    segment: Option<u64>,
    c: u64,
    n: Option<u64>,
    seq: u64,
    synced: Option<u64>,
    t: u64,
    after: Option<After>,
    range: Option<Vec<String>>,
    prev: Option<String>,
    checkpoint: Option<u64>,
}

impl Header {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Self { chain, segment, commit, seq, at, after, range, prev, checkpoint } = self;
        let after = match after {
            After::Start => "start",
            After::Sealed => "sealed",
            After::Failed => "failed",
            After::Damaged => "damaged",
        };
        let range: Vec<_> = range.iter().map(|digest| format!("\"{digest}\"")).collect();
        let range = range.join(",");
        let version = crate::record::VERSION;
        // The name of a chain needs no escapes: [`is_chain`](crate::segment::is_chain).
        let text = format!(
            "{{\"v\":{version},\"hash\":\"sha256\",\"chain\":\"{chain}\",\"segment\":{segment},\"c\":{commit},\
             \"seq\":{seq},\"t\":{},\"after\":\"{after}\",\"range\":[{range}],\"prev\":\"{prev}\"",
            at.0
        );
        out.extend_from_slice(text.as_bytes());
        push_checkpoint(out, *checkpoint);
    }
}

/// Adds how many records the last checkpoint is about.
fn push_checkpoint(out: &mut Vec<u8>, checkpoint: Option<u64>) {
    if let Some(size) = checkpoint {
        // Writing to a vector does not fail.
        let _written = write!(out, ",\"checkpoint\":{size}");
    }
}

impl Commit {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Self { commit, records, seq, synced, at, checkpoint } = self;
        // Writing to a vector does not fail.
        let _written =
            write!(out, "{{\"c\":{commit},\"n\":{records},\"seq\":{seq},\"synced\":{synced},\"t\":{}", at.0);
        push_checkpoint(out, *checkpoint);
    }
}

impl Mark {
    /// Its number.
    pub fn commit(&self) -> u64 {
        match self {
            Self::Header(header) => header.commit,
            Self::Commit(commit) => commit.commit,
        }
    }

    /// The number of the last record before it.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Header(header) => header.seq,
            Self::Commit(commit) => commit.seq,
        }
    }

    /// How many records stand before it in its group.
    pub fn records(&self) -> u64 {
        match self {
            Self::Header(_) => 0,
            Self::Commit(commit) => commit.records,
        }
    }

    /// The last mark that had been written through when this one was written. Before a file begins, what it
    /// continues was.
    pub fn synced(&self) -> u64 {
        match self {
            Self::Header(header) => header.commit.saturating_sub(1),
            Self::Commit(commit) => commit.synced,
        }
    }

    /// How many records the last checkpoint is about, as its writer knew.
    pub fn checkpoint(&self) -> Option<u64> {
        match self {
            Self::Header(header) => header.checkpoint,
            Self::Commit(commit) => commit.checkpoint,
        }
    }
}

/// A mark taken apart: what it says, the bytes that its body covers, its sum, its head.
pub(super) struct Parts<'a> {
    pub(super) mark: Mark,
    pub(super) covered: &'a [u8],
    pub(super) sum: [u8; SUM],
    pub(super) head: Digest,
}

/// Whether `line` begins as a mark does.
pub(crate) fn is_mark(line: &[u8]) -> bool {
    line.starts_with(b"{\"c\":") || line.starts_with(b"{\"v\":")
}

/// Takes the mark on `line`, which has no line end, apart.
pub(super) fn parse(line: &[u8]) -> Option<Parts<'_>> {
    let (covered, end) = line.split_at_checked(line.len().checked_sub(END)?)?;
    let end = end.strip_prefix(SUM_FIELD)?;
    let (sum_hex, end) = end.split_at_checked(2 * SUM)?;
    let end = end.strip_prefix(HEAD_FIELD)?;
    let (head_hex, end) = end.split_at_checked(HEX)?;
    if end != CLOSE {
        return None;
    }
    let mut sum = [0; SUM];
    parse_hex(sum_hex, &mut sum)?;
    let fields = serde_json::from_slice(line).ok()?;
    Some(Parts { mark: mark(fields)?, covered, sum, head: Digest::parse(head_hex)? })
}

fn mark(fields: Fields) -> Option<Mark> {
    let Fields { v, hash, chain, segment, c, n, seq, synced, t, after, range, prev, checkpoint } = fields;
    let at = Timestamp(t);
    let Some(version) = v else {
        return Some(Mark::Commit(Commit { commit: c, records: n?, seq, synced: synced?, at, checkpoint }));
    };
    if version != crate::record::VERSION || hash? != "sha256" {
        return None;
    }
    let range = range?.iter().map(|hex| Digest::parse(hex.as_bytes())).collect::<Option<_>>()?;
    Some(Mark::Header(Header {
        chain: chain.filter(|name| is_chain(name))?,
        segment: segment?,
        commit: c,
        seq,
        at,
        after: after?,
        range,
        prev: Digest::parse(prev?.as_bytes())?,
        checkpoint,
    }))
}

/// Adds what a mark ends with.
pub(super) fn push_end(out: &mut Vec<u8>, body: &Digest, head: &Digest) {
    out.extend_from_slice(SUM_FIELD);
    push_hex(out, body.0.first_chunk::<SUM>().map_or(&[], |sum| sum));
    out.extend_from_slice(HEAD_FIELD);
    push_hex(out, &head.0);
    out.extend_from_slice(CLOSE);
    out.push(b'\n');
}

/// What the sum and the head of a mark are of: the digests of its records, and what it says.
pub(super) fn body(leaves: &[Digest], covered: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    for leaf in leaves {
        hasher.update(leaf.0);
    }
    hasher.update(covered);
    Digest(hasher.finalize().into())
}

/// The hash of a mark with `body` that stands behind one with the hash `prev`.
pub(super) fn head(prev: &Digest, body: &Digest) -> Digest {
    Digest::of(&[&[2], &prev.0, &body.0])
}

impl Parts<'_> {
    /// Whether `body` is the one that the sum is of.
    pub(super) fn has_body(&self, body: &Digest) -> bool {
        body.0.starts_with(&self.sum)
    }
}
