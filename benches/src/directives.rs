//! Cost of the search for standing wishes in a user's message of 2,000 characters.

use hooks_context::directive::detect;

use crate::{Bar, Case};

const LENGTH: usize = 2_000;
const BAR: Bar = Bar::Nanoseconds(100_000.0);

/// Messages without a wish, with many wishes, and one that was made to be slow.
pub fn cases() -> Vec<Case> {
    let work = "Refactor the parser so that it reads lists and keeps spans. ";
    let wishes = "Fix the login page, and never log passwords. From now on, use pnpm instead of npm. ";
    let hostile = "you must never always from now on don't stop using it, and ";
    vec![
        read("directives/2,000 characters of work", work),
        read("directives/2,000 characters of wishes", wishes),
        read("directives/2,000 characters made to be slow", hostile),
    ]
}

fn read(name: &'static str, piece: &str) -> Case {
    let message: String = piece.chars().cycle().take(LENGTH).collect();
    Case::new(name, move || detect(&message).len()).at_most(BAR)
}
