//! Tests every row of the tables in `data`: its example has the effect that the row gives it.

#![cfg(test)]

#[path = "../../build/tables.rs"]
mod tables;

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy};
use hooks_team_rules::decisions::{DecisionPolicy, Decisions, Enforcement};
use serde_json::{Value, json};
use tables::{Row, Table};

/// Reads a table as the build script does.
fn table(text: &str) -> Table {
    Table::read(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

/// Returns each key of each row with its row.
fn keys(table: &Table) -> impl Iterator<Item = (&Row, &str)> {
    table.rows().iter().flat_map(|row| table.keys(row).into_iter().map(move |key| (row, key)))
}

/// Returns the example of a row for a name.
fn example(table: &Table, row: &Row, name: &str) -> String {
    table.example(row).replace("{}", name)
}

/// Fails with all rows that have no effect.
#[track_caller]
fn assert_effects(rows: &[String]) {
    assert!(rows.is_empty(), "{} rows without their effect: {rows:#?}", rows.len());
}

fn has_rule(text: &str) -> bool {
    let text = if text.starts_with('#') { text.to_owned() } else { format!("- {text}\n") };
    Decisions::parse(&text).all().iter().any(|decision| !decision.rules.is_empty())
}

fn denies(decisions: &str, tool: &str, args: Value) -> bool {
    let policy = DecisionPolicy::new(&Decisions::parse(decisions), &Default::default());
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    policy.judge(&HookRequest::new(context, PreToolUse::new(tool, args))).is_final()
}

#[test]
fn every_name_can_be_forbidden() {
    for text in [include_str!("../../data/names.tsv"), include_str!("../../data/concepts.tsv")] {
        let table = table(text);
        // A name that is a word of the language as well is a name in a code span only.
        let rows = keys(&table).filter(|(row, name)| {
            !has_rule(&example(&table, row, name)) && !has_rule(&example(&table, row, &format!("`{name}`")))
        });
        assert_effects(&rows.map(|(row, name)| example(&table, row, name)).collect::<Vec<_>>());
    }
}

#[test]
fn every_area_is_an_exception() {
    let table = table(include_str!("../../data/areas.tsv"));
    let excepts = |text: &str| {
        Decisions::parse(&format!("- {text}\n"))
            .all()
            .iter()
            .flat_map(|decision| &decision.rules)
            .any(|rule| !rule.except.is_empty())
    };
    let rows = keys(&table).filter(|(row, name)| !excepts(&example(&table, row, name)));
    assert_effects(&rows.map(|(row, name)| example(&table, row, name)).collect::<Vec<_>>());
}

#[test]
fn every_installer_brings_in_packages() {
    let table = table(include_str!("../../data/installers.tsv"));
    let rows = keys(&table).filter(|(row, name)| {
        let verbs = table.words(row, "verbs");
        let verb = verbs.first().copied().filter(|verb| *verb != "*").unwrap_or_default();
        !denies("- Never use `x`.\n", "bash", json!({"command": format!("{name} {verb} x")}))
    });
    assert_effects(&rows.map(|(_, name)| name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn comments_of_every_language_are_no_code() {
    let table = table(include_str!("../../data/languages.tsv"));
    let mut wrong = Vec::new();
    for row in table.rows() {
        for ending in table.words(row, "files") {
            let path =
                if ending.starts_with('.') { format!("src/a{ending}") } else { format!("src/{ending}") };
            let rule = "### A\n\n```rule\ncontent: [zz]\n```\n";
            let is_denied = |text: &str| denies(rule, "write", json!({"path": path, "content": text}));
            let line = table.words(row, "line").first().map(|open| format!("\n{open} zz\n"));
            let block = table
                .words(row, "block")
                .chunks(2)
                .next()
                .map(|pair| format!("\n{} zz {}\n", pair[0], pair[1]));
            let comments = [line, block].into_iter().flatten().any(|text| is_denied(&text));
            if !is_denied("a zz b\n") || comments {
                wrong.push(path);
            }
        }
    }
    assert_effects(&wrong);
}

#[test]
fn words_that_forbid_do() {
    let table = table(include_str!("../../data/words.tsv"));
    let sentence = |list: &str, word: &str| match list {
        "banned" => Some(format!("lodash is {word}.")),
        "banned_phrase" if !word.starts_with("we ") => Some(format!("lodash {word}.")),
        "list_title" => Some(format!("## {word}\n\n- `lodash`\n")),
        "used" => Some(format!("lodash must not be {word}.")),
        "stay_away" => Some(format!("lodash must not {word}.")),
        "order" => Some(format!("Please {word} lodash.")),
        "order_phrase" => Some(format!("We {word} lodash.")),
        "verb" => Some(format!("Never {word} `lodash`.")),
        "negative" => Some(format!("Here {word} means lodash.")),
        "becomes" => Some(format!("lodash {word} axios.")),
        "before_new" => Some(format!("lodash {word} axios.")),
        "before_old" if word.starts_with("replacement") || word.starts_with("substitute") => {
            Some(format!("axios is our {word} lodash."))
        }
        "before_old" => Some(format!("axios {word} lodash.")),
        _ => None,
    };
    // Who forbids to harm something wants it.
    let harmful: Vec<&str> =
        keys(&table).filter(|(row, _)| row.list == "protective").map(|(_, word)| word).collect();
    let harms = |row: &Row, word: &str| {
        ["used", "verb"].contains(&row.list.as_str())
            && harmful.iter().any(|own| word.starts_with(own.trim_end_matches('e')))
    };
    let rows = keys(&table)
        .filter(|(row, word)| !harms(row, word))
        .filter_map(|(row, word)| sentence(&row.list, word))
        .filter(|sentence| !has_rule(sentence));
    assert_effects(&rows.collect::<Vec<_>>());
}

#[test]
fn words_that_require_or_describe_forbid_nothing() {
    let table = table(include_str!("../../data/words.tsv"));
    let sentence = |list: &str, word: &str| match list {
        "protective" => Some(format!("Never {word} `lodash`.")),
        "needed_phrase" => Some(format!("We {word} lodash.")),
        "retraction" => Some(format!("Never use lodash. {word}.")),
        "kind" => Some(format!("YAML {word} are banned.")),
        "format" => Some(format!("{word} crates are banned.")),
        _ => None,
    };
    let rows = keys(&table)
        .filter_map(|(row, word)| sentence(&row.list, word))
        .filter(|sentence| has_rule(sentence));
    assert_effects(&rows.collect::<Vec<_>>());
    let names_adverb = |word: &str| {
        let decisions = Decisions::parse(&format!("- `lodash` is slow, {word} forbidden.\n"));
        let packages = decisions.all().iter().flat_map(|it| &it.rules).flat_map(|rule| &rule.packages);
        packages.map(String::as_str).collect::<Vec<_>>() != ["lodash"]
    };
    let rows = keys(&table).filter(|(row, word)| row.list == "adverb" && names_adverb(word));
    assert_effects(&rows.map(|(_, word)| word.to_owned()).collect::<Vec<_>>());
}

#[test]
fn marks_of_decisions_that_do_not_count_take_them_away() {
    let table = table(include_str!("../../data/words.tsv"));
    let decision = |list: &str, word: &str| match list {
        "void_mark" => Some(format!("### {word} HTTP\n\nNever use axios.\n")),
        "void_start" => Some(format!("### HTTP\n\n{word} 4.\n\nNever use axios.\n")),
        _ => None,
    };
    let is_void = |text: &str| {
        let decisions = Decisions::parse(text);
        decisions.all().iter().all(|decision| matches!(decision.enforcement, Enforcement::Void(_)))
    };
    let rows = keys(&table).filter_map(|(row, word)| decision(&row.list, word));
    assert_effects(&rows.filter(|text| !is_void(text)).collect::<Vec<_>>());
    assert!(has_rule("### HTTP\n\nNever use axios.\n"));
}

#[test]
fn words_of_an_exchange_or_a_refusal_forbid_nothing_in_other_sentences() {
    let table = table(include_str!("../../data/words.tsv"));
    let sentence = |list: &str, word: &str| match list {
        "becomes" => Some(format!("The lodash pages {word} faster with axios.")),
        "before_new" => Some(format!("Ask Ada whether lodash {word} axios.")),
        "before_old" => Some(format!("Ask Ada whether axios {word} lodash.")),
        "negative" => Some(format!("Ask Ada whether {word} describes lodash.")),
        _ => None,
    };
    let rows = keys(&table)
        .filter_map(|(row, word)| sentence(&row.list, word))
        .filter(|sentence| has_rule(sentence));
    assert_effects(&rows.collect::<Vec<_>>());
}

#[test]
fn every_manifest_lists_packages() {
    let table = table(include_str!("../../data/manifests.tsv"));
    let lists = |name: &str| {
        let path = name.trim_start_matches('/').replace('*', "x");
        let texts = [
            "acme-x==1.0\n",
            "{\"dependencies\": {\"acme-x\": \"1.0\"}}",
            "[dependencies]\nacme-x = \"1.0\"\n",
            "<dependency><groupId>g</groupId><artifactId>acme-x</artifactId></dependency><package id=\"acme-x\"/>",
            "x 'acme-x'\nx \"acme-x\"\n",
            "  acme-x: 1.0\n",
            "    acme-x (1.0)\n",
        ];
        let write =
            |text: &&str| denies("- Never use `acme-x`.\n", "write", json!({"path": path, "content": *text}));
        texts.iter().any(write)
    };
    let rows = keys(&table).filter(|(_, name)| !lists(name));
    assert_effects(&rows.map(|(_, name)| name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn every_short_name_is_the_full_one() {
    let table = table(include_str!("../../data/aliases.tsv"));
    let rows = keys(&table).filter(|(row, name)| {
        let program = name.split(' ').next().unwrap_or_default();
        let full = row.cells.last().map(String::as_str).unwrap_or_default();
        let rule = format!("### A\n\n```rule\ncommands: [{program} {full}]\n```\n");
        !denies(&rule, "bash", json!({"command": name}))
    });
    assert_effects(&rows.map(|(_, name)| name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn every_program_is_a_command() {
    let table = table(include_str!("../../data/programs.tsv"));
    let sql = "### A\n\n```rule\ncontent: [DROP TABLE]\nlanguages: [sql]\n```\n";
    let rows = keys(&table).filter(|(row, name)| match row.list.as_str() {
        "query_client" => !denies(sql, "bash", json!({"command": format!("{name} -c 'DROP TABLE x'")})),
        _ => !denies(
            &format!("- Never run `{name} run-it`.\n"),
            "bash",
            json!({"command": format!("{name} run-it")}),
        ),
    });
    assert_effects(&rows.map(|(_, name)| name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn german_decisions_forbid_and_their_words_are_rows() {
    let table = table(include_str!("../../data/german.tsv"));
    let words: Vec<&str> = keys(&table).map(|(_, word)| word).collect();
    let install = || json!({ "command": "npm install lodash" });
    for (text, known) in [
        ("lodash kommt weg.", &["kommt", "weg"][..]),
        ("Auf lodash verzichten wir künftig.", &["auf", "verzichten", "künftig"]),
        ("Wir benutzen kein lodash mehr.", &["benutzen", "kein"]),
        ("lodash darf nicht benutzt werden.", &["darf", "benutzt"]),
    ] {
        assert!(denies(&format!("- {text}\n"), "bash", install()), "{text}");
        assert!(known.iter().all(|word| words.contains(word)), "{text}");
    }
    assert!(!denies("- Wir benutzen lodash.\n", "bash", install()));
}
