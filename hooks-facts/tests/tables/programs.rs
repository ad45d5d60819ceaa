//! Programs whose effects are known, and programs whose words are texts.

use hooks_facts::commands::{Analysis, BlockedPattern, Options};

use crate::{analysis, assert_effects, example, is_told, keys, table};

#[test]
fn known_programs_are_told_and_others_are_not() {
    let table = table(include_str!("../../data/known_programs.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let is_known = |name: &str| {
            let text = example(&table, row, name);
            if row.list == "windows" { is_told_on_windows(&text) } else { is_told(&text) }
        };
        if !is_known(program) || is_known("zzz") {
            wrong.push(format!("{}: {} `{program}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn words_of_text_programs_are_no_commands() {
    let table = table(include_str!("../../data/text_programs.tsv"));
    let blocked = [BlockedPattern::parse("dangerous -xy").expect("the pattern is correct")];
    let may_start = |text: &str| analysis(text).find_possible(&blocked).is_some();
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        if may_start(&example(&table, row, program)) || !may_start(&example(&table, row, "zzz")) {
            wrong.push(format!("{}: `{program}`", row.line));
        }
    }
    assert_effects(&wrong);
}

fn is_told_on_windows(text: &str) -> bool {
    let analysis = Analysis::of_text(text, &Options { windows: true, ..Options::default() });
    analysis.invocations.iter().all(|invocation| analysis.is_told(invocation))
}
