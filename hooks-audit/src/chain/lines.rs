//! Record lines that are not committed yet.

use super::digest::{Digest, push_hex};
use super::scan::{Line, PAYLOAD, push_payload};
use super::{SALT, leaf};
use crate::record::{Payload, Record};

/// Shorter than the line of any record, in bytes.
pub const LEAST_LINE: usize = 48;

/// Record lines, each with its payload line, and their digests. They belong to no group yet: lines that could
/// not be synced are committed again elsewhere, unchanged.
///
/// ```
/// use hooks_audit::chain::{Lines, SALT};
/// use hooks_audit::{Payload, Record};
/// use hooks_core::time::Timestamp;
///
/// let mut lines = Lines::behind(7);
/// let mut record = Record::new("stop", Timestamp(0));
/// let mut payload = Payload::default();
/// payload.event = serde_json::json!({"reason": "done"});
/// lines.push(&mut record, Some(&payload), &[0; SALT])?;
/// assert_eq!((record.seq, lines.leaves().len()), (8, 1));
/// // The payload has its own line, which can be erased; the record has its digest.
/// let text = String::from_utf8_lossy(lines.bytes()).into_owned();
/// let mut text = text.lines();
/// assert!(text.next().is_some_and(|line| line.contains(r#""payload":""#)));
/// assert!(text.next().is_some_and(|line| line.ends_with(r#""data":{"event":{"reason":"done"}}}"#)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    leaves: Vec<Digest>,
    /// The number of the last record.
    seq: u64,
    scratch: Vec<u8>,
}

impl Lines {
    /// No lines; the next record is the one behind number `seq`.
    pub fn behind(seq: u64) -> Self {
        Self { seq, ..Self::default() }
    }

    /// Adds `record`, which gets its number here, and `payload` with `salt`.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be encoded as JSON; nothing is added then.
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
            // The field replaces the closing brace.
            bytes.pop();
            bytes.extend_from_slice(PAYLOAD);
            push_hex(bytes, &Digest::hash(&[salt, scratch]).0);
            bytes.extend_from_slice(b"\"}");
        }
        let leaf = leaf(bytes.get(start..).unwrap_or_default());
        bytes.push(b'\n');
        if payload.is_some() {
            push_payload(record.seq, salt, scratch, bytes);
        }
        Ok(leaf)
    }

    /// Adds `line` of `file` unchanged.
    pub(crate) fn push_line(&mut self, line: &Line<'_>, file: &[u8]) {
        self.bytes.extend_from_slice(file.get(line.start..line.end).unwrap_or_default());
        self.leaves.push(line.leaf);
        self.seq = line.seq;
    }

    /// Appends the lines of `later`.
    pub fn append(&mut self, later: &Self) {
        self.bytes.extend_from_slice(&later.bytes);
        self.leaves.extend_from_slice(&later.leaves);
        self.seq = later.seq;
    }

    /// Removes all lines; the next record is the one behind number `seq`.
    pub fn clear(&mut self, seq: u64) {
        self.bytes.clear();
        self.leaves.clear();
        self.seq = seq;
    }

    /// The lines as bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Digests of the records, in order.
    pub fn leaves(&self) -> &[Digest] {
        &self.leaves
    }

    /// Whether there are no records.
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
