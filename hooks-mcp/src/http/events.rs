//! Server-sent events, of bounded length.

/// An event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerEvent {
    /// Data; its lines are joined by a line break.
    pub(super) data: Vec<u8>,
    /// Whether it has the type that messages have.
    pub(super) is_message: bool,
}

/// Parses a stream of events.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// Bytes of a line without its end.
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    kind: Vec<u8>,
    /// Id of the last event that had one.
    pub(super) last_id: Option<Vec<u8>>,
    /// Time to wait before a new connection, in milliseconds.
    pub(super) retry: Option<u64>,
    after_return: bool,
    has_begun: bool,
}

/// An event is longer than the limit.
#[derive(Debug)]
pub(super) struct TooLong;

impl EventParser {
    /// A parser for the connection that continues this one.
    pub(super) fn next(self) -> Self {
        Self { last_id: self.last_id, retry: self.retry, ..Self::default() }
    }

    /// Adds bytes; appends the events that they complete to `events`.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        longest: usize,
        events: &mut Vec<ServerEvent>,
    ) -> Result<(), TooLong> {
        for &byte in bytes {
            let is_second = byte == b'\n' && std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if is_second => {}
                b'\r' | b'\n' => {
                    self.after_return = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.on_line(&line));
                }
                byte => {
                    self.after_return = false;
                    self.line.push(byte);
                    if self.line.len().saturating_add(self.data.len()) > longest.saturating_add(FIELD) {
                        return Err(TooLong);
                    }
                }
            }
        }
        Ok(())
    }

    fn on_line(&mut self, line: &[u8]) -> Option<ServerEvent> {
        let mark = if self.has_begun { None } else { line.strip_prefix(b"\xef\xbb\xbf") };
        let line = mark.unwrap_or(line);
        self.has_begun = true;
        if line.is_empty() {
            let kind = std::mem::take(&mut self.kind);
            let data = std::mem::take(&mut self.data);
            let is_message = kind.is_empty() || kind == b"message";
            return std::mem::take(&mut self.has_data).then_some(ServerEvent { data, is_message });
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at_checked(colon)?;
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.kind = value.to_vec(),
            b"id" if !value.contains(&0) => self.last_id = Some(value.to_vec()).filter(|id| !id.is_empty()),
            b"retry" => self.retry = std::str::from_utf8(value).ok()?.parse().ok(),
            _ => {}
        }
        None
    }
}

/// Bytes of a line that are not data.
const FIELD: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, chunk: usize) -> (Vec<String>, EventParser) {
        let (mut parser, mut events) = (EventParser::default(), Vec::new());
        for bytes in text.as_bytes().chunks(chunk) {
            parser.feed(bytes, 100, &mut events).unwrap();
        }
        let messages = events.into_iter().filter(|event| event.is_message);
        (messages.map(|event| String::from_utf8(event.data).unwrap()).collect(), parser)
    }

    #[test]
    fn events_are_found_in_any_chunks() {
        let text = "\u{feff}: hello\n\ndata: a\r\nid: 1\r\n\r\ndata:b\rdata: c\r\revent: ping\ndata: x\n\nid: 2\nretry: 40\ndata:\n\nevent: message\ndata: d\n\ndata: never ended\n";
        for chunk in 1..text.len() {
            let (events, parser) = parsed(text, chunk);
            assert_eq!(events, ["a", "b\nc", "", "d"], "{chunk}");
            assert_eq!((parser.last_id.as_deref(), parser.retry), (Some(&b"2"[..]), Some(40)));
        }
    }

    #[test]
    fn an_event_that_is_too_long_is_an_error() {
        let mut events = Vec::new();
        let lines = "data: 12345678901234567890\n".repeat(7);
        assert!(EventParser::default().feed(lines.as_bytes(), 100, &mut events).is_err());
        assert!(EventParser::default().feed(&[b'x'; 200], 100, &mut events).is_err());
    }
}
