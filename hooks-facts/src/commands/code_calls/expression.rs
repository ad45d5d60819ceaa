//! ExpressionReader of expressions: each call is found with its object and arguments, and literal values are followed through variables.
//!
//! It reads the common part of the grammars of Python, JavaScript, Ruby, Perl, PHP, Lua, R and Lisp. What it cannot read is passed over,
//! one token at a time.
//!
//! Variables and joins are followed:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let analysis = Analysis::of_text("python3 -c \"d = 'src'; open(d + '/a.py', 'w')\"", &Options::default());
//! let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
//! assert_eq!(written, ["src/a.py"]);
//! ```

use std::collections::HashMap;
use std::ops::Range;

use super::functions;
use super::starts::{self, Starts};
use super::value::{Form, Value, in_folder};
use super::writes::{self, Arguments};
use super::{Change, CodeInput};
use crate::commands::code::Language;
use crate::commands::effects::code::Token;
use crate::globs::Gap;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 48;

/// Most changes that are kept.
const MAX_CHANGES: usize = 1_024;

/// Words before an expression that leave its value as it is.
const BEFORE: &[&str] = &[
    "new", "await", "return", "my", "our", "local", "const", "let", "var", "async", "yield", "print", "puts",
    "echo", "say", "not", "defined", "then", "do", "else", "begin", "try", "with", "use", "void", "typeof",
];

/// Calls that call a function with each item of their object.
const EACH: &[&str] = &["each", "forEach", "map", "flatMap", "filter", "select", "each_entry", "each_child"];

/// Returns the files that a code changes.
pub(super) fn changes(language: Language, tokens: &[Token], input: &CodeInput) -> Vec<Change> {
    let is_known = |token: &Token| {
        token.name().is_some_and(|name| writes::is_known(name) || functions::makes_file(name))
    };
    if !tokens.iter().any(is_known) {
        return Vec::new();
    }
    let mut reader = ExpressionReader::new(language, tokens, input);
    reader.all();
    // A comprehension uses its variable before the loop that sets it, and a function is defined before its call.
    (reader.at, reader.folder) = (0, here());
    reader.found.clear();
    reader.all();
    reader.found
}

/// Adds the programs that a code starts.
pub(super) fn starts(language: Language, tokens: &[Token], input: &CodeInput, starts: Starts) -> Starts {
    let mut reader = ExpressionReader::new(language, tokens, input);
    reader.starts = Some(starts);
    reader.all();
    reader.starts.unwrap_or_default()
}

/// Returns the folder in which a code begins.
fn here() -> Value {
    Value::text(".")
}

pub(super) struct ExpressionReader<'t> {
    pub(super) language: Language,
    tokens: &'t [Token],
    at: usize,
    variables: HashMap<String, Value>,
    found: Vec<Change>,
    depth: usize,
    /// Folder that the code changes to.
    folder: Value,
    input: &'t CodeInput,
    /// Programs that the code starts, if they are asked for. A variable may change, so only names of modules and functions are
    /// followed then.
    starts: Option<Starts>,
}

impl<'t> ExpressionReader<'t> {
    fn new(language: Language, tokens: &'t [Token], input: &'t CodeInput) -> Self {
        Self {
            language,
            tokens,
            at: 0,
            variables: HashMap::new(),
            found: Vec::new(),
            depth: 0,
            folder: here(),
            input,
            starts: None,
        }
    }

    fn all(&mut self) {
        while self.at < self.tokens.len() && self.found.len() < MAX_CHANGES {
            let before = self.at;
            self.statement();
            self.at += usize::from(self.at == before);
        }
    }

    /// Whether only literal values count, so that no value is one of several that it may have.
    fn is_exact(&self) -> bool {
        self.starts.as_ref().is_some_and(Starts::is_exact)
    }

    fn peek(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.at + ahead)
    }

    fn name(&self, ahead: usize) -> Option<&'t str> {
        self.peek(ahead).and_then(Token::name)
    }

    fn is(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead).is_some_and(|token| token.is(sign))
    }

    /// Reads a statement: a loop, an import, an assignment or an expression.
    fn statement(&mut self) {
        match self.name(0) {
            Some("for" | "foreach") => return self.enters_loop(),
            Some("import" | "as") if self.imports() => return,
            _ => {}
        }
        if !self.assigns() {
            self.expression();
        }
    }

    /// `import NAME from "MODULE"`, `* as NAME from "MODULE"`.
    fn imports(&mut self) -> bool {
        if self.is(1, '{') {
            return self.imports_names();
        }
        let (Some(name), Some("from"), Some(Token::Text(module))) =
            (self.name(1), self.name(2), self.peek(3))
        else {
            return false;
        };
        self.variables.insert(name.to_owned(), functions::module(module));
        self.at += 4;
        true
    }

    /// `import { NAME, NAME as OTHER } from "MODULE"`.
    fn imports_names(&mut self) -> bool {
        let rest = self.tokens.get(self.at + 2..).unwrap_or_default();
        let Some(end) = rest.iter().take(128).position(|token| token.is('}')) else { return false };
        let (Some("from"), Some(Token::Text(module))) =
            (rest.get(end + 1).and_then(Token::name), rest.get(end + 2))
        else {
            return false;
        };
        let module = functions::module(module);
        for clause in rest.get(..end).unwrap_or_default().split(|token| token.is(',')) {
            let names: Vec<&str> = clause.iter().filter_map(Token::name).collect();
            if let [name, ..] = names.as_slice() {
                let own = names.last().copied().unwrap_or(name);
                self.variables.insert(own.to_owned(), functions::member(&module, name));
            }
        }
        self.at += end + 5;
        true
    }

    /// `for NAME in VALUES`, `for NAME of VALUES`, `foreach (VALUES as $NAME)`, `for my $NAME (VALUES)`.
    fn enters_loop(&mut self) {
        self.at += 1;
        let mut names = Vec::new();
        let start = self.at;
        while self.at < start + 12 {
            match self.peek(0) {
                Some(Token::Sign('(' | '$' | '@' | ',')) => {}
                Some(Token::Name(name)) if matches!(&**name, "in" | "of") => {
                    self.at += 1;
                    let values = self.expression();
                    return self.binds(&names, &values);
                }
                Some(Token::Name(name)) if BEFORE.contains(&&**name) => {}
                Some(Token::Name(name)) => names.push(name.as_str()),
                _ => break,
            }
            self.at += 1;
            // `for my $name (…)` of Perl.
            if self.language == Language::Perl && !names.is_empty() && self.is(0, '(') {
                let values = self.expression();
                return self.binds(&names, &values);
            }
        }
        self.at = start;
        // `foreach ($values as $name)` of PHP.
        if self.language == Language::Php && self.is(0, '(') {
            self.at += 1;
            let values = self.expression();
            if self.name(0) == Some("as") {
                let name = if self.is(1, '$') { self.name(2) } else { self.name(1) };
                self.at += 2;
                self.binds(&name.into_iter().collect::<Vec<_>>(), &values);
            }
        }
    }

    /// Gives the variables of a loop their values.
    fn binds(&mut self, names: &[&str], values: &Value) {
        match (names, values) {
            ([name], values) => {
                let items = functions::items(values);
                self.variables.insert((*name).to_owned(), items);
            }
            // `for folder, folders, files in os.walk(…)`.
            ([folder, .., files], values) => {
                self.variables.insert((*folder).to_owned(), functions::items(values));
                self.variables.insert((*files).to_owned(), Value::text(Gap::Name.stand_in()));
            }
            _ => {}
        }
    }

    /// `NAME = VALUE`, with or without a word or a sign before the name.
    fn assigns(&mut self) -> bool {
        let mut ahead = 0;
        while let Some(token) = self.peek(ahead)
            && (matches!(token, Token::Sign('$' | '@'))
                || token.name().is_some_and(|name| BEFORE.contains(&name)))
            && ahead < 4
        {
            ahead += 1;
        }
        let Some(name) = self.name(ahead) else { return false };
        let (sign, length) = match (self.peek(ahead + 1), self.peek(ahead + 2)) {
            (Some(Token::Sign('=')), Some(Token::Sign('=' | '>' | '~'))) => return false,
            (Some(Token::Sign('=')), _) => ('=', 1),
            (Some(Token::Sign(':')), Some(Token::Sign('='))) => ('=', 2),
            // `x <- "a"` of R.
            (Some(Token::Sign('<')), Some(Token::Sign('-'))) if self.language == Language::R => ('=', 2),
            (Some(Token::Sign('+' | '.')), Some(Token::Sign('='))) => ('+', 2),
            _ => return false,
        };
        self.at += ahead + 1 + length;
        let value = self.expression();
        let value = match self.variables.get(name) {
            Some(before) if sign == '+' => before.joined(&value, |first, second| format!("{first}{second}")),
            _ => value,
        };
        self.variables.insert(name.to_owned(), value);
        true
    }

    /// Reads terms with the operators between them.
    fn expression(&mut self) -> Value {
        if self.depth >= MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth += 1;
        let mut value = self.term();
        while let Some(token) = self.peek(0) {
            value = match token {
                Token::Sign('+') if !self.is(1, '=') => self.concatenated(&value, 1),
                // The dot of Perl and PHP, and the dots of Lua.
                Token::Sign('.') if self.is(1, '.') => self.concatenated(&value, 2),
                Token::Sign('.') if !matches!(self.peek(1), Some(Token::Name(_)) | None) => {
                    self.concatenated(&value, 1)
                }
                Token::Sign('/') if value.is_path() => {
                    self.at += 1;
                    let next = self.term();
                    value.joined(&next, in_folder)
                }
                Token::Sign('%') if self.language == Language::Python => {
                    self.at += 1;
                    self.term();
                    let value = if self.is_exact() { Value::Unknown } else { value };
                    value.mapped(Form::Text, |text| text.replace("%s", &Gap::Any.stand_in().to_string()))
                }
                Token::Sign('|') => self.either(value),
                Token::Sign('?') if self.language != Language::Ruby && !self.is(1, '?') => self.conditional(),
                Token::Name(word) if word == "or" => {
                    self.at += 1;
                    let other = self.term();
                    value.or(other)
                }
                Token::Name(word) if word == "if" && self.language == Language::Python => {
                    self.at += 1;
                    self.expression();
                    if self.name(0) != Some("else") {
                        break;
                    }
                    self.at += 1;
                    let other = self.expression();
                    value.or(other)
                }
                _ => break,
            };
        }
        self.depth -= 1;
        value
    }

    fn concatenated(&mut self, value: &Value, length: usize) -> Value {
        self.at += length;
        let next = self.term();
        value.joined(&next, |first, second| format!("{first}{second}"))
    }

    /// `a || b`, and `os.O_WRONLY | os.O_CREAT`.
    fn either(&mut self, value: Value) -> Value {
        self.at += 1;
        if self.is(0, '|') {
            self.at += 1;
            let other = self.term();
            return value.or(other);
        }
        match (value, self.term()) {
            (Value::Name(mut path), Value::Name(other)) => {
                path.extend(other);
                Value::Name(path)
            }
            _ => Value::Unknown,
        }
    }

    /// `… ? a : b`.
    fn conditional(&mut self) -> Value {
        self.at += 1;
        let first = self.expression();
        if !self.is(0, ':') {
            return Value::Unknown;
        }
        self.at += 1;
        let second = self.expression();
        first.or(second)
    }

    /// Reads one value with the members, calls and indices behind it.
    fn term(&mut self) -> Value {
        if self.depth >= MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth += 1;
        let before = self.at;
        while matches!(
            self.peek(0),
            Some(Token::Sign('$' | '@' | '&' | '*' | '!' | '-' | '~' | '\\' | '#' | '\''))
        ) || self.name(0).is_some_and(|name| BEFORE.contains(&name))
        {
            self.at += 1;
        }
        let start = self.at;
        let value = match self.peek(0) {
            Some(Token::Text(text)) => {
                self.at += 1;
                Some(Value::Texts(self.filled_in(text), Form::Text))
            }
            Some(Token::Command(_)) => {
                self.at += 1;
                Some(Value::Unknown)
            }
            Some(Token::Sign('(')) if self.language.is_lisp() => Some(self.form()),
            Some(Token::Sign('(')) => self.items(')').map(|mut inner| match inner.len() {
                1 => inner.pop().unwrap_or(Value::Unknown),
                _ => Value::list(inner),
            }),
            Some(Token::Sign('[')) => self.items(']').map(Value::list),
            Some(Token::Sign('{')) => {
                self.block();
                Some(Value::Unknown)
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                let known = self.variables.get(name.as_str());
                let is_followed = |value: &&Value| !self.is_exact() || matches!(value, Value::Name(_));
                Some(known.filter(is_followed).cloned().unwrap_or_else(|| Value::Name(vec![name.clone()])))
            }
            _ => None,
        };
        let value = value.map_or(Value::Unknown, |value| self.behind(value, start));
        self.depth -= 1;
        // Such a word may be the name of a function, and a sign an operator.
        if self.is_exact() && start > before { Value::Unknown } else { value }
    }

    /// Reads the members, calls and indices behind a value, whose term begins at `start`.
    fn behind(&mut self, mut value: Value, start: usize) -> Value {
        let mut object = None;
        loop {
            let member = self.name(1).filter(|_| self.is(0, '.'));
            if let Some(member) = member {
                self.at += 2;
                self.gives_items(member, &value);
                let given = self.input.variables.get(member).filter(|_| functions::is_environment(&value));
                let next = given.map_or_else(|| functions::member(&value, member), Value::text);
                object = Some(std::mem::replace(&mut value, next));
                continue;
            }
            match self.peek(0) {
                Some(Token::Sign('(')) if !self.language.is_lisp() => {
                    let names = start..self.at;
                    let given = self.arguments(')');
                    self.notes_start(&value, &given, names);
                    value = self.call(&value, object.take().as_ref(), given);
                }
                Some(Token::Sign('[' | '{')) if functions::is_environment(&value) => {
                    let close = if self.is(0, '[') { ']' } else { '}' };
                    let given = self.arguments(close);
                    value = functions::variable_of_environment(given.values.first(), self.input);
                }
                Some(Token::Sign('[')) => {
                    // `-1` counts from the end.
                    let is_number = matches!(self.peek(1), Some(Token::Name(_))) && self.is(2, ']');
                    let given = self.arguments(']');
                    // `fs["rename" + "Sync"]`.
                    if let (Value::Name(_), [Value::Texts(names, _)]) = (&value, given.values.as_slice())
                        && let [name] = names.as_slice()
                    {
                        let next = functions::member(&value, name);
                        object = Some(std::mem::replace(&mut value, next));
                        continue;
                    }
                    value = match value {
                        Value::Name(path) if path.last().is_some_and(|last| last == "argv") => {
                            functions::word(&self.input.words, given.values.first().filter(|_| is_number))
                        }
                        Value::List(_) => functions::items(&value),
                        _ => Value::Unknown,
                    };
                }
                Some(Token::Name(word)) if word == "as" && self.name(1).is_some() => {
                    if let (Value::Name(_), Some(name)) = (&value, self.name(1)) {
                        self.variables.insert(name.to_owned(), value.clone());
                    }
                    self.at += 2;
                    return value;
                }
                // `{writeFileSync: write} = require("fs")`.
                Some(Token::Sign(':')) => {
                    if let (Value::Name(path), Some(name)) = (&value, self.name(1))
                        && path.last().is_some_and(|last| writes::is_known(last) || last == "promises")
                    {
                        self.variables.insert(name.to_owned(), value.clone());
                    }
                    return value;
                }
                Some(_) if self.is_bare_call(&value) => {
                    let names = start..self.at;
                    let given = self.bare_arguments();
                    self.notes_start(&value, &given, names);
                    value = self.call(&value, object.take().as_ref(), given);
                }
                _ => {
                    self.notes_member(&value, start..self.at);
                    return self.without_brackets(value, object.as_ref());
                }
            }
        }
    }

    fn notes_start(&mut self, function: &Value, given: &Arguments, names: Range<usize>) {
        let tokens = self.tokens;
        if let (Some(starts), Value::Name(path)) = (&mut self.starts, function) {
            starts.called(path, given, tokens, names);
        }
    }

    fn notes_member(&mut self, member: &Value, names: Range<usize>) {
        let tokens = self.tokens;
        if let (Some(starts), Value::Name(path)) = (&mut self.starts, member) {
            starts.named(path, tokens, names);
        }
    }

    /// `Pathname("a").unlink` of Ruby: a call without brackets and arguments.
    fn without_brackets(&mut self, value: Value, object: Option<&Value>) -> Value {
        let is_known =
            matches!(&value, Value::Name(path) if path.last().is_some_and(|last| writes::is_known(last)));
        match self.language == Language::Ruby && is_known && object.is_some_and(Value::is_file) {
            true => self.call(&value, object, Arguments::default()),
            false => value,
        }
    }

    /// Returns whether arguments without brackets follow a function.
    fn is_bare_call(&self, value: &Value) -> bool {
        let takes_bare = matches!(
            self.language,
            Language::Perl | Language::Ruby | Language::Lua | Language::Php | Language::Haskell
        );
        let Value::Name(path) = value else { return false };
        let is_known = path.last().is_some_and(|last| {
            writes::is_known(last) || last == "require" || self.starts.is_some() && starts::is_known(last)
        });
        let begins =
            matches!(self.peek(0), Some(Token::Text(_) | Token::Name(_) | Token::Sign('$' | '@' | '[')));
        takes_bare && is_known && begins
    }

    /// Reads arguments up to the end of the statement.
    fn bare_arguments(&mut self) -> Arguments {
        let mut given = Arguments::default();
        while let Some(token) = self.peek(0)
            && !matches!(token, Token::Sign('\n' | ';' | '}' | ')' | ']'))
            && !token
                .name()
                .is_some_and(|name| matches!(name, "if" | "unless" | "or" | "and" | "do" | "for" | "foreach"))
        {
            self.argument(&mut given);
        }
        given
    }

    /// Reads the arguments between brackets.
    fn arguments(&mut self, close: char) -> Arguments {
        self.at += 1;
        let mut given = Arguments::default();
        while let Some(token) = self.peek(0)
            && !token.is(close)
        {
            // The text is broken, or too deep.
            if self.depth >= MAX_DEPTH {
                return given;
            }
            let before = given.values.len();
            self.argument(&mut given);
            if given.values.len() > before && !self.ends_argument(close) {
                given.first_part.get_or_insert(before);
            }
        }
        self.at += 1;
        given
    }

    fn ends_argument(&self, close: char) -> bool {
        let next = (0..).map_while(|ahead| self.peek(ahead)).find(|token| !token.is('\n'));
        next.is_some_and(|token| token.is(',') || token.is(close))
    }

    /// Returns the values between brackets, unless one was not read whole and that matters.
    fn items(&mut self, close: char) -> Option<Vec<Value>> {
        let given = self.arguments(close);
        let is_whole = given.first_part.is_none() && given.named.is_empty();
        (!self.is_exact() || is_whole).then_some(given.values)
    }

    fn argument(&mut self, given: &mut Arguments) {
        let before = self.at;
        let name = self.name(0).filter(|_| {
            let is_assigned = self.is(1, '=') && !self.is(2, '=');
            is_assigned || self.is(1, ':') && !self.is(2, ':')
        });
        match (self.peek(0), name) {
            (Some(Token::Sign(',' | '\n' | ';')), _) => {}
            (Some(Token::Name(word)), _) if matches!(&**word, "for" | "foreach") => self.enters_loop(),
            (_, Some(name)) => {
                self.at += 2 + usize::from(self.is(2, '>'));
                let value = self.expression();
                given.named.push((name.to_owned(), value));
            }
            _ => {
                let value = self.expression();
                if self.at > before {
                    given.values.push(value);
                }
            }
        }
        self.at += usize::from(self.at == before);
    }

    /// Reads the statements of a block, or the pairs of an object.
    fn block(&mut self) {
        self.at += 1;
        while let Some(token) = self.peek(0)
            && !token.is('}')
            && self.depth < MAX_DEPTH
        {
            let before = self.at;
            self.statement();
            self.at += usize::from(self.at == before);
        }
        self.at += 1;
    }

    /// `(NAME ARGUMENTS)` of Lisp.
    fn form(&mut self) -> Value {
        self.at += 1;
        let mut path = Vec::new();
        while let Some(name) = self.name(0) {
            path.push(name.to_owned());
            self.at += 1;
            if !self.is(0, '.') {
                break;
            }
            self.at += 1;
        }
        self.at -= 1;
        let names_variable =
            path.last().is_some_and(|last| matches!(&**last, "setq" | "def" | "define" | "defvar"));
        let given = self.arguments(')');
        if names_variable && let [Value::Name(name), value] = given.values.as_slice() {
            if let Some(name) = name.last() {
                self.variables.insert(name.clone(), value.clone());
            }
            return Value::Unknown;
        }
        self.call(&Value::Name(path), None, given)
    }

    /// Gives the parameter of a function the items of a list: `["a", "b"].forEach(f => …)`, `.each { |f| … }`.
    fn gives_items(&mut self, member: &str, values: &Value) {
        if !EACH.contains(&member) || !values.is_file() {
            return;
        }
        let behind = (0..6).map_while(|ahead| self.peek(ahead));
        let name = behind
            .skip_while(|token| {
                matches!(token, Token::Sign('(' | '{' | '|'))
                    || token.name().is_some_and(|it| matches!(it, "async" | "function" | "do" | "fn"))
            })
            .find_map(Token::name);
        if let Some(name) = name {
            let items = match self.language {
                // The words of `%w[…]`.
                Language::Ruby => functions::words(values),
                _ => functions::items(values),
            };
            self.variables.insert(name.to_owned(), items);
        }
    }

    fn call(&mut self, function: &Value, object: Option<&Value>, given: Arguments) -> Value {
        let Value::Name(path) = function else { return Value::Unknown };
        // Perl opens a handle: the mode and the file come behind it.
        let is_of_perl = self.language == Language::Perl && path.last().is_some_and(|last| last == "open");
        let given = if is_of_perl { functions::opened_by_perl(given) } else { given };
        let before = self.found.len();
        if before < MAX_CHANGES {
            writes::changes(path, object, &given, &mut self.found);
            self.found.extend(functions::made_in(path, &given));
        }
        self.moves(before);
        if let (Some("chdir"), Some(folder)) = (path.last().map(String::as_str), given.values.first()) {
            self.folder = self.folder.joined(folder, in_folder);
        }
        if self.is_exact() && !functions::is_exact(path, &given) {
            return Value::Unknown;
        }
        functions::value(path, object, &given, self.input)
    }

    /// Puts the last changes into the folder that the code changed to.
    fn moves(&mut self, start: usize) {
        let folders = self.folder.outlines();
        if self.found.len() == start || folders.iter().all(|folder| folder == ".") {
            return;
        }
        let moved: Vec<Change> = self.found.split_off(start.min(self.found.len()));
        for (kind, name) in moved {
            self.found.extend(folders.iter().map(|folder| (kind, in_folder(folder, &name))));
        }
    }

    /// Returns a text with the values of the variables in it.
    fn filled_in(&self, text: &str) -> Vec<String> {
        let any = Gap::Any.stand_in();
        let has_plain = matches!(self.language, Language::Perl | Language::Php);
        if !text.contains('$') {
            return vec![text.to_owned()];
        }
        let mut result = Value::text("");
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            let (name, length) = match behind.strip_prefix('{') {
                Some(inner) => {
                    let name = inner.split('}').next().unwrap_or_default();
                    (name, name.len() + 2)
                }
                None => {
                    let end =
                        behind.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(behind.len());
                    (behind.get(..end).unwrap_or_default(), end)
                }
            };
            let is_variable = !name.is_empty() && (has_plain || behind.starts_with('{'));
            let value = match self.variables.get(name).filter(|_| !self.is_exact()) {
                _ if !is_variable => Value::text(format!("${}", behind.get(..length).unwrap_or_default())),
                Some(Value::Texts(texts, _)) => Value::Texts(texts.clone(), Form::Text),
                _ => Value::text(any),
            };
            let join = |first: &str, second: &str| format!("{first}{before}{second}");
            result = match result.joined(&value, join) {
                Value::Unknown => return vec![any.to_string()],
                known => known,
            };
            rest = behind.get(length..).unwrap_or_default();
        }
        result.mapped(Form::Text, |text| format!("{text}{rest}")).outlines()
    }
}
