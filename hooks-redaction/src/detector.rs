//! Detectors of a user: a pattern, words around it, a check of the digits, and examples that are tried.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::{
    error::ScrubberError,
    label::Label,
    marker::MAX_NAME,
    span::Span,
    text::{floor, has_word, line_before},
};

/// Largest compiled size of a custom pattern.
const MAX_PATTERN: usize = 1 << 20;
/// Bytes in front of a match that are searched for context words.
const CONTEXT: usize = 64;

/// A detector of a user.
///
/// The examples are tried when a scrubber takes the detector, so that a wrong pattern is an error at load time.
///
/// ```
/// use hooks_redaction::{Check, Detector, Scrubber};
///
/// let badge = Detector::new(r"\b\d{8}\b")
///     .with_context(["badge"])
///     .with_check(Check::Luhn)
///     .with_match("badge 79927399")
///     .with_no_match("build 79927399");
/// let error = Scrubber::emails().with_detector("BADGE", &badge).expect_err("the check digit is wrong");
/// assert_eq!(error.to_string(), "`BADGE` does not find its example 1 of `match`; correct the pattern or the example");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Detector {
    /// Regular expression; if it has a group named `value`, only the group is removed.
    pub pattern: String,
    /// Words of which one must stand on the line before the match.
    #[serde(default)]
    pub context: Vec<String>,
    /// Check of the digits of a match.
    #[serde(default)]
    pub check: Option<Check>,
    /// Texts in which the detector must find something.
    #[serde(default, rename = "match")]
    pub matches: Vec<String>,
    /// Texts in which the detector must find nothing.
    #[serde(default, rename = "no_match")]
    pub no_matches: Vec<String>,
}

/// Check of the digits of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// The check digit of payment cards (ISO/IEC 7812).
    Luhn,
    /// The check digits of bank accounts (ISO 7064 mod 97-10).
    Mod97,
}

impl Detector {
    /// Creates a detector with a pattern.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Sets words of which one must stand on the line before a match.
    #[must_use]
    pub fn with_context<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.context = words.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the check of the digits of a match.
    #[must_use]
    pub fn with_check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// Adds a text in which the detector must find something.
    #[must_use]
    pub fn with_match(mut self, example: impl Into<String>) -> Self {
        self.matches.push(example.into());
        self
    }

    /// Adds a text in which the detector must find nothing.
    #[must_use]
    pub fn with_no_match(mut self, example: impl Into<String>) -> Self {
        self.no_matches.push(example.into());
        self
    }

    /// Compiles the detector and tries its examples.
    pub(super) fn compile(&self, name: &str) -> Result<Compiled, ScrubberError> {
        let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let bad = name.is_empty()
            || name.len() > MAX_NAME
            || !name.bytes().all(plain)
            || name.parse::<Label>().is_ok();
        if bad {
            return Err(ScrubberError::PatternName { name: name.to_owned() });
        }
        let regex = RegexBuilder::new(&self.pattern).size_limit(MAX_PATTERN).build().map_err(|error| {
            let reason = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            ScrubberError::PatternSyntax { name: name.to_owned(), reason }
        })?;
        if regex.is_match("") {
            return Err(ScrubberError::PatternEmpty { name: name.to_owned() });
        }
        let context = self.context.iter().map(|word| word.to_ascii_lowercase()).collect();
        let compiled = Compiled { label: Label::Custom(Arc::from(name)), regex, context, check: self.check };
        let kinds = [(&self.matches, true), (&self.no_matches, false)];
        for (examples, wanted) in kinds {
            for (number, example) in (1..).zip(examples) {
                let mut found = Vec::new();
                compiled.find(example, &mut found);
                if found.is_empty() == wanted {
                    return Err(ScrubberError::Example { name: name.to_owned(), number, wanted });
                }
            }
        }
        Ok(compiled)
    }
}

/// A compiled detector.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    label: Label,
    regex: Regex,
    context: Vec<String>,
    check: Option<Check>,
}

impl Compiled {
    pub(super) fn find(&self, text: &str, found: &mut Vec<Span>) {
        let words: Vec<&str> = self.context.iter().map(String::as_str).collect();
        let value = self.regex.capture_names().flatten().any(|name| name == "value");
        let mut keep = |start: usize, end: usize, from: usize| {
            let near = line_before(text.as_bytes(), floor(text, from), CONTEXT);
            let announced = words.is_empty() || has_word(near, &words);
            let checked =
                text.get(start..end).is_some_and(|hit| self.check.is_none_or(|check| check.holds(hit)));
            if start < end && announced && checked {
                found.push(Span::new(start, end, self.label.clone()));
            }
        };
        if value {
            for hit in self.regex.captures_iter(text) {
                if let (Some(whole), Some(group)) = (hit.get(0), hit.name("value")) {
                    keep(group.start(), group.end(), whole.start());
                }
            }
        } else {
            self.regex.find_iter(text).for_each(|hit| keep(hit.start(), hit.end(), hit.start()));
        }
    }
}

impl Check {
    fn holds(self, text: &str) -> bool {
        match self {
            Self::Luhn => super::card::luhn(text.as_bytes()),
            Self::Mod97 => {
                let letters: Vec<u8> =
                    text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_uppercase()).collect();
                letters.len() > 4 && super::iban::is_valid(&letters)
            }
        }
    }
}
