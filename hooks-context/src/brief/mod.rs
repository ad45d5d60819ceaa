//! A briefing: the entries of several sources as texts for a model, within a budget of tokens.
//!
//! The budget is shared among the sources by weight; a source that needs less leaves the rest to the others.
//! An entry that two sources have is given once. Entries are given whole, the most relevant first. One line
//! lists what was left out, and the commands that show it. The same parts and budget produce the same text,
//! byte for byte.
//!
//! If the budget is large enough, everything is given:
//!
//! ```
//! use hooks_context::brief::{Briefing, Loaded, Part};
//! use hooks_context::source::{Item, Section};
//! use hooks_conversation::Estimate;
//!
//! let part = |name: &str, weight, items: &[&str]| Part {
//!     name: name.to_owned(),
//!     weight,
//!     loaded: Loaded::Section(Section::new(name, items.iter().map(|text| Item::new(text)).collect())),
//!     command: Some(format!("cat {name}.md")),
//! };
//! let parts = [part("wisdom", 1, &["- look first", "- ask twice"]), part("decisions", 6, &["Use Postgres."])];
//! let briefing = Briefing::new(&parts, 1_000, &Estimate, None);
//! assert_eq!(
//!     briefing.joined(),
//!     "This was read for you. There is no need to read these files again.\n\n## wisdom\n\n\
//!      - look first\n- ask twice\n\n## decisions\n\nUse Postgres.",
//! );
//! assert!(briefing.tokens <= 1_000);
//! ```
//!
//! Customised: a session that has some of the entries already, and a budget for few of the others.
//!
//! ```
//! use std::collections::HashSet;
//! use hooks_context::brief::{Briefing, Loaded, Part};
//! use hooks_context::source::{Item, Section};
//! use hooks_conversation::Estimate;
//!
//! let items: Vec<Item> = (1..=40).map(|number| Item::new(&format!("Decision {number}: use it."))).collect();
//! let known = HashSet::from([items[0].digest]);
//! let loaded = Loaded::Section(Section::new("Decisions", items));
//! let command = Some("cat decisions.md".to_owned());
//! let parts = [Part { name: "decisions".to_owned(), weight: 1, loaded, command }];
//! let briefing = Briefing::new(&parts, 60, &Estimate, Some(&known));
//! assert!(briefing.tokens <= 60);
//! let text = briefing.joined();
//! assert!(text.starts_with("## Decisions\n\nDecision 2: use it.\n\nDecision 3: use it."));
//! assert!(text.ends_with(" of decisions (`cat decisions.md`)]"));
//! ```

mod choose;
mod left_out;
mod part;

pub use self::part::{Loaded, Part};

use std::collections::HashSet;

use hooks_conversation::Tokenizer;
use hooks_team::Digest;

use self::choose::Choice;
use self::left_out::LeftOut;

/// First line of a briefing for a model that was given nothing before.
const PREFACE: &str = "This was read for you. There is no need to read these files again.";

/// Texts for a model that together stay within the budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Briefing {
    /// The texts, in order.
    pub texts: Vec<BriefText>,
    /// Number of tokens of all texts, with a blank line between two texts.
    pub tokens: u64,
}

/// Text of one source, or the line about left-out entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BriefText {
    /// Name of the source; `None` for the line about left-out entries.
    pub source: Option<String>,
    /// The text.
    pub text: String,
}

impl Briefing {
    /// Builds a briefing from `parts` within `budget`, counted by `tokenizer`. Entries whose digests are in
    /// `known` are not given again. If `known` is `None`, the briefing begins with a line that explains what
    /// it is.
    pub fn new(
        parts: &[Part],
        budget: u64,
        tokenizer: &dyn Tokenizer,
        known: Option<&HashSet<Digest>>,
    ) -> Self {
        let mut choice = Choice::new(parts, budget, tokenizer, known);
        // Joined texts may have slightly more tokens than the sum of their parts.
        loop {
            let briefing = Self::from_choice(parts, &choice, tokenizer, known.is_none());
            if briefing.tokens <= budget || briefing.texts.is_empty() {
                return briefing;
            }
            if !choice.drop_one() {
                return Self::default();
            }
        }
    }

    /// Whether the briefing has no text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Joins all texts, with a blank line between two of them.
    pub fn joined(&self) -> String {
        let texts: Vec<_> = self.texts.iter().map(|text| text.text.as_str()).collect();
        texts.join("\n\n")
    }

    fn from_choice(parts: &[Part], choice: &Choice<'_>, tokenizer: &dyn Tokenizer, is_first: bool) -> Self {
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
        if let Some(text) = LeftOut::from_choice(parts, choice).line(!texts.is_empty() || is_first) {
            texts.push(BriefText { source: None, text });
        }
        if let Some(first) = texts.first_mut().filter(|text| is_first && text.source.is_some()) {
            first.text.insert_str(0, &format!("{PREFACE}\n\n"));
        }
        let mut briefing = Self { texts, tokens: 0 };
        // A host may send the texts joined or apart; the larger count is used.
        let apart: u64 = briefing.texts.iter().map(|text| tokenizer.count(&text.text)).sum();
        briefing.tokens = apart.max(tokenizer.count(&briefing.joined()));
        briefing
    }
}

#[cfg(test)]
mod tests;
