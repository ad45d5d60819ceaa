//! The part of HTTP/1.1 that clients need: a request with its body, a reply, and the end of the connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Longest head in bytes.
const LONGEST_HEAD: u64 = 64 << 10;
/// Longest body in bytes.
const LONGEST_BODY: u64 = 64 << 20;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    /// HTTP method, in most cases `POST`.
    pub(super) method: String,
    /// Path with its query.
    pub(super) path: String,
    /// The whole body.
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads a request.
    pub(super) fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        let head = Head::read(&mut reader)?;
        if head.expects_continue {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = match head.length {
            Some(length) => {
                let mut body = Vec::new();
                reader.take(length.min(LONGEST_BODY)).read_to_end(&mut body)?;
                body
            }
            None if head.is_chunked => chunks(&mut reader)?,
            None => Vec::new(),
        };
        let mut words = head.first.trim_end().split(' ').map(str::to_owned);
        Ok(Self { method: words.next().unwrap_or_default(), path: words.next().unwrap_or_default(), body })
    }
}

#[derive(Default)]
struct Head {
    first: String,
    length: Option<u64>,
    is_chunked: bool,
    expects_continue: bool,
}

impl Head {
    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut reader = reader.take(LONGEST_HEAD);
        let mut head = Self::default();
        reader.read_line(&mut head.first)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            let Some((name, value)) = line.split_once(':') else { return Ok(head) };
            match (name, value.trim()) {
                ("content-length", value) => head.length = value.parse().ok(),
                ("transfer-encoding", "chunked") => head.is_chunked = true,
                ("expect", "100-continue") => head.expects_continue = true,
                _ => {}
            }
        }
    }
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
        if length == 0 || body.len() as u64 > LONGEST_BODY {
            return Ok(body);
        }
        reader.take(length.min(LONGEST_BODY)).read_to_end(&mut body)?;
        line.clear();
        reader.read_line(&mut line)?;
    }
}

/// A reply.
#[derive(Debug)]
pub(super) struct Reply {
    kind: &'static str,
    body: String,
}

impl Reply {
    /// A JSON object.
    pub(super) fn json(value: &Value) -> Self {
        Self { kind: "application/json", body: value.to_string() }
    }

    /// A stream of events; an event with a `type` is named by it.
    pub(super) fn stream(events: impl IntoIterator<Item = Value>) -> Self {
        let mut body = String::new();
        for event in events {
            if let Some(name) = event.get("type").and_then(Value::as_str) {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {event}\n\n"));
        }
        Self { kind: "text/event-stream", body }
    }

    /// Adds the last line that marks the end of a stream.
    pub(super) fn closed(mut self) -> Self {
        self.body.push_str("data: [DONE]\n\n");
        self
    }

    /// Writes the reply.
    pub(super) fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Self { kind, body } = self;
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )?;
        stream.flush()
    }
}
