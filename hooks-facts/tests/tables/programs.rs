//! Programs whose effects are known, and programs whose words are texts.

use hooks_facts::commands::{Analysis, BlockedPattern, Options};

use crate::{analysis, assert_effects, example, is_dangerous, is_told, keys, table};

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

#[test]
fn words_of_programs_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/program_words.tsv"));
    let mut wrong = Vec::new();
    for (row, word) in keys(&table) {
        let (text, other) = (example(&table, row, word), example(&table, row, "zzz"));
        let has_effect = match row.list.as_str() {
            "activates" => analysis(&text).unresolved.is_empty() && !analysis(&other).unresolved.is_empty(),
            "shells" | "starts" => is_dangerous(&text) && !is_dangerous(&other),
            "compressors" => writes(&text, "out") && !writes(&other, "out"),
            "decodes" => !analysis(&text).unresolved.is_empty() && analysis(&other).unresolved.is_empty(),
            "git_settings" => is_told(&text) && !is_told(&other),
            "git_escapes" => !is_found(&text, "git rebase") && is_found(&other, "git rebase"),
            "copy_values" => !writes(&text, "value") && writes(&other, "value"),
            // A bundle of letters may have any order, the name of an option has one.
            "word_options" => !is_found(&text, &format!("{word} -ab")) && is_found(&other, "zzz -ab"),
            "shows" => !is_dangerous(&text) && is_dangerous(&other),
            "escapes" => is_dangerous(&text) && !is_dangerous(&other),
            "places" => writes_in_some_folder(&text) && !writes_in_some_folder(&other),
            "elsewhere" => finds_other_settings(&text) && !finds_other_settings(&other),
            list => panic!("no test for the list `{list}`"),
        };
        if !has_effect {
            wrong.push(format!("{}: {} `{word}` in `{text}`", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn interpreters_run_their_code() {
    let table = table(include_str!("../../data/interpreters.tsv"));
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let text = example(&table, row, name);
        if !is_dangerous(&text) {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn launchers_start_what_their_words_name() {
    let table = table(include_str!("../../data/launchers.tsv"));
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let (text, other) = (example(&table, row, name), example(&table, row, "zzz"));
        let is_generic = row.list == "option";
        if !is_dangerous(&text) || is_dangerous(&other) && !is_generic {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

fn finds_other_settings(text: &str) -> bool {
    analysis(text).invocations.iter().any(|invocation| invocation.has_other_settings)
}

/// Returns whether a command changes `tool` in a folder that is not known.
fn writes_in_some_folder(text: &str) -> bool {
    analysis(text).writes().iter().any(|write| write.target.file_name() == Some("tool"))
}

#[test]
fn downloads_write_their_file() {
    let table = table(include_str!("../../data/downloads.tsv"));
    let mut wrong = Vec::new();
    for (row, name) in keys(&table) {
        let (text, other) = (example(&table, row, name), example(&table, row, "zzz"));
        if !writes(&text, "out/file") || writes(&other, "out/file") {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

fn is_found(text: &str, pattern: &str) -> bool {
    analysis(text).find(&[BlockedPattern::parse(pattern).expect("the pattern is correct")]).is_some()
}

fn writes(text: &str, file: &str) -> bool {
    analysis(text).writes().iter().any(|write| write.target.literal() == Some(file))
}

#[test]
fn clients_of_databases_receive_statements() {
    let table = table(include_str!("../../data/query_clients.tsv"));
    let family = |row: &crate::tables::Row| row.cells.get(2).cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let text = example(&table, row, program);
        let patterns = [format!("{} {{drop,flushall}}", family(row))];
        let patterns =
            patterns.map(|pattern| BlockedPattern::parse(&pattern).expect("the pattern is correct"));
        let other = example(&table, row, "zzz");
        if analysis(&text).find(&patterns).is_none() || analysis(&other).find(&patterns).is_some() {
            wrong.push(format!("{}: `{text}`", row.line));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn a_launcher_may_set_the_folder_of_what_it_starts() {
    for (text, folder) in [
        ("tmux new -d -c inner 'touch x'", "inner/x"),
        ("systemd-run --user --working-directory=inner touch x", "inner/x"),
        ("parallel --wd inner touch ::: x", "inner/x"),
        ("make -C inner -f - <<'E'\nall:\n\ttouch x\nE", "inner/x"),
    ] {
        let analysis = analysis(text);
        let written: Vec<_> = analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
        assert_eq!(written, [folder], "{text}");
    }
}
