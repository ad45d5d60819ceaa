//! A briefing: what several sources gave, as texts for a model within a budget of tokens.
//!
//! Each source has its fair share, by weight; what one does not need is the others'. What two of them have is given
//! once. Entries are given whole, the most relevant first; one line says what was left out, and how to read it. From
//! the same parts and budget comes the same text, byte for byte.

mod choose;
mod left_out;
mod part;

pub use self::part::{Loaded, Part};

use std::collections::HashSet;

use hooks_team::Digest;

use self::choose::Choice;
use self::left_out::LeftOut;
use crate::budget::Tokenizer;

/// What stands before all else where nothing was given before.
const PREFACE: &str = "This was read for you. There is no need to read these files again.";

/// Texts for a model, together no longer than the budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Briefing {
    /// The texts, in order.
    pub texts: Vec<BriefText>,
    /// The tokens of all of them, with a line between each two.
    pub tokens: u64,
}

/// What comes of one source; the line about what was left out comes of none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BriefText {
    /// Which source.
    pub source: Option<String>,
    /// The text.
    pub text: String,
}

impl Briefing {
    /// Puts `parts` together within `budget`, as `tokenizer` counts. What is `known` to the model is not given again;
    /// where nothing is known, the briefing says what it is.
    pub fn new(
        parts: &[Part],
        budget: u64,
        tokenizer: &dyn Tokenizer,
        known: Option<&HashSet<Digest>>,
    ) -> Self {
        let mut choice = Choice::new(parts, budget, tokenizer, known);
        // Texts that stand together may be more tokens than they are apart, if not by many.
        loop {
            let briefing = Self::of(parts, &choice, tokenizer, known.is_none());
            if briefing.tokens <= budget || briefing.texts.is_empty() {
                return briefing;
            }
            if !choice.drop_one() {
                return Self::default();
            }
        }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All texts as one.
    pub fn joined(&self) -> String {
        let texts: Vec<_> = self.texts.iter().map(|text| text.text.as_str()).collect();
        texts.join("\n\n")
    }

    fn of(parts: &[Part], choice: &Choice<'_>, tokenizer: &dyn Tokenizer, is_first: bool) -> Self {
        let mut texts = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let items = choice.of_part(at);
            if items.is_empty() {
                continue;
            }
            let mut text = String::new();
            if let Loaded::Section(section) = &part.loaded
                && !section.title.is_empty()
            {
                text.push_str("## ");
                text.push_str(&section.title);
            }
            let mut in_list = false;
            for item in items {
                let is_item = item.text.starts_with("- ");
                if !text.is_empty() {
                    text.push_str(if in_list && is_item { "\n" } else { "\n\n" });
                }
                text.push_str(&item.text);
                in_list = is_item;
            }
            texts.push(BriefText { source: Some(part.name.clone()), text });
        }
        if let Some(text) = LeftOut::of(parts, choice).line(!texts.is_empty() || is_first) {
            texts.push(BriefText { source: None, text });
        }
        if let Some(first) = texts.first_mut().filter(|text| is_first && text.source.is_some()) {
            first.text.insert_str(0, &format!("{PREFACE}\n\n"));
        }
        let mut briefing = Self { texts, tokens: 0 };
        // A host may put them together or not: the larger of both counts.
        let apart: u64 = briefing.texts.iter().map(|text| tokenizer.count(&text.text)).sum();
        briefing.tokens = apart.max(tokenizer.count(&briefing.joined()));
        briefing
    }
}

#[cfg(test)]
mod tests;
