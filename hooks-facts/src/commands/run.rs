//! Programs that single programs start.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::access::AccessKind;
use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::code;
use super::code_calls::CodeInput;
use super::file_programs::{self, FD_STARTS, Search};
use super::folders::Folders;
use super::git;
use super::helpers;
use super::late;
use super::launchers;
use super::lookup;
use super::output;
use super::placeholder::Item;
use super::possible;
use super::queries;
use super::reads;
use super::settings;
use super::typed;
use super::walk::{FIRST_PROCESS, Stream, Variable, Walk};
use super::wrappers::{self, Wrapper};
use super::written;
use crate::shell::Span;

const SHELLS: &[&str] = table!("program_words_shells");

impl Walk {
    /// Runs a program with its words; returns its output.
    pub(super) fn run(&mut self, argv: &[Argument], input: &Stream, span: Span) -> Stream {
        let cost = argv.iter().map(Argument::cost).sum::<usize>() + 8;
        if !self.pay(cost, span) {
            return Stream::Unknown;
        }
        let output = self.reading(input, |walk| walk.deeper(span, |walk| walk.run_here(argv, input, span)));
        output.unwrap_or(Stream::Unknown)
    }

    fn run_here(&mut self, argv: &[Argument], input: &Stream, span: Span) -> Stream {
        let Some((program, words)) = argv.split_first() else { return Stream::Empty };
        self.invoke(argv, span);
        self.started_by_last(|walk| walk.run_started(program, words, input, span))
    }

    fn run_started(&mut self, program: &Argument, words: &[Argument], input: &Stream, span: Span) -> Stream {
        let Some(name) = self.options.program_name(program) else {
            self.unresolved(UnresolvedReason::Program, span);
            reads::note_unknown(self, words, span);
            return Stream::Unknown;
        };
        if let Some(output) = self.defined(program, words, input, span) {
            return output;
        }
        lookup::note(self, &name, words);
        settings::note(self, &name, words);
        late::note(self, &name, words, span);
        match name.as_str() {
            "cd" | "pushd" => self.change_folder(words),
            "chdir" | "set-location" | "sl" | "push-location" if self.options.windows => {
                self.change_folder(words);
            }
            "popd" | "pop-location" => self.folders = Folders::unknown(),
            // These run in the shell itself.
            "eval" | "source" | "." | "command" | "builtin" => {
                return self.program(&name, words, input, span);
            }
            _ => {}
        }
        let is_elsewhere = settings::starts_elsewhere(&name, words);
        self.with_settings(is_elsewhere, |walk| {
            walk.in_subshell(|walk| walk.program(&name, words, input, span))
        })
    }

    fn program(&mut self, name: &str, words: &[Argument], input: &Stream, span: Span) -> Stream {
        file_programs::note(self, name, words, input, span);
        reads::note(self, name, words, input, span);
        reads::note_listed(self, name, words, input, span);
        queries::note(self, name, words, input, span);
        helpers::note(self, name, words, span);
        typed::note(self, name, words, input, span);
        let starts = launchers::note(self, name, words, input, span);
        self.files_of_program(name, words, input, span);
        self.follows_copies(name, words, input);
        // Git's own programs: `git-push` is `git push`.
        if let Some(subcommand) = name.strip_prefix("git-").filter(|name| !name.is_empty()) {
            let argv: Vec<_> =
                ["git".into(), subcommand.into()].into_iter().chain(words.iter().cloned()).collect();
            return self.run(&argv, input, span);
        }
        if let Some(output) = output::simulate(name, words, input, self) {
            return output;
        }
        if SHELLS.contains(&name) {
            return self.shell(name, words, input, span);
        }
        if let Some(wrapper) = wrappers::wrapper(name) {
            return self.wrapper(name, &wrapper, words, input, span);
        }
        if let Some(interpreter) = code::interpreter(name) {
            self.interpreter(&interpreter, words, input, span);
            if interpreter.is_plain() {
                return Stream::Unknown;
            }
        }
        match name {
            "eval" => {
                let text = self.joined(words, " ");
                if text.is_unknown() && !words.is_empty() {
                    self.unresolved(UnresolvedReason::Text, span);
                    return Stream::Unknown;
                }
                return self.text(&text.as_shell_text(), input, span);
            }
            "source" | "." => return self.sourced(words, input, span),
            "trap" => self.trap(words, span),
            "alias" => self.define_aliases(words, span),
            // `hash -p FILE NAME`: the name stands for the file.
            "hash" => {
                if let (Some(file), Some(name)) = (
                    file_programs::value(words, 'p', "").and_then(|file| file.literal().map(str::to_owned)),
                    words.last().and_then(Argument::literal),
                ) {
                    self.aliases.insert(name.to_owned(), file);
                }
            }
            "compgen" => {
                if let Some(text) = file_programs::value(words, 'C', "") {
                    self.maybe_text(&text.as_shell_text(), span);
                }
            }
            "set" | "shift" => self.set(name, words),
            "read" => self.read_into(words, input, span),
            "mapfile" | "readarray" => self.read_list_into(words, input, span),
            "getopts" | "unset" => self.forget(words),
            "printf" => self.print_into(words, span),
            "xargs" => self.xargs(words, input, span),
            "parallel" => {
                let folder = wrappers::folder(name, words);
                self.in_folder(folder.as_ref(), |walk| walk.parallel(words, input, span));
            }
            "find" => {
                let search = Search::of_find(words);
                self.after_marks(words, &["-exec", "-execdir", "-ok", "-okdir"], &search, false, span);
                return search.printed(words);
            }
            "fd" | "fdfind" => {
                let search = Search::of_fd(words);
                self.after_marks(words, FD_STARTS, &search, true, span);
                return search.printed_by_fd(words);
            }
            "git" => git::run(self, words, span),
            "ssh" | "rsh" | "autossh" => self.ssh(words, input, span),
            "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" => {
                self.container(words, input, span);
            }
            "su" | "runuser" | "script" | "flock" | "newgrp" | "sg" => {
                self.with_command_option(name, words, input, span);
            }
            "watch" => {
                let rest = operands_from(words, "nd", &["interval"], 0);
                let text = self.joined(rest, " ");
                let input = self.inherited_input();
                self.text(&text.as_shell_text(), &input, span);
            }
            "hyperfine" => self.texts(
                Some(operands_from(
                    words,
                    "wmMrpcSnsi",
                    &["warmup", "runs", "prepare", "setup", "cleanup"],
                    0,
                )),
                span,
            ),
            "crontab" => self.table_of_jobs(words, input, span),
            "at" | "batch" if !matches!(input, Stream::Empty) => {
                self.stream(input, span);
            }
            "tmux" | "screen" => {
                self.is_opaque();
                let rest = match name {
                    "screen" => operands_from(words, "cehpStTX", &[], 0),
                    // The words after the name of tmux's own command, such as `new-session`.
                    _ => operands_from(operands_from(words, "cfLST", &[], 1), "cdeFfntxyspl", &[], 0),
                };
                let input = self.inherited_input();
                let folder = wrappers::folder(name, words);
                self.in_folder(folder.as_ref(), |walk| {
                    walk.run_some(rest, &input, span);
                    for word in words.iter().filter(|word| word.prefix().contains(' ')) {
                        walk.maybe_text(&word.as_shell_text(), span);
                    }
                });
            }
            "tar" | "rsync" | "vim" | "vi" | "nvim" | "ex" | "less" | "gdb" | "zip" => {
                self.command_options(words, span);
            }
            "make" | "gmake" | "bmake" | "remake" => {
                let folder = wrappers::folder(name, words);
                self.in_folder(folder.as_ref(), |walk| walk.recipes(words, input, span));
            }
            _ if wrappers::PACKAGE_RUNNERS.contains(&name) => {
                self.option_texts(words, span);
                let rest = wrappers::started(name, words).unwrap_or_default();
                return self.run_some(&wrappers::without_version(rest), input, span);
            }
            "curl" | "wget" => self.downloads(words),
            "tee" | "cp" | "mv" => {}
            _ if starts && wrappers::runner_at(name, words).is_none() => {
                self.is_opaque();
                self.option_texts(words, span);
            }
            _ => {
                if let Some(rest) = wrappers::started(name, words) {
                    self.option_texts(words, span);
                    return self.run_some(&wrappers::without_version(rest), input, span);
                }
                if possible::is_opaque(name) {
                    self.is_opaque();
                    self.option_texts(words, span);
                }
            }
        }
        if name == "tee" { input.clone() } else { Stream::Unknown }
    }

    /// Runs a function, an alias, or a file that the command wrote itself.
    fn defined(
        &mut self,
        program: &Argument,
        words: &[Argument],
        input: &Stream,
        span: Span,
    ) -> Option<Stream> {
        let name = program.literal()?;
        if let Some(body) = self.functions.get(name).map(Rc::clone) {
            // In its body the name means the program; otherwise `ls() { ls -l; }` would not end.
            self.functions.remove(name);
            let own: Vec<_> = std::iter::once(program.clone()).chain(words.iter().cloned()).collect();
            let outer = std::mem::replace(&mut self.positional, own);
            // Its text is read again with each call.
            let repeating = std::mem::replace(&mut self.repeating, true);
            let output = self.command(&body, input);
            self.repeating = repeating;
            self.positional = outer;
            self.functions.insert(name.to_owned(), body);
            return Some(output);
        }
        if let Some(text) = self.aliases.remove(name) {
            let rest = self.joined(words, " ");
            let line = format!("{text} {}", rest.as_shell_text());
            let output = self.text(&line, input, span);
            self.aliases.insert(name.to_owned(), text);
            return Some(output);
        }
        self.own_program(program, words, input, span)
    }

    pub(super) fn run_some(&mut self, argv: &[Argument], input: &Stream, span: Span) -> Stream {
        if argv.is_empty() { Stream::Empty } else { self.run(argv, input, span) }
    }

    /// `bash -c TEXT`, `bash FILE`, `… | bash`.
    fn shell(&mut self, name: &str, words: &[Argument], input: &Stream, span: Span) -> Stream {
        self.guess(|walk| walk.windows_shell(name, words, span));
        let mut at = 0;
        let (mut has_text, mut reads_input, mut checks_only) = (false, false, false);
        while let Some(word) = words.get(at) {
            let option = word.prefix();
            if option == "--" || option == "-" {
                at += 1;
                break;
            }
            if option == "/c" || option == "/C" || option.eq_ignore_ascii_case("-command") {
                has_text = true;
                at += 1;
                break;
            }
            if !(option.starts_with('-') || option.starts_with('+')) {
                break;
            }
            at += 1;
            if let Some(long) = option.strip_prefix("--") {
                if matches!(long, "version" | "help") {
                    return Stream::Unknown;
                }
                has_text |= long == "command";
                at += usize::from(matches!(long, "rcfile" | "init-file" | "init-command"));
            } else {
                has_text |= option.contains('c');
                reads_input |= option.contains('s');
                checks_only |= option.contains('n') && !option.contains('o');
                // The names of the settings in a bundle follow it, before the text.
                at += match name {
                    "pwsh" | "powershell" | "cmd" => 0,
                    _ => option.matches(['o', 'O']).count(),
                };
            }
        }
        let rest = words.get(at..).unwrap_or_default();
        if checks_only {
            return Stream::Empty;
        }
        match rest.split_first() {
            Some((text, positional)) if has_text => {
                if text.is_unknown() {
                    self.unresolved(UnresolvedReason::Text, span);
                    return Stream::Unknown;
                }
                let positional =
                    if positional.is_empty() { vec!["bash".into()] } else { positional.to_vec() };
                let outer = std::mem::replace(&mut self.positional, positional);
                let output = self.text(&text.as_shell_text(), input, span);
                self.positional = outer;
                output
            }
            Some(_) if !reads_input => self.script_file(rest, input, span),
            _ => {
                let positional = std::iter::once("bash".into()).chain(rest.iter().cloned()).collect();
                let outer = std::mem::replace(&mut self.positional, positional);
                let output = self.stream(input, span);
                self.positional = outer;
                output
            }
        }
    }

    /// Returns the variables that a code may ask for: those of the shell, and of awk those of `-v NAME=VALUE`.
    fn code_variables(&self, language: code::Language, words: &[Argument]) -> HashMap<String, String> {
        let text = |variable: &Variable| match variable {
            Variable::Text(text) => Some(text.outline()),
            Variable::List(_) => None,
        };
        if language != code::Language::Awk {
            let texts = self.variables.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?)));
            return texts.collect();
        }
        let values = words.iter().enumerate().filter_map(|(at, word)| {
            let attached = word.strip_prefix("-v").filter(|rest| rest.len() > 0);
            attached.or_else(|| words.get(at + 1).filter(|_| word.literal() == Some("-v")).cloned())
        });
        let pairs = values.filter_map(|pair| {
            let pair = pair.outline();
            pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        });
        pairs.collect()
    }

    /// `source FILE`: its variables are used, and shown if something prints variables afterwards.
    fn sourced(&mut self, words: &[Argument], input: &Stream, span: Span) -> Stream {
        if let Some(file) = words.first() {
            self.sources(file, span);
        }
        self.script_text(words, input, span)
    }

    /// Runs a script that a shell reads from a file.
    fn script_file(&mut self, words: &[Argument], input: &Stream, span: Span) -> Stream {
        let Some(file) = words.first() else { return Stream::Empty };
        if !file.literal().is_some_and(names_stream) {
            self.reads("bash", file, AccessKind::Executed, span);
        }
        let outer = std::mem::replace(&mut self.positional, words.to_vec());
        let output = self.script_text(words, input, span);
        self.positional = outer;
        output
    }

    fn script_text(&mut self, words: &[Argument], input: &Stream, span: Span) -> Stream {
        let Some(file) = words.first() else { return Stream::Empty };
        let stream = match file.literal() {
            Some(name) if names_stream(name) && !self.files.contains_key(name) => {
                let is_other = !matches!(name, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
                self.channel.clone().filter(|_| is_other).unwrap_or_else(|| input.clone())
            }
            Some(_) => self.file(file),
            None if file.file_name().is_some_and(|name| !name.is_empty()) => Stream::File("".into()),
            // A file found by a search or a wildcard existed before, unless the command wrote it.
            None if file.is_found() && self.files.is_empty() => Stream::File("".into()),
            None => Stream::Unknown,
        };
        match stream {
            // The input of the script is free for the programs in it.
            Stream::Known(text) if !typed::is_input(file) => {
                let input = self.inherited_input();
                self.text(&text, &input, span)
            }
            stream => self.stream(&stream, span),
        }
    }

    fn wrapper(
        &mut self,
        name: &str,
        wrapper: &Wrapper,
        words: &[Argument],
        input: &Stream,
        span: Span,
    ) -> Stream {
        if name == "command" && words.first().is_some_and(|word| matches!(word.prefix(), "-v" | "-V")) {
            return Stream::Unknown;
        }
        if name == "env" {
            for (at, word) in words.iter().enumerate() {
                let option = word.prefix();
                let attached = ["--split-string=", "-S", "-vS", "-iS"]
                    .into_iter()
                    .find_map(|start| word.strip_prefix(start).filter(|rest| rest.len() > 0));
                let text = match attached {
                    Some(text) => Some((text, at + 1)),
                    None if matches!(option, "-S" | "-vS" | "-iS")
                        || option.len() > 2 && "--split-string".starts_with(option) =>
                    {
                        words.get(at + 1).cloned().map(|text| (text, at + 2))
                    }
                    None => None,
                };
                if let Some((text, next)) = text {
                    let rest = self.joined(words.get(next..).unwrap_or_default(), " ");
                    return self.text(
                        &format!("env {} {}", text.as_shell_text(), rest.as_shell_text()),
                        input,
                        span,
                    );
                }
                if !(option.starts_with('-') || option.contains('=')) {
                    break;
                }
            }
        }
        let mut rest = operands_from(words, wrapper.short, wrapper.long, wrapper.operands);
        if name == "env"
            && let Some((dash, after)) = rest.split_first()
            && dash.literal() == Some("-")
        {
            rest = operands_from(after, wrapper.short, wrapper.long, wrapper.operands);
        }
        let before = self.settings_moved;
        while wrapper.assignments
            && let Some((word, after)) = rest.split_first()
            && let Some((variable, _)) = word.prefix().split_once('=')
            && !variable.contains('/')
        {
            if let Some(value) = word.strip_prefix(&format!("{variable}=")) {
                self.environment(variable, &value, span);
            }
            rest = after;
        }
        let is_lent = self.take_moved(before);
        let options = words.get(..words.len() - rest.len()).unwrap_or_default();
        let folder = wrappers::folder(name, options);
        if rest.is_empty() && wrappers::starts_shell(name, options) {
            return self.stream(input, span);
        }
        if name == "command" || name == "builtin" {
            return self.run_some(rest, input, span);
        }
        self.with_settings(is_lent, |walk| {
            walk.in_folder(folder.as_ref(), |walk| walk.run_some(rest, input, span))
        })
    }

    /// Handles a variable that is set for programs.
    pub(super) fn environment(&mut self, name: &str, value: &Argument, span: Span) {
        self.lookup_changed |= lookup::changes(name, value);
        self.settings_moved |= settings::moves(name);
        self.late_value(name, value, span);
        if wrappers::COMMAND_VARIABLES.contains(&name) {
            // `LESSOPEN='|COMMAND %s'`.
            let text = value.as_shell_text();
            self.maybe_text(text.trim_start_matches(['|', '-']), span);
        }
        if let Some(body) = value.literal().and_then(|text| text.strip_prefix("() "))
            && name.starts_with("BASH_FUNC_")
        {
            self.maybe_text(body, span);
        }
        if name.starts_with("GIT_CONFIG_") || written::is_startup_variable(name) {
            self.variables.insert(name.to_owned(), Variable::Text(value.clone()));
        }
    }

    fn interpreter(
        &mut self,
        interpreter: &code::Interpreter,
        words: &[Argument],
        input: &Stream,
        span: Span,
    ) {
        let language = interpreter.language;
        if self.program_files(language, words, span) {
            return;
        }
        let found = interpreter.arguments(words);
        // `ruby -run -e rm -- -r FOLDER`: a library with functions for programs.
        if language == code::Language::Ruby && words.iter().any(|word| word.literal() == Some("-run")) {
            let rest = words.iter().skip_while(|word| word.literal() != Some("--")).skip(1);
            let argv: Vec<Argument> = found.texts.first().into_iter().chain(rest).cloned().collect();
            self.run_some(&argv, &Stream::Empty, span);
        }
        let is_code =
            |word: &Argument| found.texts.last().map_or(word.literal() == Some("-"), |text| word == text);
        let behind = words.iter().position(is_code).and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let words_behind = behind.iter().map(Argument::outline).collect();
        self.code_input = CodeInput { words: words_behind, variables: self.code_variables(language, words) };
        for text in &found.texts {
            if text.is_unknown() {
                self.unresolved(UnresolvedReason::Text, span);
            } else {
                let text = text.as_shell_text();
                code::run(self, language, &text, span);
                self.modules(language, "", &text, span);
                typed::note_code(self, interpreter, words, &text, input, span);
            }
        }
        if typed::is_question(language, words) {
            return;
        }
        if language == code::Language::Python {
            self.python_module(words, input, span);
        }
        // Behind the file, or the sign for the input, it is an option of the script.
        let is_own = |word: &&Argument| {
            found.file.as_ref() != Some(*word) && !matches!(word.literal(), Some("-" | "--"))
        };
        let mut own = words.iter().take_while(is_own);
        let only_checks = match language {
            code::Language::JavaScript => own.any(|word| word.literal() == Some("--check")),
            // Behind another option it may be the value of that.
            code::Language::Php => own.next().is_some_and(|word| word.literal() == Some("-l")),
            _ => false,
        };
        if only_checks {
            return;
        }
        if let Some(file) = &found.file {
            let stream = self.file(file);
            if let Stream::Known(text) = stream {
                self.interpreted_file(language, file, &text, span);
            } else if let Stream::Names(_) | Stream::Lines(_) | Stream::Unknown = stream
                && file.literal().is_some()
            {
                self.unresolved(UnresolvedReason::Text, span);
            }
        } else if found.texts.is_empty() {
            match input {
                Stream::Known(text) => {
                    let text = Arc::clone(text);
                    code::run(self, language, &text, span);
                    self.modules(language, "", &text, span);
                }
                // Other programs have uses in which the input is no code.
                Stream::Names(_) | Stream::Lines(_) | Stream::Unknown if interpreter.is_plain() => {
                    self.unresolved(UnresolvedReason::Text, span);
                }
                _ => {}
            }
        }
    }

    /// `trap TEXT SIGNALS`: the text may run at any time, and for certain at the end, with the variables of that time.
    fn trap(&mut self, words: &[Argument], span: Span) {
        let at = usize::from(words.first().is_some_and(|word| word.literal() == Some("--")));
        let Some(text) = words.get(at).map(Argument::as_shell_text) else { return };
        self.beforehand(|walk| walk.text(&text, &Stream::Empty, span));
        if self.pay(text.len(), span) {
            self.traps.push((text, span));
        }
    }

    fn texts(&mut self, words: Option<&[Argument]>, span: Span) {
        let input = self.inherited_input();
        for word in words.unwrap_or_default() {
            self.text(&word.as_shell_text(), &input, span);
        }
    }

    fn define_aliases(&mut self, words: &[Argument], span: Span) {
        // In zsh such an alias stands for a word in any place, or for the program of a kind of files.
        let is_anywhere =
            words.iter().any(|word| word.prefix().starts_with('-') && word.prefix().contains(['g', 's']));
        for word in words {
            let text = word.as_shell_text();
            let Some((name, value)) = text.split_once('=') else { continue };
            if is_anywhere {
                self.maybe_text(value.trim_start_matches([' ', ';', '&', '|']), span);
            }
            self.aliases.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Handles a variable of a shell that holds aliases, functions or the folders and files of programs.
    pub(super) fn define_names(&mut self, name: &str, element: bool, value: &Variable, span: Span) {
        self.lookup_changed |= match value {
            _ if element => lookup::NAME_TABLES.contains(&name),
            Variable::List(_) => {
                lookup::NAME_TABLES.contains(&name) || lookup::changes(name, &Argument::unknown())
            }
            // A text `path` is the search path in zsh, and any variable in other shells.
            Variable::Text(_) => name == "path",
        };
        if lookup::TEXT_TABLES.contains(&name) {
            let values = match value {
                Variable::Text(text) if element => std::slice::from_ref(text),
                Variable::Text(_) => &[],
                Variable::List(list) => list,
            };
            for value in values {
                let text = value.as_shell_text();
                // An element of a list may be `[NAME]=TEXT`.
                for text in std::iter::once(&*text).chain(text.split_once('=').map(|(_, text)| text)) {
                    self.maybe_text(text.trim_start_matches([' ', ';', '&', '|']), span);
                }
            }
        }
    }

    fn set(&mut self, name: &str, words: &[Argument]) {
        let program = self.positional.first().cloned();
        if name == "shift" {
            let count = words
                .first()
                .and_then(Argument::literal)
                .and_then(|text| text.parse().ok())
                .unwrap_or(1_usize);
            let rest: Vec<_> = self.positional.iter().skip(1 + count).cloned().collect();
            self.positional = program.into_iter().chain(rest).collect();
        } else if let Some(at) = words.iter().position(|word| word.literal() == Some("--")) {
            self.positional = program.into_iter().chain(words.iter().skip(at + 1).cloned()).collect();
        } else if words.first().is_some_and(|word| !word.prefix().starts_with(['-', '+'])) {
            self.positional = program.into_iter().chain(words.iter().cloned()).collect();
        }
    }

    /// Runs the programs after each of these options, up to `;` or `+`, with the found names for `{}`. If
    /// `append` is set, the names are appended to programs without a placeholder.
    fn after_marks(
        &mut self,
        words: &[Argument],
        marks: &[&str],
        search: &Search,
        appends: bool,
        span: Span,
    ) {
        for (at, word) in words.iter().enumerate() {
            if !word.literal().is_some_and(|word| marks.contains(&word)) {
                continue;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            let end =
                rest.iter().position(|word| matches!(word.literal(), Some(";" | "+"))).unwrap_or(rest.len());
            let mut argv = rest.get(..end).unwrap_or_default().to_vec();
            // `-execdir` runs in the folder of the found file.
            if word.prefix().ends_with("dir") {
                let item = Item::new(&search.own_name());
                if !self.pay(item.cost(&argv), span) {
                    return;
                }
                let argv = item.in_words(&argv).unwrap_or(argv);
                self.in_folder(Some(&Argument::unknown()), |walk| {
                    walk.run_some(&argv, &Stream::Unknown, span)
                });
                continue;
            }
            if Item::new(&Argument::from("")).in_words(&argv).is_none() {
                if !appends || argv.is_empty() {
                    self.run_some(&argv, &Stream::Unknown, span);
                    continue;
                }
                argv.push("{}".into());
            }
            let with = |walk: &mut Self, item: &Argument| {
                let item = Item::new(item);
                walk.pay(item.cost(&argv), span).then(|| item.in_words(&argv).unwrap_or_default())
            };
            for item in search.below() {
                let Some(words) = with(self, &item) else { return };
                self.run_some(&words, &Stream::Unknown, span);
            }
            for start in search.starts() {
                let Some(words) = with(self, start) else { return };
                self.in_doubt(|walk| walk.run_some(&words, &Stream::Unknown, span));
            }
        }
    }

    fn ssh(&mut self, words: &[Argument], input: &Stream, span: Span) {
        for word in words {
            let option = word.as_shell_text();
            let option = option.strip_prefix("-o").unwrap_or(&option);
            let command =
                ["ProxyCommand=", "LocalCommand="].into_iter().find_map(|name| option.strip_prefix(name));
            if let Some(command) = command {
                self.text(command, &Stream::Empty, span);
            }
        }
        let rest = operands_from(words, "bcDEeFIiJLlmOopQRSWw", &[], 1);
        if rest.is_empty() {
            self.stream(input, span);
        } else {
            let text = self.joined(rest, " ");
            self.text(&text.as_shell_text(), input, span);
        }
    }

    /// `docker exec NAME WORDS`, `kubectl exec NAME -- WORDS`.
    fn container(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let Some(at) = words.iter().position(|word| matches!(word.literal(), Some("exec" | "run"))) else {
            return;
        };
        let words = words.get(at + 1..).unwrap_or_default();
        if let Some(end) = words.iter().position(|word| word.literal() == Some("--")) {
            self.run_some(words.get(end + 1..).unwrap_or_default(), input, span);
            return;
        }
        let values = [
            "env",
            "env-file",
            "volume",
            "workdir",
            "user",
            "publish",
            "name",
            "network",
            "entrypoint",
            "hostname",
            "label",
            "mount",
            "platform",
            "memory",
            "cpus",
        ];
        let rest = operands_from(words, "evwuphlmcn", &values, 1);
        self.run_some(rest, input, span);
    }

    /// `su -c TEXT`, `flock FILE WORDS`.
    fn with_command_option(&mut self, name: &str, words: &[Argument], input: &Stream, span: Span) {
        for (at, word) in words.iter().enumerate() {
            let option = word.prefix();
            if let Some(text) = word.strip_prefix("--command=") {
                self.text(&text.as_shell_text(), input, span);
                return;
            }
            let bundle = option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
            if bundle || option == "--command" {
                self.texts(words.get(at + 1..(at + 2).min(words.len())), span);
                return;
            }
        }
        match name {
            "flock" => {
                self.run_some(operands_from(words, "wE", &["timeout", "conflict-exit-code"], 1), input, span);
            }
            "runuser" => {
                self.run_some(operands_from(words, "ugGw", &["user", "group"], 0), input, span);
            }
            "su" => {
                self.stream(input, span);
            }
            // On macOS, the command follows the file.
            "script" => {
                self.run_some(operands_from(words, "tTIOBEmo", &[], 1), input, span);
            }
            _ => {}
        }
    }

    /// Handles options of some programs that contain a command.
    fn command_options(&mut self, words: &[Argument], span: Span) {
        for (at, word) in words.iter().enumerate() {
            let long = [
                "--checkpoint-action=exec=",
                "--to-command=",
                "--use-compress-program=",
                "--rsh=",
                "--rsync-path=",
                "--info-script=",
            ];
            let attached = long.into_iter().find_map(|start| word.strip_prefix(start));
            let escaped =
                ["!", ":!", "+!", "+:!", "shell "].into_iter().find_map(|start| word.strip_prefix(start));
            let next = matches!(
                word.prefix(),
                "-e" | "-I" | "--rsh" | "--to-command" | "--use-compress-program" | "-TT"
            );
            let text = attached.or(escaped).or_else(|| words.get(at + 1).filter(|_| next).cloned());
            if let Some(text) = text {
                self.maybe_text(&text.as_shell_text(), span);
            }
        }
    }

    /// Handles the text after an option for a command, of unknown programs.
    fn option_texts(&mut self, words: &[Argument], span: Span) {
        for (at, word) in words.iter().enumerate() {
            let attached = ["--exec=", "--command=", "--cmd=", "--run="]
                .into_iter()
                .find_map(|start| word.strip_prefix(start));
            let next = matches!(
                word.literal(),
                Some("-c" | "--command" | "--cmd" | "-e" | "--exec" | "--run" | "--call")
            );
            let text = attached.or_else(|| words.get(at + 1).filter(|_| next).cloned());
            if let Some(text) = text {
                self.maybe_text(&text.as_shell_text(), span);
            }
        }
    }

    /// `crontab -`: each line of the input is a time and a command.
    fn table_of_jobs(&mut self, words: &[Argument], input: &Stream, span: Span) {
        if words.iter().any(|word| matches!(word.prefix(), "-l" | "-r" | "-e")) {
            return;
        }
        let file = words.last().filter(|word| !word.prefix().starts_with('-'));
        let stream = file.map_or_else(|| input.clone(), |file| self.file(file));
        match stream {
            Stream::Known(text) => {
                for line in text.lines() {
                    let fields = if line.trim_start().starts_with('@') { 1 } else { 5 };
                    let mut rest = line.trim_start();
                    for _ in 0..fields {
                        rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
                    }
                    self.maybe_text(rest, span);
                }
            }
            Stream::Unknown | Stream::Names(_) | Stream::Lines(_) => {
                self.unresolved(UnresolvedReason::Text, span);
            }
            Stream::Empty | Stream::File(_) | Stream::Copy(_) => {}
        }
    }

    /// `make -f - <<< TEXT`, `make --eval=TEXT`: the recipes of a text are commands.
    fn recipes(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let file = file_programs::value(words, 'f', "--file");
        let is_input = file.is_some_and(|file| matches!(file.literal(), Some("-" | "/dev/stdin")));
        let text = match input {
            Stream::Known(text) if is_input => Some(text.to_string()),
            _ => file_programs::value(words, '\0', "--eval").map(|text| text.as_shell_text()),
        };
        if is_input && matches!(input, Stream::Unknown | Stream::Names(_) | Stream::Lines(_)) {
            self.unresolved(UnresolvedReason::Text, span);
        }
        for line in text.unwrap_or_default().lines() {
            // A recipe stands in lines of its own, behind a semicolon, or in a call of `shell`.
            let line =
                line.split_once(": ;").or_else(|| line.split_once(":;")).map_or(line, |(_, recipe)| recipe);
            let line = line.split_once("$(shell ").map_or(line, |(_, call)| call.trim_end_matches(')'));
            self.maybe_text(line.trim_start_matches(['\t', ' ', '@', '-', '+']), span);
        }
    }

    /// Records files from the network, which the command may run afterwards.
    fn downloads(&mut self, words: &[Argument]) {
        for (at, word) in words.iter().enumerate() {
            let name = match word.prefix() {
                "-o" | "--output" | "-O" | "--output-document" => {
                    words.get(at + 1).and_then(Argument::literal)
                }
                _ => word
                    .literal()
                    .filter(|word| word.contains("://"))
                    .and_then(|word| word.rsplit('/').next()),
            };
            if let Some(name) = name {
                self.keeps(&Argument::from(name), &Stream::Unknown);
            }
        }
    }
}

/// Returns the words after the options and a number of operands.
pub(super) fn operands_from<'w>(
    words: &'w [Argument],
    short: &str,
    long: &[&str],
    operands: usize,
) -> &'w [Argument] {
    let mut at = 0;
    let mut passed = 0;
    while let Some(word) = words.get(at) {
        let option = word.prefix();
        if option == "--" {
            at += 1;
            // The following words are operands, whatever they look like.
            at += operands - passed;
            break;
        }
        if let Some(name) = option.strip_prefix("--") {
            // Long options may be abbreviated.
            let takes_next = long.iter().any(|long| long.starts_with(name)) && word.literal().is_some();
            at += 1 + usize::from(takes_next);
        } else if option.len() > 1 && option.starts_with(['-', '+']) {
            // The last letter of a bundle may take the next word; an earlier one takes the rest of the
            // bundle.
            let value = option.char_indices().skip(1).find(|(_, c)| short.contains(*c));
            let takes_next =
                value.is_some_and(|(at, c)| at + c.len_utf8() == option.len()) && word.literal().is_some();
            at += 1 + usize::from(takes_next);
        } else if passed < operands {
            passed += 1;
            at += 1;
        } else {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

/// Returns whether a name stands for the input, or for another stream that the command was given: `bash /dev/fd/3 3<<END`.
fn names_stream(name: &str) -> bool {
    let stream = name.strip_prefix("/dev/fd/").or_else(|| name.strip_prefix("/proc/self/fd/"));
    matches!(name, "/dev/stdin" | "-")
        || stream.is_some_and(|number| number.parse::<u8>().is_ok_and(|number| number < FIRST_PROCESS))
}
