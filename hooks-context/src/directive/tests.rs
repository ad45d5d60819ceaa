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
