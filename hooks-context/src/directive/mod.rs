//! Standing wishes of a user, found in messages: "from now on use pnpm", "never push to main".
//!
//! [`detect`] splits a message into sentences and clauses, and looks at grammar, not at topics. A marker
//! ("always", "never", "stop …ing") counts if it governs an instruction to the reader of the message. It does
//! not count in questions, quotations and code, in reports ("the build always fails"), and in requirements of a
//! product ("a cache that never evicts"). An instruction for one task ("not this time") does not count either.
//!
//! Labels ("rule: …"), defaults ("unless I ask otherwise, …"), recurring occasions ("before every commit"),
//! and bans on a kind of thing ("avoid nested ternaries") count as well. Rules that are withdrawn ("undo: …")
//! or written into something ("add a rule to eslint: …") do not.
//!
//! A sentence without a marker is a wish if it states a custom ("we use tabs here"), or a taste ("I'd rather …").
//! The manner of all answers, a lasting condition, and a fact about the user count as well. In fifteen other
//! languages, wishes with a marker and customs are found; their words are the tables `data/language_*.tsv`.
//!
//! It is a pure function of the text, in linear time; it never fails.
//!
//! ```
//! use hooks_context::directive::{Mode, detect};
//!
//! let found = detect("Fix the login page, and never log passwords.");
//! assert_eq!((found[0].mode, &*found[0].text), (Mode::Never, "never log passwords"));
//! assert!(detect("Does npm never log passwords?").is_empty());
//! assert_eq!(detect("Pushe nie direkt auf main.")[0].mode, Mode::Never);
//! ```
//!
//! Below a heading, each line is a wish. Reports and instructions for one task are not wishes:
//!
//! ```
//! use hooks_context::directive::detect;
//!
//! let found = detect("From now on:\n- use pnpm\n- write tests first\n");
//! assert_eq!(found.iter().map(|wish| &*wish.text).collect::<Vec<_>>(), ["use pnpm", "write tests first"]);
//! assert!(detect("The build always fails.").is_empty());
//! assert!(detect("Never mind the tests this time.").is_empty());
//! ```

mod grammar;
mod languages;
mod markers;
mod material;
mod sentence;
mod tokens;
mod typos;
mod words;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::sentence::Sentence;

/// A standing wish and its position in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Detected {
    /// Mode of the wish.
    pub mode: Mode,
    /// Text of the wish, as the user wrote it.
    pub text: String,
    /// Position in the message, in bytes.
    pub span: Range<usize>,
}

/// Mode of a wish.
///
/// ```
/// use hooks_context::directive::{Mode, detect};
///
/// let mode = |message: &str| detect(message).first().map(|wish| wish.mode);
/// assert_eq!(mode("Always run the linter before you push."), Some(Mode::Always));
/// assert_eq!(mode("Stop using moment.js."), Some(Mode::Stop));
/// assert_eq!(mode("Prefer composition over inheritance."), Some(Mode::Prefer));
/// assert_eq!("from-now-on".parse(), Ok(Mode::FromNowOn));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// Always do it.
    Always,
    /// Never do it.
    Never,
    /// Do it from now on.
    FromNowOn,
    /// Prefer it to an alternative.
    Prefer,
    /// Stop doing it.
    Stop,
    /// Remember the fact.
    Remember,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 6] =
        [Self::Always, Self::Never, Self::FromNowOn, Self::Prefer, Self::Stop, Self::Remember];

    /// Returns the name of the mode in files and answers.
    ///
    /// ```
    /// use hooks_context::directive::Mode;
    ///
    /// for mode in Mode::ALL {
    ///     assert_eq!(mode.name().parse(), Ok(mode));
    /// }
    /// ```
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

/// Error: no mode has this name.
///
/// ```
/// use hooks_context::directive::Mode;
///
/// let error = "sometimes".parse::<Mode>().expect_err("there is no such mode");
/// assert_eq!(
///     error.to_string(),
///     "no mode is called `sometimes`; there are always, never, from-now-on, prefer, stop and remember",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no mode is called `{0}`; there are always, never, from-now-on, prefer, stop and remember")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// Returns the standing wishes in `message`, in order.
///
/// ```
/// use hooks_context::directive::detect;
///
/// let message = "Fix the login page, and never log passwords.";
/// let wish = &detect(message)[0];
/// assert_eq!(&message[wish.span.clone()], "never log passwords");
/// ```
pub fn detect(message: &str) -> Vec<Detected> {
    // ASCII lower case keeps all byte offsets; other languages are read in a form of their own.
    let lower = message.to_ascii_lowercase();
    let tokens = tokens::tokens(message, &lower);
    let languages = languages::Languages::find(message, &tokens);
    let mut found = Vec::new();
    let mut heading: Option<grammar::Heading> = None;
    let mut context = grammar::Context::default();
    let (mut last, mut quoted_until) = (0, 0);
    let mut rule_before: Option<Range<usize>> = None;
    for sentence in Sentence::all(&tokens) {
        heading = heading.filter(|_| sentence.is_item());
        let begins = sentence.whole().map_or(0, |span| span.start);
        if begins < quoted_until {
            continue;
        }
        if grammar::takes_back(&sentence) {
            found.truncate(last);
        }
        if grammar::makes_a_rule(&sentence)
            && found.len() == last
            && let Some(span) = rule_before.clone()
            && let Some(text) = message.get(span.clone())
        {
            found.push(Detected { mode: Mode::Always, text: text.to_owned(), span });
        }
        // A question, or a short word, is no rule.
        rule_before = sentence.whole().filter(|_| !sentence.asks() && sentence.len() > 2);
        let before = found.len();
        last = before;
        context.is_listed = heading.is_some();
        for wish in grammar::wishes(&sentence, &mut context) {
            let Some(span) = sentence.span(wish.tokens) else { continue };
            if let Some(text) = message.get(span.clone()) {
                found.push(Detected { mode: wish.mode, text: text.to_owned(), span });
            }
        }
        if found.len() == before {
            for wish in languages::wishes(&languages, &sentence) {
                if let Some(text) = message.get(wish.span.clone()) {
                    found.push(Detected { mode: wish.mode, text: text.to_owned(), span: wish.span });
                }
            }
        }
        // "From now on:" applies to each line below it.
        if let Some(heading) = heading
            && found.len() == before
            && let Some(span) = sentence.whole()
            && let Some(text) = message.get(span.clone())
        {
            let mode = heading.mode(&sentence);
            found.push(Detected { mode, text: text.to_owned(), span });
        }
        if grammar::announces_text(&sentence)
            && let Some(span) = sentence.whole()
        {
            quoted_until = material::paragraph_end(message, span.end);
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
