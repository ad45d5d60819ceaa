//! Programs that a code starts, where each place that may start one is a call with literal arguments.
//!
//! Then nothing else in the code is a command, whatever its strings and comments hold:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let started = |code: &str| {
//!     let analysis = Analysis::of_text(&format!("python3 -c '{code}'"), &Options::default());
//!     analysis.invocations.iter().any(|it| it.argv[0].literal() == Some("rm"))
//! };
//! assert!(started(r#"import subprocess as s; s.run(["rm", "-rf", "x"])"#));
//! assert!(!started(r#"import subprocess as s; s.run(["git", "log"]); print("rm -rf x")"#));
//! assert!(started(r#"import subprocess as s; c = "rm -rf x"; s.run(c.split())"#));
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::CodeInput;
use super::exact;
use super::expression;
use super::value::Value;
use super::writes::{Arguments, belongs};
use crate::commands::code::{Language, STARTS};
use crate::commands::effects::code::{Token, tokens_with_names};
use crate::globs::Gap;

/// Kind of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StartKind {
    Shell,
    Program,
    Named,
    Nothing,
}

/// Names of a call, and the objects that it belongs to.
type Row = (&'static [&'static str], &'static [&'static str]);

const ROWS: &[(StartKind, &[Row])] = &[
    (StartKind::Shell, table!("start_calls_shell")),
    (StartKind::Program, table!("start_calls_program")),
    (StartKind::Named, table!("start_calls_named")),
    (StartKind::Nothing, table!("start_calls_nothing")),
];

/// Calls of other languages, whose strings may be commands in any case.
const OTHERS: &[Row] = table!("start_calls_others");

/// Names by which a code reaches functions without naming them, runs a text as code, changes what a program does that it starts, or
/// hands it its input: also a script that the code writes first.
const DOUBTFUL: &[&str] = &[
    "ForwardRef",
    "Function",
    "Reflect",
    "Worker",
    "__builtins__",
    "__dict__",
    "__getattribute__",
    "__import__",
    "appendFile",
    "appendFileSync",
    "argv",
    "argv0",
    "attrgetter",
    "binding",
    "builtins",
    "cffi",
    "chdir",
    "communicate",
    "compile",
    "constructor",
    "createRequire",
    "createWriteStream",
    "ctypes",
    "cwd",
    "devNull",
    "devnull",
    "dlopen",
    "dup",
    "dup2",
    "env",
    "environ",
    "environb",
    "eval",
    "fdopen",
    "getBuiltinModule",
    "get_type_hints",
    "getattr",
    "globals",
    "import_module",
    "importlib",
    "input",
    "locals",
    "mainModule",
    "methodcaller",
    "modules",
    "pass_fds",
    "pipe",
    "preexec_fn",
    "putenv",
    "runpy",
    "startupinfo",
    "stdin",
    "stdio",
    "vars",
    "vm",
    "write",
    "writeFile",
    "writeFileSync",
    "write_bytes",
    "write_text",
    "writelines",
];

/// Most programs of one code that are kept.
const MAX_STARTS: usize = 64;

/// A program that a code starts.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::commands) enum Started {
    /// A text for a shell.
    Shell(String),
    /// A program and its words.
    Program(Vec<String>),
}

/// Results of a reading so far.
#[derive(Default)]
pub(super) struct Starts {
    found: Vec<Started>,
    /// Tokens that belong to a known call, an import, or a name that starts nothing.
    known: HashSet<usize>,
    /// Names that an import gives to what may start programs.
    imported: HashSet<String>,
    /// Whether a call may hand its list to a shell.
    has_shell: bool,
    is_javascript: bool,
    /// Whether variables are followed, and what is computed is a gap.
    is_lenient: bool,
    /// Programs that are functions of the module `sh`, by their names in the code.
    programs: HashMap<String, String>,
}

/// Returns the programs that a code starts; `None` if a place that may start one is not a call with literal arguments.
pub(in crate::commands) fn started(
    language: Language,
    text: &str,
    input: &CodeInput,
) -> Option<Vec<Started>> {
    let is_whole = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let has_form = |word: &str| !is_whole(word.trim_end_matches('.')) && text.contains(word);
    if !matches!(language, Language::Python | Language::JavaScript)
        || STARTS.iter().any(|word| has_form(word))
    {
        return None;
    }
    let tokens = tokens_with_names(language, text);
    if !exact::is_plain(language, text, &tokens) {
        return None;
    }
    let mut starts = Starts {
        has_shell: tokens.iter().any(|token| token.name() == Some("shell")),
        is_javascript: language == Language::JavaScript,
        ..Starts::default()
    };
    match language {
        Language::Python => starts.imports_of_python(&tokens)?,
        _ => starts.imports_of_javascript(&tokens),
    }
    let starts = expression::starts(language, &tokens, input, starts);
    let is_known = |at: usize| starts.known.contains(&at) || exact::asks_nothing(language, text, &tokens, at);
    let known = tokens.iter().enumerate().filter(|(at, _)| is_known(*at));
    let is_whole =
        exact::count_in_code(language, text) == known.map(|(_, token)| exact::count_in(token)).sum::<usize>();
    let is_sure = |(at, token): (usize, &Token)| !starts.is_doubtful(token) || is_known(at);
    (is_whole && tokens.iter().enumerate().all(is_sure)).then_some(starts.found)
}

/// Returns programs that a code may start, with the values that its variables may have. There may be others.
pub(in crate::commands) fn maybe_started(language: Language, text: &str, input: &CodeInput) -> Vec<Started> {
    let tokens = tokens_with_names(language, text);
    let programs = if language == Language::Python { programs_of_sh(&tokens) } else { HashMap::new() };
    let starts = Starts { is_lenient: true, programs, ..Starts::default() };
    expression::starts(language, &tokens, input, starts).found
}

/// Returns whether a name is one of a call that starts a program, in a language with calls without brackets.
pub(in crate::commands) fn is_known(name: &str) -> bool {
    OTHERS.iter().any(|(names, _)| names.contains(&name))
}

/// Returns whether a name is one of something that may start a program.
pub(in crate::commands) fn may_start(name: &str) -> bool {
    DOUBTFUL.contains(&name)
        || STARTS.iter().any(|word| {
            let word = word.trim_end_matches('.');
            word.chars().all(|c| c.is_alphanumeric() || c == '_') && name.contains(word)
        })
}

/// Returns whether a text is the name of such a function or module: `"node:child_process"`, `"os.system"`.
pub(super) fn names_start(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_-.:/".contains(c);
    text.chars().all(is_name) && text.split(['.', ':', '/']).any(may_start)
}

impl Starts {
    /// Notes a call, whose function stands at `names`.
    pub(super) fn called(
        &mut self,
        path: &[String],
        given: &Arguments,
        tokens: &[Token],
        names: Range<usize>,
    ) {
        if self.is_lenient {
            return self.may_be_called(path, given);
        }
        let Some(kind) = kind(path) else { return };
        // `require("child_process").exec`. Another call in the chain may be one that starts a program as well.
        let chain = match tokens.get(names.clone()).unwrap_or_default() {
            [Token::Name(call), Token::Sign('('), Token::Text(module), Token::Sign(')'), chain @ ..]
                if matches!(&**call, "require" | "__import__") && (names_start(module) || module == "os") =>
            {
                chain
            }
            chain => chain,
        };
        let is_plain = chain.iter().all(|token| matches!(token, Token::Name(_) | Token::Sign('.')));
        if let Some(found) = self.started(kind, given).filter(|_| is_plain) {
            self.found.extend(found);
            self.known.extend(names);
        }
    }

    /// Notes a name without a call: `subprocess.PIPE`.
    pub(super) fn named(&mut self, path: &[String], tokens: &[Token], names: Range<usize>) {
        let is_plain = |token: &Token| matches!(token, Token::Name(_) | Token::Sign('.'));
        if kind(path) == Some(StartKind::Nothing)
            && tokens.get(names.clone()).is_some_and(|names| names.iter().all(is_plain))
        {
            self.known.extend(names);
        }
    }

    /// Notes a call whose words are computed.
    fn may_be_called(&mut self, path: &[String], given: &Arguments) {
        let is_other = || OTHERS.iter().any(|(names, of)| names.iter().any(|name| belongs(path, name, of)));
        let kind = kind(path).or_else(|| is_other().then_some(StartKind::Program));
        let first = given.values.first().or_else(|| given.named(&["args", "cmd"]));
        // `sh.rm("-rf", "a")`: the module has a function for each program.
        let program = match path {
            [module, program] if module == "sh" => Some(program),
            [name] => self.programs.get(name),
            _ => None,
        };
        if let (Some(program), None) = (program, kind) {
            let words = given.values.iter().flat_map(Value::outlines);
            return self.found.push(Started::Program([program.clone()].into_iter().chain(words).collect()));
        }
        let (Some(kind), Some(first)) = (kind, first) else { return };
        if self.found.len() >= MAX_STARTS || kind == StartKind::Nothing {
            return;
        }
        let rest = given.values.get(1..).unwrap_or_default();
        let words = match first {
            Value::List(words) => words.iter().chain(rest).collect::<Vec<_>>(),
            first if rest.is_empty() || kind == StartKind::Shell => {
                return self.found.extend(first.outlines().into_iter().map(Started::Shell));
            }
            first => std::iter::once(first).chain(rest).collect(),
        };
        let words: Vec<Vec<String>> = words
            .into_iter()
            .flat_map(|word| match word {
                Value::List(words) => words.iter().map(Value::outlines).collect(),
                word => vec![word.outlines()],
            })
            .collect();
        let most = words.iter().map(Vec::len).max().unwrap_or_default();
        for turn in 0..most {
            let argv = words.iter().filter_map(|word| word.get(turn % word.len().max(1)).cloned()).collect();
            self.found.push(Started::Program(argv));
        }
    }

    /// Whether only literal values count.
    pub(super) fn is_exact(&self) -> bool {
        !self.is_lenient
    }

    /// Returns the programs that a call starts, if all its words are literal.
    fn started(&self, kind: StartKind, given: &Arguments) -> Option<Vec<Started>> {
        // A function of JavaScript may have settings or a function behind its program and words.
        let needed =
            if self.is_javascript { 1 + usize::from(kind == StartKind::Program) } else { usize::MAX };
        if given.named(&["executable"]).is_some() || given.first_part.is_some_and(|part| part < needed) {
            return None;
        }
        // `os.popen("sh", "w")` is given the input later.
        if kind == StartKind::Shell
            && !self.is_javascript
            && (given.values.len() > 1 || !given.named.is_empty())
        {
            return None;
        }
        let first = given.values.first().or_else(|| given.named(&["args", "cmd"]))?;
        let argv = match (kind, first, given.values.get(1)) {
            (StartKind::Nothing, ..) => return Some(Vec::new()),
            // Another shell may be named.
            (StartKind::Shell, ..) if self.has_shell && self.is_javascript => return None,
            (StartKind::Shell, text, _) | (StartKind::Program, text @ Value::Texts(..), None) => {
                return Some(vec![Started::Shell(literal(text)?)]);
            }
            (_, Value::List(words), None) => literals(words)?,
            (_, Value::List(words), _) if self.is_javascript => literals(words)?,
            (_, program, Some(Value::List(words))) => {
                let words = literals(words)?;
                std::iter::once(literal(program)?).chain(words).collect()
            }
            _ => literals(&given.values)?,
        };
        let mut found = Vec::new();
        if self.has_shell {
            found.push(Started::Shell(argv.join(" ")));
        }
        // Some programs do what they are called, others what they are.
        if kind == StartKind::Named {
            let (program, words) = argv.split_first()?;
            found.push(Started::Program(words.to_vec()));
            let behind = words.get(1..).unwrap_or_default();
            found.push(Started::Program([program].into_iter().chain(behind).cloned().collect()));
        }
        found.push(Started::Program(argv));
        Some(found)
    }

    fn is_doubtful(&self, token: &Token) -> bool {
        match token {
            Token::Name(name) => self.imported.contains(name) || may_start(name),
            Token::Text(text) => names_start(text),
            Token::Command(_) => true,
            Token::Sign(_) => false,
        }
    }

    /// Notes the names of imports: `import subprocess as s, os`, `from os import (system as s)`. Returns `None` if an import gives
    /// names that it does not name.
    fn imports_of_python(&mut self, tokens: &[Token]) -> Option<()> {
        let begins = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            before.is_none_or(|before| matches!(before, Token::Sign('\n' | ';' | ':')))
        };
        let heads = tokens
            .iter()
            .enumerate()
            .filter(|(at, token)| begins(*at) && matches!(token.name(), Some("import" | "from")));
        for (at, head) in heads {
            let rest = tokens.get(at..).unwrap_or_default();
            let is_open = rest.iter().take(64).any(|token| token.is('('))
                && rest.iter().position(|token| token.is('(')) < rest.iter().position(|token| token.is('\n'));
            let ends = |token: &Token| token.is(';') || token.is(if is_open { ')' } else { '\n' });
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            let statement = rest.get(..length).unwrap_or_default();
            let starts = |tokens: &[Token]| tokens.iter().filter_map(Token::name).any(may_start);
            let list = statement.iter().position(|token| token.name() == Some("import"))?;
            let is_import = |token: &Token| {
                matches!(token, Token::Name(_) | Token::Sign('.' | ',' | '*' | '(' | ')' | '\n'))
            };
            let (module, names) = statement.split_at(list);
            let is_from = head.name() == Some("from");
            let mut modules: Vec<&[Token]> = if is_from { vec![module.get(1..)?] } else { Vec::new() };
            modules.extend(names.get(1..)?.split(|token| token.is(',')).filter(|_| !is_from));
            let is_plain =
                |module: &&[Token]| module.first().and_then(Token::name).is_some_and(exact::is_plain_python);
            if !statement.iter().all(is_import) || !modules.iter().all(is_plain) {
                return None;
            }
            let is_of_module = is_from && starts(module);
            if is_of_module && names.iter().any(|token| token.is('*')) {
                return None;
            }
            for clause in names.split(|token| token.is(',')) {
                if is_of_module || starts(clause) {
                    self.imported.extend(names_in(clause));
                }
            }
            self.known.extend(at..at + length);
        }
        Some(())
    }

    /// Notes the names of imports: `const {exec: e} = require("child_process")`, `import * as c from "child_process"`.
    fn imports_of_javascript(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let before = tokens.get(..at).unwrap_or_default();
            // The value of `require("a").b` is no module.
            let is_module =
                !matches!(tokens.get(at + 1..), Some([Token::Sign(')'), Token::Sign('.' | '[' | '('), ..]));
            if !is_module || !token.text().is_some_and(names_start) {
                continue;
            }
            let head = match before {
                [head @ .., Token::Sign('='), Token::Name(call), Token::Sign('(')] if call == "require" => {
                    head
                }
                [head @ .., Token::Name(from)] if from == "from" => head,
                _ => continue,
            };
            let is_begin = |token: &Token| matches!(token.name(), Some("const" | "let" | "var" | "import"));
            let Some(begin) = head.iter().rposition(is_begin).filter(|begin| head.len() - begin < 64) else {
                continue;
            };
            let list = head.get(begin + 1..).unwrap_or_default();
            // A list of names only: no value stands between.
            if list.iter().all(|token| {
                matches!(token, Token::Name(_) | Token::Sign('{' | '}' | ',' | ':' | '*' | '\n'))
            }) {
                self.imported.extend(names_in(list));
                self.known.extend(begin..=at);
            }
        }
    }
}

/// Returns the functions of the module `sh` that a code imports by their names: `from sh import rm as r`.
fn programs_of_sh(tokens: &[Token]) -> HashMap<String, String> {
    let is_head = |three: &[Token]| matches!(three, [Token::Name(from), Token::Name(module), Token::Name(import)] if from == "from" && module == "sh" && import == "import");
    let heads = tokens.windows(3).enumerate().filter(|(_, three)| is_head(three)).map(|(at, _)| at + 3);
    let mut programs = HashMap::new();
    for at in heads {
        let rest = tokens.get(at..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|token| matches!(token, Token::Sign(';' | ')' | '\n')))
            .unwrap_or(rest.len());
        for clause in rest.get(..end).unwrap_or_default().split(|token| token.is(',')) {
            let mut names = names_in(clause);
            if let Some(program) = names.next() {
                programs.extend(names.next().map(|other| (other, program.clone())));
                programs.insert(program.clone(), program);
            }
        }
    }
    programs
}

fn names_in(tokens: &[Token]) -> impl Iterator<Item = String> {
    let names = tokens.iter().filter_map(Token::name);
    names.filter(|name| !matches!(*name, "as" | "import" | "default" | "type")).map(str::to_owned)
}

fn kind(path: &[String]) -> Option<StartKind> {
    let has = |(names, owners): &Row| names.iter().any(|name| belongs(path, name, owners));
    ROWS.iter().find(|(_, rows)| rows.iter().any(has)).map(|(kind, _)| *kind)
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Texts(texts, _) => match texts.as_slice() {
            [text] if !text.contains(|c| Gap::from_char(c).is_some()) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn literals(values: &[Value]) -> Option<Vec<String>> {
    values.iter().map(literal).collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())
}
