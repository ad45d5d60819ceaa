//! `skills/NAME/SKILL.md`: instructions for a recurring kind of work.

use hooks_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{below, written};
use crate::error::TeamError;
use crate::text::{Document, balanced, fields, key, one_line};
use crate::when;

/// A skill.
///
/// ```
/// use hooks_team::files::{Confidence, Skill};
/// use hooks_team::text::Document;
///
/// let text = "---\ndescription: Releases\ntools: [bash]\n---\n\n# Release\n\n**Confidence:** high\n\n## Patterns\n\nTag first.\n";
/// let skill = Skill::new("release", Document::parse(text));
/// assert_eq!(skill.name(), "release"); // the folder, as the file has no name
/// assert_eq!(skill.confidence(), Some(Confidence::High));
/// assert_eq!(skill.section("patterns").as_deref(), Some("Tag first."));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Skill {
    name: String,
    document: Document,
}

/// Confidence of a team in a skill.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Used once.
    Low,
    /// Used with success.
    #[default]
    Medium,
    /// Proven.
    High,
}

/// A skill to write.
///
/// ```
/// use hooks_core::time::Timestamp;
/// use hooks_team::files::{Confidence, NewSkill, Skill};
/// use hooks_team::text::Document;
///
/// let skill = NewSkill { name: "Release".to_owned(), content: "Tag first.".to_owned(), ..NewSkill::default() };
/// let text = skill.to_markdown(Timestamp(0))?;
/// assert_eq!(Skill::new("release", Document::parse(text)).confidence(), Some(Confidence::Medium));
/// let error = NewSkill::default().to_markdown(Timestamp(0)).unwrap_err();
/// assert!(error.to_string().contains("it is empty"));
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSkill {
    /// Name of the skill, on one line.
    pub name: String,
    /// Purpose of the skill, on one line.
    pub description: String,
    /// Domain of the skill.
    pub domain: String,
    /// Confidence of the team in the skill.
    pub confidence: Confidence,
    /// Origin of the skill.
    pub source: String,
    /// Instructions of the skill.
    pub content: String,
}

impl Skill {
    /// Parses the skill in the folder `name`.
    pub fn new(name: impl Into<String>, document: Document) -> Self {
        Self { name: name.into(), document }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the name of the folder.
    pub fn folder(&self) -> &str {
        &self.name
    }

    /// Returns the name in the front matter, or else the name of the folder.
    pub fn name(&self) -> String {
        self.get("name").unwrap_or_else(|| self.name.clone())
    }

    /// Returns the purpose of the skill.
    pub fn description(&self) -> Option<String> {
        self.get("description")
    }

    /// Returns the domain of the skill.
    pub fn domain(&self) -> Option<String> {
        self.get("domain")
    }

    /// Returns the origin of the skill.
    pub fn source(&self) -> Option<String> {
        self.get("source")
    }

    /// Returns the tools that the skill needs.
    pub fn tools(&self) -> Vec<String> {
        self.document.front_matter().map(|matter| matter.list("tools")).unwrap_or_default()
    }

    /// Returns the confidence in the front matter, or else in a field `Confidence:` of the text.
    pub fn confidence(&self) -> Option<Confidence> {
        let text = self.get("confidence").or_else(|| {
            let all = fields(&self.document, &(0..self.document.bytes().len()));
            all.into_iter().find(|field| field.is(&["confidence"])).map(|field| field.value.into_owned())
        })?;
        match key(&text).split(' ').next()? {
            "low" => Some(Confidence::Low),
            "medium" => Some(Confidence::Medium),
            "high" => Some(Confidence::High),
            _ => None,
        }
    }

    /// Returns the text below the heading `title` (Context, Patterns, Examples, Anti-Patterns).
    pub fn section(&self, title: &str) -> Option<String> {
        written(&self.document, below(&self.document, &[title])?)
    }

    fn get(&self, key: &str) -> Option<String> {
        self.document.front_matter()?.get(key).filter(|value| !value.is_empty())
    }
}

impl NewSkill {
    /// Formats the skill as a file that both readers of Squad can parse: front matter, a title, and a line
    /// with the confidence.
    ///
    /// # Errors
    /// Returns `Invalid` if the skill has no name or no content.
    pub fn to_markdown(&self, at: Timestamp) -> Result<String, TeamError> {
        let name = one_line(&self.name);
        if name.is_empty() {
            return Err(TeamError::invalid("skillName", "it is empty"));
        }
        if self.content.trim().is_empty() {
            return Err(TeamError::invalid("content", "it is empty; describe how the work is done"));
        }
        let confidence = self.confidence.as_str();
        let values = [
            ("name", &*name),
            ("description", &*self.description),
            ("domain", &*self.domain),
            ("confidence", confidence),
            ("source", &*self.source),
        ];
        let empty = Document::parse("---\nupdated: -\n---\n");
        let head = empty.front_matter().map_or_else(Vec::new, |head| {
            let given = values.iter().filter(|(_, value)| !value.trim().is_empty());
            empty.with(
                given
                    .chain([&("updated", &*when::date(at))])
                    .map(|(key, value)| head.set(key, value))
                    .collect(),
            )
        });
        let head = String::from_utf8_lossy(&head).into_owned();
        let content = String::from_utf8_lossy(&balanced(self.content.trim().as_bytes())).into_owned();
        let title = if content.starts_with("# ") { String::new() } else { format!("# {name}\n\n") };
        Ok(format!(
            "{head}\n{title}**Confidence:** {confidence}\n**Updated:** {}\n\n{}\n",
            when::date(at),
            content.trim_end()
        ))
    }
}

impl Confidence {
    /// Returns the confidence as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text = "---\nname: \"x y\"\ndescription: >\n  long\n  text\ndomain: testing\nconfidence: \"high\"\ntools:\n  - a\n---\n\n## Patterns\n\np\n";
        let skill = Skill::new("x", Document::parse(text));
        assert_eq!(
            (skill.name(), skill.description().unwrap(), skill.tools()),
            ("x y".into(), "long text".into(), vec!["a".into()])
        );
        assert_eq!(
            (skill.confidence(), skill.section("patterns").unwrap()),
            (Some(Confidence::High), "p".into())
        );
        let plain = Skill::new("x", Document::parse("# X\n\nConfidence: low\nUpdated: y\n\ntext\n"));
        assert_eq!((plain.name(), plain.confidence()), ("x".into(), Some(Confidence::Low)));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let new = NewSkill {
            name: "Retry: well".into(),
            description: "say \"no\"".into(),
            confidence: Confidence::High,
            content: "---\nname: other\n---\n```\ncode".into(),
            ..Default::default()
        };
        let text = new.to_markdown(Timestamp(0)).unwrap();
        let skill = Skill::new("retry-well", Document::parse(&*text));
        assert_eq!((skill.name(), skill.confidence()), ("Retry: well".into(), Some(Confidence::High)));
        assert!(text.contains("**Confidence:** high\n") && text.ends_with("code\n```\n"), "{text}");
        assert!(NewSkill::default().to_markdown(Timestamp(0)).is_err());
    }
}
