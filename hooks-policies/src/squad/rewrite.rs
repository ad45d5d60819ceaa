//! Replaces parts of a text in its own buffer, in linear time.

use std::ops::Range;

/// A text that is rewritten from its start: what is done, a gap, what is still to be read.
///
/// Where a part is longer than what stands for it, nothing is allocated: the text is closed up. Dropped
/// before the end, it leaves the text empty.
pub(super) struct Rewrite<'a> {
    text: &'a mut String,
    bytes: Vec<u8>,
    /// Where the part that is done ends.
    done: usize,
    /// Where the part that is still to be read starts.
    read: usize,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(text: &'a mut String) -> Self {
        let bytes = std::mem::take(text).into_bytes();
        Self { text, bytes, done: 0, read: 0 }
    }

    /// The buffer; the text counts from [`read`](Self::read) on.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the part that is still to be read starts.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// Keeps what stands before `part` and replaces `part`, which holds whole characters.
    #[inline]
    pub(super) fn replace(&mut self, part: Range<usize>, with: &str) {
        let kept = part.start - self.read;
        let short = (self.done + kept + with.len()).saturating_sub(part.end);
        if short > 0 {
            self.make_room(short);
        }
        self.keep(kept);
        let end = self.done + with.len();
        if let Some(place) = self.bytes.get_mut(self.done..end) {
            place.copy_from_slice(with.as_bytes());
        }
        self.done = end;
        self.read += part.len();
    }

    /// Gives the text back.
    #[inline]
    pub(super) fn finish(mut self) {
        self.keep(self.bytes.len() - self.read);
        self.bytes.truncate(self.done);
        // Whole characters were replaced by whole characters.
        *self.text = String::from_utf8(self.bytes).unwrap_or_default();
    }

    fn keep(&mut self, length: usize) {
        if self.read > self.done {
            self.bytes.copy_within(self.read..self.read + length, self.done);
        }
        self.done += length;
        self.read += length;
    }

    /// Widens the gap by what is short and by a share of what is left to read. What the share makes room for
    /// takes a share of what is left, so with each widening there is less to move by a constant factor.
    fn make_room(&mut self, short: usize) {
        let end = self.bytes.len();
        let room = short + (end - self.read) / 4;
        self.bytes.resize(end + room, 0);
        self.bytes.copy_within(self.read..end, self.read + room);
        self.read += room;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_and_shorter() {
        let mut text = "a-bb-ü-dddd".to_owned();
        let mut rewrite = Rewrite::new(&mut text);
        for with in ["", "123456789", "é", ""] {
            let left = rewrite.bytes().get(rewrite.read()..).unwrap_or_default();
            let before = left.iter().take_while(|byte| **byte == b'-').count();
            let length = left.iter().skip(before).take_while(|byte| **byte != b'-').count();
            let start = rewrite.read() + before;
            rewrite.replace(start..start + length, with);
        }
        rewrite.finish();
        assert_eq!(text, "-123456789-é-");
    }
}
