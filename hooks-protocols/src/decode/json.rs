//! Parses the bytes of a payload into a JSON object, or refuses them if they are ambiguous.
//!
//! Nothing is repaired, rounded or chosen. Text that is not UTF-8, half a surrogate pair, an integer beyond
//! 64 bits and a duplicate key are errors: the program that acts on the payload could read them in another
//! way.
//!
//! The lexer is [`hifijson`]. It unescapes a string directly into its final buffer, whereas `serde_json` uses
//! another buffer, which means a third copy of a long payload. It also returns numbers as they are written.

use std::io;

use hifijson::num::LexWrite;
use hifijson::str::LexAlloc;
use hifijson::token::Lex;
use hifijson::{Error, Expect, SliceLexer};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::error::DecodeError;
use super::limits::Limits;

/// Parses the one object in `bytes`.
pub(crate) fn read(bytes: &[u8], limits: Limits) -> Result<Map<String, Value>, DecodeError> {
    if bytes.len() > limits.bytes {
        return Err(DecodeError::TooLong { length: bytes.len(), limit: limits.bytes });
    }
    // Some shells write a byte-order mark before their output.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(DecodeError::Empty);
    }
    let text = str::from_utf8(bytes).map_err(|error| DecodeError::NotUtf8 { at: error.valid_up_to() })?;
    match value(text, limits)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(DecodeError::NotAnObject),
    }
}

/// The deepest nesting that is ever read.
const DEEPEST: usize = 127;

/// Parses the one value in `text`.
pub(crate) fn value(text: &str, limits: Limits) -> Result<Value, DecodeError> {
    let mut lexer = SliceLexer::new(text.as_bytes());
    // Functions that recurse over values support no deeper nesting.
    let limits = Limits { depth: limits.depth.min(DEEPEST), ..limits };
    let mut room = Room { left: text.len().saturating_add(limits.overhead), limits };
    let read = lexer.exactly_one(Lex::ws_peek, |next, lexer| room.value(next, lexer, limits.depth));
    read.map_err(|refusal| {
        let at = text.len().saturating_sub(lexer.as_slice().len());
        match refusal {
            Refusal::Json(error) => DecodeError::NotJson { what: error.to_string(), at },
            Refusal::HalfPair => DecodeError::HalfPair { at },
            Refusal::Other(error) => error,
        }
    })
}

/// A reason to refuse a text.
enum Refusal {
    Json(Error),
    HalfPair,
    Other(DecodeError),
}

impl From<Expect> for Refusal {
    fn from(error: Expect) -> Self {
        Self::Json(error.into())
    }
}

impl From<hifijson::num::Error> for Refusal {
    fn from(error: hifijson::num::Error) -> Self {
        Self::Json(error.into())
    }
}

impl From<hifijson::str::Error> for Refusal {
    fn from(error: hifijson::str::Error) -> Self {
        // The text is known to be UTF-8 here.
        if error.is_unicode_error() { Self::HalfPair } else { Self::Json(error.into()) }
    }
}

/// The memory that the values of a payload may still use.
struct Room {
    left: usize,
    limits: Limits,
}

/// Memory of a value itself.
const VALUE: usize = size_of::<Value>();

/// Memory of an entry of an object beside its value and the text of its key: the key, its hash and its index
/// slot.
const ENTRY: usize = size_of::<String>() + 4 * size_of::<usize>();

/// Memory of an object before its first entry: capacity for the first entries, and an index.
const OBJECT: usize = 3 * (VALUE + ENTRY);

/// Memory that the allocator needs for a string, a list or an object beside its content.
const ALLOCATION: usize = 2 * size_of::<usize>();

impl Room {
    /// Parses the value that begins with `next`, with at most `depth` levels inside it.
    fn value(&mut self, next: u8, lexer: &mut SliceLexer<'_>, depth: usize) -> Result<Value, Refusal> {
        self.take(VALUE)?;
        match next {
            b'"' => self.text(lexer).map(Value::String),
            b'{' => self.object(lexer, self.inside(depth)?),
            b'[' => self.list(lexer, self.inside(depth)?),
            b'-' | b'0'..=b'9' => number(lexer),
            b'a'..=b'z' => match lexer.null_or_bool().ok_or(Expect::Value)? {
                Some(flag) => Ok(flag.into()),
                None => Ok(Value::Null),
            },
            _ => Err(Expect::Value.into()),
        }
    }

    fn list(&mut self, lexer: &mut SliceLexer<'_>, depth: usize) -> Result<Value, Refusal> {
        self.take(ALLOCATION)?;
        let mut list = Vec::new();
        lexer.discarded().seq(b']', Lex::ws_peek, |next, lexer| {
            list.push(self.value(next, lexer, depth)?);
            Ok::<_, Refusal>(())
        })?;
        Ok(Value::Array(list))
    }

    fn object(&mut self, lexer: &mut SliceLexer<'_>, depth: usize) -> Result<Value, Refusal> {
        self.take(OBJECT)?;
        let mut map = Map::new();
        lexer.discarded().seq(b'}', Lex::ws_peek, |next, lexer| {
            if next != b'"' {
                return Err(Expect::String.into());
            }
            self.take(ENTRY)?;
            let key = self.text(lexer)?;
            lexer.expect(Lex::ws_peek, b':').ok_or(Expect::Colon)?;
            let next = lexer.ws_peek().ok_or(Expect::Value)?;
            match map.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(self.value(next, lexer, depth)?);
                    Ok(())
                }
                Entry::Occupied(place) => Err(Refusal::Other(DecodeError::Duplicate(shown(place.key())))),
            }
        })?;
        Ok(Value::Object(map))
    }

    fn text(&mut self, lexer: &mut SliceLexer<'_>) -> Result<String, Refusal> {
        let text = lexer.discarded().str_string()?.into_owned();
        self.take(ALLOCATION.saturating_add(text.len()))?;
        Ok(text)
    }

    fn inside(&self, depth: usize) -> Result<usize, Refusal> {
        depth.checked_sub(1).ok_or(Refusal::Other(DecodeError::TooDeep(self.limits.depth)))
    }

    fn take(&mut self, bytes: usize) -> Result<(), Refusal> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or(Refusal::Other(DecodeError::TooMany(self.limits.overhead)))?;
        Ok(())
    }
}

/// Parses a number: an integer exactly, any other as the nearest `f64`, as all parsers do.
fn number(lexer: &mut SliceLexer<'_>) -> Result<Value, Refusal> {
    let (digits, parts) = lexer.num_string().validated()?;
    let number = if parts.is_int() && digits != "-0" {
        let natural = digits.parse::<u64>().map(Number::from);
        natural.or_else(|_| digits.parse::<i64>().map(Number::from)).ok()
    } else {
        digits.parse().ok().and_then(Number::from_f64)
    };
    number.map(Value::Number).ok_or(Refusal::Other(DecodeError::Number))
}

/// A name for an error message, truncated if it is long.
pub(super) fn shown(name: &str) -> String {
    match name.char_indices().nth(64) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Whether the value serializes to exactly this text. Compares without a buffer.
pub(crate) fn is_written_as(value: &Value, text: &str) -> bool {
    let mut rest = text.as_bytes();
    serde_json::to_writer(Rest(&mut rest), value).is_ok() && rest.is_empty()
}

/// A writer that compares: it removes the written bytes from the beginning of a text, and fails at the first
/// difference.
struct Rest<'a, 'b>(&'a mut &'b [u8]);

impl io::Write for Rest<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fields(bytes: &[u8]) -> Result<Value, DecodeError> {
        read(bytes, Limits::default()).map(Value::Object)
    }

    fn refused(bytes: &[u8]) -> String {
        fields(bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_shells_do_to_a_text() {
        for bytes in [
            &b"{\"a\": [1, -1, 1.5, true, null, \"x\"]}"[..],
            b"\xef\xbb\xbf {\"a\": [1, -1, 1.5, true, null, \"x\"]}\r\n",
        ] {
            assert_eq!(fields(bytes).unwrap(), json!({"a": [1, -1, 1.5, true, null, "x"]}));
        }
    }

    #[test]
    fn what_is_not_unicode_is_refused() {
        assert_eq!(refused(b"{\"cwd\": \"/home/\xff\xfe\"}"), "the payload is not valid UTF-8 (at byte 15)");
        assert_eq!(refused(b"{\"a\": \"\xed\xa0\x80\"}"), "the payload is not valid UTF-8 (at byte 7)");
        let utf_16 = |order: fn(u16) -> [u8; 2], mark: &[u8]| {
            [mark, &r#"{"a": 1}"#.encode_utf16().flat_map(order).collect::<Vec<u8>>()].concat()
        };
        assert_eq!(
            refused(&utf_16(u16::to_le_bytes, b"\xff\xfe")),
            "the payload is not valid UTF-8 (at byte 0)"
        );
        assert!(refused(&utf_16(u16::to_be_bytes, b"")).starts_with("the payload is not JSON: "));
        for half in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83d\ud83d""#, r#""\ud83dx""#, r#""\ud83d\n""#] {
            let key = format!("{{{half}: 1}}");
            for text in [format!("{{\"a\": {half}}}"), format!("{{\"a\": [{half}]}}"), key] {
                assert!(refused(text.as_bytes()).contains("half a surrogate pair"), "{text}");
            }
        }
        let whole = br#"{"a": "\\ud83d \ud83d\ude00 \u0000"}"#;
        assert_eq!(fields(whole).unwrap(), json!({"a": "\\ud83d \u{1f600} \0"}));
    }

    #[test]
    fn a_number_is_kept_or_refused() {
        let kept =
            br#"[18446744073709551615, -9223372036854775808, 1e2, 0.1, 1e-400, 1.7976931348623157e308, -0]"#;
        let wrapped = [br#"{"a": "#, &kept[..], b"}"].concat();
        let expected = json!([u64::MAX, i64::MIN, 100.0, 0.1, 0.0, f64::MAX, -0.0]);
        assert_eq!(fields(&wrapped).unwrap()["a"], expected);
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "1e309",
            "-1.8e308",
            "123456789012345678901234567890",
        ] {
            let text = format!("{{\"a\": [{number}]}}");
            assert_eq!(refused(text.as_bytes()), "a number in the payload is beyond 64 bits", "{number}");
        }
        for number in ["01", "+1", ".5", "1.", "1e", "--1", "0x10", "NaN", "Infinity", "-Infinity", "1_000"] {
            let text = format!("{{\"a\": {number}}}");
            assert!(refused(text.as_bytes()).starts_with("the payload is not JSON: "), "{number}");
        }
    }

    #[test]
    fn refused_with_the_reason() {
        let limits = Limits { bytes: 64, depth: 3, ..Limits::default() };
        let refused = |text: &str| read(text.as_bytes(), limits).unwrap_err().to_string();
        assert_eq!(refused(r#"{"a": [[[1]]]}"#), "the payload is nested deeper than 3 levels");
        assert!(read(br#"{"a": [[1]]}"#, limits).is_ok());
        assert_eq!(refused(r#"{"a": {"b": 1, "\u0062": 1}}"#), "`b` is given twice in the payload");
        assert_eq!(refused(&" ".repeat(65)), "the payload is 65 bytes long and 64 are read");
        assert_eq!(refused("[1]"), "the payload is not a JSON object");
        assert_eq!(refused(r#"{"a": 1} {"#), "the payload is not JSON: end of file expected (at byte 9)");
        assert!(matches!(fields(b"\xef\xbb\xbf\n"), Err(DecodeError::Empty)));
        assert!(matches!(fields(&b"[".repeat(1 << 20)), Err(DecodeError::TooDeep(100))));
        let deep = Limits { depth: usize::MAX, ..Limits::default() };
        assert!(matches!(read(&b"[".repeat(1 << 20), deep), Err(DecodeError::TooDeep(127))));
        for text in [
            "{\"a\": 1}\0",
            "\u{feff}\u{feff}{}",
            "{\"a\": 1,}",
            "{'a': 1}",
            "{\"a\": \"\n\"}",
            "{\"a\" 1}",
            "{\"a\": 1 /* */}",
            "{\"a\": \"\\x\"}",
        ] {
            assert!(self::refused(text.as_bytes()).starts_with("the payload is not JSON: "), "{text}");
        }
    }

    /// Many small values need far more memory than their text.
    #[test]
    fn many_small_values_are_refused() {
        for (open, value, close) in
            [("[", "1", "]"), ("[", "[]", "]"), ("[", "{\"a\":1}", "]"), ("[", "\"\"", "]")]
        {
            let of = |count: usize| format!("{{\"a\":{open}{}{close}}}", vec![value; count].join(","));
            assert!(fields(of(10_000).as_bytes()).is_ok(), "{value}");
            assert!(refused(of(2_000_000).as_bytes()).contains("too many small values"), "{value}");
        }
        let keys: Vec<String> = (0..1_000_000).map(|at| format!("\"{at}\":0")).collect();
        assert!(refused(format!("{{{}}}", keys.join(",")).as_bytes()).contains("too many small values"));
        let text = "x".repeat(32 << 20);
        assert!(fields(format!("{{\"a\":\"{text}\"}}").as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            drop(fields(&bytes));
        }

        #[test]
        fn any_text_of_escapes(text in r#"(\\|u|d8|3d|de00|"|[{}:,a]){0,40}"#) {
            drop(fields(text.as_bytes()));
        }

        /// `serde_json` is as strict about the syntax of JSON.
        #[test]
        fn reads_what_another_reader_reads(text in r#"\{"a":(\[|\]|\{|\}|"|:|,|-|0|1|9|\.|e|E|\+| |\\|n|u00e9|true|null|é){0,12}\}"#) {
            match (fields(text.as_bytes()), serde_json::from_str::<Value>(&text)) {
                (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
                (Err(DecodeError::Duplicate(_) | DecodeError::Number), _) | (Err(_), Err(_)) => {}
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours, theirs),
            }
        }

        #[test]
        fn what_was_written_is_read(value in hooks_core::testing::json()) {
            let wrapped = json!({ "a": value });
            prop_assert_eq!(fields(wrapped.to_string().as_bytes()).unwrap(), wrapped);
        }
    }
}
