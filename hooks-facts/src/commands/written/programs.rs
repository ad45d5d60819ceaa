//! Written files that run by themselves, or in an interpreter, and the modules that their code loads.

use std::collections::BTreeSet;

use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::code::{self, Language};
use super::super::file_programs;
use super::super::typed;
use super::super::walk::{Stream, Variable, Walk};
use super::runners;
use crate::shell::Span;

/// Words behind which the name of a loaded module or file stands.
const LOADERS: &[&str] = table!("runner_words_loaders");

/// Most modules that are looked for in one file.
const MAX_MODULES: usize = 160;

/// Longest line in which each string counts as a module. In a longer one, only the string behind each word that loads one does.
const MAX_LINE: usize = 2_000;

impl Walk {
    /// Runs a program whose file the command or the session wrote; `None` for every other program.
    pub(in super::super) fn own_program(
        &mut self,
        program: &Argument,
        words: &[Argument],
        input: &Stream,
        span: Span,
    ) -> Option<Stream> {
        if !self.follows_files() {
            return None;
        }
        let name = program.literal()?;
        let (path, stream) = if name.contains('/') {
            (name.to_owned(), self.written(name)?)
        } else {
            self.in_search_path(name, span)?
        };
        let argv = match stream {
            Stream::Known(text) => {
                let mut argv = interpreter_of(&text);
                argv.push(Argument::Literal(path));
                argv
            }
            Stream::Copy(of) if *of != *path => vec![Argument::from(&*of)],
            Stream::Names(_) | Stream::Lines(_) | Stream::Unknown => {
                self.unresolved(UnresolvedReason::Program, span);
                return Some(Stream::Unknown);
            }
            Stream::Copy(_) | Stream::Empty | Stream::File(_) => return None,
        };
        let argv: Vec<_> = argv.into_iter().chain(words.iter().cloned()).collect();
        Some(self.run(&argv, input, span))
    }

    /// Looks for a written program in the folders of a search path that the command sets.
    fn in_search_path(&mut self, name: &str, span: Span) -> Option<(String, Stream)> {
        let Some(Variable::Text(path)) = self.variables.get("PATH") else { return None };
        let known = path.literal().map_or_else(
            || path.prefix().rsplit_once(':').map_or("", |(known, _)| known).to_owned(),
            str::to_owned,
        );
        if !self.pay(known.len(), span) {
            return None;
        }
        known.split(':').find_map(|folder| {
            let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
            let path = format!("{folder}/{name}");
            let stream = self.written(&path)?;
            Some((path, stream))
        })
    }

    /// Runs the files that an interpreter is given as its program with an option of their own: `awk -f FILE`. Returns
    /// whether there are any.
    pub(in super::super) fn program_files(
        &mut self,
        language: Language,
        words: &[Argument],
        span: Span,
    ) -> bool {
        if !matches!(language, Language::Awk | Language::Sed) {
            return false;
        }
        let Some(file) = file_programs::value(words, 'f', "--file") else { return false };
        if let Some(name) = file.literal()
            && let Some(text) = self.written_text(name, span)
        {
            code::run(self, language, &text, span);
        }
        if typed::is_input(&file) {
            typed::runs_input(self, span);
        }
        true
    }

    /// Walks the code of a file, and of the modules that it loads.
    pub(in super::super) fn code_file(&mut self, language: Language, name: &str, text: &str, span: Span) {
        if !self.loaded.insert(name.to_owned()) {
            return;
        }
        super::calls::run(self, language, text, span);
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        self.modules(language, &folder, text, span);
    }

    /// Walks the modules that a code loads, of those which the command or the session wrote.
    pub(in super::super) fn modules(&mut self, language: Language, folder: &str, text: &str, span: Span) {
        if !self.follows_files() {
            return;
        }
        let mut named = BTreeSet::new();
        for line in text.lines() {
            if language == Language::Python {
                named.extend(python_modules(line));
            }
            named.extend(loaded_names(line).map(str::to_owned));
            if named.len() > MAX_MODULES {
                return self.too_complex(span);
            }
        }
        for module in &named {
            for name in candidates(language, folder, module) {
                if let Some(text) = self.written_text(&name, span) {
                    self.deeper(span, |walk| walk.code_file(language, &name, &text, span));
                    break;
                }
            }
        }
    }

    /// Runs a module that an interpreter is given by name: `python -m NAME WORDS`.
    pub(in super::super) fn python_module(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let Some(at) = words.iter().position(|word| word.literal() == Some("-m")) else { return };
        let Some(module) = words.get(at + 1).and_then(Argument::literal).map(str::to_owned) else { return };
        let rest = words.get(at + 2..).unwrap_or_default();
        let path = module.replace('.', "/");
        for name in [format!("{path}.py"), format!("{path}/__main__.py")] {
            if let Some(text) = self.written_text(&name, span) {
                self.code_file(Language::Python, &name, &text, span);
            }
        }
        self.typed_module(&module, input, span);
        runners::note(self, &module, rest, input, span);
    }
}

/// Returns the interpreter that the first line of a script names, with its words; a shell if it names none.
fn interpreter_of(text: &str) -> Vec<Argument> {
    let line = text.strip_prefix("#!").and_then(|text| text.lines().next()).unwrap_or_default();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_some_and(|first| first.ends_with("/env")) {
        words.remove(0);
        words.retain(|word| !matches!(*word, "-S" | "-i" | "--split-string"));
    }
    if words.is_empty() { vec!["sh".into()] } else { words.into_iter().map(Argument::from).collect() }
}

/// Returns the modules that a line of Python imports, as paths.
fn python_modules(line: &str) -> Vec<String> {
    let line = line.trim();
    let path = |name: &str| name.trim().replace('.', "/");
    let first = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
    if let Some(rest) = line.strip_prefix("import ") {
        return rest.split(',').map(|part| path(&first(part))).collect();
    }
    let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
    else {
        return Vec::new();
    };
    let module = path(module.trim().trim_start_matches('.'));
    let inner = names.split(',').map(|part| first(part.trim_matches(['(', ')', ' '])));
    let inner = inner.map(|name| if module.is_empty() { name } else { format!("{module}/{name}") });
    std::iter::once(module.clone()).filter(|name| !name.is_empty()).chain(inner).collect()
}

/// Returns the files that the name of a module may stand for.
fn candidates(language: Language, folder: &str, module: &str) -> Vec<String> {
    let endings: &[&str] = match language {
        Language::Python => &[".py", "/__init__.py", ""],
        Language::Ruby => &[".rb", ""],
        Language::Perl => &[".pm", ".pl", ""],
        Language::Php => &["", ".php"],
        Language::Lua => &[".lua", ""],
        Language::JavaScript => {
            &["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".jsx", ".tsx", ".json", "/index.js", "/index.ts"]
        }
        Language::R => &["", ".R", ".r"],
        Language::Julia => &["", ".jl"],
        Language::Lisp => &["", ".el", ".lisp", ".scm", ".clj"],
        Language::Elixir => &["", ".ex", ".exs", ".erl"],
        Language::Awk
        | Language::Sed
        | Language::Tcl
        | Language::Vim
        | Language::Java
        | Language::Haskell
        | Language::Sql => &[""],
    };
    let module = module.strip_prefix("file://").unwrap_or(module);
    let beside = |name: &String| match folder {
        _ if module.starts_with('/') => name.clone(),
        "" => name.clone(),
        folder => format!("{folder}/{name}"),
    };
    let names: Vec<String> = endings.iter().map(|ending| format!("{module}{ending}")).collect();
    let near = names.iter().map(beside);
    // Python also looks in the folder in which it starts.
    near.chain(names.iter().cloned()).collect()
}

/// Returns the strings of a line that may name what it loads.
fn loaded_names(line: &str) -> impl Iterator<Item = &str> {
    let loads = LOADERS.iter().any(|word| line.contains(word));
    let is_long = line.len() > MAX_LINE;
    let near = LOADERS.iter().filter(move |_| is_long).flat_map(move |word| {
        let places = line.match_indices(word).filter_map(move |(at, _)| line.get(at + word.len()..));
        places.filter_map(|behind| {
            // Not further: a line may have this word thousands of times.
            let mut near = behind.char_indices().take_while(|(at, _)| *at <= " from ( ".len());
            let (quote, _) = near.find(|(_, c)| matches!(c, '"' | '\'' | '`'))?;
            quoted(behind.get(quote..)?).next()
        })
    });
    quoted(line).filter(move |_| loads && !is_long).chain(near)
}

/// Returns the texts between quotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let at = rest.find(['"', '\'', '`'])?;
        let quote = rest.get(at..)?.chars().next()?;
        let inner = rest.get(at + 1..)?;
        let end = inner.find(quote).unwrap_or(inner.len());
        rest = inner.get(end + 1..).unwrap_or_default();
        inner.get(..end)
    })
}
