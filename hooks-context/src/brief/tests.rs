use std::collections::HashSet;

use hooks_conversation::Estimate;
use proptest::prelude::*;

use super::*;
use crate::source::{Item, Section};

/// OpenAI's own vocabularies: the reference count, whichever tokenizer the briefing used.
fn real(text: &str) -> u64 {
    bpe_openai::o200k_base().count(text).max(bpe_openai::cl100k_base().count(text)) as u64
}

struct Real;

impl Tokenizer for Real {
    fn count(&self, text: &str) -> u64 {
        real(text)
    }
}

fn part(name: &str, weight: u32, items: &[&str]) -> Part {
    let items = items.iter().map(|text| Item::new(text)).collect();
    let section = Section::new(name, items).with_rest(0, Some(format!("cat {name}.md")));
    Part { name: name.into(), weight, loaded: Loaded::Section(section), command: None }
}

#[test]
fn everything_is_given_where_there_is_room() {
    let parts = [part("wisdom", 1, &["- a", "- b"]), part("decisions", 6, &["### One\nx", "### Two\ny"])];
    let briefing = Briefing::new(&parts, 1_000, &Estimate, None);
    assert_eq!(
        briefing.joined(),
        format!("{PREFACE}\n\n## wisdom\n\n- a\n- b\n\n## decisions\n\n### One\nx\n\n### Two\ny")
    );
    assert_eq!(briefing.texts[1].source.as_deref(), Some("decisions"));
}

#[test]
fn what_does_not_fit_is_said_in_one_line() {
    let long = "word ".repeat(40);
    let items: Vec<_> = (0..50).map(|number| format!("{number} {long}")).collect();
    let items: Vec<_> = items.iter().map(String::as_str).collect();
    let late =
        Part { name: "history".into(), weight: 4, loaded: Loaded::Late, command: Some("cat h.md".into()) };
    let parts = [part("decisions", 6, &items), late];
    let briefing = Briefing::new(&parts, 300, &Real, None);
    assert!(briefing.tokens <= 300 && briefing.tokens > 200, "{briefing:?}");
    let last = briefing.texts.last().unwrap();
    assert_eq!(
        last.text,
        "[left out: 44 of decisions (`cat decisions.md`); history, not read in time (`cat h.md`)]"
    );
}

#[test]
fn what_two_have_is_given_once_and_what_is_known_not_again() {
    let parts = [part("now", 2, &["same", "b"]), part("decisions", 6, &["same", "c"])];
    let briefing = Briefing::new(&parts, 1_000, &Estimate, None);
    assert_eq!(briefing.joined(), format!("{PREFACE}\n\n## now\n\nb\n\n## decisions\n\nsame\n\nc"));
    let known: HashSet<_> = ["same", "b"].iter().map(|text| Item::new(text).digest).collect();
    assert_eq!(Briefing::new(&parts, 1_000, &Estimate, Some(&known)).joined(), "## decisions\n\nc");
    let known = known.into_iter().chain([Item::new("c").digest]).collect();
    assert!(Briefing::new(&parts, 1_000, &Estimate, Some(&known)).is_empty());
}

#[test]
fn a_part_that_counts_little_is_not_crowded_out() {
    let long = "word ".repeat(30);
    let many: Vec<_> = (0..50).map(|number| format!("{number} {long}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let parts = [part("wisdom", 1, &["- look first"]), part("decisions", 6, &many)];
    let briefing = Briefing::new(&parts, 400, &Real, None);
    assert!(briefing.joined().contains("- look first"));
}

/// Prose, code, other scripts, and text that tokenizers split into many tokens.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}( [a-z]{1,9}){0,30}",
        "### [A-Z][a-z]{1,8}\n(\\*\\*[A-Z][a-z]{1,5}:\\*\\* [a-z ]{1,60}\n){0,4}",
        "[A-Za-z0-9+/]{1,120}",
        "[ \t\n\r]{0,9}[!-~]{0,80}[ \n]{0,9}",
        "[а-яё ]{1,60}|[一-鿿]{1,40}|[\u{1F300}-\u{1F64F}]{1,12}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(debug_assertions) { 48 } else { 2_000 }, ..ProptestConfig::default() })]

    #[test]
    fn no_budget_is_exceeded_as_the_model_itself_counts(
        sections in proptest::collection::vec((1_u32..9, proptest::collection::vec(text(), 0..12), 0_usize..3_000), 0..6),
        budget in 0_u64..1_500,
        is_first: bool,
    ) {
        let parts: Vec<_> = sections
            .iter()
            .enumerate()
            .map(|(number, (weight, items, more))| {
                let items: Vec<_> = items.iter().map(String::as_str).collect();
                let mut part = part(&format!("part {number}"), *weight, &items);
                if let Loaded::Section(section) = &mut part.loaded {
                    section.more = *more;
                }
                part
            })
            .collect();
        let nothing = HashSet::new();
        let known = (!is_first).then_some(&nothing);
        let briefing = Briefing::new(&parts, budget, &Real, known);
        prop_assert!(real(&briefing.joined()) <= budget);
        prop_assert!(briefing.texts.iter().map(|text| real(&text.text)).sum::<u64>() <= budget);
        prop_assert_eq!(&briefing, &Briefing::new(&parts, budget, &Real, known));
        // A briefing that was counted by estimate keeps to the budget as far as the estimate promises.
        let estimated = Briefing::new(&parts, budget, &Estimate, known);
        prop_assert!(estimated.tokens <= budget);
        prop_assert!(real(&estimated.joined()) <= budget * 2);
    }

    #[test]
    fn an_estimate_is_never_less_than_half(text in text()) {
        prop_assert!(real(&text) <= Estimate.count(&text) * 2, "{} {}", real(&text), Estimate.count(&text));
    }
}
