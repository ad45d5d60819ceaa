//! The forms of code in prose: commands, calls, modules, statements.
//!
//! A code span is read by its form:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Never use `curl … | sh`.\n- No `createHash('md5')`.\n");
//! assert_eq!(decisions.all().len(), 2);
//! assert!(decisions.all().iter().all(|it| !it.rules[0].content.is_empty()));
//! ```

use super::super::tables;

/// Whether a text reads like a program with its subcommands, and not like source text.
pub(super) fn is_command_line(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_program = words.next().is_some_and(|first| {
        first.len() > 1
            && first.starts_with(|c: char| c.is_ascii_lowercase())
            && first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !tables::KEYWORD.contains(first)
    });
    let is_plain = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '@'))
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./@=:".contains(c))
    };
    is_program && words.clone().count() > 0 && words.all(is_plain)
}

/// Returns the program whose output a shell runs, as in `curl ... | sh`.
pub(super) fn piped(text: &str) -> Option<&str> {
    let (program, shell) = text.split_once('|')?;
    let shell = shell.trim().split(' ').find(|word| *word != "sudo")?;
    ["sh", "bash", "zsh"].contains(&shell).then(|| program.split_whitespace().next()).flatten()
}

/// Returns the module that a statement imports as a whole: `import logging`.
pub(super) fn imported(text: &str) -> Option<&str> {
    let module = text.strip_prefix("import ")?.trim_end_matches(';').trim();
    let is_name = module.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    (is_name
        && !module.is_empty()
        && !["x", "y", "foo", "bar", "X", "Foo", "name", "module"].contains(&module))
    .then_some(module)
}

/// Whether a text is a name with its namespace: `std::sync::Mutex`, `Illuminate\\Support\\*`.
pub(super) fn is_qualified(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (text.contains("::") || text.contains('\\'))
        && text.chars().all(|c| is_name(c) || matches!(c, ':' | '\\' | '*'))
        && text.chars().any(char::is_alphanumeric)
}

/// Returns the package that a call loads: `library(plyr)`, `require('x')`, `gem "x"`.
pub(super) fn loaded(text: &str) -> Option<&str> {
    let calls = ["library(", "require(", "requireNamespace(", "import(", "require ", "gem "];
    let rest = calls.iter().find_map(|call| text.strip_prefix(call))?;
    let name = rest.trim_end_matches(';').trim_end_matches(')').trim_matches(['"', '\'', ' ']);
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || c == '@')
        && name.chars().all(|c| c.is_alphanumeric() || "_-./@".contains(c))
        && !["x", "y", "name", "module", "package", "pkg", "foo"].contains(&name);
    is_name.then_some(name)
}

/// Returns the pattern of a call whose arguments are all literals: `createHash('md5')`.
pub(super) fn literal_call(text: &str) -> Option<String> {
    let (function, rest) = text.split_once('(')?;
    let inside =
        rest.strip_suffix(')').filter(|inside| !inside.trim().is_empty() && !inside.contains('('))?;
    let is_literal = |argument: &str| {
        let argument = argument.trim();
        let is_text =
            |mark: char| argument.len() > 2 && argument.starts_with(mark) && argument.ends_with(mark);
        is_text('"')
            || is_text('\'')
            || argument.parse::<i64>().is_ok()
            || ["true", "false", "True", "False"].contains(&argument)
    };
    let is_name = !function.is_empty() && !function.contains([' ', '=', '<', '"', '\'']);
    (is_name && inside.split(',').all(is_literal))
        .then(|| format!("{function}({}", inside.replace('\'', "\"")))
}

/// Returns the pattern of a call of which some arguments may be anything: `run(..., shell=True)`.
pub(super) fn partial_call(text: &str) -> Option<String> {
    let text = text.replace('\u{2026}', "...");
    let (function, rest) = text.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let mut given = inside.split(',').map(str::trim).filter(|argument| *argument != "...");
    let argument = given.next()?.trim_matches('.').trim();
    let is_gap = inside.contains("...") && given.next().is_none();
    let is_name = !function.is_empty() && !function.contains([' ', '=', '<', '"', '\'']);
    let is_stated = argument.contains(['=', '"', '\'']) || argument.len() > 3;
    (is_gap && is_name && is_stated && !inside.contains('('))
        .then(|| format!("ARGS {function} {}", argument.replace('\'', "\"")))
}

/// Returns the name of the gem that a constant of Ruby belongs to: `Delayed::Job` is in `delayed_job`.
pub(super) fn gem(text: &str) -> Option<String> {
    let is_constant = |part: &str| {
        part.starts_with(char::is_uppercase)
            && part.chars().all(char::is_alphanumeric)
            && part.chars().any(char::is_lowercase)
    };
    if !text.split("::").all(is_constant) {
        return None;
    }
    let mut name = String::new();
    let mut before = ' ';
    for c in text.replace("::", "_").chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            name.push('_');
        }
        name.extend(c.to_lowercase());
        before = c;
    }
    (name.contains('_')).then_some(name)
}

/// Replaces names that stand for any name: `from x import *`.
pub(super) fn general(text: &str) -> String {
    // `Optional[X]` has any type in its brackets.
    if let Some((name, inner)) = text.split_once(['[', '<'])
        && inner.len() == 2
        && inner.starts_with(char::is_uppercase)
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return text.get(..name.len() + 1).unwrap_or(text).to_owned();
    }
    let text = &text.replace('\u{2026}', "...");
    // `git = "https://…"`: what follows may be any text.
    let open = ["...\"", "...'"].iter().find_map(|end| text.strip_suffix(end));
    if let Some(begin) = open.filter(|_| text.contains(['=', ':'])) {
        let value = begin.find(['"', '\'']).unwrap_or(begin.len());
        return begin.get(..value).unwrap_or(begin).trim_end().to_owned();
    }
    let is_any = |word: &str| {
        ["x", "y", "foo", "bar", "X", "Y", "Foo", "Bar", "name", "Name", "module", "MyClass"].contains(&word)
    };
    let is_declaration =
        ["class ", "interface ", "struct ", "trait ", "impl ", "enum ", "def ", "func ", "function "];
    if !text.contains("import ") && !is_declaration.iter().any(|start| text.starts_with(start)) {
        return text.to_owned();
    }
    text.split(' ').map(|word| if is_any(word) { "_" } else { word }).collect::<Vec<_>>().join(" ")
}
