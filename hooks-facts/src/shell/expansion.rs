//! Expansions that start with `$` or a backtick.

use super::cursor::Result;
use super::error::Unparsed;
use super::parser::ShellParser;
use super::tree::{Part, Value, Word};
use super::word::Parts;

impl ShellParser<'_> {
    /// Parses the expansion that starts here with `$`.
    pub(super) fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Result<()> {
        self.cursor.next()?;
        match self.cursor.peek() {
            Some('(') => {
                if self.cursor.starts_with("((") {
                    let rest = self.cursor.rest().get(2..).unwrap_or_default();
                    let length = arithmetic_length(rest);
                    self.cursor.spend(length.unwrap_or(rest.len()))?;
                    if let Some(length) = length {
                        self.cursor.position += 2;
                        parts.push(Part::Arithmetic(self.arithmetic(length)?));
                        return Ok(());
                    }
                }
                self.cursor.next()?;
                let script = self.script()?;
                self.cursor.expect(")")?;
                parts.push(Part::Substitution { script, quoted });
            }
            Some('[') => {
                // The old form of arithmetic.
                self.cursor.next()?;
                let word = self.until(']')?;
                parts.push(Part::Arithmetic(word));
            }
            Some('{') => {
                self.cursor.next()?;
                let part = self.parameter(quoted)?;
                parts.push(part);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let rest = self.cursor.rest();
                let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                self.cursor.spend(length)?;
                self.cursor.position += length;
                let name = rest.get(..length).unwrap_or_default().to_owned();
                parts.push(Part::Variable { name, quoted, value: Value::Plain });
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.cursor.next()?;
                parts.push(Part::Variable { name: c.into(), quoted, value: Value::Plain });
            }
            _ => parts.text('$', quoted),
        }
        Ok(())
    }

    /// Parses the expansion after `${`.
    fn parameter(&mut self, quoted: bool) -> Result<Part> {
        // `${!x}` is the value of the variable that x names, `${#x}` is a length: neither is the value of x.
        let changed = (self.cursor.starts_with("!") || self.cursor.starts_with("#"))
            && self.cursor.peek_second() != Some('}');
        if changed {
            self.cursor.next()?;
        }
        let rest = self.cursor.rest();
        let length = match rest.chars().next() {
            Some(c) if "@*#?$!-".contains(c) => 1,
            _ => rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count(),
        };
        self.cursor.spend(length)?;
        self.cursor.position += length;
        let name = rest.get(..length).unwrap_or_default().to_owned();
        let mut value = Value::Plain;
        if self.cursor.eat("[") {
            let index = self.until(']')?;
            value = match index.literal() {
                Some(index) => Value::Element(index),
                None => Value::Changed(index),
            };
        }
        if changed || name.is_empty() {
            let mut word = self.until('}')?;
            // It must not be taken for a change of the value of `name` itself.
            word.parts.insert(0, Part::Literal { text: "!".to_owned(), quoted: false });
            return Ok(Part::Variable { name, quoted, value: Value::Changed(word) });
        }
        if self.cursor.eat("}") {
            return Ok(Part::Variable { name, quoted, value });
        }
        self.cursor.eat(":");
        let operator = self.cursor.peek();
        if matches!(operator, Some('-' | '=' | '+')) {
            self.cursor.next()?;
        }
        let word = self.until('}')?;
        let value = match operator {
            Some('-' | '=') => Value::Default(word),
            Some('+') => Value::Alternative(word),
            _ => Value::Changed(word),
        };
        Ok(Part::Variable { name, quoted, value })
    }

    /// Parses pieces up to a bracket, and consumes the bracket.
    fn until(&mut self, close: char) -> Result<Word> {
        self.cursor.enter()?;
        let start = self.cursor.position;
        let mut parts = Parts::default();
        loop {
            match self.cursor.peek() {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some(c) if c == close => break,
                Some(c) => self.piece(c, &mut parts)?,
            }
        }
        let span = self.cursor.span_from(start);
        self.cursor.next()?;
        self.cursor.leave();
        Ok(Word { parts: parts.finish(), span })
    }

    /// Parses arithmetic of this length, with its closing brackets.
    pub(super) fn arithmetic(&mut self, length: usize) -> Result<Word> {
        self.cursor.enter()?;
        let start = self.cursor.position;
        let end = start + length;
        let mut parts = Parts::default();
        while self.cursor.position < end {
            match self.cursor.peek() {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some(c) => self.piece(c, &mut parts)?,
            }
        }
        let span = self.cursor.span_from(start);
        self.cursor.expect("))")?;
        self.cursor.leave();
        Ok(Word { parts: parts.finish(), span })
    }

    /// Parses the substitution in backticks that starts here.
    pub(super) fn backticks(&mut self, parts: &mut Parts, quoted: bool) -> Result<()> {
        self.cursor.next()?;
        let mut text = String::new();
        loop {
            match self.cursor.next()? {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some('`') => break,
                Some('\\') => match self.cursor.next()? {
                    Some(c @ ('`' | '\\' | '$')) => text.push(c),
                    Some('"') if quoted => text.push('"'),
                    Some(c) => text.extend(['\\', c]),
                    None => text.push('\\'),
                },
                Some(c) => text.push(c),
            }
        }
        self.cursor.enter()?;
        let mut inner =
            ShellParser { cursor: self.cursor.nested(&text), syntax: self.syntax, pending: Vec::new() };
        let read = inner.script().and_then(|script| inner.documents().map(|()| script));
        let (steps, finished) = (inner.cursor.steps, inner.cursor.rest().is_empty());
        self.cursor.steps = steps;
        match read {
            Ok(script) if finished => parts.push(Part::Substitution { script, quoted }),
            Ok(_) => return Err(self.cursor.error(Unparsed::Unexpected)),
            Err(error) => return Err(self.cursor.error(error.reason)),
        }
        self.cursor.leave();
        Ok(())
    }
}

/// Returns the distance from `((` to its `))`, with matching brackets in between; `None` if it is not
/// arithmetic but a group in a group.
pub(super) fn arithmetic_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                bytes.next();
            }
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'\'' | b'"', None) => quote = Some(byte),
            (b'(', None) => depth += 1,
            (b')', None) if depth > 0 => depth -= 1,
            (b')', None) => return text.get(at + 1..).filter(|rest| rest.starts_with(')')).map(|_| at),
            _ => {}
        }
    }
    None
}
