//! Parses groups, loops, conditions and tests.

use super::cursor::Result;
use super::error::Unparsed;
use super::expansion::arithmetic_length;
use super::parser::{ShellParser, is_name};
use super::tree::Compound;

impl ShellParser<'_> {
    /// Parses a compound command, if one starts here.
    pub(super) fn compound(&mut self) -> Result<Option<Compound>> {
        if self.cursor.starts_with("((") {
            let rest = self.cursor.rest().get(2..).unwrap_or_default();
            let length = arithmetic_length(rest);
            self.cursor.spend(length.unwrap_or(rest.len()))?;
            if let Some(length) = length {
                self.cursor.position += 2;
                let word = self.arithmetic(length)?;
                return Ok(Some(Compound { words: Some(vec![word]), ..Compound::default() }));
            }
        }
        if self.cursor.eat("(") {
            let body = self.script()?;
            self.cursor.expect(")")?;
            return Ok(Some(Compound { bodies: vec![body], subshell: true, ..Compound::default() }));
        }
        let word = self.plain_word();
        let compound = match word {
            "{" => {
                self.cursor.position += 1;
                let body = self.script()?;
                self.keyword("}")?;
                Compound { bodies: vec![body], ..Compound::default() }
            }
            "if" => self.condition()?,
            "while" | "until" => {
                self.cursor.position += word.len();
                let condition = self.script()?;
                self.keyword("do")?;
                let body = self.script()?;
                self.keyword("done")?;
                Compound { bodies: vec![condition, body], ..Compound::default() }
            }
            "for" | "select" => {
                self.cursor.position += word.len();
                self.loop_over_words()?
            }
            "case" => self.case()?,
            "[[" => self.test()?,
            _ => return Ok(None),
        };
        Ok(Some(compound))
    }

    fn condition(&mut self) -> Result<Compound> {
        self.keyword("if")?;
        let mut bodies = vec![self.script()?];
        self.keyword("then")?;
        loop {
            bodies.push(self.script()?);
            match self.plain_word() {
                "elif" => {
                    self.keyword("elif")?;
                    bodies.push(self.script()?);
                    self.keyword("then")?;
                }
                "else" => self.keyword("else")?,
                _ => {
                    self.keyword("fi")?;
                    return Ok(Compound { bodies, ..Compound::default() });
                }
            }
        }
    }

    /// `for x in a b; do …; done`, `for ((…)); do …; done`, and `select`.
    fn loop_over_words(&mut self) -> Result<Compound> {
        let mut compound = Compound::default();
        self.blanks()?;
        if self.cursor.starts_with("((") {
            compound = self.compound()?.unwrap_or_default();
        } else {
            let name = self.plain_word();
            if !is_name(name) {
                return Err(self.cursor.error(Unparsed::Unexpected));
            }
            self.cursor.position += name.len();
            compound.variable = Some(name.to_owned());
            self.blanks_and_lines()?;
            if self.plain_word() == "in" {
                self.keyword("in")?;
                let mut words = Vec::new();
                loop {
                    self.blanks()?;
                    if matches!(self.cursor.peek(), None | Some('\n' | ';')) {
                        break;
                    }
                    words.push(self.word()?);
                }
                compound.words = Some(words);
            }
        }
        self.blanks()?;
        self.cursor.eat(";");
        self.blanks_and_lines()?;
        let closing = if self.plain_word() == "{" { ("{", "}") } else { ("do", "done") };
        self.keyword(closing.0)?;
        compound.bodies.push(self.script()?);
        self.keyword(closing.1)?;
        Ok(compound)
    }

    fn case(&mut self) -> Result<Compound> {
        self.keyword("case")?;
        self.blanks()?;
        let mut words = vec![self.word()?];
        let mut bodies = Vec::new();
        self.blanks_and_lines()?;
        self.keyword("in")?;
        loop {
            self.blanks_and_lines()?;
            if self.plain_word() == "esac" {
                self.keyword("esac")?;
                return Ok(Compound { words: Some(words), bodies, ..Compound::default() });
            }
            self.cursor.eat("(");
            loop {
                self.blanks()?;
                words.push(self.word()?);
                self.blanks()?;
                if !self.cursor.eat("|") {
                    break;
                }
            }
            self.cursor.expect(")")?;
            bodies.push(self.script()?);
            let _ended = self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&");
        }
    }

    /// `[[ … ]]`: its operators are not redirections.
    fn test(&mut self) -> Result<Compound> {
        self.keyword("[[")?;
        let mut words = Vec::new();
        loop {
            self.blanks_and_lines()?;
            if self.plain_word() == "]]" {
                self.keyword("]]")?;
                return Ok(Compound { words: Some(words), ..Compound::default() });
            }
            match self.cursor.peek() {
                None => return Err(self.cursor.error(Unparsed::Unclosed)),
                Some('(' | ')' | '<' | '>' | '&' | '|' | ';') => {
                    self.cursor.next()?;
                }
                Some(_) => words.push(self.word()?),
            }
        }
    }

    /// Expects a word at this position.
    fn keyword(&mut self, word: &str) -> Result<()> {
        self.blanks_and_lines()?;
        if self.plain_word() != word {
            let reason =
                if self.cursor.rest().is_empty() { Unparsed::Unclosed } else { Unparsed::Unexpected };
            return Err(self.cursor.error(reason));
        }
        self.cursor.expect(word)
    }
}
