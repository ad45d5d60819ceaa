//! Markers: the replacement for removed text, and how to find markers again.

use std::ops::Range;

use memchr::memmem;

use super::{error::ScrubberError, label::Label};

/// Text around a label's name: `[EMAIL_REDACTED]` by default.
///
/// ```
/// use hooks_redaction::{Marker, Scrubber};
///
/// let scrubber = Scrubber::emails().with_marker(Marker::new("<removed ", ">")?);
/// assert_eq!(scrubber.scrub("to a@b.org"), "to <removed EMAIL>");
/// // A marker is not scrubbed again.
/// assert_eq!(scrubber.scrub("to <removed EMAIL>"), "to <removed EMAIL>");
/// # Ok::<(), hooks_redaction::ScrubberError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    open: String,
    close: String,
}

/// Longest name of a label, which bounds the search for a marker's end.
pub(super) const MAX_NAME: usize = 64;
/// Longest part of a value, or token of it, in a marker.
const MAX_TAIL: usize = 64;

impl Marker {
    /// Creates a marker from the text before and after the label's name.
    ///
    /// # Errors
    ///
    /// Returns an error if a part could be mistaken for ordinary text, so that scrubbing twice could differ
    /// from scrubbing once.
    ///
    /// ```
    /// use hooks_redaction::Marker;
    ///
    /// let error = Marker::new("(", ")").expect_err("parentheses surround ordinary text");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`(` cannot frame a marker; it needs one of `[`, `]`, `<`, `>`, `{` or `}` at its outer end \
    ///      and no `@`, digit or quote",
    /// );
    /// ```
    pub fn new(open: &str, close: &str) -> Result<Self, ScrubberError> {
        let plain = |part: &str| !part.bytes().any(|b| b.is_ascii_digit() || b"@\"'\\:=".contains(&b));
        let refused = |part: &str| Err(ScrubberError::MarkerPart { part: part.to_owned() });
        if !plain(open) || !open.starts_with(['[', '<', '{']) {
            return refused(open);
        }
        if !plain(close) || !close.ends_with([']', '>', '}']) {
            return refused(close);
        }
        Ok(Self { open: open.to_owned(), close: close.to_owned() })
    }

    /// Appends the marker for `label`, with what it shows of the value.
    pub(super) fn write(&self, label: &Label, tail: Option<&str>, out: &mut String) {
        out.push_str(&self.open);
        out.push_str(label.as_str());
        if let Some(tail) = tail.filter(|tail| !tail.is_empty()) {
            out.push(':');
            out.extend(tail.chars().filter(char::is_ascii_alphanumeric).take(MAX_TAIL));
        }
        out.push_str(&self.close);
    }

    /// Finds the first marker in `text`, if there is one.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let mut from = 0;
        while let Some(at) = bytes.get(from..).and_then(|rest| memmem::find(rest, self.open.as_bytes())) {
            let start = from + at;
            let name = start + self.open.len();
            let rest = text.get(name..).unwrap_or_default();
            let is_name = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
            // The name may itself contain the start of the closing part: the last position that fits is the
            // end.
            let bound = rest.bytes().take(MAX_NAME).take_while(is_name).count();
            for length in (1..=bound).rev() {
                if rest.get(length..).is_some_and(|tail| tail.starts_with(&self.close)) {
                    return Some(start..name + length + self.close.len());
                }
            }
            if bound > 0 && rest.as_bytes().get(bound) == Some(&b':') {
                let tail = rest.get(bound + 1..).unwrap_or_default();
                let length = tail.bytes().take(MAX_TAIL).take_while(u8::is_ascii_alphanumeric).count();
                if tail.get(length..).is_some_and(|rest| rest.starts_with(&self.close)) {
                    return Some(start..name + bound + 1 + length + self.close.len());
                }
            }
            from = name;
        }
        None
    }

    /// Returns the label and the tail of a marker that has one.
    pub(super) fn parts<'t>(&self, marker: &'t str) -> Option<(&'t str, &'t str)> {
        marker.strip_prefix(&self.open)?.strip_suffix(&self.close)?.split_once(':')
    }

    /// Finds every marker in `text`, in order.
    pub(super) fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let mut markers = Vec::new();
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| self.find(rest)) {
            markers.push(from + found.start..from + found.end);
            from += found.end;
        }
        markers
    }

    /// Returns whether `text` has letters or digits outside markers, so that there is something to remove.
    pub(super) fn leaves_text(&self, mut text: &str) -> bool {
        while let Some(found) = self.find(text) {
            if text.get(..found.start).is_some_and(has_text) {
                return true;
            }
            text = text.get(found.end..).unwrap_or_default();
        }
        has_text(text)
    }
}

impl Default for Marker {
    fn default() -> Self {
        Self { open: "[".to_owned(), close: "_REDACTED]".to_owned() }
    }
}

fn has_text(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_itself() {
        let marker = Marker::default();
        assert_eq!(marker.find("a [EMAIL_REDACTED] b"), Some(2..18));
        assert_eq!(marker.find("[ [email_REDACTED] ["), None);
        assert!(!marker.leaves_text("[EMAIL_REDACTED] - [SSN_REDACTED]"));
        assert!(marker.leaves_text("hunter2[EMAIL_REDACTED]"));
    }

    #[test]
    fn refuses_parts_that_look_like_text() {
        for (open, close) in [("", "]"), ("x[", "]"), ("[", ""), ("[", "@]"), ("[1", "]")] {
            assert!(Marker::new(open, close).is_err(), "{open} {close}");
        }
        assert!(Marker::new("<", ">").is_ok());
    }
}
