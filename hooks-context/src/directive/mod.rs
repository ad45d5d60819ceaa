//! Standing wishes of a user, found in what they say: "from now on use pnpm", "never push to main".
//!
//! [`detect`] reads a message as sentences and clauses and looks at grammar, not at topics: a marker ("always",
//! "never", "stop …ing") counts where it governs an instruction to whoever reads the message, and does not in
//! questions, reports ("the build always fails"), requirements of what is to be built ("a cache that never evicts"),
//! quotations and code, or where the instruction is for one task ("not this time").
//! So does a label ("rule: …"), a default ("unless I say otherwise, …"), what comes again and again ("before every
//! commit"), and a ban on a kind of thing ("avoid nested ternaries"), but not what is taken back ("undo: …") or written
//! into something ("add a rule to eslint: …").
//!
//! It is a pure function of the text, in linear time; it never fails. English only: in other languages it finds
//! nothing.
//!
//! ```
//! use hooks_context::directive::{Mode, detect};
//!
//! let found = detect("Fix the login page, and never log passwords.");
//! assert_eq!((found[0].mode, &*found[0].text), (Mode::Never, "never log passwords"));
//! assert!(detect("Does npm never log passwords?").is_empty());
//! ```

mod grammar;
mod markers;
mod sentence;
mod tokens;
mod typos;
mod words;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::sentence::Sentence;

/// A standing wish, where it stands in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Detected {
    /// How it is meant.
    pub mode: Mode,
    /// Its words, as they were written.
    pub text: String,
    /// Where they are, in bytes.
    pub span: Range<usize>,
}

/// How a wish is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// Do it each time.
    Always,
    /// Do it at no time.
    Never,
    /// Do it from this moment.
    FromNowOn,
    /// Rather this than something else.
    Prefer,
    /// Do it no longer.
    Stop,
    /// Know it.
    Remember,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Always, Self::Never, Self::FromNowOn, Self::Prefer, Self::Stop, Self::Remember];

    /// As it is written in files and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::FromNowOn => "from-now-on",
            Self::Prefer => "prefer",
            Self::Stop => "stop",
            Self::Remember => "remember",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no mode of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no mode is called `{0}`; there are always, never, from-now-on, prefer, stop and remember")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// The standing wishes in `message`, in order.
pub fn detect(message: &str) -> Vec<Detected> {
    // Letters of other scripts keep their case: only English is read, and places must not move.
    let lower = message.to_ascii_lowercase();
    let tokens = tokens::tokens(message, &lower);
    let mut found = Vec::new();
    let mut heading: Option<grammar::Heading> = None;
    for sentence in Sentence::all(&tokens) {
        heading = heading.filter(|_| sentence.is_item());
        let before = found.len();
        for wish in grammar::wishes(&sentence) {
            let Some(span) = sentence.span(wish.tokens) else { continue };
            if let Some(text) = message.get(span.clone()) {
                found.push(Detected { mode: wish.mode, text: text.to_owned(), span });
            }
        }
        // "From now on:" is about each line below it.
        if let Some(heading) = heading
            && found.len() == before
            && let Some(span) = sentence.whole()
            && let Some(text) = message.get(span.clone())
        {
            let mode = heading.mode(&sentence);
            found.push(Detected { mode, text: text.to_owned(), span });
        }
        if let Some(next) = grammar::heading(&sentence) {
            heading = Some(next);
            found.truncate(before);
        }
    }
    found
}

#[cfg(test)]
mod tests;
