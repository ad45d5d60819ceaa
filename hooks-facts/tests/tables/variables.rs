//! Variables that change the programs that run, or the folders of settings.

use crate::{analysis, assert_effects, example, is_dangerous, is_told, keys, table};

#[test]
fn variables_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/variables.tsv"));
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let (text, other) = (example(&table, row, name), example(&table, row, "ZZZ"));
        let has_effect = match row.list.as_str() {
            "lookup" | "families" => !is_told(&text) && is_told(&other),
            // Without the row, the family of the name or the list `commands` would count.
            "harmless" => is_told(&text) && !is_told("GIT_X=x cat a"),
            // Another variable of the list `commands` would count.
            "compilers" => cat_is_told(&text) && !cat_is_told("BROWSER=x cat a"),
            "commands" => is_dangerous(&text) && !is_dangerous(&other),
            "settings" | "clients" => moves_settings(&text) && !moves_settings(&other),
            list => panic!("no test for the list `{list}`"),
        };
        if !has_effect {
            wrong.push(format!("{}: {} `{name}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

/// Returns whether the effects of `cat` in a command are known.
fn cat_is_told(text: &str) -> bool {
    let analysis = analysis(text);
    let is_cat = |it: &&_| analysis.program_name(it).as_deref() == Some("cat");
    analysis.invocations.iter().filter(is_cat).all(|cat| analysis.is_told(cat))
}

fn moves_settings(text: &str) -> bool {
    analysis(text).invocations.iter().any(|invocation| invocation.has_other_settings)
}

#[test]
fn texts_are_evaluated_again() {
    let table = table(include_str!("../../data/late_words.tsv"));
    let mut wrong = Vec::new();
    for (row, word) in keys(&table) {
        let (text, other) = (example(&table, row, word), example(&table, row, "ZZZ"));
        if !is_dangerous(&text) || is_dangerous(&other) {
            wrong.push(format!("{}: {} `{word}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}
