//! Bytes from one socket to another, at the pace of the slower one.

use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use super::request::Body;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Most bytes of the line before a chunk, and most lines behind the last one.
const MOST_LINE: u64 = 4_096;
const MOST_TRAILERS: usize = 100;

/// Bytes that a connection has moved in each direction.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

impl Moved {
    fn all(&self) -> u64 {
        self.sent.load(Ordering::Relaxed).wrapping_add(self.received.load(Ordering::Relaxed))
    }
}

/// Copies until the end, or until nothing has moved in either direction for the time that a read may take.
pub(super) fn copy(
    mut from: impl Read,
    mut to: impl Write,
    moved: &Moved,
    count: &AtomicU64,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    let mut before = moved.all();
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if is_late(&error) && moved.all() != before => {
                before = moved.all();
                continue;
            }
            Err(error) => return Err(error),
        };
        to.write_all(chunk.get(..read).unwrap_or_default())?;
        count.fetch_add(u64::try_from(read).unwrap_or_default(), Ordering::Relaxed);
    }
}

pub(super) fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Copies the body of one request, and nothing behind it.
pub(super) fn copy_body(
    mut from: impl BufRead,
    mut to: impl Write,
    body: Body,
    moved: &Moved,
) -> io::Result<()> {
    let exactly = |from: &mut dyn Read, to: &mut dyn Write, length: u64| {
        let before = moved.sent.load(Ordering::Relaxed);
        copy(from.take(length), to, moved, &moved.sent)?;
        let is_whole = moved.sent.load(Ordering::Relaxed).wrapping_sub(before) == length;
        if is_whole { Ok(()) } else { Err(io::Error::from(ErrorKind::UnexpectedEof)) }
    };
    if let Body::Bytes(length) = body {
        return exactly(&mut from, &mut to, length);
    }
    loop {
        let line = line(&mut from)?;
        let Ok(httparse::Status::Complete((_, size))) = httparse::parse_chunk_size(&line) else {
            return Err(ErrorKind::InvalidData.into());
        };
        // Without extensions, and without fields behind the last one.
        write!(to, "{size:x}\r\n")?;
        if size == 0 {
            for _ in 0..MOST_TRAILERS {
                if self::line(&mut from)? == b"\r\n" {
                    return to.write_all(b"\r\n");
                }
            }
            return Err(ErrorKind::InvalidData.into());
        }
        exactly(&mut from, &mut to, size)?;
        if self::line(&mut from)? != b"\r\n" {
            return Err(ErrorKind::InvalidData.into());
        }
        to.write_all(b"\r\n")?;
    }
}

fn line(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    from.take(MOST_LINE).read_until(b'\n', &mut line)?;
    if line.ends_with(b"\r\n") { Ok(line) } else { Err(ErrorKind::InvalidData.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(text: &str, body: Body) -> Option<String> {
        let mut to = Vec::new();
        copy_body(text.as_bytes(), &mut to, body, &Moved::default()).ok()?;
        Some(String::from_utf8(to).unwrap())
    }

    #[test]
    fn nothing_behind_a_body_is_sent() {
        let second = "GET http://b.example/ HTTP/1.1\r\n\r\n";
        assert_eq!(copied(&format!("abc{second}"), Body::Bytes(3)).as_deref(), Some("abc"));
        let chunks = format!("3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n{second}");
        assert_eq!(copied(&chunks, Body::Chunks).as_deref(), Some("3\r\nabc\r\n0\r\n\r\n"));
        for wrong in ["3\r\nabcd\r\n0\r\n\r\n", "-1\r\n", "3\nabc\n0\n\n", "g\r\n", "3\r\nab", ""] {
            assert_eq!(copied(wrong, Body::Chunks), None, "{wrong}");
        }
        assert_eq!(copied("ab", Body::Bytes(3)), None);
    }
}
