//! Text in UTF-16, recognised by its first bytes, between bytes and the text that is scrubbed.

/// Bytes that show whether a text without a byte order mark is UTF-16.
const LOOK: usize = 16;

/// Order of the two bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Encoding of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8, or bytes of any kind.
    Bytes,
    /// UTF-16.
    Wide(Order),
}

/// Returns the encoding of a text from its first bytes: by its byte order mark (Unicode, section 23.8), or as every second
/// byte is zero. `None` if more bytes are needed to know.
///
/// If plain ASCII follows the mark, the mark is no mark: UTF-16 would have a zero beside each letter.
pub(super) fn encoding(head: &[u8], is_last: bool) -> Option<Encoding> {
    match head {
        [0xff, 0xfe, rest @ ..] => return after_mark(rest, Order::Little, is_last),
        [0xfe, 0xff, rest @ ..] => return after_mark(rest, Order::Big, is_last),
        [first, second, ..] if (*first == 0) == (*second == 0) => return Some(Encoding::Bytes),
        _ => {}
    }
    if head.len() < LOOK && !is_last {
        return None;
    }
    let (units, _) = head.as_chunks::<2>();
    let all = |is: fn(&[u8; 2]) -> bool| units.len() > 2 && units.iter().take(LOOK / 2).all(is);
    Some(if all(|[first, second]| *first != 0 && *second == 0) {
        Encoding::Wide(Order::Little)
    } else if all(|[first, second]| *first == 0 && *second != 0) {
        Encoding::Wide(Order::Big)
    } else {
        Encoding::Bytes
    })
}

fn after_mark(rest: &[u8], order: Order, is_last: bool) -> Option<Encoding> {
    let head = rest.get(..LOOK).unwrap_or(rest);
    if !head.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Some(Encoding::Wide(order));
    }
    match head.len() {
        0 if is_last => Some(Encoding::Wide(order)),
        LOOK => Some(Encoding::Bytes),
        _ => is_last.then_some(Encoding::Bytes),
    }
}

/// Decodes UTF-16 that comes in chunks.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// An odd byte, or a character of which half is missing.
    rest: Vec<u8>,
}

impl Decoder {
    /// Decodes what is complete. A unit that belongs to no character becomes U+FFFD.
    pub(super) fn push(&mut self, chunk: &[u8], order: Order) -> String {
        self.rest.extend_from_slice(chunk);
        let (pairs, _) = self.rest.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|pair| order.unit(*pair)).collect();
        let open = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        if open {
            units.pop();
        }
        self.rest.drain(..2 * units.len());
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    /// Returns the bytes that are no character.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }
}

impl Order {
    const fn unit(self, pair: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        }
    }

    /// Encodes a text.
    pub(super) fn encoded(self, text: &str) -> Vec<u8> {
        let bytes = |unit: u16| match self {
            Self::Little => unit.to_le_bytes(),
            Self::Big => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_show_the_encoding() {
        let wide = |order| Some(Encoding::Wide(order));
        for (head, is_last, wanted) in [
            (&b"\xff\xfea\0"[..], false, wide(Order::Little)),
            (b"\xfe\xff\0a", false, wide(Order::Big)),
            (b"\xff\xfe", false, None),
            (b"\xff\xfe", true, wide(Order::Little)),
            (b"\xff\xfetoken=a b\n", false, None),
            (b"\xff\xfetoken=a b\n", true, Some(Encoding::Bytes)),
            (b"\xfe\xffa text of sixteen\n", false, Some(Encoding::Bytes)),
            (b"\xff\xfe\x2d\x4e\x87\x65", false, wide(Order::Little)),
            (b"a", false, None),
            (b"a", true, Some(Encoding::Bytes)),
            (b"ab", false, Some(Encoding::Bytes)),
            (b"a\0b\0", false, None),
            (b"a\0b\0c\0", true, wide(Order::Little)),
            (b"\0a\0b\0c\0d\0e\0f\0g\0h", false, wide(Order::Big)),
            (b"a\0b\0c\0d\0e\0f\0gh\0\0", false, Some(Encoding::Bytes)),
            (b"\0\0\0\0", false, Some(Encoding::Bytes)),
        ] {
            assert_eq!(encoding(head, is_last), wanted, "{head:?}");
        }
    }

    #[test]
    fn what_was_decoded_is_encoded_again() {
        for order in [Order::Little, Order::Big] {
            let bytes = order.encoded("\u{feff}größe 😀.");
            let mut decoder = Decoder::default();
            let mut text = String::new();
            for byte in &bytes {
                text += &decoder.push(&[*byte], order);
            }
            assert_eq!(order.encoded(&text), bytes);
            assert_eq!(decoder.push(&Order::Little.encoded("a")[..1], order), "");
            assert_eq!(decoder.finish(), b"a");
        }
    }
}
