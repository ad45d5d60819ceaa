//! Marks, the lines that hold a chain together: the header of a file, and the commit at the end of a group.

use std::io::Write as _;

use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::segment::is_chain;

use super::digest::{Digest, HEX, parse_hex, push_hex};

/// Bytes of a body's digest that its sum has.
const SUM: usize = 8;
const SUM_FIELD: &[u8] = b",\"sum\":\"";
const HEAD_FIELD: &[u8] = b"\",\"head\":\"";
const CLOSE: &[u8] = b"\"}";
/// Length of the end of a mark: sum and head.
const END: usize = SUM_FIELD.len() + 2 * SUM + HEAD_FIELD.len() + HEX + CLOSE.len();

/// A header or a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first line of a file.
    Header(Header),
    /// The last line of a group.
    Commit(Commit),
}

/// First line of a file: the state of the chain there. It is a mark with its own number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name of the chain.
    pub chain: String,
    /// Number of the file in the chain, from 1.
    pub segment: u64,
    /// Number of this mark.
    pub commit: u64,
    /// Number of the last record before this file, which is also the number of leaves in the tree.
    pub seq: u64,
    /// Time when it was written.
    pub at: Timestamp,
    /// End of the previous file.
    pub after: After,
    /// Right edge of the tree.
    pub range: Vec<Digest>,
    /// Head (hash) of the mark before.
    pub prev: Digest,
    /// Number of records that the last checkpoint of the chain covers, as far as the writer knows: 0 if
    /// checkpoints are enabled and none was made yet; absent if they are not enabled.
    pub checkpoint: Option<u64>,
}

/// End of the previous file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// There is no previous file.
    Start,
    /// The file was full, and sealed.
    Sealed,
    /// The file could not be written any more. Everything behind the mark before this one is void.
    Failed,
    /// The file was found damaged and moved aside. The chain continues from the last valid mark, behind all
    /// numbers that the unreadable records may have had.
    Damaged,
}

/// Last line of a group of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Number of this mark.
    pub commit: u64,
    /// Number of records in the group.
    pub records: u64,
    /// Number of the last record.
    pub seq: u64,
    /// Number of the last mark that was synced when this one was written.
    pub synced: u64,
    /// Time when it was written.
    pub at: Timestamp,
    /// As in a [`Header`].
    pub checkpoint: Option<u64>,
}

/// JSON fields of a mark, in the order of the line.
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
        // A chain name needs no escapes: [`is_chain`](crate::segment::is_chain).
        let text = format!(
            "{{\"v\":{version},\"hash\":\"sha256\",\"chain\":\"{chain}\",\"segment\":{segment},\"c\":{commit},\
             \"seq\":{seq},\"t\":{},\"after\":\"{after}\",\"range\":[{range}],\"prev\":\"{prev}\"",
            at.0
        );
        out.extend_from_slice(text.as_bytes());
        push_checkpoint(out, *checkpoint);
    }
}

/// Writes the field with the number of records that the last checkpoint covers.
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
    /// Number of the mark.
    pub fn commit(&self) -> u64 {
        match self {
            Self::Header(header) => header.commit,
            Self::Commit(commit) => commit.commit,
        }
    }

    /// Number of the last record before the mark.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Header(header) => header.seq,
            Self::Commit(commit) => commit.seq,
        }
    }

    /// Number of records before the mark in its group.
    pub fn records(&self) -> u64 {
        match self {
            Self::Header(_) => 0,
            Self::Commit(commit) => commit.records,
        }
    }

    /// Number of the last mark that was synced when this one was written. For a header, that is the mark
    /// before it, because a file begins only when everything it continues is synced.
    pub fn synced(&self) -> u64 {
        match self {
            Self::Header(header) => header.commit.saturating_sub(1),
            Self::Commit(commit) => commit.synced,
        }
    }

    /// Number of records that the last checkpoint covers, as far as the writer knew.
    pub fn checkpoint(&self) -> Option<u64> {
        match self {
            Self::Header(header) => header.checkpoint,
            Self::Commit(commit) => commit.checkpoint,
        }
    }
}

/// Parts of a mark: its fields, the bytes that its body covers, its sum, its head.
pub(super) struct Parts<'a> {
    pub(super) mark: Mark,
    pub(super) covered: &'a [u8],
    pub(super) sum: [u8; SUM],
    pub(super) head: Digest,
}

/// Whether `line` begins like a mark.
pub(crate) fn is_mark(line: &[u8]) -> bool {
    line.starts_with(b"{\"c\":") || line.starts_with(b"{\"v\":")
}

/// Splits the mark on `line`, which has no line end, into its parts.
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

/// Appends the sum and the head that end a mark.
pub(super) fn push_end(out: &mut Vec<u8>, body: &Digest, head: &Digest) {
    out.extend_from_slice(SUM_FIELD);
    push_hex(out, body.0.first_chunk::<SUM>().map_or(&[], |sum| sum));
    out.extend_from_slice(HEAD_FIELD);
    push_hex(out, &head.0);
    out.extend_from_slice(CLOSE);
    out.push(b'\n');
}

/// Digest that the sum and the head of a mark are computed from. It covers the digests of the records and the
/// fields of the mark.
pub(super) fn body<'d>(leaves: impl IntoIterator<Item = &'d Digest>, covered: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    for leaf in leaves {
        hasher.update(leaf.0);
    }
    hasher.update(covered);
    Digest(hasher.finalize().into())
}

/// Hash of a mark with `body` behind a mark with the hash `prev`.
pub(super) fn head(prev: &Digest, body: &Digest) -> Digest {
    Digest::hash(&[&[2], &prev.0, &body.0])
}

impl Parts<'_> {
    /// Whether the sum matches `body`.
    pub(super) fn has_body(&self, body: &Digest) -> bool {
        body.0.starts_with(&self.sum)
    }
}
