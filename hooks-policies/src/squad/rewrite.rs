//! Replaces parts of a text in its own buffer, in linear time.

use std::ops::Range;

/// Text that is rewritten from its start. The buffer holds the finished part, a gap, and the unread part.
///
/// If each part is at least as long as its replacement, nothing is allocated: the text is closed up. If this
/// is dropped before the end, the text is empty.
pub(super) struct Rewrite<'a> {
    text: &'a mut String,
    bytes: Vec<u8>,
    /// End of the finished part.
    done: usize,
    /// Start of the unread part.
    read: usize,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(text: &'a mut String) -> Self {
        let bytes = std::mem::take(text).into_bytes();
        Self { text, bytes, done: 0, read: 0 }
    }

    /// Returns the buffer; the unread text starts at [`read`](Self::read).
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the start of the unread part.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    /// Keeps the text before `part` and replaces `part`, which consists of whole characters.
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

    /// Writes the text back.
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

    /// Widens the gap by the missing bytes and by a share of the unread part. The next widening comes only
    /// after that share is used, so each widening moves less by a constant factor.
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
