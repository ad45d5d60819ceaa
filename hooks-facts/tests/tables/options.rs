//! Wrappers and their options, options that name a helper, and options that name a file to write.

use hooks_facts::commands::BlockedPattern;

use crate::tables::{Row, Table};
use crate::{analysis, assert_effects, example, is_dangerous, is_told, keys, starts, table};

#[test]
fn wrappers_start_the_program_after_their_words() {
    let table = table(include_str!("../../data/wrappers.tsv"));
    let mut wrong = Vec::new();
    for (row, wrapper) in keys(&table) {
        for options in wrapped_options(&table, row) {
            let text = example(&table, row, &format!("{wrapper}{options}"));
            if !starts(&text, "inner") || starts(&text, "value") {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
    assert!(!starts("zzz inner", "inner"));
}

/// Returns the words to test before the operands of a wrapper.
fn wrapped_options(table: &Table, row: &Row) -> Vec<String> {
    let mut options = vec![String::new()];
    options.extend(letters(table, row, "short").map(|letter| format!(" -{letter} value")));
    options.extend(table.words(row, "long").into_iter().map(|name| format!(" --{name} value")));
    if table.words(row, "assignments") == ["yes"] {
        options.push(" A=value".to_owned());
    }
    options
}

#[test]
fn helpers_are_noted() {
    let table = table(include_str!("../../data/helper_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let plain = example(&table, row, program);
        let is_command = table.words(row, "command") == ["yes"];
        // The effects of some programs are never known: their helpers count among the programs that start.
        if is_dangerous(&plain) || (!is_command && !is_told(&plain)) {
            wrong.push(format!("{}: {plain}", row.line));
        }
        let short = letters(&table, row, "short").map(|letter| format!("-{letter}"));
        let long = table.words(row, "long").into_iter().map(|name| format!("--{name}"));
        for option in short.chain(long) {
            let text = example(&table, row, &format!("{program} {option} 'dangerous -xy'"));
            if is_told(&text) || (is_command && !is_dangerous(&text)) {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn a_letter_after_one_with_a_value_is_no_helper() {
    let table = table(include_str!("../../data/helper_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let Some(helper) = letters(&table, row, "short").next() else { continue };
        let values = letters(&table, row, "values")
            .filter(|value| !letters(&table, row, "short").any(|c| c == *value));
        for value in values {
            let text = example(&table, row, &format!("{program} -{value}{helper}"));
            if !is_told(&text) {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn output_options_write_their_file() {
    let table = table(include_str!("../../data/output_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let short = letters(&table, row, "short").map(|letter| format!("-{letter} out"));
        let long = table.words(row, "long").into_iter().map(|name| format!("{name} out"));
        let folders = table.words(row, "folders").into_iter().map(|name| format!("{name} out"));
        for option in short.chain(long).chain(folders) {
            let text = example(&table, row, &format!("{program} {option}"));
            if !writes(&text) || writes(&example(&table, row, &format!("cat {option}"))) {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
        // An option after the program that this one starts belongs to that program.
        let text = format!("{program} inner --output out");
        if table.words(row, "runs") == ["yes"] && writes(&text) {
            wrong.push(format!("{}: {text}", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn a_letter_after_one_with_a_value_names_no_file() {
    let table = table(include_str!("../../data/output_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let Some(output) = letters(&table, row, "short").next() else { continue };
        let values = letters(&table, row, "values")
            .filter(|value| !letters(&table, row, "short").any(|c| c == *value));
        for value in values {
            let text = example(&table, row, &format!("{program} -{value}{output}out"));
            if writes(&text) || !writes(&example(&table, row, &format!("{program} -{output}out"))) {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn idle_options_keep_a_program_from_its_work() {
    let table = table(include_str!("../../data/idle_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let plain = example(&table, row, program);
        let name = plain.split(' ').next().unwrap_or_default();
        let pattern = [BlockedPattern::parse(name).expect("the pattern is correct")];
        let completes = |text: &str| analysis(text).completes(&pattern);
        let words = table.words(row, "options").into_iter().map(str::to_owned);
        let idle: Vec<_> =
            words.chain(letters(&table, row, "letters").map(|letter| format!("-{letter}"))).collect();
        for option in &idle {
            let text = format!("{plain} {option}");
            // A pattern that names the option wants it.
            let wanted =
                [BlockedPattern::parse(&format!("{name} {option}")).expect("the pattern is correct")];
            if !completes(&plain) || completes(&text) || !analysis(&text).completes(&wanted) {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn the_value_of_an_option_is_no_option() {
    let table = table(include_str!("../../data/value_options.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let plain = example(&table, row, program);
        let wanted = [BlockedPattern::parse(&format!("{program} !--help")).expect("the pattern is correct")];
        let is_found = |text: &str| analysis(text).find(&wanted).is_some();
        let words = table.words(row, "words").into_iter().map(|word| format!("--{word}"));
        let short = letters(&table, row, "letters").map(|letter| format!("-{letter}"));
        for option in words.chain(short) {
            let text = format!("{plain} {option} --help");
            if !is_found(&text) || is_found(&format!("{text} --help")) || is_found(&format!("{plain} --help"))
            {
                wrong.push(format!("{}: {text}", row.line));
            }
        }
    }
    assert_effects(&wrong);
}

fn letters(table: &Table, row: &Row, column: &str) -> impl Iterator<Item = char> {
    table.words(row, column).into_iter().flat_map(str::chars).collect::<Vec<_>>().into_iter()
}

/// Returns whether a command writes the file `out`.
fn writes(text: &str) -> bool {
    analysis(text)
        .writes()
        .iter()
        .any(|write| write.target.literal().is_some_and(|name| name.trim_start_matches("./") == "out"))
}

#[test]
fn operands_are_written() {
    let table = table(include_str!("../../data/written_operands.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let writes = |text: &str| {
            analysis(text)
                .writes()
                .iter()
                .any(|write| write.target.literal().is_some_and(|name| name == "out.x"))
        };
        let text = example(&table, row, program);
        let idle = table.words(row, "unless").into_iter().map(|option| format!("{text} {option}"));
        let idle: Vec<_> = idle.filter(|text| writes(text)).collect();
        if !writes(&text) || writes(&example(&table, row, "zzz")) || !idle.is_empty() {
            wrong.push(format!("{}: {text}, {idle:?}", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn common_options_write_their_file_for_any_program() {
    let table = table(include_str!("../../data/common_outputs.tsv"));
    let mut wrong = Vec::new();
    for (row, option) in keys(&table) {
        let text = example(&table, row, option);
        let attached = text.replacen(&format!("{option} "), &format!("{option}="), 1);
        let shown = text.replacen("zzz", "echo", 1);
        if !writes(&text) || !writes(&attached) || writes(&shown) || writes(&example(&table, row, "zzz")) {
            wrong.push(format!("{}: {text}", row.line));
        }
    }
    assert_effects(&wrong);
    for text in [
        "zzz --output json",
        "zzz -o wide",
        "zzz -o jsonpath={.a.b}",
        "zzz -- --output a.txt",
        "docker run a --out-dir b",
    ] {
        assert!(!writes(text), "{text}");
    }
    for text in ["zzz -o ./out", "npx zzz --outDir out", "python3 -m cProfile -o ./out a.py"] {
        assert!(writes(text), "{text}");
    }
}
