//! One-line programs of interpreters, and the commands in their strings.
//!
//! This is not a parser of those languages. A program without a call that starts commands is assumed to start
//! none. In a program whose calls all have literal arguments, these are the commands (`code_calls::started`). In any other program,
//! every string may be a command, and every list of strings its words.

use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::awk;
use super::code_calls::{self, Started};
use super::effects::code::{Token, tokens};
use super::reads;
use super::typed;
use super::walk::{Stream, Walk};
use crate::shell::Span;

/// Languages of interpreters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Perl,
    Ruby,
    JavaScript,
    Php,
    Lua,
    Awk,
    Sed,
    Tcl,
    /// Lisp, Scheme, Clojure, Emacs Lisp.
    Lisp,
    Vim,
    /// R, Octave, and similar ones.
    R,
    Julia,
    /// Java, Groovy, Scala, Kotlin, Swift, Go, and similar ones.
    Java,
    /// Elixir and Erlang.
    Elixir,
    /// Haskell and OCaml.
    Haskell,
    /// Clients of databases, debuggers, and other programs with commands of their own.
    Sql,
}

impl Language {
    /// Name of the interpreter.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Perl => "perl",
            Self::Ruby => "ruby",
            Self::JavaScript => "node",
            Self::Php => "php",
            Self::Lua => "lua",
            Self::Awk => "awk",
            Self::Sed => "sed",
            Self::Tcl => "tclsh",
            Self::Lisp => "guile",
            Self::Vim => "vim",
            Self::R => "R",
            Self::Julia => "julia",
            Self::Java => "groovy",
            Self::Elixir => "elixir",
            Self::Haskell => "ghc",
            Self::Sql => "psql",
        }
    }

    pub(super) fn is_lisp(self) -> bool {
        self == Self::Lisp
    }

    /// Returns whether a text between backticks is a command.
    pub(super) fn has_backticks(self) -> bool {
        matches!(self, Self::Perl | Self::Ruby | Self::Php | Self::Julia)
    }
}

/// Words of an interpreter that are code, and those that take another value.
pub(super) struct Interpreter {
    pub(super) language: Language,
    code: &'static str,
    long: &'static [&'static str],
    values: &'static str,
    further: &'static [&'static str],
    /// Whether an operand is a script, and the input is code.
    pub(super) has_scripts: bool,
}

impl Interpreter {
    /// Returns whether the program does nothing else than to run code.
    pub(super) fn is_plain(&self) -> bool {
        use Language::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby, Sed, Tcl};
        self.has_scripts
            && matches!(self.language, Python | Perl | Ruby | JavaScript | Php | Lua | Awk | Sed | Tcl)
    }
}

/// Returns the interpreter with this name, with or without a version after it.
pub(super) fn interpreter(name: &str) -> Option<Interpreter> {
    by_name(name).or_else(|| {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
        if plain == name { None } else { by_name(plain) }
    })
}

fn by_name(name: &str) -> Option<Interpreter> {
    include!(concat!(env!("OUT_DIR"), "/interpreters.rs"))
}

/// Returns the language of an interpreter that runs scripts.
pub(super) fn language(name: &str) -> Option<Language> {
    interpreter(name).filter(Interpreter::is_plain).map(|interpreter| interpreter.language)
}

/// Programs and file among the words of an interpreter.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) texts: Vec<Argument>,
    pub(super) file: Option<Argument>,
}

/// Returns the programs and the file among the words of an interpreter of a language.
pub(super) fn arguments(language: Language, words: &[Argument]) -> Arguments {
    interpreter(language.name()).map(|interpreter| interpreter.arguments(words)).unwrap_or_default()
}

impl Interpreter {
    /// Returns the programs and the file among the words.
    pub(super) fn arguments(&self, words: &[Argument]) -> Arguments {
        let mut result = Arguments::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let option = word.prefix();
            if self.language == Language::Python && option == "-m" {
                result.of_module(words.get(at..).unwrap_or_default());
                return result;
            }
            let name = option.split_once(['=', ':']).map_or(option, |(name, _)| name);
            if self.long.contains(&name) {
                let attached = |sign| word.strip_prefix(&format!("{name}{sign}"));
                let value = attached('=').or_else(|| attached(':'));
                at += usize::from(value.is_none());
                result.texts.extend(value.or_else(|| words.get(at - 1).cloned()));
                continue;
            }
            if self.further.contains(&option) {
                at += 1;
                continue;
            }
            if option.starts_with("--") && option.len() > 2 {
                continue;
            }
            let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                if self.operand(word, &mut result) {
                    continue;
                }
                return result;
            };
            at += self.bundle(word, letters, words.get(at), &mut result);
        }
        result
    }

    /// Reads an operand; returns whether more words of the interpreter may follow.
    fn operand(&self, word: &Argument, result: &mut Arguments) -> bool {
        let text = word.prefix();
        if self.language == Language::Vim && text.starts_with('+') {
            result.texts.extend(word.strip_prefix("+"));
            return true;
        }
        if !self.has_scripts {
            // An operand may be a command of the program: `sqlite3 a.db '.shell …'`.
            if self.language == Language::Sql && text.contains(char::is_whitespace) {
                result.texts.push(word.clone());
            }
            return true;
        }
        if matches!(self.language, Language::Awk | Language::Sed) && result.texts.is_empty() {
            result.texts.push(word.clone());
        } else if result.texts.is_empty() && text != "-" {
            result.file = Some(word.clone());
        }
        false
    }

    /// Reads a bundle of letters; returns the number of further words that belong to it.
    fn bundle(
        &self,
        word: &Argument,
        letters: &str,
        next: Option<&Argument>,
        result: &mut Arguments,
    ) -> usize {
        // `-MModule` and `-I…` contain a word, not letters.
        let is_module = match self.language {
            Language::Perl => letters.starts_with(['M', 'm', 'I']),
            Language::Ruby => letters.len() > 1 && letters.starts_with('r'),
            _ => false,
        };
        if is_module {
            return 0;
        }
        let Some((index, letter)) = letters.char_indices().find(|(_, c)| self.code.contains(*c)) else {
            return usize::from(letters.ends_with(|c| self.values.contains(c)));
        };
        let start = word.prefix().get(..1 + index + letter.len_utf8()).unwrap_or_default();
        let attached = word.strip_prefix(start).filter(|rest| rest.len() > 0);
        match attached {
            Some(text) if !matches!(self.language, Language::Perl | Language::Ruby) || text.len() > 3 => {
                result.texts.push(text);
                0
            }
            _ => {
                result.texts.extend(next.cloned());
                1
            }
        }
    }
}

impl Arguments {
    /// `python -m MODULE WORDS`: the effect of a module on its words is unknown, but some run them.
    fn of_module(&mut self, words: &[Argument]) {
        let runs = words.first().is_some_and(|module| {
            matches!(module.prefix(), "timeit" | "cProfile" | "profile" | "trace" | "pdb")
        });
        self.file = words.first().cloned().filter(|_| !runs);
        if runs {
            self.texts.extend(words.iter().skip(1).cloned());
        }
    }
}

/// Calls that start a command, in any of the languages.
pub(super) const STARTS: &[&str] = table!("program_words_starts");

/// Calls that decode a text which cannot be read here.
const DECODES: &[&str] = table!("program_words_decodes");

/// Functions that only show their arguments.
const SHOWS: &[&str] = table!("program_words_shows");

/// Beginnings of a statement after which the rest of the line is a command for a shell.
const ESCAPES: &[&str] = table!("program_words_escapes");

/// Collects the commands that a program may start.
pub(super) fn run(walk: &mut Walk, language: Language, text: &str, span: Span) {
    if !walk.pay(text.len(), span) {
        return;
    }
    if !matches!(language, Language::Sed) && (language != Language::Awk || prints_into_a_file(text)) {
        walk.interprets(language, text, span);
        reads::note_code(walk, language.name(), text, span);
        code_calls::note(walk, language, text, span);
    }
    match language {
        Language::Sed => return sed(walk, text, span),
        Language::Tcl => {
            for start in ["exec ", "spawn "] {
                let lines = text
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("puts \"") || line.contains(['[', ';']));
                for (_, command) in lines.filter_map(|line| line.split_once(start)) {
                    walk.maybe_text(command.trim_end_matches(']'), span);
                }
            }
        }
        Language::Vim | Language::Sql => escapes(walk, text, span),
        Language::Awk if text.contains('|') => {
            for (printed, command) in awk::piped(&tokens(language, text)) {
                let input = Stream::from_text(Argument::of_outline(&printed).as_shell_text());
                walk.text(&command, &input, span);
            }
        }
        _ => {}
    }
    nested(walk, language, text, span);
    // IPython and notebooks.
    if language == Language::Python {
        for command in text.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
            walk.maybe_text(command, span);
        }
    }
    if language == Language::Awk && !awk::starts(text) {
        return;
    }
    let is_command = |token: &Token| matches!(token, Token::Command(_));
    let backticks =
        language.has_backticks() && text.contains('`') && tokens(language, text).iter().any(is_command);
    let opens = matches!(language, Language::Perl | Language::Ruby) && text.contains("open");
    let pipes = language == Language::Awk && text.contains('|') || opens;
    // Its functions are programs.
    let has_programs = language == Language::Python
        && text.contains("sh")
        && tokens(language, text).windows(2).any(|pair| {
            let names = [pair.first(), pair.last()].map(|token| token.and_then(Token::name));
            matches!(names, [Some("import" | "from"), Some("sh")])
        });
    let is_start = |string: &Token| string.text().is_some_and(|text| STARTS.contains(&text));
    if !(backticks
        || pipes
        || STARTS.iter().any(|call| text.contains(call))
        || has_programs
        || text.contains(['[', '(']) && tokens(language, text).iter().any(is_start))
    {
        return;
    }
    if let Some(started) = code_calls::started(language, text, &walk.code_input).filter(|_| !has_programs) {
        return starts(walk, started, span);
    }
    walk.guess(|walk| starts(walk, code_calls::maybe_started(language, text, &walk.code_input), span));
    let strings = strings(language, text);
    if DECODES.iter().any(|call| text.contains(call)) {
        walk.unresolved(UnresolvedReason::Text, span);
    }
    let starts = backticks || STARTS.iter().any(|call| text.contains(call));
    let only_opens = opens && !starts;
    let pipes_apart = strings.iter().any(|string| matches!(string.text.trim(), "|-" | "-|"));
    let mut words: Vec<Argument> = Vec::new();
    for string in &strings {
        if !string.joins {
            flush(walk, &mut words, span);
        }
        words.push(Argument::Literal(string.text.clone()));
        // Of Perl's `open`, only a text with a pipe is a command.
        let is_command = !only_opens
            || string.text.trim().starts_with('|')
            || string.text.trim().ends_with('|')
            || pipes_apart;
        if is_command && string.text.trim().contains(char::is_whitespace) {
            // `open(F, "rm a|")` has a mark for a pipe.
            walk.maybe_started(string.text.trim_matches(|c: char| c == '|' || c.is_whitespace()), span);
        }
    }
    flush(walk, &mut words, span);
    if strings.iter().all(|string| names_module(&string.text)) && !pipes {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Walks the programs of calls whose arguments are known.
fn starts(walk: &mut Walk, started: Vec<Started>, span: Span) {
    for program in started {
        match program {
            Started::Shell(text) => {
                walk.text(&Argument::of_outline(&text).as_shell_text(), &walk.inherited_input(), span);
            }
            Started::Program(words) => {
                let argv: Vec<_> = words.iter().map(|word| Argument::of_outline(word)).collect();
                walk.run_some(&argv, &walk.inherited_input(), span);
            }
        }
    }
}

/// Walks the texts that a program runs as code: `exec('…')`.
fn nested(walk: &mut Walk, language: Language, text: &str, span: Span) {
    if matches!(language, Language::Awk | Language::Sql | Language::Vim)
        || !RUNS_CODE.iter().any(|it| text.contains(it))
    {
        return;
    }
    let read = tokens(language, text);
    // The text may be the value of a variable: `exec(source)`. A method is another function: `pattern.exec(text)`.
    let is_whole = |pair: &[Token]| matches!(pair, [before, Token::Name(name)] if !before.is('.') && RUNS_ANY_CODE.contains(&&**name));
    let runs_any = read.first().and_then(Token::name).is_some_and(|name| RUNS_ANY_CODE.contains(&name))
        || read.windows(2).any(is_whole);
    for (at, token) in read.iter().enumerate() {
        let is_run = |name: &str| RUNS_CODE.contains(&name);
        let before = read.get(at.saturating_sub(2)..at).unwrap_or_default();
        if let Token::Text(inner) = token
            && inner.contains('(')
            && (runs_any || before.iter().filter_map(Token::name).any(is_run))
        {
            walk.deeper(span, |walk| run(walk, language, inner, span));
        }
    }
}

/// Commands for a shell in the program's own form: `:!rm a`, `\\! rm a`, `.shell rm a`.
fn escapes(walk: &mut Walk, text: &str, span: Span) {
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == ':' || c == '%');
        let line = ["silent!", "silent", "sil!", "sil"]
            .into_iter()
            .find_map(|word| line.strip_prefix(word))
            .unwrap_or(line);
        let line = line.trim_start();
        // `select 1 \g | COMMAND` of psql.
        if let Some((_, command)) = line.split_once("\\g |").or_else(|| line.split_once("\\gx |")) {
            walk.maybe_text(command, span);
        }
        // `COPY a FROM PROGRAM '…'`.
        let program =
            line.to_ascii_lowercase().find(" program ").and_then(|at| line.get(at + " program ".len()..));
        if let Some(command) = program {
            walk.maybe_text(command.trim_matches(['\'', '"', ' ', ';']), span);
        }
        if let Some(command) = ESCAPES.iter().find_map(|mark| line.strip_prefix(mark)) {
            walk.maybe_text(command.trim_start_matches('!').trim(), span);
        }
    }
}

/// Returns whether a program of awk may print into a file: `>` does, but it is also a comparison if a number
/// or `=` follows.
pub(super) fn prints_into_a_file(text: &str) -> bool {
    let mut behind = text.split('>').skip(1);
    behind.any(|behind| !behind.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '='))
}

/// Runs the strings of one list as a program and its words.
fn flush(walk: &mut Walk, words: &mut Vec<Argument>, span: Span) {
    // `execvp("rm", ["rm", …])` names the program twice; a list is checked from each of its first two words.
    for start in 0..words.len().min(2) {
        let argv = words.get(start..).unwrap_or_default();
        let has_name = argv
            .first()
            .and_then(Argument::literal)
            .is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace));
        if has_name {
            walk.run_some(argv, &walk.inherited_input(), span);
        }
    }
    words.clear();
}

/// String of a program.
struct Quoted {
    text: String,
    /// Whether only commas and brackets are between it and the one before.
    joins: bool,
}

/// Names between the words of one command: constructors of lists, and empty values.
const NEAR: &[&str] =
    &["nil", "t", "c", "list", "args", "cmd", "of", "asList", "Array", "List", "vec", "null", "NULL", "None"];

/// Calls that run a text in the language itself.
const RUNS_CODE: &[&str] =
    &["exec", "eval", "Function", "compile", "loadstring", "load", "instance_eval", "runInThisContext"];

/// Those of them that are no usual names of other functions.
const RUNS_ANY_CODE: &[&str] =
    &["exec", "eval", "Function", "loadstring", "instance_eval", "runInThisContext"];

/// Returns the strings of a program that may be commands or their words: not those that are only shown.
fn strings(language: Language, text: &str) -> Vec<Quoted> {
    let tokens = tokens(language, text);
    let mut found: Vec<Quoted> = Vec::new();
    let (mut is_near, mut has_comma, mut is_shown, mut depth) = (false, false, false, 0usize);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Text(text) => {
                if !text.is_empty() && !is_shown {
                    found.push(Quoted {
                        text: text.clone(),
                        joins: is_near && (has_comma || language.is_lisp()),
                    });
                }
                (is_near, has_comma) = (true, false);
            }
            Token::Command(text) => {
                found.push(Quoted { text: text.clone(), joins: false });
                (is_near, has_comma) = (false, false);
            }
            Token::Sign(c) => {
                has_comma |= *c == ',';
                is_near &= ",[](){}\n:=~".contains(*c);
                depth = match c {
                    '(' | '[' | '{' => depth + 1,
                    ')' | ']' | '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                let ends_shown = match c {
                    ';' | '|' | '>' => true,
                    '\n' => depth == 0,
                    '(' | ')' => language.is_lisp(),
                    _ => false,
                };
                is_shown &= !ends_shown;
            }
            Token::Name(name) => {
                is_near &= NEAR.contains(&name.as_str());
                let into_a_file = || tokens.iter().skip(at).take(64).any(|it| it.name() == Some("file"));
                // A call among the arguments is another one.
                let is_called = tokens.get(at + 1).is_some_and(|next| next.is('(') || next.is('.'));
                let may_start = || code_calls::may_start(name) || code_calls::starts_in_other_languages(name);
                // In these languages a name without brackets is a value.
                let is_value = matches!(language, Language::Python | Language::JavaScript)
                    && !tokens.get(at + 1).is_some_and(|next| next.is('('));
                if is_called || !is_shown || may_start() {
                    is_shown = SHOWS.contains(&name.as_str()) && !is_value && !into_a_file();
                }
            }
        }
    }
    found
}

/// Returns whether a text is the name of a module whose calls start programs.
fn names_module(text: &str) -> bool {
    STARTS.contains(&text.strip_prefix("node:").unwrap_or(text))
}

/// Handles the `e` flag of `s///`, whose replacement runs, and the command `e`.
fn sed(walk: &mut Walk, text: &str, span: Span) {
    for line in text.split(['\n', ';']) {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || " ,$!".contains(c));
        if let Some(command) = line.strip_prefix("e ") {
            walk.maybe_started(command, span);
        } else if line.trim_end_matches([' ', '}']) == "e" {
            typed::runs_input(walk, span);
        }
        let Some(rest) = line.strip_prefix('s') else { continue };
        let Some(mark) = rest.chars().next().filter(|c| !c.is_alphanumeric()) else { continue };
        let parts: Vec<&str> = rest.split(mark).collect();
        if let [_, _, replacement @ .., flags] = parts.as_slice()
            && flags.contains('e')
            && flags.bytes().all(|b| b.is_ascii_digit() || b"gpiIemMw".contains(&b))
        {
            let command = replacement.join(&mark.to_string());
            walk.maybe_text(&command, span);
            typed::runs_input(walk, span);
        }
    }
}
