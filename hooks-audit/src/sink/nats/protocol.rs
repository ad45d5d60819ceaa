//! Frames of a NATS server as bytes: <https://docs.nats.io/reference/reference-protocols/nats-protocol>.

/// Limit on the length of lines and messages in bytes; longer ones are a protocol error.
pub(super) const LONGEST: usize = 1 << 20;

/// A frame from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Information about the server, as JSON.
    Info(Vec<u8>),
    /// A request for a `Pong`.
    Ping,
    /// The answer to a ping.
    Pong,
    /// Success.
    Ok,
    /// An error.
    Err(String),
    /// A message to a subscribed subject.
    Message(Message),
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Subject of the message.
    pub(super) subject: String,
    /// Status in its headers, if it has headers: 503 if the subject had no subscriber.
    pub(super) status: Option<u16>,
    /// Content of the message.
    pub(super) body: Vec<u8>,
}

/// Error for bytes that are not a frame of a NATS server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server sent a line that is not part of the NATS protocol")]
pub(super) struct NotNats;

/// Returns the first frame of `bytes` and its length; `None` if it is incomplete.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Frame, usize)>, NotNats> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n") else {
        return if bytes.len() > LONGEST { Err(NotNats) } else { Ok(None) };
    };
    let (line, behind) = bytes.split_at_checked(end).ok_or(NotNats)?;
    let behind = behind.get(2..).ok_or(NotNats)?;
    let (verb, rest) = match memchr::memchr(b' ', line).and_then(|at| line.split_at_checked(at)) {
        Some((verb, rest)) => (verb, rest.trim_ascii()),
        None => (line, [].as_slice()),
    };
    let frame = match verb.to_ascii_uppercase().as_slice() {
        b"INFO" => Frame::Info(rest.to_vec()),
        b"PING" => Frame::Ping,
        b"PONG" => Frame::Pong,
        b"+OK" => Frame::Ok,
        b"-ERR" => Frame::Err(String::from_utf8_lossy(rest).into_owned()),
        b"MSG" => return message(rest, behind, end + 2, false),
        b"HMSG" => return message(rest, behind, end + 2, true),
        _ => return Err(NotNats),
    };
    Ok(Some((frame, end + 2)))
}

/// Parses a message: subject, subscription, optional reply subject, optional length of the headers, total
/// length.
fn message(
    line: &[u8],
    behind: &[u8],
    so_far: usize,
    has_headers: bool,
) -> Result<Option<(Frame, usize)>, NotNats> {
    let line = std::str::from_utf8(line).map_err(|_| NotNats)?;
    let words: Vec<_> = line.split_ascii_whitespace().collect();
    let number = |word: &&str| word.parse::<usize>().ok().filter(|number| *number <= LONGEST).ok_or(NotNats);
    let (subject, of_headers, length) = match (words.as_slice(), has_headers) {
        ([subject, _, length] | [subject, _, _, length], false) => (subject, 0, number(length)?),
        ([subject, _, headers, length] | [subject, _, _, headers, length], true) => {
            (subject, number(headers)?, number(length)?)
        }
        _ => return Err(NotNats),
    };
    let Some(content) = behind.get(..length) else { return Ok(None) };
    let Some(end) = behind.get(length..length + 2) else { return Ok(None) };
    let (headers, body) = content.split_at_checked(of_headers).ok_or(NotNats)?;
    if end != b"\r\n" {
        return Err(NotNats);
    }
    let status = std::str::from_utf8(headers)
        .ok()
        .and_then(|headers| headers.strip_prefix("NATS/1.0")?.split_ascii_whitespace().next()?.parse().ok());
    let message = Message { subject: (*subject).to_owned(), status, body: body.to_vec() };
    Ok(Some((Frame::Message(message), so_far + length + 2)))
}

/// Encodes a message with an id and a subject for the answer.
pub(super) fn publish(subject: &str, answer_to: &str, id: &str, body: &[u8], into: &mut Vec<u8>) {
    let headers = format!("NATS/1.0\r\nNats-Msg-Id: {id}\r\n\r\n");
    let length = headers.len() + body.len();
    into.extend(format!("HPUB {subject} {answer_to} {} {length}\r\n", headers.len()).into_bytes());
    into.extend(headers.into_bytes());
    into.extend(body);
    into.extend(b"\r\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_server_says_is_read() {
        let frame = |text: &str| {
            parse(text.as_bytes()).unwrap().map(|(frame, length)| {
                assert_eq!(length, text.len());
                frame
            })
        };
        assert_eq!(frame("PING\r\n"), Some(Frame::Ping));
        assert_eq!(frame("INFO {\"a\":1} \r\n"), Some(Frame::Info(b"{\"a\":1}".to_vec())));
        assert_eq!(
            frame("-ERR 'Authorization Violation'\r\n"),
            Some(Frame::Err("'Authorization Violation'".to_owned()))
        );
        let message = |subject: &str, status, body: &str| {
            Some(Frame::Message(Message { subject: subject.to_owned(), status, body: body.into() }))
        };
        assert_eq!(frame("MSG a.b 1 2\r\n{}\r\n"), message("a.b", None, "{}"));
        assert_eq!(frame("MSG a.b 1 answer 2\r\n{}\r\n"), message("a.b", None, "{}"));
        assert_eq!(frame("HMSG a 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"), message("a", Some(503), ""));
        for part in ["", "PIN", "MSG a 1 2\r\n", "MSG a 1 2\r\n{}", "MSG a 1 2\r\n{}\r"] {
            assert_eq!(frame(part), None, "{part}");
        }
        for wrong in [
            "HELLO\r\n",
            "MSG a\r\n",
            "MSG a 1 x\r\n",
            "MSG a 1 9999999\r\n",
            "HMSG a 1 3 2\r\n{}\r\n",
            "MSG a 1 2\r\n{}xx",
        ] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_anybody_says_is_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), text in "(MSG|HMSG) [a-z0-9 ]{0,12}\r\n[a-z\r\n]{0,9}") {
            drop(parse(&bytes));
            if let Ok(Some((_, length))) = parse(text.as_bytes()) {
                prop_assert!(length <= text.len());
            }
        }
    }
}
