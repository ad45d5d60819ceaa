//! Lists of names: what `xargs`, `read`, `mapfile` and `$(cat LIST)` make words or variables of.
//!
//! Names that the command itself prints are known. Those in a file that existed before are lines of a list, which only the disk
//! has: a word with [`Gap::Listed`](crate::globs::Gap::Listed) stands for them, and the list is noted.

use std::sync::Arc;

use super::argument::Argument;
use super::file_programs;
use super::output;
use super::reads::What;
use super::run::operands_from;
use super::walk::{Stream, Variable, Walk};
use crate::shell::{Command, Compound, Script, Span, Word};

/// Most lines of a text for each of which a loop or a program is walked.
const MAX_LINES: usize = 64;

impl Walk {
    /// Returns the names in the output of a program: those of a file that existed before are lines of a list.
    pub(super) fn names_in(&mut self, output: &Stream) -> Stream {
        match output {
            Stream::File(list) | Stream::Lines(list) | Stream::Copy(list) if !list.is_empty() => {
                self.note(What::List(Arc::clone(list)), Span::default());
                Stream::Names([Argument::listed()].into())
            }
            output => output.clone(),
        }
    }

    /// Walks a loop for each line of its input behind the first one, if its condition reads lines: `while read NAME; do …; done`.
    pub(super) fn each_line(&mut self, compound: &Compound, input: &Stream) -> Stream {
        let output = self.bodies(compound, input);
        if compound.bodies.len() < 2 || !compound.bodies.first().is_some_and(reads_a_line) {
            return output;
        }
        let lines: Vec<Stream> = match input {
            Stream::Known(text) => {
                text.lines().skip(1).take(MAX_LINES + 1).map(|line| Stream::Known(line.into())).collect()
            }
            Stream::Names(names) if names.len() > 1 => {
                names.iter().take(MAX_LINES + 1).map(|name| Stream::Names([name.clone()].into())).collect()
            }
            _ => return output,
        };
        let is_all = lines.len() <= MAX_LINES;
        let rest = (!is_all).then_some(Stream::Unknown);
        let outer = std::mem::replace(&mut self.repeating, true);
        let mut output = output;
        for line in lines.iter().take(MAX_LINES).chain(&rest) {
            if self.is_spent() {
                break;
            }
            output = output.then(self.bodies(compound, line));
        }
        self.repeating = outer;
        output
    }

    /// `mapfile NAME`: the variable is a list of the lines.
    pub(super) fn read_list_into(&mut self, words: &[Argument], input: &Stream, span: Span) {
        if let Some(callback) = value_of(words, 'C') {
            self.text(&callback.as_shell_text(), &self.inherited_input(), span);
        }
        let takes_others = ['d', 's', 'O', 'u'].iter().any(|option| value_of(words, *option).is_some());
        let list = match self.names_in(input) {
            Stream::Names(names) => Variable::List(names.to_vec()),
            Stream::Known(_) if takes_others => Variable::Text(Argument::unknown()),
            Stream::Known(text) => Variable::List(text.lines().map(Argument::from).collect()),
            Stream::Empty => Variable::List(Vec::new()),
            _ => return self.forget(words),
        };
        let cost = match &list {
            Variable::List(items) => items.iter().map(Argument::cost).sum(),
            Variable::Text(text) => text.cost(),
        };
        let names = file_programs::operands(words, "dnOsuCc", &[]);
        let name = names.first().map_or(Some("MAPFILE"), |name| name.literal());
        let Some(name) = name.map(str::to_owned) else { return };
        if self.pay(cost, span) {
            self.variables.insert(name, list);
        }
    }

    pub(super) fn forget(&mut self, words: &[Argument]) {
        for name in words.iter().filter_map(Argument::literal) {
            if !name.starts_with('-') && self.variables.contains_key(name) {
                self.variables.insert(name.to_owned(), Variable::Text(Argument::unknown()));
            }
        }
    }

    /// `read NAME…`: each variable has a word of the first line, and the last one the rest. Of an input with one kind of names, the
    /// variable has such a name.
    pub(super) fn read_into(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let line = match self.names_in(input) {
            Stream::Names(names) => match &*names {
                [name] => name.clone(),
                _ => Argument::unknown(),
            },
            Stream::Known(text) => first_line(words, &text).map_or_else(Argument::unknown, Argument::Literal),
            _ => Argument::unknown(),
        };
        let names = file_programs::operands(words, "adinNptu", &[]);
        let mut names: Vec<&str> = names.into_iter().filter_map(Argument::literal).collect();
        let list = value_of(words, 'a');
        if let Some(list) = list.as_ref().and_then(Argument::literal) {
            let items = match line.literal().filter(|_| !self.variables.contains_key("IFS")) {
                Some(line) => Variable::List(line.split_whitespace().map(Argument::from).collect()),
                None => Variable::Text(Argument::unknown()),
            };
            if self.pay(line.cost(), span) {
                self.variables.insert(list.to_owned(), items);
            }
            return;
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        let separators = self.variables.get("IFS").cloned();
        for (name, value) in names.iter().zip(shares(&line, names.len(), separators.as_ref())) {
            if !self.pay(value.cost(), span) {
                return;
            }
            self.variables.insert((*name).to_owned(), Variable::Text(value));
        }
    }

    /// `printf -v NAME FORMAT WORD…`: the variable has what is printed.
    pub(super) fn print_into(&mut self, words: &[Argument], span: Span) {
        let Some((option, rest)) = words.split_first() else { return };
        let (name, rest) = match option.literal() {
            Some("-v") => match rest.split_first() {
                Some((name, rest)) => (name.literal(), rest),
                None => return,
            },
            Some(option) => (option.strip_prefix("-v"), rest),
            None => return,
        };
        // An item of a list is not kept as such.
        let Some(name) = name.filter(|name| !name.is_empty() && !name.contains('[')) else { return };
        let value = match output::printf(rest) {
            Stream::Known(text) => Argument::from(&*text),
            _ => Argument::unknown(),
        };
        if self.pay(value.cost(), span) {
            self.variables.insert(name.to_owned(), Variable::Text(value));
        }
    }

    pub(super) fn xargs(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let rest = operands_from(
            words,
            "IEPLnsda",
            &["max-procs", "max-args", "max-chars", "delimiter", "arg-file", "process-slot-var"],
            0,
        );
        if rest.is_empty() {
            return;
        }
        let options = words.get(..words.len() - rest.len()).unwrap_or_default();
        let list = file_programs::value(options, 'a', "--arg-file").map(|list| self.file(&list));
        let input = self.names_in(list.as_ref().unwrap_or(input));
        let mark = own_mark(options);
        let items: Vec<Argument> = match (&input, divider(options)) {
            // Items may contain blanks if another character separates them.
            (Stream::Known(text), Some(divider)) => {
                let items = text.split(divider).map(|item| item.trim_end_matches('\n'));
                items.filter(|item| !item.is_empty()).map(Argument::from).collect()
            }
            // With a placeholder, each line is one item.
            (Stream::Known(text), None) => {
                unquoted_items(text, mark.is_some()).into_iter().map(Argument::Literal).collect()
            }
            (Stream::Empty, _) => Vec::new(),
            (Stream::Names(names), _) => names.to_vec(),
            (Stream::File(_) | Stream::Lines(_) | Stream::Copy(_) | Stream::Unknown, _) => {
                vec![Argument::unknown()]
            }
        };
        match mark {
            // Each name is put in by itself.
            Some(mark) if matches!(input, Stream::Names(_)) || items.len() <= MAX_LINES => {
                for item in &items {
                    let Some(argv) = self.with_mark(rest, &mark, item, span) else { return };
                    self.run(&argv, &Stream::Empty, span);
                }
            }
            Some(mark) => {
                let item = self.joined(&items, " ");
                let Some(argv) = self.with_mark(rest, &mark, &item, span) else { return };
                self.run(&argv, &Stream::Empty, span);
            }
            None => self.in_parts(rest, &items, most_items(options), span),
        }
    }

    /// Runs a program with all items, or with each part of them if an option limits their number.
    fn in_parts(&mut self, program: &[Argument], items: &[Argument], most: Option<usize>, span: Span) {
        let mut parts: Vec<Vec<Argument>> = match most {
            Some(most) => items.chunks(most).take(MAX_LINES).map(<[Argument]>::to_vec).collect(),
            None => vec![items.to_vec()],
        };
        if most.is_some_and(|most| items.len() > most.saturating_mul(MAX_LINES)) {
            parts.push(vec![Argument::unknown()]);
        }
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        for part in parts {
            let argv: Vec<Argument> = program.iter().cloned().chain(part).collect();
            self.run(&argv, &Stream::Empty, span);
        }
    }

    /// Returns words with an item in the place of each mark; `None` if that is too much.
    fn with_mark(
        &mut self,
        words: &[Argument],
        mark: &str,
        item: &Argument,
        span: Span,
    ) -> Option<Vec<Argument>> {
        let mut argv = words.to_vec();
        for word in &mut argv {
            let Argument::Literal(text) = &*word else { continue };
            let pieces: Vec<Argument> = text.split(mark).map(Argument::from).collect();
            if !self.pay((pieces.len() - 1).saturating_mul(item.cost()), span) {
                return None;
            }
            if pieces.len() > 1 {
                let mut parts = Vec::new();
                for (index, piece) in pieces.into_iter().enumerate() {
                    if index > 0 {
                        parts.push(item.clone());
                    }
                    parts.push(piece);
                }
                *word = self.joined(&parts, "");
            }
        }
        Some(argv)
    }
}

/// Returns the separator of the input of `xargs`, if it is not blanks.
fn divider(options: &[Argument]) -> Option<char> {
    options.iter().enumerate().find_map(|(at, word)| {
        let text = word.literal()?;
        if text == "--null" {
            return Some('\0');
        }
        let bundle = text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'));
        let given = match bundle.and_then(|bundle| bundle.split_once('d')) {
            Some((_, "")) => options.get(at + 1).map(Argument::prefix),
            Some((_, attached)) => Some(attached),
            None => text.strip_prefix("--delimiter="),
        };
        match given {
            Some("\\n") => Some('\n'),
            Some("\\t") => Some('\t'),
            Some("\\0") => Some('\0'),
            Some(given) => given.chars().next(),
            None => {
                bundle.filter(|bundle| bundle.starts_with(['0', 'r']) && bundle.contains('0')).map(|_| '\0')
            }
        }
    })
}

/// Returns the placeholder for an item that an option sets: `-I MARK`, `-i`, `--replace=MARK`.
pub(super) fn own_mark(options: &[Argument]) -> Option<String> {
    let mark = options.iter().enumerate().find_map(|(at, word)| {
        let option = word.literal()?;
        if let Some(long) = option.strip_prefix("--replace") {
            return Some(long.strip_prefix('=').unwrap_or("{}").to_owned());
        }
        // Behind options without a value.
        let bundle = option.strip_prefix('-')?.trim_start_matches(['0', 'o', 'p', 'r', 't', 'x']);
        match bundle.strip_prefix('I') {
            Some("") => options.get(at + 1)?.literal().map(str::to_owned),
            Some(attached) => Some(attached.to_owned()),
            None => bundle
                .strip_prefix('i')
                .map(|attached| if attached.is_empty() { "{}" } else { attached }.to_owned()),
        }
    });
    mark.filter(|mark| !mark.is_empty())
}

/// Returns the most items with which `xargs` starts its program at once. That of lines counts as one of items: more starts.
fn most_items(options: &[Argument]) -> Option<usize> {
    let of_words = file_programs::value(options, 'n', "--max-args");
    let most = of_words.or_else(|| file_programs::value(options, 'L', "--max-lines"))?;
    Some(most.literal().and_then(|most| most.parse().ok()).unwrap_or(1).max(1))
}

/// Returns the items of a text as `xargs` takes them: without quotes, and separated by blanks or by lines.
fn unquoted_items(text: &str, is_by_line: bool) -> Vec<String> {
    let (mut items, mut item, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(end), letter) if letter == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                item.get_or_insert_default();
            }
            (None, '\\') => item.get_or_insert_default().extend(letters.next()),
            (None, '\n') => items.extend(item.take()),
            (None, letter) if letter.is_whitespace() && (!is_by_line || item.is_none()) => {
                items.extend(item.take());
            }
            (_, letter) => item.get_or_insert_default().push(letter),
        }
    }
    items.extend(item);
    items
}

/// Returns the value of an option that has no long form.
fn value_of(words: &[Argument], option: char) -> Option<Argument> {
    file_programs::value(words, option, &format!("-{option}"))
}

/// Returns the line that `read` takes from a text; `None` if it takes a part of it, or another input.
fn first_line(options: &[Argument], text: &str) -> Option<String> {
    if ['n', 'N', 'u'].iter().any(|option| value_of(options, *option).is_some()) {
        return None;
    }
    let is_bundle = |word: &&Argument| word.prefix().starts_with('-');
    let is_raw = options.iter().filter(is_bundle).any(|word| word.prefix().contains('r'));
    let end = match value_of(options, 'd') {
        Some(end) => end.literal()?.chars().next().unwrap_or('\0'),
        None => '\n',
    };
    let mut line = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // Without it, a line goes on.
            '\\' if !is_raw => line.extend(letters.next().filter(|next| *next != '\n')),
            letter if letter == end => break,
            letter => line.push(letter),
        }
    }
    Some(line)
}

/// Returns what each of the names of `read` gets of a line.
fn shares(line: &Argument, names: usize, separators: Option<&Variable>) -> Vec<Argument> {
    let is_blank = |value: &Argument| value.literal().is_some_and(|value| value.trim().is_empty());
    let keeps_words = match separators {
        None => true,
        Some(Variable::Text(separators)) => names == 1 && is_blank(separators),
        Some(_) => false,
    };
    let mut rest = match line.literal() {
        Some(rest) if keeps_words => rest.trim(),
        Some(_) => return vec![Argument::unknown(); names],
        // Each may have the name of the file.
        None => return vec![line.clone(); names],
    };
    let mut all = Vec::new();
    for _ in 1..names {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        all.push(Argument::from(word));
        rest = behind.trim_start();
    }
    all.push(Argument::from(rest));
    all
}

/// Returns whether a script begins with `read`.
fn reads_a_line(script: &Script) -> bool {
    let mut stages = script.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    stages.any(|stage| match stage {
        Command::Simple(simple) => simple.words.first().and_then(Word::literal).as_deref() == Some("read"),
        Command::Compound(_) | Command::Function(_) => false,
    })
}
