//! Parses lists, pipelines and simple commands.

use super::cursor::{Cursor, Result};
use super::document::Pending;
use super::error::{Unanalysable, Unparsed};
use super::tree::{
    AssignedValue, Assignment, Command, Document, Function, Join, Part, Pipeline, Redirection,
    RedirectionKind, Script, Simple, Word,
};

/// Syntax of a text.
///
/// ```
/// use hooks_facts::shell::{Command, Syntax, read};
///
/// let word = |syntax| match &read(r"type a\b", syntax).unwrap().pipelines[0].stages[0] {
///     Command::Simple(simple) => simple.words[1].literal(),
///     _ => None,
/// };
/// assert_eq!(word(Syntax::Bash).as_deref(), Some("ab"));
/// assert_eq!(word(Syntax::Windows).as_deref(), Some(r"a\b"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// As bash parses it.
    #[default]
    Bash,
    /// As bash, but a backslash is an ordinary character: close enough to a Windows shell for its programs
    /// and words.
    Windows,
}

/// Parses a text.
///
/// # Errors
/// Returns an error if the text cannot be parsed, or exceeds the limits.
///
/// ```
/// use hooks_facts::shell::{Unparsed, Syntax, read};
///
/// let script = read("make && ./deploy", Syntax::Bash).unwrap();
/// assert_eq!(script.pipelines.len(), 2);
/// let error = read("echo 'x", Syntax::Bash).unwrap_err();
/// assert_eq!(error.reason, Unparsed::Unclosed);
/// assert!(error.to_string().contains("something is opened and never closed"));
/// ```
pub fn read(text: &str, syntax: Syntax) -> std::result::Result<Script, Unanalysable> {
    let mut reader = ShellParser { cursor: Cursor::new(text)?, syntax, pending: Vec::new() };
    let script = reader.script()?;
    reader.documents()?;
    if reader.cursor.rest().is_empty() { Ok(script) } else { Err(reader.cursor.error(Unparsed::Unexpected)) }
}

/// Parses one text; other parts of its work are in the other files of this module.
pub(super) struct ShellParser<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) syntax: Syntax,
    /// Here-documents whose text starts after the next line break.
    pub(super) pending: Vec<Pending>,
}

/// Words that end a list.
const CLOSING: &[&str] = &["then", "do", "done", "fi", "elif", "else", "esac", "}"];

/// Builtins whose arguments are assignments.
const DECLARING: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

impl<'t> ShellParser<'t> {
    /// Parses commands up to the end, a closing word or a bracket.
    pub(super) fn script(&mut self) -> Result<Script> {
        self.cursor.enter()?;
        let mut script = Script::default();
        loop {
            self.blanks_and_lines()?;
            if self.cursor.rest().is_empty()
                || self.cursor.starts_with(")")
                || self.cursor.starts_with(";;")
                || self.cursor.starts_with(";&")
            {
                break;
            }
            if CLOSING.contains(&self.plain_word()) {
                break;
            }
            let mut pipeline = self.pipeline()?;
            self.blanks()?;
            let join = self.join();
            pipeline.join = join.unwrap_or_default();
            script.pipelines.push(pipeline);
            let joined = join.is_some();
            let at_end = matches!(self.cursor.peek(), None | Some(')' | '\n' | ';'))
                || CLOSING.contains(&self.plain_word());
            if !joined && !at_end {
                return Err(self.cursor.error(Unparsed::Unexpected));
            }
        }
        self.cursor.leave();
        Ok(script)
    }

    /// Parses the operator between two pipelines, if there is one.
    fn join(&mut self) -> Option<Join> {
        let ends_case = self.cursor.starts_with(";;") || self.cursor.starts_with(";&");
        let signs = [("&&", Join::And), ("||", Join::Or), (";", Join::Then), ("&", Join::Background)];
        let mut signs = signs.into_iter().filter(|_| !ends_case);
        signs.find_map(|(sign, join)| self.cursor.eat(sign).then_some(join))
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        self.prefixes(&mut pipeline)?;
        loop {
            self.blanks_and_lines()?;
            pipeline.stages.push(self.command()?);
            self.blanks()?;
            if self.cursor.starts_with("||") || !self.cursor.eat("|") {
                return Ok(pipeline);
            }
            self.cursor.eat("&");
        }
    }

    /// Consumes words that may precede a command and do not change the programs that run.
    fn prefixes(&mut self, pipeline: &mut Pipeline) -> Result<()> {
        loop {
            self.blanks()?;
            let word = self.plain_word();
            match word {
                "!" => {
                    pipeline.hides_exit_code = true;
                    self.cursor.position += 1;
                }
                "time" | "coproc" => {
                    self.cursor.position += word.len();
                    self.blanks()?;
                    if word == "time" {
                        while matches!(self.plain_word(), "-p" | "--") {
                            self.cursor.position += 2;
                            self.blanks()?;
                        }
                    } else {
                        (pipeline.hides_exit_code, pipeline.is_coprocess) = (true, true);
                        self.name_of_coprocess()?;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Consumes the name in `coproc NAME { …; }`, which is not one of the command's words.
    fn name_of_coprocess(&mut self) -> Result<()> {
        let start = self.cursor.position;
        let word = self.plain_word();
        self.cursor.position += word.len();
        self.blanks()?;
        let compound = self.cursor.starts_with("(") || self.plain_word() == "{";
        if !(is_name(word) && compound) {
            self.cursor.position = start;
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command> {
        self.cursor.enter()?;
        let command = match self.compound()? {
            Some(mut compound) => {
                self.redirections(&mut compound.redirections)?;
                Command::Compound(compound)
            }
            None if self.plain_word() == "function" => self.function_keyword()?,
            None => self.simple()?,
        };
        self.cursor.leave();
        Ok(command)
    }

    fn function_keyword(&mut self) -> Result<Command> {
        self.cursor.expect("function")?;
        self.blanks()?;
        let name = self.plain_word();
        self.cursor.position += name.len();
        self.blanks()?;
        if self.cursor.eat("(") {
            self.blanks()?;
            self.cursor.expect(")")?;
        }
        self.function(name.to_owned())
    }

    fn function(&mut self, name: String) -> Result<Command> {
        self.blanks_and_lines()?;
        if name.is_empty() {
            return Err(self.cursor.error(Unparsed::Unexpected));
        }
        let body = self.command()?;
        Ok(Command::Function(Function { name, body: body.into() }))
    }

    fn simple(&mut self) -> Result<Command> {
        let start = self.cursor.position;
        let mut simple = Simple::default();
        loop {
            self.blanks()?;
            if self.redirection(&mut simple.redirections)? {
                continue;
            }
            match self.cursor.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                Some('(') => {
                    let name = match simple.words.as_slice() {
                        [name] if simple.assignments.is_empty() => name.literal(),
                        _ => None,
                    };
                    let Some(name) = name else { return Err(self.cursor.error(Unparsed::Unexpected)) };
                    self.cursor.expect("(")?;
                    self.blanks()?;
                    self.cursor.expect(")")?;
                    return self.function(name);
                }
                Some(_) => {}
            }
            if let Some(assignment) = self.assignment(&simple)? {
                simple.assignments.push(assignment);
            } else if simple.words.is_empty() {
                simple.words.push(self.word()?);
            } else {
                simple.words.push(self.argument()?);
            }
        }
        simple.span = self.cursor.span_from(start);
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return Err(self.cursor.error(Unparsed::Unexpected));
        }
        Ok(Command::Simple(simple))
    }

    /// Parses an assignment, if the next word is one.
    fn assignment(&mut self, simple: &Simple) -> Result<Option<Assignment>> {
        let rest = self.cursor.rest();
        let name_length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let Some(name) = rest.get(..name_length).filter(|name| is_name(name)) else { return Ok(None) };
        let mut after = rest.get(name_length..).unwrap_or_default();
        let mut length = name_length;
        let mut element = false;
        if after.starts_with('[') {
            let Some(index) = subscript(after) else {
                let is_doubtful = simple.words.is_empty() && is_doubtful_index(after, true);
                return if is_doubtful { Err(self.cursor.error(Unparsed::Quotes)) } else { Ok(None) };
            };
            self.cursor.spend(index.len())?;
            let close = index.len() + 1;
            // Bash reads it as a subscript. Other shells end the word there, so it is parsed as words.
            let ends_word = index.contains([' ', '\t', '\n', ';', '&', '|', '<', '>']);
            let is_assigned = is_assigned(after.get(close + 1..).unwrap_or_default());
            if is_assigned && is_doubtful_index(index, ends_word) {
                return Err(self.cursor.error(Unparsed::Quotes));
            }
            if ends_word {
                return Ok(None);
            }
            element = true;
            length += close + 1;
            after = after.get(close + 1..).unwrap_or_default();
        }
        let appends = after.starts_with("+=");
        if !appends && !after.starts_with('=') {
            return Ok(None);
        }
        let sign = if appends { 2 } else { 1 };
        let is_list = after.get(sign..).is_some_and(|value| value.starts_with('('));
        let first = simple.words.first().and_then(Word::literal);
        let declares = first.is_some_and(|first| DECLARING.contains(&first.as_str()));
        if !(simple.words.is_empty() || is_list || declares) {
            return Ok(None);
        }
        self.cursor.position += length + sign;
        let value =
            if is_list { AssignedValue::List(self.list()?) } else { AssignedValue::Word(self.value()?) };
        Ok(Some(Assignment { name: name.to_owned(), appends, element, value }))
    }

    /// Parses the value of an assignment, which may be empty.
    fn value(&mut self) -> Result<Word> {
        match self.cursor.peek() {
            None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | ')') => Ok(Word::default()),
            Some(_) => self.word(),
        }
    }

    /// Parses the list `(a b c)` of an array.
    fn list(&mut self) -> Result<Vec<Word>> {
        self.cursor.expect("(")?;
        let mut words = Vec::new();
        loop {
            self.blanks_and_lines()?;
            if self.cursor.eat(")") {
                return Ok(words);
            }
            if let Some(index) = subscript(self.cursor.rest()) {
                self.cursor.spend(index.len())?;
                let after = self.cursor.rest().get(index.len() + 2..).unwrap_or_default();
                if is_assigned(after) && is_doubtful_index(index, true) {
                    return Err(self.cursor.error(Unparsed::Quotes));
                }
                if after.starts_with('=') && index.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    let key = format!("[{index}]=");
                    self.cursor.position += key.len();
                    let mut word = self.value()?;
                    word.parts.insert(0, Part::Literal { text: key, quoted: true });
                    words.push(word);
                    continue;
                }
            }
            words.push(self.word()?);
        }
    }

    fn redirections(&mut self, redirections: &mut Vec<Redirection>) -> Result<()> {
        loop {
            self.blanks()?;
            if !self.redirection(redirections)? {
                return Ok(());
            }
        }
    }

    /// Parses one redirection, if there is one at this position.
    fn redirection(&mut self, redirections: &mut Vec<Redirection>) -> Result<bool> {
        use RedirectionKind::{Append, Duplicate, HereDocument, HereString, Read, ReadWrite, Write};
        let start = self.cursor.position;
        let variable = self.channel();
        let channel = self.cursor.text_from(start);
        let is_other = !matches!(channel, "" | "1");
        if self.cursor.starts_with("<(") || self.cursor.starts_with(">(") {
            self.cursor.position = start;
            return Ok(false);
        }
        let operators = [
            ("<<<", HereString),
            ("<<-", HereDocument),
            ("<<", HereDocument),
            ("<>", ReadWrite),
            ("<&", Duplicate),
            ("<", Read),
            ("&>>", Append),
            ("&>", Write),
            (">>", Append),
            (">|", Write),
            (">&", Duplicate),
            (">", Write),
        ];
        let Some((operator, kind)) = operators.into_iter().find(|(operator, _)| self.cursor.eat(operator))
        else {
            self.cursor.position = start;
            return Ok(false);
        };
        self.blanks()?;
        let target = self.word()?;
        // `>& file` is `&> file`.
        let is_channel = |word: &Word| {
            word.literal().is_none_or(|text| text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()))
        };
        let kind = if operator == ">&" && !is_channel(&target) { Write } else { kind };
        let document = Document::default();
        if kind == HereDocument {
            let Some(pending) = Pending::new(&target, operator == "<<-", &document) else {
                return Err(self.cursor.error(Unparsed::EndMark));
            };
            self.pending.push(pending);
        }
        redirections.push(Redirection {
            kind,
            target,
            document,
            variable,
            is_other,
            span: self.cursor.span_from(start),
        });
        Ok(true)
    }

    /// Consumes the `2` of `2>` or the `{fd}` of `{fd}>`. Returns the variable, which is `fd` here.
    fn channel(&mut self) -> Option<String> {
        let rest = self.cursor.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = match rest.strip_prefix('{') {
            Some(inner) => {
                let name = inner.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                name + 2
            }
            None => digits,
        };
        let channel = rest.get(..length)?;
        let is_followed = rest.get(length..).is_some_and(|rest| rest.starts_with(['<', '>']));
        if !is_followed || channel.starts_with('{') && !channel.ends_with('}') {
            return None;
        }
        self.cursor.position += length;
        channel.strip_prefix('{').map(|name| name.trim_end_matches('}').to_owned())
    }

    /// Skips blanks, joined lines and a comment.
    pub(super) fn blanks(&mut self) -> Result<()> {
        loop {
            match self.cursor.peek() {
                Some(' ' | '\t' | '\r') => {
                    self.cursor.next()?;
                }
                Some('\\') if self.cursor.starts_with("\\\n") => self.cursor.position += 2,
                Some('#') => {
                    let line = self.cursor.rest().split('\n').next().unwrap_or_default();
                    self.cursor.position += line.len();
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips blanks and ends of lines, and parses the here-documents that start there.
    pub(super) fn blanks_and_lines(&mut self) -> Result<()> {
        loop {
            self.blanks()?;
            if !self.cursor.eat("\n") {
                return Ok(());
            }
            self.documents()?;
        }
    }

    /// Returns the characters up to the next blank or operator, as they are written.
    pub(super) fn plain_word(&self) -> &'t str {
        let rest = self.cursor.rest();
        // No keyword is longer.
        let end = rest.bytes().take(64).position(|b| {
            matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
        });
        rest.get(..end.unwrap_or(rest.len())).filter(|word| word.len() <= 64).unwrap_or_default()
    }
}

/// Returns the text between the brackets of the subscript that starts `text`, which may contain blanks, quotes and subscripts.
fn subscript(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let (mut depth, mut quote, mut is_escaped, mut before) = (1_usize, None, false, 0);
    for (at, byte) in inner.bytes().enumerate() {
        match (byte, quote) {
            _ if is_escaped => {
                (is_escaped, before) = (false, 0);
                continue;
            }
            // In `$'...'` too, and not in `'...'`.
            (b'\\', None | Some((_, true))) => is_escaped = true,
            (byte, Some((open, _))) if byte == open => quote = None,
            (b'"', None) => quote = Some((byte, true)),
            (b'\'', None) => quote = Some((byte, before == b'$')),
            (b'[', None) => depth += 1,
            (b']', None) => depth -= 1,
            _ => {}
        }
        before = byte;
        if depth == 0 {
            return inner.get(..at);
        }
    }
    None
}

/// Returns whether the text after a subscript assigns a value.
fn is_assigned(after: &str) -> bool {
    after.starts_with('=') || after.starts_with("+=")
}

/// Returns whether the subscript of an assignment sets a variable, or may run a command that is not parsed: as it is, or only what
/// it has in quotes.
fn is_doubtful_index(index: &str, is_parsed: bool) -> bool {
    let mut substitutions = index.match_indices("$(").map(|(at, _)| index.get(at + 2..).unwrap_or_default());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+-*/%$(){}#@[!".contains(c);
    // `$((i + 1))` runs nothing. A group in a substitution has other characters.
    let is_number = index.chars().all(is_plain) && substitutions.clone().all(|rest| rest.starts_with('('));
    let may_run = index.contains('`') || substitutions.next().is_some() && !is_number;
    index.contains('=') || may_run && (!is_parsed || index.contains(['\'', '"', '\\']))
}

/// Returns whether a text is a valid name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
