//! `agents/NAME/charter.md`: the role of an agent, what it owns, and what it leaves to others.

use std::borrow::Cow;

use super::{below, plain, written};
use crate::text::{Document, fields, items, key};

/// An agent's charter.
///
/// ```
/// use hooks_team::files::Charter;
/// use hooks_team::text::Document;
///
/// let text = "# Ada\n\n## What I Own\n\n- The parser\n- The lexer\n";
/// let charter = Charter::new(Document::parse(text));
/// assert_eq!(charter.name().as_deref(), Some("Ada"));
/// assert_eq!(charter.owns(), ["The parser", "The lexer"]);
/// assert_eq!(charter.model().preferred, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Charter {
    document: Document,
}

/// Limits of an agent's work, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundaries {
    /// Work that the agent handles.
    pub handles: Option<String>,
    /// Work that the agent does not handle.
    pub leaves: Option<String>,
    /// Behaviour when the agent is unsure.
    pub unsure: Option<String>,
    /// Behaviour when the agent reviews the work of others.
    pub reviews: Option<String>,
}

/// Model that an agent should use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelChoice {
    /// The model, or `auto`.
    pub preferred: Option<String>,
    /// Reason for the choice.
    pub rationale: Option<String>,
    /// Models that are acceptable instead.
    pub fallback: Option<String>,
    /// Reasoning effort of the model.
    pub reasoning_effort: Option<String>,
}

impl Charter {
    /// Parses a charter.
    pub const fn new(document: Document) -> Self {
        Self { document }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the agent's name from the section `Identity`, or else from the title.
    pub fn name(&self) -> Option<String> {
        self.field(&["Identity"], &["name"]).or_else(|| {
            let title = self.document.title()?;
            Some(plain(halves(&title).0))
        })
    }

    /// Returns the agent's role from the section `Identity`, or else from the title.
    pub fn role(&self) -> Option<String> {
        self.field(&["Identity"], &["role"]).or_else(|| {
            let title = self.document.title()?;
            halves(&title).1.map(|role| role.trim().to_owned())
        })
    }

    /// Returns the agent's areas of expertise.
    pub fn expertise(&self) -> Vec<String> {
        let text = self.field(&["Identity"], &["expertise"]).unwrap_or_default();
        text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
    }

    /// Returns what the agent owns, in words.
    pub fn owns(&self) -> Vec<String> {
        self.items(&["What I Own", "Ownership", "Owns"])
    }

    /// Returns the agent's ways of working, in words.
    pub fn ways(&self) -> Vec<String> {
        self.items(&["How I Work"])
    }

    /// Returns the limits of the agent's work.
    pub fn boundaries(&self) -> Boundaries {
        let field = |wanted: &[&str]| self.field(&["Boundaries"], wanted);
        Boundaries {
            handles: field(&["i handle", "handles"]),
            leaves: field(&["i don t handle", "i do not handle", "does not handle"]),
            unsure: field(&["when i m unsure", "when i am unsure", "unsure"]),
            reviews: field(&["if i review others work", "reviews", "if i review"]),
        }
    }

    /// Returns the model that the agent should use.
    pub fn model(&self) -> ModelChoice {
        let field = |wanted: &[&str]| self.field(&["Model"], wanted);
        ModelChoice {
            preferred: field(&["preferred"]),
            rationale: field(&["rationale"]),
            fallback: field(&["fallback"]),
            reasoning_effort: field(&["reasoning effort"]),
        }
    }

    /// Returns the text below the heading `title`.
    pub fn section(&self, title: &str) -> Option<String> {
        written(&self.document, below(&self.document, &[title])?)
    }

    fn items(&self, titles: &[&str]) -> Vec<String> {
        let section = titles.iter().find_map(|title| self.document.section(title));
        section.map(|section| items(&self.document, &(section.body..section.end))).unwrap_or_default()
    }

    fn field(&self, titles: &[&str], names: &[&str]) -> Option<String> {
        let range = below(&self.document, titles)?;
        let found = fields(&self.document, &range).into_iter().find(|field| field.is(names))?;
        Some(found.value).filter(|value| !value.is_empty()).map(Cow::into_owned)
    }
}

/// Splits a title of the form `NAME — ROLE`.
fn halves(title: &str) -> (&str, Option<&str>) {
    let parted = [" — ", " – ", " - ", ": "].iter().find_map(|mark| title.split_once(mark));
    match parted {
        Some((name, role)) if !key(name).is_empty() => (name, Some(role)),
        _ => (title, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charter_is_read() {
        let text = "# EECOM — Core Dev\n\n> quote\n\n## Identity\n\n- **Name:** EECOM\n- **Expertise:** a, b\n\n## What I Own\n\n- x\n- y\n\n### Sub\n- z\n\n## Boundaries\n\n**I handle:** core.\n\n**I don't handle:** docs,\nor design.\n\n**When I'm unsure:** ask.\n\n**If I review others' work:** reject.\n\n## Model\n\n- **Preferred:** auto\n- **Reasoning Effort:** high\n";
        let charter = Charter::new(Document::parse(text));
        assert_eq!((charter.name().unwrap(), charter.role().unwrap()), ("EECOM".into(), "Core Dev".into()));
        assert_eq!(
            (charter.expertise(), charter.owns()),
            (vec!["a".into(), "b".into()], vec!["x".into(), "y".into()])
        );
        let boundaries = charter.boundaries();
        assert_eq!(boundaries.handles.unwrap(), "core.");
        assert_eq!(boundaries.leaves.unwrap(), "docs,\nor design.");
        assert_eq!(
            (boundaries.unsure.unwrap(), boundaries.reviews.unwrap()),
            ("ask.".into(), "reject.".into())
        );
        assert_eq!(charter.model().reasoning_effort.unwrap(), "high");
        assert_eq!(Charter::default().name(), None);
    }
}
