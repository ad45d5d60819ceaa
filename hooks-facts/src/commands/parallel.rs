//! `parallel TEMPLATE ::: ITEMS`: the commands that the template starts with each of the items.

use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::file_programs;
use super::lists::own_mark;
use super::placeholder::Item;
use super::run::operands_from;
use super::walk::{Stream, Walk};
use crate::shell::Span;

impl Walk {
    /// Runs the template with every item; without a template, each item is a text for a shell. If the budget
    /// of the analysis is used up, the rest is reported as too complex.
    pub(super) fn parallel(&mut self, words: &[Argument], input: &Stream, span: Span) {
        let rest = operands_from(
            words,
            "jPnNLIaSC",
            &["jobs", "max-args", "arg-file", "colsep", "sshlogin", "delay", "timeout", "wd", "workdir"],
            0,
        );
        let options = words.get(..words.len() - rest.len()).unwrap_or_default();
        if options.iter().any(|option| matches!(option.literal(), Some("--dry-run" | "--dryrun"))) {
            return;
        }
        let separator = rest.iter().position(is_separator).unwrap_or(rest.len());
        let (template, given) = rest.split_at_checked(separator).unwrap_or((rest, &[]));
        match (template, given) {
            ([], []) => {
                self.stream(input, span);
            }
            ([], given) => {
                for word in given.iter().filter(|word| !is_separator(word)) {
                    self.text(&word.as_shell_text(), &self.inherited_input(), span);
                }
            }
            (template, given) => {
                let list = file_programs::value(options, 'a', "--arg-file");
                let items = match list {
                    Some(list) if given.is_empty() => self.items_in_file(&list),
                    _ if given.is_empty() => items_of(&self.names_in(input)),
                    _ => self.listed(given, span),
                };
                self.with_each(&with_usual_mark(template, options), &items, span);
            }
        }
    }

    fn items_in_file(&mut self, list: &Argument) -> Vec<Item> {
        let list = self.file(list);
        items_of(&self.names_in(&list))
    }

    fn with_each(&mut self, template: &[Argument], items: &[Item], span: Span) {
        let line = self.joined(template, " ");
        // A Perl expression in the template may change the item in any way.
        if line.outline().contains("{=") {
            return self.unresolved(UnresolvedReason::Text, span);
        }
        let unknown = [Item::new(&Argument::unknown())];
        let items = if items.is_empty() { &unknown } else { items };
        let is_text = line.outline().contains(is_read_by_a_shell) || template.iter().any(has_blanks);
        let text = line.as_shell_text();
        for item in items {
            if !self.pay(item.cost(template), span) {
                return;
            }
            if is_text {
                self.text(&item.in_text(&text), &self.inherited_input(), span);
                continue;
            }
            let argv = item.in_words(template).unwrap_or_else(|| {
                let behind = item.in_words(&["{}".into()]).unwrap_or_default();
                template.iter().cloned().chain(behind).collect()
            });
            self.run(&argv, &self.inherited_input(), span);
        }
    }

    /// Returns the items after `:::`, and in the files after `::::`.
    fn listed(&mut self, given: &[Argument], span: Span) -> Vec<Item> {
        let lists = given.iter().filter(|word| is_separator(word)).count();
        let (mut list, mut is_file) = (0, false);
        let mut items = Vec::new();
        for word in given {
            if is_separator(word) {
                list += 1;
                is_file = word.prefix().starts_with("::::");
                continue;
            }
            if !self.pay(word.cost(), span) {
                return items;
            }
            let found = if is_file { self.items_in_file(word) } else { vec![Item::new(word)] };
            items.extend(found.into_iter().map(|item| if lists > 1 { item.of_list(list) } else { item }));
        }
        items
    }
}

/// Returns the items in a stream, one for each line.
fn items_of(stream: &Stream) -> Vec<Item> {
    match stream {
        Stream::Empty => Vec::new(),
        Stream::Known(text) => text.lines().map(|line| Item::new(&line.into())).collect(),
        Stream::Names(names) => names.iter().map(Item::new).collect(),
        Stream::File(_) | Stream::Lines(_) | Stream::Copy(_) | Stream::Unknown => {
            vec![Item::new(&Argument::unknown())]
        }
    }
}

/// Returns the template with `{}` in place of its own mark: `-I MARK`.
fn with_usual_mark(template: &[Argument], options: &[Argument]) -> Vec<Argument> {
    let Some(mark) = own_mark(options) else { return template.to_vec() };
    template.iter().map(|word| Argument::of_outline(&word.outline().replace(&mark, "{}"))).collect()
}

fn is_separator(word: &Argument) -> bool {
    word.prefix().starts_with(":::")
}

/// Returns whether a character of a template is interpreted again, by the shell that `parallel` starts.
fn is_read_by_a_shell(c: char) -> bool {
    "'\"`$;&|<>()\\*?[~#!".contains(c)
}

fn has_blanks(word: &Argument) -> bool {
    word.outline().contains(char::is_whitespace)
}
