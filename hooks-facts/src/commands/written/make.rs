//! Makefiles and justfiles: the recipes of the targets that are made, and of those that they need.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::super::argument::Argument;
use super::super::file_programs;
use super::super::walk::{MAX_TEXT, Walk};
use crate::shell::Span;

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];

/// Most files that include one another, and most targets that are made.
const MAX_FILES: usize = 32;
const MAX_TARGETS: usize = 512;

/// Most needs that wait to be made.
const MAX_PENDING: usize = 16 * 1024;

/// Most text that the values of variables add to a file.
const MAX_GROWTH: usize = 1024 * 1024;

/// Rules of a file, with the variables that it sets.
#[derive(Default)]
struct Rules {
    rules: Vec<Rule>,
    variables: HashMap<String, String>,
    first: Option<String>,
    /// Text that the values of variables have added.
    grown: Cell<usize>,
}

struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
    /// Recipes of this rule are one script.
    is_script: bool,
}

/// Walks what `make` and `just` run.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], span: Span) {
    match name {
        "make" | "gmake" | "bmake" | "pmake" | "mingw32-make" => make(walk, words, span),
        "just" => just(walk, words, span),
        _ => {}
    }
}

fn make(walk: &mut Walk, words: &[Argument], span: Span) {
    let only_prints = words.iter().any(|word| {
        let text = word.prefix();
        let bundle = text.strip_prefix('-').filter(|rest| !rest.starts_with('-') && !text.starts_with("-C"));
        matches!(text, "--dry-run" | "--just-print" | "--recon" | "--question" | "--touch")
            || bundle.is_some_and(|bundle| {
                !bundle.starts_with(['f', 'I', 'j', 'o', 'W', 'l', 'E']) && bundle.contains(['n', 'q', 't'])
            })
    });
    let folder = file_programs::value(words, 'C', "--directory");
    walk.in_folder(folder.as_ref(), |walk| {
        let named =
            ["--file", "--makefile"].into_iter().find_map(|long| file_programs::value(words, 'f', long));
        let files: Vec<String> = match named.as_ref().and_then(Argument::literal) {
            Some(name) => vec![name.to_owned()],
            None => MAKEFILES.iter().map(|name| (*name).to_owned()).collect(),
        };
        let operands: Vec<String> = file_programs::operands(
            words,
            "CfIjoWlE",
            &["directory", "file", "makefile", "include-dir", "jobs", "old-file", "what-if", "eval"],
        )
        .into_iter()
        .filter_map(Argument::literal)
        .map(str::to_owned)
        .collect();
        let Some(mut rules) = read_make(walk, &files, span) else { return };
        if only_prints {
            // The file was read, which runs commands of its own.
            return;
        }
        let (settings, mut goals): (Vec<_>, Vec<_>) =
            operands.into_iter().partition(|word| word.contains('='));
        for setting in settings {
            if let Some((key, value)) = setting.split_once('=') {
                rules.variables.insert(key.trim_end_matches(':').to_owned(), value.to_owned());
            }
        }
        if goals.is_empty() {
            let goal = rules.variables.get(".DEFAULT_GOAL").cloned().or_else(|| rules.first.clone());
            goals.extend(goal);
        }
        rules.run(walk, goals, span);
    });
}

/// Reads the first of these files that was written, and those that it includes.
fn read_make(walk: &mut Walk, files: &[String], span: Span) -> Option<Rules> {
    let text = files.iter().find_map(|file| walk.written_text(file, span))?;
    let mut rules = Rules::default();
    let (mut texts, mut read) = (vec![text], 0);
    while let Some(text) = texts.pop() {
        read += 1;
        if read > MAX_FILES {
            walk.too_complex(span);
            break;
        }
        for included in rules.parse(&text) {
            texts.extend(walk.written_text(&included, span));
        }
        for command in shell_calls(&text) {
            walk.maybe_text(&rules.expanded(command, "", ""), span);
        }
    }
    Some(rules)
}

/// Returns the commands that run while a Makefile is read: `$(shell COMMAND)` and `NAME != COMMAND`.
fn shell_calls(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('\t'));
    lines
        .flat_map(|line| {
            let assigned = line.split_once("!=").map(|(_, command)| command);
            let called = line.split("$(shell ").skip(1).map(|rest| {
                let mut depth = 1_usize;
                let end = rest.char_indices().find_map(|(at, c)| {
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    (depth == 0).then_some(at)
                });
                rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
            });
            called.chain(assigned)
        })
        .collect()
}

impl Rules {
    /// Reads a text; returns the files that it includes.
    fn parse(&mut self, text: &str) -> Vec<String> {
        let joined = text.replace("\\\n", " ");
        let mut included = Vec::new();
        let mut in_rule = false;
        for line in joined.lines() {
            if let Some(recipe) = line.strip_prefix('\t') {
                if in_rule && let Some(rule) = self.rules.last_mut() {
                    rule.recipe.push(recipe.to_owned());
                }
                continue;
            }
            let line = line.split(" #").next().unwrap_or_default().trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            if let Some("include" | "-include" | "sinclude") = words.next() {
                included.extend(words.map(|word| self.expanded(word, "", "")));
                continue;
            }
            in_rule = self.statement(line);
        }
        included
    }

    /// Reads a rule or an assignment; returns whether recipe lines may follow.
    fn statement(&mut self, line: &str) -> bool {
        let line = line.strip_prefix("export ").or_else(|| line.strip_prefix("override ")).unwrap_or(line);
        let equals = line.find('=');
        let colon = line.find(':');
        if let Some(equals) = equals
            && colon.is_none_or(|colon| equals < colon || equals == colon + 1 || equals == colon + 2)
        {
            let (name, value) = line.split_at_checked(equals).unwrap_or((line, ""));
            let value = value.get(1..).unwrap_or_default().trim();
            let appends = name.ends_with('+');
            let name = name.trim_end_matches([':', '+', '?', '!', ' ']).to_owned();
            match self.variables.get_mut(&name).filter(|_| appends) {
                Some(before) => before.extend([" ", value]),
                None => drop(self.variables.insert(name, value.to_owned())),
            }
            return false;
        }
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim_start_matches(':');
        let (needs, recipe) =
            rest.split_once(';').map_or((rest, None), |(needs, recipe)| (needs, Some(recipe)));
        let list = |rules: &Self, text: &str| -> Vec<String> {
            rules.expanded(text, "", "").split_whitespace().map(str::to_owned).collect()
        };
        let targets = list(self, targets);
        let needs = list(self, needs);
        if self.first.is_none() {
            self.first = targets.iter().find(|target| !target.starts_with('.')).cloned();
        }
        let recipe = recipe.map(|recipe| recipe.trim().to_owned()).into_iter().collect();
        self.rules.push(Rule { targets, needs, recipe, is_script: false });
        true
    }

    /// Runs the recipes of goals, and of what they need first.
    fn run(&self, walk: &mut Walk, goals: Vec<String>, span: Span) {
        let mut made: HashSet<String> = HashSet::new();
        let mut pending = goals;
        while let Some(goal) = pending.pop() {
            if !made.insert(goal.clone()) {
                continue;
            }
            if made.len() > MAX_TARGETS || pending.len() > MAX_PENDING {
                return walk.too_complex(span);
            }
            for rule in self.rules.iter().filter(|rule| rule.targets.iter().any(|it| fits(it, &goal))) {
                let needs = rule.needs.iter().filter(|need| *need != "|");
                pending.extend(needs.clone().filter(|need| !made.contains(*need)).cloned());
                let first = needs.clone().next().map_or("", String::as_str);
                if rule.is_script {
                    let text = rule.recipe.join("\n");
                    walk.text(&text, &walk.inherited_input(), span);
                    continue;
                }
                for line in &rule.recipe {
                    let line = line.trim_start().trim_start_matches(['@', '-', '+', ' ']);
                    walk.text(&self.expanded(line, &goal, first), &walk.inherited_input(), span);
                }
                if self.is_too_long() {
                    return walk.too_complex(span);
                }
            }
        }
        if self.is_too_long() {
            walk.too_complex(span);
        }
    }

    /// Returns whether the values of variables would add more text than is read.
    fn is_too_long(&self) -> bool {
        self.grown.get() > MAX_GROWTH
    }

    /// Appends the value of a variable, unless the text has grown too much.
    fn add(&self, text: &mut String, value: &str) {
        self.grown.set(self.grown.get().saturating_add(value.len()));
        if text.len() + value.len() > MAX_TEXT {
            self.grown.set(usize::MAX);
        }
        if !self.is_too_long() {
            text.push_str(value);
        }
    }

    /// Replaces variables in a text. A variable without a known value is one of the shell.
    fn expanded(&self, text: &str, target: &str, first: &str) -> String {
        let mut text = text.to_owned();
        // A value may name other variables.
        for _ in 0..4 {
            if !text.contains('$') {
                break;
            }
            text = self.expanded_once(&text, target, first);
        }
        text.replace('\u{1}', "$")
    }

    fn expanded_once(&self, text: &str, target: &str, first: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            result.push_str(rest.get(..at).unwrap_or_default());
            let after = rest.get(at + 1..).unwrap_or_default();
            let (name, length) = match after.chars().next() {
                // Kept apart, so that it is not read again.
                Some('$') => {
                    result.push('\u{1}');
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                Some(open @ ('(' | '{')) => {
                    let close = if open == '(' { ')' } else { '}' };
                    match after.find(close) {
                        Some(end) => (after.get(1..end).unwrap_or_default(), end + 1),
                        None => ("", 1),
                    }
                }
                Some(c) => (after.get(..c.len_utf8()).unwrap_or_default(), c.len_utf8()),
                None => ("", 0),
            };
            match name {
                "@" => self.add(&mut result, target),
                "<" | "^" | "+" => self.add(&mut result, first),
                "MAKE" => result.push_str("make"),
                "RM" if !self.variables.contains_key("RM") => result.push_str("rm -f"),
                "CURDIR" | "PWD" => result.push('.'),
                name => match self.variables.get(name) {
                    Some(value) => self.add(&mut result, value),
                    None => result.push_str("\u{1}{_}"),
                },
            }
            rest = after.get(length..).unwrap_or_default();
        }
        result + rest
    }
}

/// Returns whether a target is this goal, or a pattern that it fits.
fn fits(target: &str, goal: &str) -> bool {
    match target.split_once('%') {
        Some((start, end)) => {
            goal.len() > start.len() + end.len() && goal.starts_with(start) && goal.ends_with(end)
        }
        None => target == goal || target.strip_prefix("./") == Some(goal),
    }
}

fn just(walk: &mut Walk, words: &[Argument], span: Span) {
    let shows =
        ["-l", "--list", "-s", "--show", "--summary", "--dump", "-n", "--dry-run", "--evaluate", "--choose"];
    if words.iter().filter_map(Argument::literal).any(|word| shows.contains(&word)) {
        return;
    }
    let named = file_programs::value(words, 'f', "--justfile");
    let files: Vec<String> = match named.as_ref().and_then(Argument::literal) {
        Some(name) => vec![name.to_owned()],
        None => JUSTFILES.iter().map(|name| (*name).to_owned()).collect(),
    };
    let Some(text) = files.iter().find_map(|file| walk.written_text(file, span)) else { return };
    let rules = recipes(&text);
    let operands = file_programs::operands(words, "fd", &["justfile", "working-directory", "set", "shell"]);
    let mut goals: Vec<String> =
        operands.into_iter().filter_map(Argument::literal).map(str::to_owned).collect();
    if goals.is_empty() {
        goals.extend(rules.first.clone());
    }
    rules.run(walk, goals, span);
}

/// Reads the recipes of a justfile: a header without a blank before it, and indented lines.
fn recipes(text: &str) -> Rules {
    let mut rules = Rules::default();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            let line = braces(line.trim(), &rules);
            let Some(rule) = rules.rules.last_mut() else { continue };
            rule.is_script |= rule.recipe.is_empty() && line.starts_with("#!");
            rule.recipe.push(line);
            continue;
        }
        if line.trim().is_empty() || line.starts_with(['#', '[']) {
            continue;
        }
        if let Some((name, value)) = line.split_once(":=") {
            let name = name.trim().trim_start_matches("export ").trim_start_matches("alias ").to_owned();
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            if line.starts_with("alias ") {
                rules.rules.push(Rule {
                    targets: vec![name],
                    needs: vec![value],
                    recipe: Vec::new(),
                    is_script: false,
                });
            } else {
                rules.variables.insert(name, value);
            }
            continue;
        }
        let Some((head, needs)) = line.split_once(':') else { continue };
        let name = head.split_whitespace().next().unwrap_or_default().trim_start_matches('@').to_owned();
        let needs = needs.split_whitespace().filter(|need| *need != "&&");
        let needs = needs.map(|need| need.trim_matches(['(', ')']).to_owned()).collect();
        rules.first.get_or_insert_with(|| name.clone());
        rules.rules.push(Rule { targets: vec![name], needs, recipe: Vec::new(), is_script: false });
    }
    rules
}

/// Replaces `{{name}}` by its value, or by an unset variable of the shell. A `$` stays one.
fn braces(line: &str, rules: &Rules) -> String {
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        result.push_str(&rest.get(..at).unwrap_or_default().replace('$', "$$"));
        let after = rest.get(at + 2..).unwrap_or_default();
        let end = after.find("}}").unwrap_or(after.len());
        let name = after.get(..end).unwrap_or_default().trim();
        match rules.variables.get(name) {
            Some(value) => rules.add(&mut result, &value.replace('$', "$$")),
            None => result.push_str("$${_}"),
        }
        rest = after.get((end + 2).min(after.len())..).unwrap_or_default();
    }
    result + &rest.replace('$', "$$")
}
