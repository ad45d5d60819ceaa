//! Lines of bounded length.

use std::io;

use memchr::memchr;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::message::RequestId;

/// Bytes of a line that is too long, at its start and at its end, in which its id is searched.
const KEPT: usize = 512;

/// Bytes to read at once.
const CHUNK: usize = 64 << 10;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// The line was longer than the limit, and its content was dropped. The id is a guess.
    TooLong(Option<RequestId>),
}

/// Reads lines.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that have no line break.
    scanned: usize,
    longest: usize,
    is_over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, longest: usize) -> Self {
        Self { reader, buffer: Vec::new(), scanned: 0, longest, is_over: false }
    }

    /// Reads the next line that is not empty; `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.take_line() {
                if line.len() > self.longest {
                    return Ok(Some(Line::TooLong(id_of(&line))));
                }
                if !line.iter().all(u8::is_ascii_whitespace) {
                    return Ok(Some(Line::Whole(line)));
                }
                continue;
            }
            if self.is_over {
                return Ok(None);
            }
            if self.buffer.len() > self.longest {
                return self.skip().await.map(Some);
            }
            self.fill().await?;
        }
    }

    /// Takes a whole line out of the buffer; at the end, also one without a line break.
    fn take_line(&mut self) -> Option<Vec<u8>> {
        let unscanned = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(at) = memchr(b'\n', unscanned) else {
            self.scanned = self.buffer.len();
            let is_last = self.is_over && !self.buffer.is_empty();
            self.scanned = if is_last { 0 } else { self.scanned };
            return is_last.then(|| std::mem::take(&mut self.buffer));
        };
        let end = self.scanned + at;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(end);
        self.scanned = 0;
        Some(line)
    }

    async fn fill(&mut self) -> io::Result<()> {
        self.buffer.reserve(CHUNK);
        self.is_over = self.reader.read_buf(&mut self.buffer).await? == 0;
        Ok(())
    }

    /// Drops the rest of a line that is too long.
    async fn skip(&mut self) -> io::Result<Line> {
        let start = head(&self.buffer).to_vec();
        loop {
            // The line ends in the buffer, or the buffer has only bytes of the line.
            if let Some(end) = self.take_line() {
                return Ok(Line::TooLong(id_in(&start, tail(&end))));
            }
            if self.is_over {
                return Ok(Line::TooLong(None));
            }
            let kept = tail(&self.buffer).to_vec();
            self.scanned = kept.len();
            self.buffer = kept;
            self.fill().await?;
        }
    }
}

/// Guesses the id of a message that cannot be parsed.
pub(super) fn id_of(line: &[u8]) -> Option<RequestId> {
    id_in(head(line), tail(line))
}

fn head(line: &[u8]) -> &[u8] {
    line.get(..line.len().min(KEPT)).unwrap_or_default()
}

fn tail(line: &[u8]) -> &[u8] {
    line.get(line.len().saturating_sub(KEPT)..).unwrap_or_default()
}

/// Guesses the id of a message from its first and last bytes: SDKs write it behind `jsonrpc` or at the end. It is used
/// only to answer a request with an error.
fn id_in(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let last = || {
        let (_, behind) = tail.trim_end().strip_suffix('}')?.rsplit_once("\"id\"")?;
        serde_json::from_str(behind.trim_start().strip_prefix(':')?).ok()
    };
    let first = || {
        let rest = head.trim_start().strip_prefix('{')?.trim_start();
        let rest =
            rest.strip_prefix("\"jsonrpc\"").map_or(Some(rest), |rest| Some(rest.split_once(',')?.1))?;
        let rest = rest.trim_start().strip_prefix("\"id\"")?.trim_start().strip_prefix(':')?;
        serde_json::from_str(rest.split_once(',')?.0.trim()).ok()
    };
    last().or_else(first).as_ref().and_then(|id: &Value| RequestId::from_value(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], longest: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn long_lines_are_dropped_and_the_next_ones_read() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines(b"a\n\n \r\nb\r\nc", 9).await, [whole("a"), whole("b\r"), whole("c")]);
        let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{}\"}}", "x".repeat(300_000));
        let other = format!("{{\"result\":\"{}\",\"jsonrpc\":\"2.0\",\"id\":\"k\"}}", "x".repeat(300_000));
        for longest in [100, 1_000, 100_000, 299_000] {
            let text = format!("a\n{long}\n{other}\nb\n{long}");
            let (number, text_id) = (RequestId::Number(7), RequestId::Text("k".to_owned()));
            let all = lines(text.as_bytes(), longest).await;
            let (too_long, other) = (Line::TooLong(Some(number)), Line::TooLong(Some(text_id)));
            assert_eq!(all.len(), 5, "{longest}");
            assert_eq!(all.get(..4), Some(&[whole("a"), too_long, other, whole("b")][..]), "{longest}");
            assert!(matches!(all[4], Line::TooLong(_)));
        }
    }
}
