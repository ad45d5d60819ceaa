//! What a NATS server says, as bytes: <https://docs.nats.io/reference/reference-protocols/nats-protocol>.

/// Longer lines than this, and messages with more bytes than this, are no protocol of ours.
pub(super) const LONGEST: usize = 1 << 20;

/// What a server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Who it is, as JSON.
    Info(Vec<u8>),
    /// Whether we are there.
    Ping,
    /// That it is there.
    Pong,
    /// That all is well.
    Ok,
    /// That something is not.
    Err(String),
    /// A message to a subject that we listen to.
    Message(Message),
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Where it was sent to.
    pub(super) subject: String,
    /// What its headers begin with, where it has any: 503, where nobody listened.
    pub(super) status: Option<u16>,
    /// What it says.
    pub(super) body: Vec<u8>,
}

/// Why bytes are nothing that a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server says something that is not of the NATS protocol")]
pub(super) struct NotNats;

/// The first frame of `bytes` and how long it is; `None` where it is not all there yet.
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

/// A message: subject, subscription, perhaps where to answer, perhaps the length of the headers, the length of all.
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

/// Publishes a message with an id, and asks for an answer.
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
