//! Tests that a program in which the agent can type commands counts as unknown code, if its input stays open.

use hooks_facts::commands::{Analysis, Options};

use super::{assert_effects, example, keys, table};

/// Returns whether a command runs unknown code, whose input stays open or not.
fn is_unknown(text: &str, has_open_input: bool) -> bool {
    let options = Options { has_open_input, ..Options::default() };
    !Analysis::of_text(text, &options).unresolved.is_empty()
}

#[test]
fn programs_take_typed_commands_if_the_input_is_open() {
    let table = table(include_str!("../../data/typed_programs.tsv"));
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let (text, other) = (example(&table, row, name), example(&table, row, "zzz"));
        if !is_unknown(&text, true) || is_unknown(&text, false) || is_unknown(&other, true) {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn commands_of_an_open_input() {
    let mut wrong = Vec::new();
    let lines = include_str!("typed.tsv").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (kind, text) = line.split_once('\t').expect("a line has two columns");
        let wanted = match kind {
            "denied" => (true, false),
            "always" => (true, true),
            "allowed" => (false, false),
            _ => panic!("{line}"),
        };
        let text = text.replace('⏎', "\n");
        let found = (is_unknown(&text, true), is_unknown(&text, false));
        if found != wanted {
            wrong.push(format!("`{text}` is {found:?}, not {wanted:?}"));
        }
    }
    assert_effects(&wrong);
}
