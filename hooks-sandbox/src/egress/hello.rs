//! The server name in the first message of a TLS connection.

use std::str;

/// The kind of a record with handshake messages, and that of the first message.
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;

/// Extensions: the server name, and an encrypted first message, which hides another name.
const SERVER_NAME: u16 = 0;
const ENCRYPTED_HELLO: u16 = 0xfe0d;

/// Most bytes of a first message.
pub(super) const MOST: usize = 1 << 16;

/// Content of the first bytes of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hello {
    /// More bytes are needed.
    Incomplete,
    /// A first message, with this server name.
    Whole(Option<String>),
    /// No message whose server name can be known, for this reason.
    Unreadable(&'static str),
}

/// Whether bytes begin as TLS does.
pub(super) fn is_tls(bytes: &[u8]) -> bool {
    bytes.first() == Some(&HANDSHAKE)
}

/// Reads the server name.
pub(super) fn read(bytes: &[u8]) -> Hello {
    let message = match message(bytes) {
        Ok(Some(message)) => message,
        Ok(None) if bytes.len() < MOST => return Hello::Incomplete,
        Ok(None) => return Hello::Unreadable("its first message is too long"),
        Err(why) => return Hello::Unreadable(why),
    };
    match extensions(&message).ok_or("its first message is damaged").and_then(name) {
        Ok(name) => Hello::Whole(name),
        Err(why) => Hello::Unreadable(why),
    }
}

/// The first message without its head, which may be in several records; `None` if it is not there as a whole.
fn message(bytes: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
    let (mut rest, mut message) = (Bytes(bytes), Vec::new());
    loop {
        if let Some((&[kind, a, b, c], body)) = message.split_first_chunk::<4>() {
            if kind != CLIENT_HELLO {
                return Err("it does not begin a TLS connection");
            }
            let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap_or(usize::MAX);
            if let Some(body) = body.get(..length) {
                return Ok(Some(body.to_vec()));
            }
        }
        match rest.number(1) {
            None => return Ok(None),
            Some(kind) if kind != usize::from(HANDSHAKE) => return Err("it is not TLS"),
            Some(_) => {}
        }
        let record = rest.number(2).and_then(|_| rest.vector(2));
        let Some(Bytes(record)) = record else { return Ok(None) };
        if record.is_empty() {
            return Err("it has an empty record");
        }
        message.extend_from_slice(record);
    }
}

fn extensions(message: &[u8]) -> Option<Bytes<'_>> {
    let mut rest = Bytes(message);
    // The version and random bytes.
    rest.take(34)?;
    // The session, ciphers and compressions.
    rest.vector(1)?;
    rest.vector(2)?;
    rest.vector(1)?;
    if rest.0.is_empty() {
        return Some(rest);
    }
    let all = rest.vector(2)?;
    rest.0.is_empty().then_some(all)
}

fn name(mut extensions: Bytes<'_>) -> Result<Option<String>, &'static str> {
    let mut name = None;
    while !extensions.0.is_empty() {
        let extension = extensions.number(2).zip(extensions.vector(2));
        let (kind, content) = extension.ok_or("its first message is damaged")?;
        if kind == usize::from(ENCRYPTED_HELLO) {
            return Err("its server name is encrypted");
        }
        if kind != usize::from(SERVER_NAME) {
            continue;
        }
        let one = only_name(content).ok_or("its server name cannot be read")?;
        if name.replace(one).is_some() {
            return Err("it has several server names");
        }
    }
    Ok(name)
}

/// The name in a list that has one.
fn only_name(mut content: Bytes<'_>) -> Option<String> {
    let mut list = content.vector(2)?;
    let is_name = list.number(1)? == 0;
    let Bytes(name) = list.vector(2)?;
    let is_whole = is_name && list.0.is_empty() && content.0.is_empty();
    Some(str::from_utf8(name).ok().filter(|_| is_whole)?.to_owned())
}

/// Bytes that are read from the front.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, bytes: usize) -> Option<usize> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// Bytes behind their count, which is a number of `bytes` bytes.
    fn vector(&mut self, bytes: usize) -> Option<Bytes<'b>> {
        let count = self.number(bytes)?;
        self.take(count).map(Bytes)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with_length(bytes: usize, content: &[u8]) -> Vec<u8> {
        let count = content.len().to_be_bytes();
        [&count[count.len() - bytes..], content].concat()
    }

    pub(in crate::egress) fn server_name(name: &str) -> Vec<u8> {
        let list = with_length(2, &[&[0][..], &with_length(2, name.as_bytes())].concat());
        [&[0, 0][..], &with_length(2, &list)].concat()
    }

    /// The records of a first message with some extensions, of at most `most` bytes each.
    pub(in crate::egress) fn records(extensions: &[u8], most: usize) -> Vec<u8> {
        let body =
            [&[3, 3][..], &[7; 32], &[0], &[0, 2, 0x13, 1], &[1, 0], &with_length(2, extensions)].concat();
        let message = [&[CLIENT_HELLO][..], &with_length(3, &body)].concat();
        message
            .chunks(most)
            .flat_map(|part| [&[HANDSHAKE, 3, 1][..], &with_length(2, part)].concat())
            .collect()
    }

    #[test]
    fn the_server_name_is_found() {
        let whole = |name: &str| Hello::Whole(Some(name.to_owned()));
        let bytes = records(&server_name("a.example"), 9_999);
        assert_eq!(read(&bytes), whole("a.example"));
        assert_eq!(read(&records(&server_name("a.example"), 3)), whole("a.example"));
        for count in 0..bytes.len() {
            assert_eq!(read(&bytes[..count]), Hello::Incomplete, "{count}");
        }
        assert_eq!(read(&records(&[], 99)), Hello::Whole(None));
        let twice = [server_name("a.example"), server_name("b.example")].concat();
        let hidden = [server_name("a.example"), vec![0xfe, 0x0d, 0, 0]].concat();
        for wrong in [&twice[..], &hidden, &[0, 0, 0, 1, 0], &[9]] {
            assert!(matches!(read(&records(wrong, 99)), Hello::Unreadable(_)), "{wrong:?}");
        }
        for wrong in [&b"GET / HTTP/1.1\r\n"[..], &[22, 3, 1, 0, 0], &[22, 3, 1, 0, 4, 2, 0, 0, 0]] {
            assert!(matches!(read(wrong), Hello::Unreadable(_)), "{wrong:?}");
        }
        assert!(matches!(read(&[22, 3, 1, 0xff, 0xff].repeat(MOST)), Hello::Unreadable(_)));
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            at in 0_usize..90, changed in any::<u8>(),
        ) {
            drop(read(&bytes));
            drop(read(&records(&bytes, 50)));
            let mut bytes = records(&server_name("a.example"), 40);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = changed;
            }
            drop(read(&bytes));
        }
    }
}
