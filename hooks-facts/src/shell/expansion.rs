//! Expansions that start with `$` or a backtick.

use super::cursor::Result;
use super::error::Unparsed;
use super::parser::ShellParser;
use super::tree::{Part, Value, Word};
use super::word::Parts;

/// Place of a piece inside of an expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The word of `${x:-…}`, `${x:+…}` and the like.
    Text,
    /// The same in double quotes or in a here-document, where single quotes are text.
    QuotedText,
    /// A pattern or an offset that changes a value.
    Change,
    /// The same in double quotes.
    QuotedChange,
    /// Arithmetic or a subscript. Shells expand its text again.
    Number,
}

impl Inside {
    /// Returns whether shells may find a command, or another end of the expansion, in the quotes or behind the backslash of a
    /// piece.
    fn is_doubtful(self, piece: &str) -> bool {
        let held: &[char] = match self {
            Self::Text => return false,
            Self::QuotedText => &['$', '`', '"', '}'],
            Self::Change => &['$', '`'],
            Self::QuotedChange => &['$', '`', '"', '}'],
            Self::Number => &['$', '`', '"', ']', '(', ')'],
        };
        let ansi = piece.strip_prefix("$'");
        let quoted = ansi.or_else(|| piece.strip_prefix('\''));
        match quoted {
            Some(text) => {
                let text = text.strip_suffix('\'').unwrap_or(text);
                text.contains(held) || ansi.is_some() && text.contains('\\')
            }
            None => self != Self::QuotedText && matches!(piece, "\\$" | "\\`"),
        }
    }
}

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
                let word = self.until(']', Inside::Number)?;
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
        // `${ C; }` and `${| C; }` run commands in some shells, `${(e)x}` those in the value.
        let flags = self.cursor.rest().strip_prefix('(').and_then(|rest| rest.split(')').next());
        if self.cursor.peek().is_some_and(|c| c.is_whitespace() || c == '|')
            || flags.is_some_and(|flags| flags.contains('e'))
        {
            return Err(self.cursor.error(Unparsed::Unexpected));
        }
        // `${!x}` is the value of the variable that x names, `${#x}` is a length: neither is the value of x.
        let mut changed = match self.cursor.peek() {
            _ if self.cursor.peek_second() == Some('}') => None,
            Some('!') => Some(Value::Indirect),
            Some('#') => Some(Value::Length),
            _ => None,
        };
        if changed.is_some() {
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
        // What a subscript runs, it runs whatever is behind it.
        let mut run = Vec::new();
        if self.cursor.eat("[") {
            let index = self.until(']', Inside::Number)?;
            value = match index.literal() {
                Some(index) => Value::Element(index),
                None => {
                    run.clone_from(&index.parts);
                    Value::Changed(index)
                }
            };
        }
        let other = if quoted { Inside::QuotedChange } else { Inside::Change };
        let is_plain = matches!(value, Value::Plain) && !name.is_empty();
        if is_plain && let Some(value) = changed.take_if(|_| self.cursor.eat("}")) {
            return Ok(Part::Variable { name, quoted, value });
        }
        if changed.is_some() || name.is_empty() {
            let mut word = self.until('}', other)?;
            // It must not be taken for a change of the value of `name` itself.
            word.parts
                .splice(0..0, [Part::Literal { text: "!".to_owned(), quoted: false }].into_iter().chain(run));
            return Ok(Part::Variable { name, quoted, value: Value::Changed(word) });
        }
        if self.cursor.eat("}") {
            return Ok(Part::Variable { name, quoted, value });
        }
        self.cursor.eat(":");
        let operator = self.cursor.peek().filter(|operator| matches!(operator, '-' | '=' | '+' | '?'));
        if operator.is_some_and(|operator| operator != '?') {
            self.cursor.next()?;
        }
        let inside = match operator {
            Some(_) if quoted => Inside::QuotedText,
            Some(_) => Inside::Text,
            None => other,
        };
        let mut word = self.until('}', inside)?;
        let is_subscripted = !run.is_empty();
        word.parts.splice(0..0, run);
        let value = match operator {
            Some('-') if !is_subscripted => Value::Default(word),
            Some('=') if !is_subscripted => Value::Assigned(word),
            Some('+') if !is_subscripted => Value::Alternative(word),
            _ => Value::Changed(word),
        };
        Ok(Part::Variable { name, quoted, value })
    }

    /// Parses a piece of an expansion. Where shells differ in what its quotes mean, they may not hold what may be a command.
    fn piece_inside(&mut self, c: char, parts: &mut Parts, inside: Inside) -> Result<()> {
        if matches!(c, '<' | '>') && self.cursor.peek_second() == Some('(') {
            match inside {
                Inside::Text | Inside::Change => return self.process(c, parts),
                Inside::QuotedChange => return Err(self.cursor.error(Unparsed::Quotes)),
                Inside::QuotedText | Inside::Number => {}
            }
        }
        let rest = self.cursor.rest();
        self.piece(c, parts)?;
        let piece = rest.get(..rest.len() - self.cursor.rest().len()).unwrap_or_default();
        if inside.is_doubtful(piece) { Err(self.cursor.error(Unparsed::Quotes)) } else { Ok(()) }
    }

    /// Parses pieces up to a bracket, and consumes the bracket.
    fn until(&mut self, close: char, inside: Inside) -> Result<Word> {
        self.cursor.enter()?;
        let start = self.cursor.position;
        let mut parts = Parts::default();
        loop {
            match self.cursor.peek() {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some(c) if c == close => break,
                Some(c) => self.piece_inside(c, &mut parts, inside)?,
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
                Some(c) => self.piece_inside(c, &mut parts, Inside::Number)?,
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
