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

//! A frame around the deed states it as well. So does a rule for a kind of thing, or for a case:
//!
//! ```
//! use hooks_context::directive::{Mode, detect};
//!
//! assert_eq!(detect("I'd appreciate it if you didn't reformat whole files.")[0].mode, Mode::Never);
//! assert_eq!(detect("Comments should explain why, not what.")[0].mode, Mode::Always);
//! assert_eq!(detect("If you change the schema, write a migration.")[0].mode, Mode::Always);
//! assert!(detect("I'd appreciate it if you could look at the failing test.").is_empty());
//! ```
//!
//! A task can hold a wish in an aside, and a wish may stand before another one:
//!
//! ```
//! use hooks_context::directive::detect;
//!
//! let found = detect("Move the button. By the way, we use Tailwind for all styling, no inline styles.");
//! let texts: Vec<_> = found.iter().map(|wish| &*wish.text).collect();
//! assert_eq!(texts, ["we use Tailwind for all styling", "no inline styles"]);
//! ```
//!
//! Rules for every piece of work, and bans that only a permission lifts, are found in many languages:
//!
//! ```
//! use hooks_context::directive::{Mode, detect};
//!
//! assert_eq!(detect("Jede neue Tabelle bekommt einen Index.")[0].mode, Mode::Always);
//! assert_eq!(detect("Ne modifie jamais le fichier de configuration.")[0].mode, Mode::Never);
//! assert!(detect("Ajoute un champ qui n'est jamais vide.").is_empty());
//! ```
//!
//! A sentence that asks to build something makes a requirement of the sentence before it:
//!
//! ```
//! use hooks_context::directive::detect;
//!
//! let text = "When a user closes an account, always send a mail.";
//! assert!(detect(&format!("{text} Please implement this.")).is_empty());
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
///
/// ```
/// use hooks_context::directive::detect;
///
/// let wish = &detect("Thanks! It's your job to keep the glossary current.")[0];
/// assert_eq!(wish.text, "It's your job to keep the glossary current.");
/// assert_eq!(wish.span, 8..51);
/// ```
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
/// Facts about the user or the project are found if the message asks to keep them in mind:
///
/// ```
/// use hooks_context::directive::{Mode, detect};
///
/// let wish = &detect("Be aware that our customers use old browsers.")[0];
/// assert_eq!(wish.mode, Mode::Remember);
/// assert!(detect("Be aware that the build is red.").is_empty());
/// ```
///
/// Quoted text and examples are not wishes of the user:
///
/// ```
/// use hooks_context::directive::detect;
///
/// assert!(detect("Draft a slide with rules, e.g. always be kind.").is_empty());
/// assert!(detect("Rename the page to \"Always be kind\".").is_empty());
/// ```
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
        if grammar::takes_back(&sentence) || grammar::asks_to_build(&sentence) {
            found.truncate(last);
        }
        if grammar::makes_a_rule(&sentence)
            && found.len() == last
            && let Some(span) = rule_before.clone()
            && let Some(text) = message.get(span.clone())
        {
            found.push(Detected { mode: grammar::mode_of_rule(text), text: text.to_owned(), span });
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
