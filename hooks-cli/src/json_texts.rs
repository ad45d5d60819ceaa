//! Texts of JSON values that follow each other in a stream, and values that lose nothing of them.

use std::io::{self, BufRead};

use serde_json::Value;

use crate::strict_json;

/// Splits a stream into the texts of its values.
pub(crate) struct JsonTexts<R> {
    reader: R,
    /// Line of the next byte, from 1.
    line: usize,
}

/// State of the text that is read.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether the text is a number or a word, which ends before another character.
    is_word: bool,
}

/// Place of a byte in a stream of values.
#[derive(PartialEq, Eq)]
enum Place {
    Inside,
    /// The byte is the last one of the value.
    Last,
    /// The byte comes after the value.
    After,
}

impl<R: BufRead> JsonTexts<R> {
    pub(crate) const fn new(reader: R) -> Self {
        Self { reader, line: 1 }
    }

    /// Returns the text of the next value with the line on which it begins; `None` at the end. The text may be invalid.
    pub(crate) fn next_text(&mut self) -> io::Result<Option<(Vec<u8>, usize)>> {
        let (mut text, mut scan) = (Vec::new(), Scan::default());
        let mut first = self.line;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok([]) => return Ok((!text.is_empty()).then_some((text, first))),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let (mut used, mut is_done) = (0, false);
            for byte in chunk {
                if text.is_empty() && byte.is_ascii_whitespace() {
                    self.line += usize::from(*byte == b'\n');
                    first = self.line;
                    used += 1;
                    continue;
                }
                let place = scan.place(*byte, text.is_empty());
                if place != Place::After {
                    text.push(*byte);
                    self.line += usize::from(*byte == b'\n');
                    used += 1;
                }
                if place != Place::Inside {
                    is_done = true;
                    break;
                }
            }
            self.reader.consume(used);
            if is_done {
                return Ok(Some((text, first)));
            }
        }
    }
}

impl Scan {
    fn place(&mut self, byte: u8, is_first: bool) -> Place {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return if self.in_string || self.depth > 0 { Place::Inside } else { Place::Last };
        }
        if is_first && !matches!(byte, b'"' | b'[' | b'{') {
            self.is_word = true;
            return Place::Inside;
        }
        if self.is_word {
            let ends = byte.is_ascii_whitespace() || matches!(byte, b'"' | b'[' | b'{');
            return if ends { Place::After } else { Place::Inside };
        }
        match byte {
            b'"' => self.in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth == 0 && !self.in_string { Place::Last } else { Place::Inside }
    }
}

/// The text of a value.
pub(crate) enum Parsed {
    /// A value with all of the text.
    Whole(Value),
    /// The text itself, as a value would lose a repeated key or a large number. Strings are written as a value would write
    /// them, so that no escape hides a letter.
    OnlyText(String),
}

/// Parses the text of a value.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub(crate) fn parsed(text: &[u8]) -> serde_json::Result<Parsed> {
    match strict_json::read(text) {
        Ok(value) if !has_long_number(text) => return Ok(Parsed::Whole(value)),
        Ok(_) => {}
        Err(error) if error.is_data() || error.to_string().starts_with("number out of range") => {}
        Err(error) => return Err(error),
    }
    let text = str::from_utf8(text).map_err(serde::de::Error::custom)?;
    let plain = plain_strings(text)?;
    // The rest of it has to be JSON too.
    serde_json::from_str::<serde::de::IgnoredAny>(&plain)?;
    Ok(Parsed::OnlyText(plain))
}

/// Returns whether a number has more digits than a value keeps.
fn has_long_number(text: &[u8]) -> bool {
    let (mut in_string, mut is_escaped) = (false, false);
    let mut is_of_number = |byte: &u8| {
        let was_in_string = in_string;
        if in_string {
            in_string = is_escaped || *byte != b'"';
            is_escaped = !is_escaped && *byte == b'\\';
        } else {
            in_string = *byte == b'"';
        }
        !was_in_string && (byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
    };
    text.split(|byte| !is_of_number(byte)).filter(|word| word.len() > 15).any(|word| {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        let word = str::from_utf8(word).unwrap_or_default();
        digits > 15 && word.parse::<u64>().is_err() && word.parse::<i64>().is_err()
    })
}

/// Writes each string of a text without needless escapes.
fn plain_strings(text: &str) -> serde_json::Result<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, string)) = rest.split_once('"') {
        let mut is_escaped = false;
        let end = string.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = !is_escaped && c == '\\';
            ends
        });
        let Some(end) = end else { break };
        let (string, after) = string.split_at(end);
        let decoded: String = serde_json::from_str(&format!("\"{string}\""))?;
        plain.push_str(before);
        plain.push_str(&Value::String(decoded).to_string());
        rest = after.get(1..).unwrap_or_default();
    }
    plain.push_str(rest);
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &str) -> Vec<(String, usize)> {
        // A small buffer cuts the texts anywhere.
        let mut texts = JsonTexts::new(io::BufReader::with_capacity(3, input.as_bytes()));
        std::iter::from_fn(|| texts.next_text().unwrap())
            .map(|(text, line)| (String::from_utf8(text).unwrap(), line))
            .collect()
    }

    #[test]
    fn values_are_told_apart() {
        let input = " {\"a]\\\"\": [1, \"}\"]}[2]\n\n3 \"x\"4\ntrue\n{\n}5";
        let wanted = [
            ("{\"a]\\\"\": [1, \"}\"]}", 1),
            ("[2]", 1),
            ("3", 3),
            ("\"x\"", 3),
            ("4", 3),
            ("true", 4),
            ("{\n}", 5),
            ("5", 6),
        ];
        assert_eq!(texts(input), wanted.map(|(text, line)| (text.to_owned(), line)));
        assert_eq!(texts("  \n"), []);
        assert_eq!(texts("[1, {"), [("[1, {".to_owned(), 1)]);
    }

    #[test]
    fn only_text_is_left_of_a_value_that_would_lose_something() {
        for (text, wanted) in [
            ("{\"a\": 1, \"a\": 2}", "{\"a\": 1, \"a\": 2}"),
            ("{\"\\u0061\": 1, \"a\": \"\\u0062\\\"\"}", "{\"a\": 1, \"a\": \"b\\\"\"}"),
            ("[1e999999]", "[1e999999]"),
            ("[123456789012345678901234567890]", "[123456789012345678901234567890]"),
            ("{\"n\": 0.12345678901234567891}", "{\"n\": 0.12345678901234567891}"),
        ] {
            let Ok(Parsed::OnlyText(plain)) = parsed(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(plain, wanted);
        }
        for whole in [
            "{\"a\": 1}",
            "[\"12345678-1234-1234-1234-123456789012\\\" 1\"]",
            "[4111111111111111, -4111111111111111, 0.123456789]",
        ] {
            assert!(matches!(parsed(whole.as_bytes()), Ok(Parsed::Whole(_))), "{whole}");
        }
        for bad in ["{\"a\": 1, \"a\": }", "[1e999999", "[1e999999 x]", "x", "{\"a\": 1, \"a\": 2]"] {
            assert!(parsed(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
