//! Effects of commands: each row of the tables, and the lines of `effects.tsv`.

use hooks_facts::commands::{Analysis, Effect, Options};

use crate::{analysis, assert_effects, example, keys, table};

/// Commands with their effects, one a line: the effects between commas (`-` for none), a tab, the command.
const LINES: &str = include_str!("effects.tsv");

fn effects(text: &str) -> Vec<&'static str> {
    analysis(text).effects().iter().map(|found| found.effect.name()).collect()
}

#[test]
fn rows_have_their_effect_and_other_programs_have_none() {
    let table = table(include_str!("../../data/effects.tsv"));
    let mut wrong = Vec::new();
    for (row, program) in keys(&table) {
        let name = program.replace('*', "x");
        let (text, other) = (example(&table, row, &name), example(&table, row, "zzz"));
        let has = |text: &str| effects(text).contains(&row.list.as_str());
        if !has(&text) || has(&other) && !text.contains("| dd ") {
            wrong.push(format!(
                "{}: {} `{text}`: {:?}; other {:?}",
                row.line,
                row.list,
                effects(&text),
                effects(&other)
            ));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn calls_have_their_effect_and_other_names_have_none() {
    let table = table(include_str!("../../data/effect_calls.tsv"));
    let mut wrong = Vec::new();
    for (row, call) in keys(&table) {
        let (text, other) = (example(&table, row, call), example(&table, row, "zzz"));
        let has = |text: &str| effects(text).contains(&row.list.as_str());
        if !has(&text) || has(&other) {
            wrong.push(format!(
                "{}: {} `{text}`: {:?}; other {:?}",
                row.line,
                row.list,
                effects(&text),
                effects(&other)
            ));
        }
    }
    assert_effects(&wrong);
}

#[test]
fn words_have_the_effect_of_their_list() {
    let table = table(include_str!("../../data/effect_words.tsv"));
    let mut wrong = Vec::new();
    for (row, word) in keys(&table) {
        let word = word.replace('*', "x");
        let other = if row.list == "find_flags" { "-zzz" } else { "zzz" };
        let (text, other) = (example(&table, row, &word), example(&table, row, other));
        let (own, others) = (effects(&text), effects(&other));
        let has_effect = match row.list.as_str() {
            "characters" => own.is_empty() && others == ["device-write"],
            "find_flags" => own == ["recursive-delete"] && others.is_empty(),
            "programs" => own == ["git-dir-write"] && others.is_empty(),
            "privileged" | "rights" => own == ["privilege"] && others.is_empty(),
            "writers" => own == ["device-write"] && others.is_empty(),
            "callers" | "before_patterns" => own == ["recursive-delete"] && others.is_empty(),
            "reads" | "modules" => only_reads(&text) && !only_reads(&other),
            "git_libraries" | "git_calls" => !own.is_empty() && others.is_empty(),
            list => panic!("no test for the list `{list}`"),
        };
        if !has_effect {
            wrong.push(format!("{}: {} `{word}`: {own:?}; other {others:?}", row.line, row.list));
        }
    }
    assert_effects(&wrong);
}

fn only_reads(text: &str) -> bool {
    analysis(text).programs().iter().all(hooks_facts::commands::Program::only_reads)
}

#[test]
fn what_may_change_something_does_not_only_read() {
    for text in [
        "python3 -c \"f = open; f('conf', 'w')\"",
        "python3 -c \"open('conf', mode='w')\"",
        "python3 -c \"import os; os.remove('conf')\"",
        "python3 -c \"import os; list(map(os.remove, ['conf']))\"",
        "python3 -c \"import os; [os.remove][0]('conf')\"",
        "python3 -c \"import evil\"",
        "python3 -c \"import os; print = os.remove; print('conf')\"",
        "python3 -c \"import os\nfor print in [os.remove]: print('conf')\"",
        "python3 -c \"open('conf', *['w'])\"",
        "python3 -c \"import sys; open('conf', sys.argv[1])\"",
        "node -e \"const {unlinkSync: log} = require('fs'); log('conf')\"",
        "node -e \"console.log = require('fs').unlinkSync; console.log('conf')\"",
        "python3 -c \"print(__import__('os').unlink('conf'))\"",
        "node -e \"require('fs').unlinkSync('conf')\"",
        "node -e \"require('./evil')\"",
        "node -e \"require('fs').readFileSync.constructor('x')()\"",
        "node -e 'eval(\"x\")'",
        "ruby -e 'File.delete(\"a\")'",
        "ruby -e 'File.send(:delete, \"a\")'",
        "ruby -e 'File.unlink \"a\"'",
        "ruby -e '`rm a`'",
        "perl -e 'print 1'",
    ] {
        assert!(!only_reads(text), "{text}");
    }
    for text in [
        "python3 -c \"import json; print(json.load(open('conf'))['b'])\"",
        "python3 -c \"print(open('conf', 'rb').read())\"",
        "node -p \"require('./a.json').b\"",
        "node -e \"console.log(JSON.parse(require('fs').readFileSync('conf', 'utf8')).b)\"",
    ] {
        assert!(only_reads(text), "{text}");
    }
}

#[test]
fn lines_have_the_effects_that_they_name() {
    let mut wrong = Vec::new();
    let lines: Vec<_> =
        LINES.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(lines.len() >= 300, "{} lines", lines.len());
    for (at, line) in lines {
        let (names, text) = line.split_once('\t').unwrap_or_else(|| panic!("line {}: no tab", at + 1));
        let text = text.replace("\\n", "\n");
        let found = effects(&text);
        let wanted: Vec<_> = names.split(", ").filter(|name| *name != "-").collect();
        let known = |name: &&str| Effect::ALL.iter().any(|effect| effect.name() == *name);
        assert!(wanted.iter().all(known), "line {}: `{names}`", at + 1);
        if wanted.iter().any(|name| !found.contains(name)) || wanted.is_empty() && !found.is_empty() {
            wrong.push(format!("{}: `{text}` {found:?}, not {names}", at + 1));
        }
    }
    assert_effects(&wrong);
}

/// Each command with an effect has it in every carrier, and as data it has none.
#[test]
fn effects_are_found_in_every_carrier_and_not_in_data() {
    let carriers = [
        "true; {}",
        "{ {}; }",
        "( {} )",
        "if true; then {}; fi",
        "f() { {}; }; f",
        "echo $( {} )",
        "timeout 5 sh -c QUOTED",
        "eval QUOTED",
        "bash <<< QUOTED",
        "env A=b bash -c QUOTED",
        "ssh host QUOTED",
        "for i in 1 2; do {}; done",
        "echo QUOTED | sh",
    ];
    let data = [
        "echo QUOTED",
        "grep -n QUOTED a.txt",
        "git commit -m QUOTED",
        "# {}",
        "cat > a.md <<'EOF'\n{}\nEOF",
        "x=QUOTED",
    ];
    let mut wrong = Vec::new();
    for line in LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (names, text) = line.split_once('\t').unwrap_or_default();
        let is_plain =
            !text.contains(['\n', '\\', '#']) && !text.contains("<<") && !text.contains("{}") && names != "-";
        for carrier in carriers.iter().filter(|_| is_plain) {
            let quoted = format!("'{}'", text.replace('\'', "'\\''"));
            let inside = carrier.replace("QUOTED", &quoted).replace("{}", text);
            let found = effects(&inside);
            if names.split(", ").any(|name| !found.contains(&name)) {
                wrong.push(format!("{inside}: {found:?}"));
            }
        }
        for carrier in data.iter().filter(|_| is_plain) {
            let quoted = format!("'{}'", text.replace('\'', "'\\''"));
            let inside = carrier.replace("QUOTED", &quoted).replace("{}", text);
            let found = effects(&inside);
            if !found.is_empty() {
                wrong.push(format!("data: {inside}: {found:?}"));
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn hostile_input_ends_in_time_and_panics_nowhere() {
    // As long as a text may be that is read.
    let filled = |unit: &str| unit.repeat(240_000 / unit.len());
    let bombs = [
        filled("rm -r a;"),
        filled("ln -s a b; "),
        filled("git config a.b c;"),
        format!("git push {}", filled("+a ")),
        format!("git push {}", filled("-a ")),
        format!("python3 -c '{}'", filled("shutil.rmtree(")),
        format!("python3 -c '{}'", filled("rm(a,b);")),
        format!("python3 -c '{}'", filled("x=getattr(")),
        format!("python3 -c '{}'", filled("open(")),
        format!("python3 -c '{}'", filled("git.push(\"a\");")),
        format!("python3 -c '{}'", filled("\"a\" + ")),
        format!("python3 -c '{}'", filled("exec(\"(\")")),
        format!("node -e '{}'", filled("a={b:c,")),
        format!("bb -e '{}'", filled("a/")),
        format!("perl -e '{}'", filled("q(")),
        filled("[[ 'a[$(' -eq 1 ]];"),
        format!("crontab - <<< '{}'", filled("* ")),
    ];
    // A quadratic reader would take minutes.
    for bomb in bombs {
        let analysis = Analysis::of_text(&bomb, &Options::default());
        assert!(analysis.effects().len() <= Effect::ALL.len());
        analysis.programs().iter().for_each(|program| {
            program.only_reads();
        });
    }
}
