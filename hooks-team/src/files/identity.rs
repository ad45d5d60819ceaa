//! `identity/`: the focus of a team, and its lasting insights.

use std::ops::Range;

use super::{below, written};
use crate::text::{Document, fields, items, one_line};

/// `now.md`: the team's focus.
///
/// ```
/// use hooks_team::files::Now;
/// use hooks_team::text::Document;
///
/// let now = Now::new(Document::parse("---\nfocus_area: Core\nactive_issues: [1, 2]\n---\n\nWe ship.\n"));
/// assert_eq!(now.focus_area().as_deref(), Some("Core"));
/// assert_eq!(now.active_issues(), ["1", "2"]);
/// assert_eq!(now.text(), "We ship.");
/// let changed = Now::new(Document::parse(now.with(&[("focus_area", "Docs")])));
/// assert_eq!((changed.focus_area().as_deref(), changed.text()), (Some("Docs"), now.text()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Now {
    document: Document,
}

/// `wisdom.md`: the lasting insights of a team.
///
/// ```
/// use hooks_team::files::Wisdom;
/// use hooks_team::text::Document;
///
/// let wisdom = Wisdom::new(Document::parse("## Patterns\n\n**Pattern:** Test first. **Context:** New code\n"));
/// assert_eq!(wisdom.insights()[0].context.as_deref(), Some("New code"));
/// let more = Wisdom::new(Document::parse(wisdom.with_pattern("Ask early.", "Doubt")));
/// assert_eq!(more.insights()[1].text, "Ask early.");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Wisdom {
    document: Document,
}

/// A lasting insight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Insight {
    /// Text of the pattern or anti-pattern.
    pub text: String,
    /// Situation in which it applies.
    pub context: Option<String>,
    /// Whether it is an anti-pattern.
    pub is_anti_pattern: bool,
}

impl Now {
    /// Parses `now.md`.
    pub const fn new(document: Document) -> Self {
        Self { document }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns a value of the front matter, such as `focus_area` or `updated_at`.
    pub fn get(&self, key: &str) -> Option<String> {
        self.document.front_matter()?.get(key).filter(|value| !value.is_empty())
    }

    /// Returns the current focus of the team.
    pub fn focus_area(&self) -> Option<String> {
        self.get("focus_area")
    }

    /// Returns the issues that the team works on.
    pub fn active_issues(&self) -> Vec<String> {
        self.document.front_matter().map(|matter| matter.list("active_issues")).unwrap_or_default()
    }

    /// Returns the text below the front matter.
    pub fn text(&self) -> String {
        let end = self.document.bytes().len();
        let head = self
            .document
            .lines_in(&(0..end))
            .iter()
            .filter(|line| line.kind == crate::text::Kind::FrontMatter);
        let start = head.map(|line| line.end).max().unwrap_or(0);
        written(&self.document, start..end).unwrap_or_default()
    }

    /// Returns the file with `values` in its front matter, and nothing else changed.
    pub fn with(&self, values: &[(&str, &str)]) -> Vec<u8> {
        let Some(matter) = self.document.front_matter() else {
            // A new front matter is added before the text, which stays unchanged.
            let head = Self::new(Document::parse("---\nupdated_at: -\n---\n\n"));
            return [&head.with(values), self.document.bytes()].concat();
        };
        self.document.with(values.iter().map(|(key, value)| matter.set(key, value)).collect())
    }
}

impl Wisdom {
    /// Parses `wisdom.md`.
    pub const fn new(document: Document) -> Self {
        Self { document }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the insights: patterns and anti-patterns in order, then the items of lists that are neither.
    pub fn insights(&self) -> Vec<Insight> {
        let mut insights: Vec<Insight> = Vec::new();
        for field in fields(&self.document, &(0..self.document.bytes().len())) {
            let is_anti_pattern = field.is(&["anti pattern", "antipattern"]);
            if is_anti_pattern || field.is(&["pattern"]) {
                // Pattern and context may be on one line.
                let (text, context) = match field.value.split_once("**Context:**") {
                    Some((text, context)) => (text.trim(), Some(context.trim().to_owned())),
                    None => (&*field.value, None),
                };
                insights.push(Insight { text: text.to_owned(), context, is_anti_pattern });
            } else if let Some(last) =
                insights.last_mut().filter(|last| last.context.is_none() && field.is(&["context"]))
            {
                last.context = Some(field.value.into_owned());
            }
        }
        insights.extend(self.plain());
        insights
    }

    /// Returns the items of lists that are not marked as patterns. Below a heading with "anti", they are
    /// anti-patterns.
    fn plain(&self) -> Vec<Insight> {
        let sections = self.document.sections();
        let first = sections.first().map_or(self.document.bytes().len(), |section| section.start);
        let mut found: Vec<Insight> = Vec::new();
        let mut add = |range: Range<usize>, is_anti_pattern: bool| {
            let texts = items(&self.document, &range)
                .into_iter()
                .filter(|text| !text.is_empty() && !is_labelled(text));
            found.extend(texts.map(|text| Insight { text, context: None, is_anti_pattern }));
        };
        add(0..first, false);
        for section in sections {
            let is_anti_pattern = self.document.title_of(section).to_lowercase().contains("anti");
            add(section.body..section.end, is_anti_pattern);
        }
        found
    }

    /// Returns the file with one more pattern.
    pub fn with_pattern(&self, text: &str, context: &str) -> Vec<u8> {
        let entry = format!("**Pattern:** {} **Context:** {}\n", one_line(text), one_line(context));
        let range = below(&self.document, &["Patterns"]).unwrap_or(0..self.document.bytes().len());
        self.document.with(vec![self.document.add_behind(range, &entry)])
    }
}

/// Whether an item begins with "Pattern:", "Anti-pattern:" or "Context:", so that it is read as a field.
fn is_labelled(item: &str) -> bool {
    let Some((label, _)) = item.split_once(':') else { return false };
    let label = label.trim_matches(['*', '_', ' ']).to_lowercase().replace('-', " ");
    matches!(&*label, "pattern" | "anti pattern" | "antipattern" | "context")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_is_read_and_set() {
        let text = "---\nupdated_at: 2026-01-01\nfocus_area: Core\nactive_issues: [1, 2]\nversion: 3\n---\n\n# Now\n\nWe do.\n";
        let now = Now::new(Document::parse(text));
        assert_eq!(
            (now.focus_area().unwrap(), now.active_issues()),
            ("Core".into(), vec!["1".into(), "2".into()])
        );
        assert_eq!(now.text(), "# Now\n\nWe do.");
        let changed = String::from_utf8(now.with(&[("focus_area", "Docs")])).unwrap();
        assert_eq!(changed, text.replace("Core", "Docs"));
        let headless = Now::new(Document::parse("# Now\n"));
        let changed =
            Now::new(Document::parse(headless.with(&[("updated_at", "2026-01-02"), ("focus_area", "x")])));
        assert_eq!(
            (changed.get("updated_at").unwrap(), changed.focus_area().unwrap(), changed.text()),
            ("2026-01-02".into(), "x".into(), "# Now".into())
        );
    }

    #[test]
    fn patterns_are_read_and_added() {
        let text = "---\nlast_updated: x\n---\n\n# W\n\n## Patterns\n\n<!-- **Pattern:** no -->\n\n**Pattern:** a **Context:** b\n\n**Pattern:** c\n**Context:** d\n\n## Anti-Patterns\n\n- **Anti-Pattern:** e\n";
        let wisdom = Wisdom::new(Document::parse(text));
        let shown: Vec<_> = wisdom
            .insights()
            .into_iter()
            .map(|insight| (insight.text, insight.context.unwrap_or_default(), insight.is_anti_pattern))
            .collect();
        assert_eq!(
            shown,
            [
                ("a".into(), "b".into(), false),
                ("c".into(), "d".into(), false),
                ("e".into(), String::new(), true)
            ]
        );
        let more = Wisdom::new(Document::parse(wisdom.with_pattern("f\ng", "h")));
        assert_eq!(more.insights().len(), 4);
        assert_eq!(more.insights()[2].text, "f g");
    }

    #[test]
    fn plain_items_are_insights() {
        let text = "# Wisdom\n\n- Measure first\n- **Pattern:** Test first. **Context:** New code\n\n## Anti-Patterns\n\n* Big bangs\n  of any kind\n";
        let wisdom = Wisdom::new(Document::parse(text));
        let told: Vec<_> = wisdom.insights().into_iter().map(|one| (one.text, one.is_anti_pattern)).collect();
        let own = |text: &str, is_anti_pattern| (text.to_owned(), is_anti_pattern);
        assert_eq!(
            told,
            [own("Test first.", false), own("Measure first", false), own("Big bangs of any kind", true)]
        );
    }
}
