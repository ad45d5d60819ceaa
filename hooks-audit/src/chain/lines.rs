//! Records as lines that wait for their commit.

use super::digest::{Digest, push_hex};
use super::scan::{Line, PAYLOAD, push_payload};
use super::{SALT, leaf};
use crate::record::{Payload, Record};

/// Fewer bytes than the line of any record has.
pub const LEAST_LINE: usize = 48;

/// Lines of records, each with that of its payload, and their digests. Which group they are committed in is open: lines
/// that could not be written through are committed again elsewhere, as they are.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    leaves: Vec<Digest>,
    /// The number of the last record.
    seq: u64,
    scratch: Vec<u8>,
}

impl Lines {
    /// None yet; the next record is the one behind number `seq`.
    pub fn behind(seq: u64) -> Self {
        Self { seq, ..Self::default() }
    }

    /// Adds `record`, which gets its number here, and `payload` with `salt`.
    ///
    /// # Errors
    /// Where one of them has no form in JSON; nothing is added then.
    pub fn push(
        &mut self,
        record: &mut Record,
        payload: Option<&Payload>,
        salt: &[u8; SALT],
    ) -> Result<(), serde_json::Error> {
        record.seq = self.seq + 1;
        let start = self.bytes.len();
        let written = self.write(record, payload, salt, start);
        match written {
            Ok(leaf) => {
                self.leaves.push(leaf);
                self.seq = record.seq;
            }
            Err(_) => self.bytes.truncate(start),
        }
        written.map(drop)
    }

    fn write(
        &mut self,
        record: &Record,
        payload: Option<&Payload>,
        salt: &[u8; SALT],
        start: usize,
    ) -> Result<Digest, serde_json::Error> {
        let Self { bytes, scratch, .. } = self;
        serde_json::to_writer(&mut *bytes, record)?;
        scratch.clear();
        if let Some(payload) = payload {
            serde_json::to_writer(&mut *scratch, payload)?;
            // In place of the closing brace.
            bytes.pop();
            bytes.extend_from_slice(PAYLOAD);
            push_hex(bytes, &Digest::of(&[salt, scratch]).0);
            bytes.extend_from_slice(b"\"}");
        }
        let leaf = leaf(bytes.get(start..).unwrap_or_default());
        bytes.push(b'\n');
        if payload.is_some() {
            push_payload(record.seq, salt, scratch, bytes);
        }
        Ok(leaf)
    }

    /// Adds `line` of `file` as it is.
    pub(crate) fn push_line(&mut self, line: &Line<'_>, file: &[u8]) {
        self.bytes.extend_from_slice(file.get(line.start..line.end).unwrap_or_default());
        self.leaves.push(line.leaf);
        self.seq = line.seq;
    }

    /// Adds the lines of `later` at the end.
    pub fn append(&mut self, later: &Self) {
        self.bytes.extend_from_slice(&later.bytes);
        self.leaves.extend_from_slice(&later.leaves);
        self.seq = later.seq;
    }

    /// Takes all away; the next record is the one behind number `seq`.
    pub fn clear(&mut self, seq: u64) {
        self.bytes.clear();
        self.leaves.clear();
        self.seq = seq;
    }

    /// As they are written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digests of the records, in order.
    pub fn leaves(&self) -> &[Digest] {
        &self.leaves
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_shorter() {
        let mut lines = Lines::default();
        lines.push(&mut Record::default(), None, &[0; SALT]).unwrap();
        assert!((LEAST_LINE..LEAST_LINE + 8).contains(&lines.bytes().len()));
    }
}
