//! Scrubs text that comes in chunks: a push interface, [`Read`], and with the feature `stream` a
//! `Stream` and an `AsyncRead`.
//!
//! The output does not depend on how the text is cut into chunks: it is that of
//! [`Scrubber::scrub`](crate::Scrubber::scrub) on the whole. At most 64 KiB are held back: the line that is not
//! complete, a key whose end is missing, and a word that may go on in the next line.
//!
//! A detector of a user sees one stretch of lines at a time, so its pattern should not span lines.
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::all();
//! let mut stream = scrubber.stream();
//! let mut out = stream.push("first line\nmail ja");
//! assert_eq!(out, "first line\n");
//! out += &stream.push("ne@exam");
//! out += &stream.push("ple.com\n");
//! out += &stream.finish();
//! assert_eq!(out, "first line\nmail [EMAIL_REDACTED]\n");
//! assert_eq!(stream.report().total(), 1);
//! ```
//!
//! A reader, whose chunks may cut characters in two:
//!
//! ```
//! use std::io::Read;
//! use hooks_redaction::Scrubber;
//!
//! let source = "größe: 10.1.2.3\n".as_bytes();
//! let mut reader = Scrubber::all().reader(source.chain(&b"\xff binary\n"[..]));
//! let mut out = Vec::new();
//! reader.read_to_end(&mut out)?;
//! assert_eq!(out, b"gr\xc3\xb6\xc3\x9fe: [IPV4_REDACTED]\n\xff binary\n");
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "stream")]
mod polled;
mod wide;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use self::wide::{Decoder, Encoding, encoding};
use super::pieces::{PIECE, Pieces};
use super::report::{Report, Scrubbed};
use super::scrubber::Scrubber;
use super::span::Span;

#[cfg(feature = "stream")]
pub use self::polled::{ScrubAsyncReader, ScrubTexts};

/// Scrubbing of one text that comes in chunks; see the [module](self).
pub struct ScrubStream {
    scrubber: Scrubber,
    pieces: Pieces,
    pending: String,
    /// Bytes of `pending` in which there is no line end to cut at.
    looked: usize,
    report: Report,
}

impl Scrubber {
    /// Starts scrubbing a text that comes in chunks; see the [module](crate::stream).
    #[must_use]
    pub fn stream(&self) -> ScrubStream {
        ScrubStream {
            scrubber: self.clone(),
            pieces: Pieces::default(),
            pending: String::new(),
            looked: 0,
            report: Report::default(),
        }
    }

    /// Scrubs what `source` reads; see the [module](crate::stream).
    pub fn reader<R: Read>(&self, source: R) -> ScrubReader<R> {
        ScrubReader { source, bytes: self.byte_stream(), out: Vec::new(), at: 0, ended: false }
    }

    /// Starts scrubbing bytes that come in chunks. UTF-16 is recognised by its first bytes and written as it was read. Other
    /// bytes that are not UTF-8 stay as they are.
    #[must_use]
    pub fn byte_stream(&self) -> ScrubBytes {
        ScrubBytes { text: self.stream(), tail: Vec::new(), encoding: None, wide: Decoder::default() }
    }

    /// Scrubs bytes, as [`byte_stream`](Self::byte_stream) does.
    ///
    /// ```
    /// use hooks_redaction::Scrubber;
    ///
    /// assert_eq!(Scrubber::all().scrub_bytes(b"\xfe a@b.org"), &b"\xfe [EMAIL_REDACTED]"[..]);
    /// let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    /// assert_eq!(Scrubber::all().scrub_bytes(&wide("an a@b.org")), wide("an [EMAIL_REDACTED]"));
    /// ```
    #[must_use]
    pub fn scrub_bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if encoding(bytes, true) == Some(Encoding::Bytes)
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return match self.scrub(text) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            };
        }
        let mut stream = self.byte_stream();
        let mut out = stream.push(bytes);
        out.extend(stream.finish());
        if out == bytes { Cow::Borrowed(bytes) } else { Cow::Owned(out) }
    }

    /// Scrubs a text piece by piece, with the result of one that comes in chunks.
    pub(super) fn scrub_long<'t>(&self, text: &'t str) -> Scrubbed<'t> {
        let mut pieces = Pieces::default();
        let (mut at, mut kept) = (0, 0);
        let mut out: Option<String> = None;
        let (mut spans, mut report) = (Vec::new(), Report::default());
        while let Some(piece) = text.get(at..).and_then(|rest| pieces.next(rest, true)) {
            let (from, end) = (at + piece.dropped, at + piece.end);
            let scrubbed = self.scrub_piece(text.get(from..end).unwrap_or_default());
            report.merge(&scrubbed.report);
            spans
                .extend(scrubbed.spans.into_iter().map(|s| Span::new(from + s.start, from + s.end, s.label)));
            if piece.dropped > 0 || matches!(scrubbed.text, Cow::Owned(_)) {
                let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(text.get(kept..at).unwrap_or_default());
                out.push_str(&scrubbed.text);
                kept = end;
            }
            at = end;
        }
        let text = match out {
            None => Cow::Borrowed(text),
            Some(mut out) => {
                out.push_str(text.get(kept..).unwrap_or_default());
                Cow::Owned(out)
            }
        };
        Scrubbed { text, spans, report }
    }
}

impl ScrubStream {
    /// Takes the next chunk; returns the scrubbed text that no later chunk can change.
    #[must_use]
    pub fn push(&mut self, chunk: &str) -> String {
        self.pending.push_str(chunk);
        let fresh = self.pending.as_bytes().get(self.looked..).unwrap_or_default();
        if memchr::memchr(b'\n', fresh).is_none() && self.pending.len() < PIECE {
            self.looked = self.pending.len();
            return String::new();
        }
        self.advance(false)
    }

    /// Returns the rest, after the last chunk.
    #[must_use]
    pub fn finish(&mut self) -> String {
        self.advance(true)
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn advance(&mut self, is_last: bool) -> String {
        let mut out = String::new();
        let mut at = 0;
        while let Some(rest) = self.pending.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(piece) = self.pieces.next(rest, is_last) else { break };
            let inside = rest.get(piece.dropped..piece.end).unwrap_or_default();
            let scrubbed = self.scrubber.scrub_piece(inside);
            self.report.merge(&scrubbed.report);
            out.push_str(&scrubbed.text);
            at += piece.end;
        }
        self.pending.drain(..at);
        self.looked = self.pending.len();
        out
    }
}

/// The text that is held back is not printed: it was not scrubbed yet.
impl fmt::Debug for ScrubStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubStream").field("pending", &self.pending.len()).finish_non_exhaustive()
    }
}

/// Scrubbing of bytes that come in chunks; see [`Scrubber::byte_stream`].
pub struct ScrubBytes {
    text: ScrubStream,
    /// Start of a character whose other bytes are missing, or the first bytes while the encoding is unknown.
    tail: Vec<u8>,
    encoding: Option<Encoding>,
    wide: Decoder,
}

impl ScrubBytes {
    /// Takes the next chunk; returns the scrubbed bytes that no later chunk can change.
    #[must_use]
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut held = std::mem::take(&mut self.tail);
        let bytes = if held.is_empty() {
            Cow::Borrowed(chunk)
        } else {
            held.extend_from_slice(chunk);
            Cow::Owned(held)
        };
        self.encoding = self.encoding.or_else(|| encoding(&bytes, false));
        self.advance(bytes)
    }

    /// Returns the rest, after the last chunk.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.encoding.is_none() {
            let held = std::mem::take(&mut self.tail);
            self.encoding = encoding(&held, true);
            out = self.advance(Cow::Owned(held));
        }
        let rest = self.text.finish();
        match self.encoding {
            Some(Encoding::Wide(order)) => out.extend(order.encoded(&rest)),
            _ => out.extend(rest.into_bytes()),
        }
        out.append(&mut self.tail);
        out.append(&mut self.wide.finish());
        out
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        self.text.report()
    }

    fn advance(&mut self, bytes: Cow<'_, [u8]>) -> Vec<u8> {
        match self.encoding {
            None => {
                self.tail = bytes.into_owned();
                Vec::new()
            }
            Some(Encoding::Wide(order)) => {
                let text = self.wide.push(&bytes, order);
                order.encoded(&self.text.push(&text))
            }
            Some(Encoding::Bytes) => self.advance_bytes(&bytes),
        }
    }

    fn advance_bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut left = bytes.len();
        for part in bytes.utf8_chunks() {
            out.extend(self.text.push(part.valid()).into_bytes());
            left -= part.valid().len() + part.invalid().len();
            if left == 0 && is_start_of_character(part.invalid()) {
                self.tail = part.invalid().to_vec();
            } else if !part.invalid().is_empty() {
                out.extend(self.text.finish().into_bytes());
                out.extend_from_slice(part.invalid());
            }
        }
        out
    }
}

/// Returns whether more bytes can make `bytes` a character.
fn is_start_of_character(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Reader of scrubbed bytes; see [`Scrubber::reader`].
pub struct ScrubReader<R> {
    source: R,
    bytes: ScrubBytes,
    out: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R> ScrubReader<R> {
    /// Returns the counts so far.
    pub fn report(&self) -> &Report {
        self.bytes.report()
    }
}

impl<R: Read> Read for ScrubReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.out.len() && !self.ended {
            let mut chunk = vec![0; PIECE];
            let read = self.source.read(&mut chunk)?;
            self.at = 0;
            self.ended = read == 0;
            self.out = match chunk.get(..read) {
                Some(chunk) if read > 0 => self.bytes.push(chunk),
                _ => self.bytes.finish(),
            };
        }
        let ready = self.out.get(self.at..).unwrap_or_default();
        let count = ready.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), ready.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

impl fmt::Debug for ScrubBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubBytes").field("text", &self.text).finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for ScrubReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScrubReader").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
