//! Tests every row of the tables in `data`: its example is read differently with another word in its place.

#![cfg(test)]

#[path = "../build/tables.rs"]
mod tables;

use hooks_context::directive::{Mode, detect};
use tables::Table;

/// Returns the rows whose word has no effect in its example.
fn without_effect(text: &str) -> Vec<String> {
    let table = Table::read(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let mut found = Vec::new();
    for row in table.rows() {
        for word in table.keys(row) {
            let example = table.example(row).replace("\\n", "\n");
            // A contraction with a typographic apostrophe is the same word.
            let word = if row.list == "contractions" { word.replace('\'', "’") } else { word.to_owned() };
            if wishes(&example, &word) == wishes(&example, unknown_word(&row.list)) {
                found.push(format!("{}: {} `{word}` in `{example}`", row.line, row.list));
            }
        }
    }
    found
}

/// Returns a word that no list has. The grammar reads some words by their ending.
fn unknown_word(list: &str) -> &'static str {
    match list {
        "base" => "zzzs",
        "contractions" => "zz’z",
        "not_going_on" => "zzzing",
        _ => "zzz",
    }
}

/// Returns the wishes in the example with a word in its place: their modes and positions.
fn wishes(example: &str, word: &str) -> Vec<(Mode, usize, usize)> {
    let message = example.replace("{}", word);
    let position = example.find("{}").unwrap_or_default();
    let end = position + word.len();
    let place = |at: usize| if at > position { at.max(end) - word.len() } else { at };
    detect(&message)
        .into_iter()
        .map(|wish| (wish.mode, place(wish.span.start), place(wish.span.end)))
        .collect()
}

#[test]
fn verbs_begin_instructions() {
    assert_eq!(without_effect(include_str!("../data/verbs.tsv")), [""; 0]);
}

#[test]
fn fillers_change_nothing() {
    assert_eq!(without_effect(include_str!("../data/fillers.tsv")), [""; 0]);
}

#[test]
fn words_have_an_effect() {
    assert_eq!(without_effect(include_str!("../data/words.tsv")), [""; 0]);
}

#[test]
fn words_of_unmarked_wishes_have_an_effect() {
    assert_eq!(without_effect(include_str!("../data/unmarked.tsv")), [""; 0]);
}

/// Lists of the languages whose phrases make a wish of their example.
const MARKING: [&str; 7] = ["always", "never", "from_now_on", "prefer", "stop", "remember", "ours"];

/// Returns the lists of which more than a fifth of the phrases make no wish of their example. Some phrases need
/// another sentence than that of their list.
fn weak_lists(language: &str, text: &str) -> Vec<String> {
    let table = Table::read(text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let mut weak = Vec::new();
    for list in MARKING {
        let rows: Vec<_> = table.rows().iter().filter(|row| row.list == list).collect();
        let works = rows.iter().filter(|row| {
            let phrase = table.keys(row).concat().replace('*', "").replace('…', "zzz");
            !detect(&table.example(row).replace("{}", &phrase)).is_empty()
        });
        let (works, all) = (works.count(), rows.len());
        if all == 0 || works * 5 < all * 4 {
            weak.push(format!("{language}, {list}: {works} of {all}"));
        }
    }
    weak
}

const LANGUAGES: [(&str, &str); 15] = [
    ("ar", include_str!("../data/language_ar.tsv")),
    ("de", include_str!("../data/language_de.tsv")),
    ("es", include_str!("../data/language_es.tsv")),
    ("fr", include_str!("../data/language_fr.tsv")),
    ("hi", include_str!("../data/language_hi.tsv")),
    ("it", include_str!("../data/language_it.tsv")),
    ("ja", include_str!("../data/language_ja.tsv")),
    ("ko", include_str!("../data/language_ko.tsv")),
    ("nl", include_str!("../data/language_nl.tsv")),
    ("pl", include_str!("../data/language_pl.tsv")),
    ("pt", include_str!("../data/language_pt.tsv")),
    ("ru", include_str!("../data/language_ru.tsv")),
    ("tr", include_str!("../data/language_tr.tsv")),
    ("uk", include_str!("../data/language_uk.tsv")),
    ("zh", include_str!("../data/language_zh.tsv")),
];

#[test]
fn phrases_of_all_languages_make_wishes() {
    for (language, table) in LANGUAGES {
        assert_eq!(weak_lists(language, table), [""; 0]);
    }
}

#[test]
fn known_words_are_of_languages_that_have_a_table() {
    let table = Table::read(include_str!("../data/known_words.tsv")).unwrap();
    assert!(table.rows().len() > 100);
    for row in table.rows() {
        let languages = table.words(row, "languages");
        assert!(!languages.is_empty());
        let is_known = |language: &str| LANGUAGES.iter().any(|(known, _)| *known == language);
        assert!(languages.iter().all(|language| is_known(language)), "line {}", row.line);
    }
}

#[test]
fn output_of_programs_holds_no_wishes() {
    let table = Table::read(include_str!("../data/log_heads.tsv")).unwrap();
    for row in table.rows() {
        for head in table.keys(row) {
            assert!(wishes("{} never push to main.", head).is_empty(), "line {}: {head}", row.line);
        }
    }
    assert!(!wishes("{}, never push to main.", "please").is_empty());
}

#[test]
fn a_word_without_an_effect_is_found() {
    let text = "#! columns word:key\n#! example Always {} tests.\nnever\nqqq\n";
    assert_eq!(without_effect(text), ["4:  `qqq` in `Always {} tests.`"]);
}

#[test]
fn common_words_do_not_show_what_a_text_is_about() {
    let table = Table::read(include_str!("../data/plain_words.tsv")).unwrap();
    let rows = table.rows().iter().filter(|row| row.list == "common");
    let common: Vec<&str> = rows.flat_map(|row| table.keys(row)).collect();
    assert!(common.len() > 20);
    let kept = common.iter().filter(|word| !hooks_context::source::Words::from_text(word).is_empty());
    assert_eq!(kept.collect::<Vec<_>>(), Vec::<&&str>::new());
}
