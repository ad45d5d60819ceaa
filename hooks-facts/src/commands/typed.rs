//! Programs in which the agent types commands while they run. A command whose input stays open gives it that chance by a call
//! that no hook judges, so such a program runs unknown code.
//!
//! This matters only to clients that keep the input open: elsewhere, `less FILE` ends at once.

use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::code::{Interpreter, Language};
use super::effects::code::{Token, tokens};
use super::walk::{Stream, Walk};
use crate::shell::{Command, Redirection, RedirectionKind, Span};

/// Program that takes commands.
struct Typed {
    programs: &'static [&'static str],
    reads: Reads,
    /// Options without which it takes none.
    only: &'static [&'static str],
    /// Words with which it takes none.
    ends: &'static [&'static str],
    /// Letters that take the next word.
    values: &'static str,
    /// Whole options that take the next word.
    takes: &'static [&'static str],
    /// Number of operands with which it takes none.
    operands: usize,
}

/// Place from which a program takes commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Input,
    Keys,
    /// The terminal, unless its output goes elsewhere.
    Pager,
}

const TYPED: &[Typed] = table!("typed_programs");

/// Modules of Python with a prompt.
const MODULES: &[&str] =
    &["code", "pdb", "asyncio", "IPython", "bpython", "ptpython", "ptipython", "pydoc", "idlelib"];

/// Names in code that reads its input.
const INPUTS: &[&str] = &[
    "stdin",
    "STDIN",
    "input",
    "raw_input",
    "gets",
    "fgets",
    "ARGF",
    "readline",
    "readLine",
    "readlines",
    "getLine",
    "read-line",
];

/// Other signs of it.
const INPUT_SIGNS: &[&str] =
    &["<>", "$<", "io.read", "/dev/tty", "/dev/fd/0", "/dev/stdin", "readFileSync(0", "read(0", "open(0"];

/// Names of calls that run a text or start a command.
const RUNS: &[&str] = &[
    "eval",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "Function",
    "runInThisContext",
    "runInNewContext",
    "runInContext",
    "loadstring",
    "instance_eval",
    "class_eval",
    "module_eval",
    "system",
    "popen",
    "popen2",
    "popen3",
    "spawn",
    "spawnSync",
    "subprocess",
    "execute",
    "passthru",
    "shell_exec",
    "proc_open",
    "pcntl_exec",
    "qx",
    "include_string",
    "Command",
    "Popen",
];

/// Calls that open a prompt.
const PROMPTS: &[&str] = &[
    "code.interact",
    "InteractiveConsole",
    "breakpoint()",
    "set_trace()",
    "IPython.embed",
    "IPython.start",
    "binding.irb",
    "binding.pry",
    "IRB.start",
    "Pry.start",
    "'repl'",
    "\"repl\"",
    "node:repl",
];

/// Reports a program that takes commands from the open input.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    if !walk.options.has_open_input {
        return;
    }
    let is_given = |stream: &Stream| *stream == Stream::Unknown;
    let is_met = |row: &Typed| match row.reads {
        Reads::Input => is_given(input),
        Reads::Keys => true,
        Reads::Pager => !walk.is_piped,
    };
    if TYPED.iter().any(|row| row.is_program(name, words) && is_met(row) && row.takes_commands(words)) {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Reports code of an interpreter that runs what it reads from the open input.
pub(super) fn note_code(
    walk: &mut Walk,
    interpreter: &Interpreter,
    words: &[Argument],
    text: &str,
    input: &Stream,
    span: Span,
) {
    use Language::{Awk, JavaScript, Lua, Perl, Ruby, Sed, Sql, Vim};
    let language = interpreter.language;
    let is_open = walk.options.has_open_input && *input == Stream::Unknown;
    if !is_open || matches!(language, Awk | Sed | Vim | Sql) {
        return;
    }
    let read = tokens(language, text);
    let names: Vec<&str> =
        read.iter().filter_map(Token::name).flat_map(|name| name.split(['.', ':'])).collect();
    let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
    // `perl -ne`, `ruby -pe` read each line.
    let reads_lines = || {
        matches!(language, Perl | Ruby)
            && words.iter().any(|word| is_bundle(word.prefix()) && word.prefix().contains(['n', 'p']))
    };
    let is_run = |name: &&str| match *name {
        // In JavaScript, it also is a method of patterns.
        "exec" if language == JavaScript => text.contains("child_process"),
        "load" => language == Lua,
        name => RUNS.contains(&name),
    };
    let runs = || names.iter().any(is_run) || language.has_backticks() && text.contains('`');
    let reads = || names.iter().any(|name| INPUTS.contains(name)) || has(INPUT_SIGNS) || reads_lines();
    if has(PROMPTS) || runs() && reads() {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Reports that a program runs lines of its input, if that is open.
pub(super) fn runs_input(walk: &mut Walk, span: Span) {
    if walk.options.has_open_input && walk.input == Stream::Unknown {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Returns whether an interpreter only shows its version or its help.
pub(super) fn is_question(language: Language, words: &[Argument]) -> bool {
    let [word] = words else { return false };
    match word.prefix() {
        "--version" | "--help" | "-h" => true,
        "-V" => language == Language::Python,
        // `python3 -v` still opens a prompt.
        "-v" => language != Language::Python,
        _ => false,
    }
}

/// Returns whether a word names the standard input.
pub(super) fn is_input(file: &Argument) -> bool {
    matches!(file.literal(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// Returns whether a stage of a pipeline has its output in the pipe, and nowhere else.
pub(super) fn is_plain_stage(stage: &Command) -> bool {
    let is_plain = |redirection: &Redirection| match redirection.kind {
        RedirectionKind::Read | RedirectionKind::HereDocument | RedirectionKind::HereString => true,
        RedirectionKind::Duplicate => redirection.target.literal().as_deref() == Some("1"),
        _ => redirection.target.literal().as_deref() == Some("/dev/null"),
    };
    matches!(stage, Command::Simple(simple) if simple.redirections.iter().all(is_plain))
}

impl Typed {
    fn is_program(&self, name: &str, words: &[Argument]) -> bool {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
        self.programs.iter().any(|program| match program.split_once(' ') {
            None => *program == name || *program == plain,
            // Words of a program may be abbreviated.
            Some((program, wanted)) => {
                (program == name || program == plain)
                    && self.operand(words).is_some_and(|first| !first.is_empty() && wanted.starts_with(first))
            }
        })
    }

    fn operand<'w>(&self, words: &'w [Argument]) -> Option<&'w str> {
        self.parts(words).find_map(|part| if let Part::Operand(word) = part { Some(word) } else { None })
    }

    /// Returns whether it takes commands with these words.
    fn takes_commands(&self, words: &[Argument]) -> bool {
        if let [word] = words
            && matches!(word.prefix(), "--version" | "--help")
        {
            return false;
        }
        let has = |list: &[&str]| {
            self.parts(words).any(|part| match part {
                Part::Option(option) => list.contains(&option),
                Part::Letter(letter) => {
                    list.iter().any(|one| one.strip_prefix('-').and_then(single) == Some(letter))
                }
                Part::Operand(word) => list.contains(&word),
            })
        };
        let operands = self.parts(words).filter(|part| matches!(part, Part::Operand(_))).count();
        let reads_input = words.iter().any(is_input);
        (self.only.is_empty() || has(self.only))
            && (reads_input || !has(self.ends))
            && (self.operands == 0 || operands < self.operands || reads_input)
    }

    /// Returns the options, letters and operands among the words, without the values of options.
    fn parts<'w>(&self, words: &'w [Argument]) -> impl Iterator<Item = Part<'w>> {
        let (takes, values) = (self.takes, self.values);
        let mut is_value = false;
        words.iter().flat_map(move |word| {
            let text = word.prefix();
            if std::mem::take(&mut is_value) {
                return Vec::new();
            }
            if !text.starts_with('-') || text == "-" {
                return vec![Part::Operand(text)];
            }
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            let mut parts = vec![Part::Option(name)];
            is_value = takes.contains(&text);
            if is_value || !is_bundle(text) {
                return parts;
            }
            for (at, letter) in text.char_indices().skip(1) {
                if values.contains(letter) {
                    is_value = at + letter.len_utf8() == text.len();
                    break;
                }
                parts.push(Part::Letter(letter));
            }
            parts
        })
    }
}

/// Part of the words of a program.
enum Part<'w> {
    Option(&'w str),
    Letter(char),
    Operand(&'w str),
}

/// Returns whether a word is a bundle of letters.
fn is_bundle(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text.starts_with("--")
}

fn single(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

impl Walk {
    /// Returns the content of a name for the standard input or the terminal.
    pub(super) fn live(&self, name: &str) -> Option<Stream> {
        if is_input(&Argument::from(name)) && name != "-" {
            return Some(self.input.clone());
        }
        let is_terminal =
            ["/dev/tty", "/dev/pts/", "/dev/fd/", "/dev/console"].iter().any(|start| name.starts_with(start));
        let is_other = name.starts_with("/proc/") && name.contains("/fd/")
            || name == "/dev/stdout"
            || name == "/dev/stderr";
        (is_terminal || is_other).then_some(Stream::Unknown)
    }

    /// `python3 -m code`: a module with a prompt.
    pub(super) fn typed_module(&mut self, module: &str, input: &Stream, span: Span) {
        let first = module.split('.').next().unwrap_or_default();
        if self.options.has_open_input && *input == Stream::Unknown && MODULES.contains(&first) {
            self.unresolved(UnresolvedReason::Text, span);
        }
    }
}
