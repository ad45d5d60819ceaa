//! Parses words: quotes, escapes, and the expansions in them.

use super::ansi_c;
use super::cursor::Result;
use super::error::Unparsed;
use super::parser::{ShellParser, Syntax};
use super::tree::{Direction, Part, Word};

/// Parts of a word while it is parsed.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    pub(super) fn push(&mut self, part: Part) {
        self.0.push(part);
    }

    pub(super) fn text(&mut self, c: char, quoted: bool) {
        if let Some(Part::Literal { text, quoted: last }) = self.0.last_mut()
            && *last == quoted
        {
            text.push(c);
            return;
        }
        self.0.push(Part::Literal { text: c.into(), quoted });
    }

    /// Replaces the sign before a list of patterns by a wildcard: `!(a|b)` is the name of any file.
    fn pattern_list(&mut self) -> bool {
        let Some(Part::Literal { text, quoted: false }) = self.0.last_mut() else { return false };
        if !text.ends_with(['!', '@', '+', '*', '?']) {
            return false;
        }
        text.pop();
        text.push('*');
        true
    }

    /// Keeps the word if the quotes are empty.
    pub(super) fn quotes(&mut self) {
        self.0.push(Part::Literal { text: String::new(), quoted: true });
    }

    pub(super) fn finish(self) -> Vec<Part> {
        self.0
    }
}

impl ShellParser<'_> {
    /// Parses a word of at least one character.
    pub(super) fn word(&mut self) -> Result<Word> {
        self.word_of(false)
    }

    /// Parses an argument, in which a bracket may begin a list of patterns: `!(a|b)`.
    pub(super) fn argument(&mut self) -> Result<Word> {
        self.word_of(true)
    }

    fn word_of(&mut self, has_patterns: bool) -> Result<Word> {
        let start = self.cursor.position;
        let mut parts = Parts::default();
        while let Some(c) = self.cursor.peek() {
            match c {
                '(' if has_patterns && parts.pattern_list() => self.pattern_list()?,
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    if self.cursor.peek_second() != Some('(') {
                        break;
                    }
                    self.process(c, &mut parts)?;
                }
                _ => self.piece(c, &mut parts)?,
            }
        }
        if self.cursor.position == start {
            let reason =
                if self.cursor.rest().is_empty() { Unparsed::Unclosed } else { Unparsed::Unexpected };
            return Err(self.cursor.error(reason));
        }
        Ok(Word { parts: parts.finish(), span: self.cursor.span_from(start) })
    }

    /// Skips a list of patterns up to the bracket that closes it. Expansions in it would run.
    fn pattern_list(&mut self) -> Result<()> {
        let mut depth = 0_usize;
        while let Some(c) = self.cursor.next()? {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => return Ok(()),
                ')' => depth -= 1,
                '$' | '`' | '\n' | ';' | '<' | '>' => return Err(self.cursor.error(Unparsed::Unexpected)),
                _ => {}
            }
        }
        Err(self.cursor.error(Unparsed::Unclosed))
    }

    /// Parses the process substitution that starts here with `c`.
    pub(super) fn process(&mut self, c: char, parts: &mut Parts) -> Result<()> {
        let direction = if c == '<' { Direction::Read } else { Direction::Write };
        self.cursor.position += 2;
        let script = self.script()?;
        self.cursor.expect(")")?;
        parts.push(Part::Process { script, direction });
        Ok(())
    }

    /// Parses the next piece of a word outside of quotes, which starts with `c`.
    pub(super) fn piece(&mut self, c: char, parts: &mut Parts) -> Result<()> {
        match c {
            '\\' if self.syntax == Syntax::Bash => {
                self.cursor.next()?;
                match self.cursor.next()? {
                    Some('\n') => {}
                    Some(escaped) => parts.text(escaped, true),
                    None => parts.text('\\', true),
                }
            }
            '\'' => {
                self.cursor.next()?;
                parts.quotes();
                loop {
                    match self.cursor.next()? {
                        Some('\'') => return Ok(()),
                        Some(c) => parts.text(c, true),
                        None => return Err(self.cursor.error(Unparsed::Unclosed)),
                    }
                }
            }
            '"' => {
                self.cursor.next()?;
                self.double_quotes(parts)?;
            }
            '$' if self.cursor.starts_with("$'") => {
                self.cursor.position += 2;
                self.ansi_c(parts)?;
            }
            '$' if self.cursor.starts_with("$\"") => {
                self.cursor.position += 2;
                self.double_quotes(parts)?;
            }
            '$' => self.dollar(parts, false)?,
            '`' => self.backticks(parts, false)?,
            c => {
                self.cursor.next()?;
                parts.text(c, false);
            }
        }
        Ok(())
    }

    /// Parses the text after a double quote, up to the next one.
    fn double_quotes(&mut self, parts: &mut Parts) -> Result<()> {
        parts.quotes();
        loop {
            match self.cursor.peek() {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some('"') => {
                    self.cursor.next()?;
                    return Ok(());
                }
                Some(c) => self.quoted_piece(c, parts, "$`\"\\")?,
            }
        }
    }

    /// Parses the next piece inside of double quotes or of a here-document; a backslash escapes only the
    /// characters in `escapable`.
    pub(super) fn quoted_piece(&mut self, c: char, parts: &mut Parts, escapable: &str) -> Result<()> {
        match c {
            '\\' if self.syntax == Syntax::Bash => {
                self.cursor.next()?;
                match self.cursor.peek() {
                    Some('\n') => self.cursor.position += 1,
                    Some(c) if escapable.contains(c) => {
                        self.cursor.next()?;
                        parts.text(c, true);
                    }
                    _ => parts.text('\\', true),
                }
            }
            '$' => self.dollar(parts, true)?,
            '`' => self.backticks(parts, true)?,
            c => {
                self.cursor.next()?;
                parts.text(c, true);
            }
        }
        Ok(())
    }

    /// Parses the text after `$'`.
    fn ansi_c(&mut self, parts: &mut Parts) -> Result<()> {
        parts.quotes();
        loop {
            match self.cursor.next()? {
                Some('\'') => return Ok(()),
                Some('\\') => {
                    let escape = ansi_c::escape(self.cursor.rest());
                    self.cursor.spend(escape.length)?;
                    self.cursor.position += escape.length;
                    escape.text.chars().for_each(|c| parts.text(c, true));
                }
                Some(c) => parts.text(c, true),
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
            }
        }
    }
}
