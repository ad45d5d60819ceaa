//! Translates the JavaScript expression that Squad makes of a path pattern to one for an engine that runs in
//! linear time.
//!
//! Squad escapes only the point, and replaces every back slash and question mark. Of JavaScript's grammar
//! these parts remain: classes, groups, alternatives, `+`, counts, `^` and `$`. There are no back references,
//! no look-around and no lazy repetition. The rest describes a regular language, so any correct engine gives
//! the same result. Only the alphabet differs. JavaScript matches UTF-16 units, so `.` takes half of an
//! emoji. Here a unit that is not a character is represented by a character of the last private plane, in the
//! expression and in the text alike.

use std::borrow::Cow;
use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};

use super::javascript::JsError;

/// Largest compiled expression. JavaScript counts repetitions without unrolling them and has no such limit;
/// with it, `(a{1000}){1000}` is rejected, and every call that is matched against the pattern fails.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// Deepest nesting of groups. JavaScript allows thousands.
const MAX_OPEN_GROUPS: usize = 100;
/// Above the depth that `MAX_OPEN_GROUPS` leads to, as the engine counts it.
const ENGINE_NEST_LIMIT: u32 = 1_000;
/// As in V8: 2^15 - 1 groups in total.
const MAX_GROUPS: usize = 32_767;
/// V8's infinity: larger counts are reduced to it.
const MAX_COUNT: u32 = i32::MAX as u32;

const TOO_LARGE: &str = "Regular expression too large";
const NOTHING_TO_REPEAT: &str = "Nothing to repeat";

/// Compiles a JavaScript expression without flags.
///
/// # Errors
/// Returns `SyntaxError` in V8's wording, also for expressions that are valid there but exceed the limits
/// above.
pub(super) fn compile(source: &str) -> Result<Regex, JsError> {
    let refuse = |why: &'static str| JsError::bad_expression(source, why);
    let translated = Translator::new(source).run().map_err(refuse)?;
    RegexBuilder::new(&translated)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(ENGINE_NEST_LIMIT)
        .build()
        .map_err(|_| refuse(TOO_LARGE))
}

/// Converts a text to the alphabet of a compiled expression; borrows it unless it has characters of two
/// UTF-16 units.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    // Only the first byte of a character of four bytes is that large.
    if text.bytes().all(|byte| byte < 0xf0) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.encode_utf16().map(letter).collect())
}

/// Returns the character that represents a UTF-16 unit.
fn letter(unit: u16) -> char {
    let unit = u32::from(unit);
    // The units without a character of their own are D800 to DFFF; they map to 10D800 and up.
    char::from_u32(unit).or_else(|| char::from_u32(0x10_0000 + unit)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// One pass over the source, in V8's order, so that the same one of several errors is reported.
struct Translator {
    units: Vec<u16>,
    at: usize,
    out: String,
    open: usize,
    groups: usize,
}

impl Translator {
    fn new(source: &str) -> Self {
        Self { units: source.encode_utf16().collect(), at: 0, out: String::new(), open: 0, groups: 0 }
    }

    fn run(mut self) -> Result<String, &'static str> {
        while let Some(unit) = self.next() {
            if self.term(unit)? {
                self.repetition()?;
            }
        }
        if self.open > 0 {
            return Err("Unterminated group");
        }
        Ok(self.out)
    }

    fn peek(&self) -> Option<u16> {
        self.units.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u16> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    fn skip(&mut self, ascii: u8) -> bool {
        let found = self.peek() == Some(u16::from(ascii));
        self.at += usize::from(found);
        found
    }

    /// Translates the term that starts with `unit`; returns whether it may be repeated.
    fn term(&mut self, unit: u16) -> Result<bool, &'static str> {
        match ascii(unit) {
            Some(b'^') => self.out.push_str(r"\A"),
            Some(b'$') => self.out.push_str(r"\z"),
            Some(b'|') => self.out.push('|'),
            Some(b'(') => self.open_group()?,
            Some(b'*' | b'+' | b'?') => return Err(NOTHING_TO_REPEAT),
            Some(b'{') if self.count().is_some() => return Err(NOTHING_TO_REPEAT),
            Some(b')') => {
                self.open = self.open.checked_sub(1).ok_or("Unmatched ')'")?;
                self.out.push(')');
                return Ok(true);
            }
            Some(b'[') => {
                self.class()?;
                return Ok(true);
            }
            Some(b'.') => {
                self.out.push_str(r"[^\n\r\x{2028}\x{2029}]");
                return Ok(true);
            }
            // Only a point is ever escaped.
            Some(b'\\') => {
                let escaped = self.next().ok_or("\\ at end of pattern")?;
                push_letter(&mut self.out, letter(escaped));
                return Ok(true);
            }
            _ => {
                push_letter(&mut self.out, letter(unit));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn open_group(&mut self) -> Result<(), &'static str> {
        self.groups += 1;
        if self.groups > MAX_GROUPS {
            return Err("Too many captures");
        }
        self.open += 1;
        if self.open > MAX_OPEN_GROUPS {
            return Err(TOO_LARGE);
        }
        self.out.push_str("(?:");
        Ok(())
    }

    /// Translates the repetition after a term, if there is one.
    fn repetition(&mut self) -> Result<(), &'static str> {
        if self.skip(b'*') {
            self.out.push('*');
        } else if self.skip(b'+') {
            self.out.push('+');
        } else if self.skip(b'{') {
            let Some((least, most)) = self.count() else {
                self.at -= 1; // a brace without a count is the next term
                return Ok(());
            };
            // Writing to a `String` cannot fail.
            let _ = match most {
                Some(most) if most < least => return Err("numbers out of order in {} quantifier"),
                Some(most) => write!(self.out, "{{{least},{most}}}"),
                None => write!(self.out, "{{{least},}}"),
            };
        }
        Ok(())
    }

    /// Parses the rest of `{n}`, `{n,}` or `{n,m}`; consumes nothing if it is something else.
    fn count(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.at;
        let found = self.try_count();
        if found.is_none() {
            self.at = start;
        }
        found
    }

    fn try_count(&mut self) -> Option<(u32, Option<u32>)> {
        let least = self.number()?;
        let most = match self.skip(b',') {
            false => Some(least),
            true => self.number(),
        };
        self.skip(b'}').then_some((least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.peek().and_then(ascii) {
            self.at += 1;
            let value = number.unwrap_or(0_u32);
            number = Some(value.saturating_mul(10).saturating_add(u32::from(digit - b'0')).min(MAX_COUNT));
        }
        number
    }

    /// Parses the rest of a class.
    fn class(&mut self) -> Result<(), &'static str> {
        const UNTERMINATED: &str = "Unterminated character class";
        let negated = self.skip(b'^');
        let mut members = String::new();
        while !self.skip(b']') {
            let first = self.member().ok_or(UNTERMINATED)?;
            if !self.skip(b'-') {
                push_range(&mut members, first, first);
            } else if self.peek() == Some(u16::from(b']')) {
                push_range(&mut members, first, first);
                push_range(&mut members, u16::from(b'-'), u16::from(b'-'));
            } else {
                let last = self.member().ok_or(UNTERMINATED)?;
                if first > last {
                    return Err("Range out of order in character class");
                }
                push_range(&mut members, first, last);
            }
        }
        match (negated, members.is_empty()) {
            (false, false) => write!(self.out, "[{members}]"),
            (true, false) => write!(self.out, "[^{members}]"),
            // In JavaScript an empty class matches nothing, and its negation anything.
            (false, true) => write!(self.out, r"[^\x00-\x{{10FFFF}}]"),
            (true, true) => write!(self.out, r"[\x00-\x{{10FFFF}}]"),
        }
        .map_err(|_| TOO_LARGE)
    }

    fn member(&mut self) -> Option<u16> {
        self.skip(b'\\');
        self.next()
    }
}

fn ascii(unit: u16) -> Option<u8> {
    u8::try_from(unit).ok().filter(u8::is_ascii)
}

/// Writes a range of units in up to three pieces: below, among and above the units without a character.
fn push_range(out: &mut String, first: u16, last: u16) {
    for (low, high) in [(0, 0xd7ff), (0xd800, 0xdfff), (0xe000, 0xffff)] {
        let (low, high) = (first.max(low), last.min(high));
        if low <= high {
            push_letter(out, letter(low));
            out.push('-');
            push_letter(out, letter(high));
        }
    }
}

fn push_letter(out: &mut String, letter: char) {
    if letter.is_ascii_alphanumeric() {
        out.push(letter);
    } else {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\x{{{:X}}}", u32::from(letter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(source: &str, text: &str) -> bool {
        compile(source).unwrap().is_match(&encode(text))
    }

    fn fault(source: &str) -> String {
        let error = compile(source).unwrap_err();
        assert_eq!(error.name(), "SyntaxError");
        error.message().strip_prefix(&format!("Invalid regular expression: /{source}/: ")).unwrap().to_owned()
    }

    #[test]
    fn faults_are_worded_as_in_v8() {
        let cases = [
            ("^a++$", "Nothing to repeat"),
            ("^(+a)$", "Nothing to repeat"),
            ("^a|+$", "Nothing to repeat"),
            ("^+$", "Nothing to repeat"),
            ("^{2}$", "Nothing to repeat"),
            ("^a{2}{3}$", "Nothing to repeat"),
            ("^a{2,1}$", "numbers out of order in {} quantifier"),
            ("^a{99999999999,5}$", "numbers out of order in {} quantifier"),
            ("^a)$", "Unmatched ')'"),
            ("^(a$", "Unterminated group"),
            ("^[a$", "Unterminated character class"),
            ("^[b-a]$", "Range out of order in character class"),
            ("^[b-a$", "Range out of order in character class"),
        ];
        for (source, want) in cases {
            assert_eq!(fault(source), want, "{source}");
        }
        assert_eq!(fault(&format!("^{}$", "()".repeat(40_000))), "Too many captures");
    }

    #[test]
    fn braces_that_count_nothing_are_literal() {
        assert!(matches("^{a,b}]}$", "{a,b}]}"));
        assert!(matches("^a{,2}$", "a{,2}"));
        assert!(matches("^a{2$", "a{2"));
        assert!(matches("^a{2}$", "aa"));
        assert!(matches("^a{1,}b{0}$", "aaa"));
        assert!(!matches("^a{2,3}$", "aaaa"));
    }

    #[test]
    fn units_not_characters() {
        assert!(!matches("^.$", "😀"));
        assert!(matches("^..$", "😀"));
        assert!(matches("^[^/]{2}$", "😀"));
        assert!(matches("^😀$", "😀"));
        // The repetition applies only to the second half.
        assert!(matches("^😀+$", "😀"));
        assert!(!matches("^😀+$", "😀😀"));
        // A class contains the halves.
        assert!(matches("^[😀]{2}$", "😀"));
        assert!(!matches("^[😀]$", "😀"));
        assert!(matches("^[a-\u{ffff}]+$", "😀z\u{e000}"));
        assert!(matches("^\u{10d83d}$", "\u{10d83d}"));
        assert!(!matches("^\u{10d83d}$", "😀"));
    }

    #[test]
    fn classes() {
        assert!(!matches("^[]a]$", "a]") && !matches("^[]$", ""));
        assert!(matches("^[^]$", "\n"));
        assert!(matches("^[a-]$", "-"));
        assert!(matches(r"^[a\.b]$", "."));
        assert!(matches("^[[^/]*]$", "[^]"));
        assert!(!matches("^[[^/]*]$", "a]"));
        assert!(matches("^[&&~~]$", "&"));
    }

    #[test]
    fn anchors_and_alternatives_are_where_they_stand() {
        assert!(matches("^src/a|lib$", "/var/lib"));
        assert!(matches("^src/a|lib$", "src/abc"));
        assert!(!matches("^a$b$", "ab"));
        assert!(matches("^(^a|b$)+$", "ab"));
        assert!(!matches("^a$", "a\n"));
        assert!(matches("^()+(a|)$", ""));
    }

    #[test]
    fn what_is_too_large_is_refused_quickly() {
        assert_eq!(fault("^(a{1000}){1000}$"), TOO_LARGE);
        assert_eq!(fault("^a{99999999999}$"), TOO_LARGE);
        assert_eq!(fault(&format!("^{}a{}$", "(".repeat(5_000), ")".repeat(5_000))), TOO_LARGE);
        assert!(matches(&format!("^{}a{}$", "(".repeat(100), "){1}".repeat(100)), "a"));
        assert!(matches("^(){99999999999}$", ""));
    }
}
