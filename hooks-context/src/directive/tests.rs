use proptest::prelude::*;

use super::*;

fn found(message: &str) -> Vec<(Mode, String)> {
    detect(message).into_iter().map(|one| (one.mode, one.text)).collect()
}

#[test]
fn modes_have_one_name() {
    for mode in Mode::ALL {
        assert_eq!(mode.name().parse(), Ok(mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
    }
    assert!("sometimes".parse::<Mode>().unwrap_err().to_string().contains("`sometimes`"));
}

#[test]
fn a_heading_is_about_each_line_below_it() {
    let below = found("From now on:\n- use tabs\n- write tests\n\nFix the build.");
    assert_eq!(below, [(Mode::FromNowOn, "use tabs".into()), (Mode::FromNowOn, "write tests".into())]);
}

#[test]
fn a_rule_stands_by_its_label() {
    assert_eq!(found("Rule: small commits first."), [(Mode::Always, "small commits first".into())]);
    assert_eq!(found("House rule: no jokes in logs."), [(Mode::Never, "no jokes in logs".into())]);
    assert_eq!(found("New rule: always open a ticket.")[0].0, Mode::Always);
    assert!(found("Validation rule: the age must be positive.").is_empty());
    assert!(found("Rules for the login form: a name, a password.").is_empty());
    let below = found("House rules:\n- small commits\n- no force pushes");
    assert_eq!(below.iter().map(|one| one.0).collect::<Vec<_>>(), [Mode::Always, Mode::Never]);
}

#[test]
fn what_makes_a_way_of_working_of_an_instruction_is_heard() {
    for (sentence, mode) in [
        ("As a rule, sort the imports.", Mode::Always),
        ("By default, open branches from develop.", Mode::Always),
        ("Unless I say otherwise, don't touch the lock file.", Mode::Never),
        ("Make it a habit to read the logs.", Mode::Always),
        ("Where possible, reuse the fixtures.", Mode::Prefer),
        ("Note for later sessions: the proxy drops idle sockets.", Mode::Remember),
        ("Each time you add a flag, document it.", Mode::Always),
        ("Run the linter before every push.", Mode::Always),
        ("All pull requests need a description.", Mode::Always),
        ("Only use named exports.", Mode::Always),
        ("I'd ask you never to log a token.", Mode::Never),
    ] {
        let found = found(sentence);
        assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [mode], "{sentence}");
    }
    for sentence in [
        "By default, the server listens on port 80.",
        "As a rule, the build takes an hour.",
        "In this repository, fix the login.",
        "Whenever you like, merge it.",
        "Show a toast each time the user saves.",
        "For each user, print the total.",
        "Only show active users.",
    ] {
        assert!(detect(sentence).is_empty(), "{sentence}");
    }
}

#[test]
fn a_ban_on_a_kind_of_thing_stands_and_one_on_a_thing_does_not() {
    for sentence in [
        "Avoid nested ternaries.",
        "No force pushes.",
        "Don't use wildcard imports.",
        "Don't push to main.",
        "You may not install global packages.",
        "It is forbidden to call eval.",
        "Raw SQL is not allowed in our code.",
    ] {
        let found = found(sentence);
        assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), [Mode::Never], "{sentence}");
    }
    for sentence in [
        "Avoid the first approach.",
        "No tests failed.",
        "No problem.",
        "Don't touch the header.",
        "Don't use that branch yet.",
        "Refactor it, but don't change behaviour.",
        "Access to the page is forbidden.",
        "The email field is mandatory.",
    ] {
        assert!(detect(sentence).is_empty(), "{sentence}");
    }
}

#[test]
fn what_is_taken_back_or_is_the_rule_of_a_tool_is_not_kept() {
    for sentence in [
        "Undo: from now on use tabs.",
        "Scrap the rule to always squash.",
        "Add a rule to eslint: always use const.",
        "Write a prompt for the bot: never mention prices.",
        "Translate into German: never open this door.",
        "The rule that we never deploy on Fridays is old.",
    ] {
        assert!(detect(sentence).is_empty(), "{sentence}");
    }
    assert_eq!(found("Forget the tabs rule. From now on use spaces.")[0].0, Mode::FromNowOn);
    assert_eq!(found("Note this down: never restart the broker.")[0].0, Mode::Never);
}

proptest! {
    #[test]
    fn any_text_is_read(message in "\\PC{0,200}") {
        for one in detect(&message) {
            prop_assert_eq!(message.get(one.span.clone()), Some(&*one.text));
        }
    }

    #[test]
    fn pieces_of_wishes_are_read(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        let message: String = pieces.concat();
        let mut end = 0;
        for one in detect(&message) {
            prop_assert_eq!(message.get(one.span.clone()), Some(&*one.text));
            prop_assert!(one.span.start >= end && one.span.start < one.span.end);
            end = one.span.end;
        }
    }
}

const PIECES: [&str; 40] = [
    "always",
    "never",
    " ",
    " ",
    " ",
    " ",
    ", ",
    ". ",
    "? ",
    ": ",
    "; ",
    "\n",
    "\n- ",
    "1. ",
    "'",
    "\"",
    "`",
    "```",
    "“",
    "from now on",
    "in future",
    "stop",
    "using",
    "prefer",
    "remember",
    " to ",
    "don't",
    "’",
    "anymore",
    "and ",
    "you ",
    "must ",
    "the ",
    "if ",
    "next time",
    "é",
    "👍",
    "> ",
    "(",
    "whenever ",
];
