//! The decisions of a team, in order, each with its rules.

use hooks_core::time::Timestamp;
use hooks_team::files::{Decisions as DecisionFile, InboxFile};
use hooks_team::ledger::{Entry, EntryKind};
use hooks_team::text::Document;
use serde::Serialize;

mod files;
mod reversal;
mod void;

pub use self::files::DecisionFiles;
use self::reversal::{is_reversed, number_of, reversed};
use self::void::void;
use super::blocks::{is_void_title, title_of_paragraph};
use super::markup::markdown;
use super::matcher::Matcher;
use super::names::is_path;
use super::prose::{self, Reading};
use super::rule::DecisionRule;
use super::tables;
use super::words::Word;

/// All decisions of a team. See the [module](super) for an example.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    all: Vec<Decision>,
    mistakes: Vec<Mistake>,
}

/// A decision, with the rules that it stands for.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// Heading, without its date.
    pub title: String,
    /// Date, as in `2026-03-15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// File that the decision is in, relative to the team folder.
    pub file: String,
    /// Rules that the decision stands for; none if it is not enforced.
    pub rules: Vec<DecisionRule>,
    /// Whether the decision is enforced, and how.
    pub enforcement: Enforcement,
}

/// Whether a decision is enforced.
///
/// ```
/// use hooks_team_rules::decisions::{Decisions, Enforcement};
///
/// let enforcement = |text: &str| Decisions::parse(text).all()[0].enforcement.clone();
/// let prose = "### 2026-03-15: Dates\n**By:** Ada\n**What:** Use date-fns instead of moment.\n";
/// assert_eq!(enforcement(prose), Enforcement::Prose);
/// assert_eq!(enforcement("### Logging\n\n```rule\ncalls: [console.log]\n```\n"), Enforcement::Block);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Enforcement {
    /// By a rule block.
    Block,
    /// By rules that its prose states.
    Prose,
    /// Not: it does not count, for this reason.
    Void(String),
    /// Not: its prose states nothing that a call can break.
    #[default]
    Nothing,
    /// Not: its prose forbids something that the grammar does not know.
    Unclear,
}

/// Mistake in a rule block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// File, relative to the team folder.
    pub file: String,
    /// Title of the decision.
    pub decision: String,
    /// Problem, and the way out.
    pub problem: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`, decision \"{}\": {}", self.file, self.decision, self.problem)
    }
}

/// File and group of a list of items or paragraphs; a decision with a heading of its own is in none.
type List = (String, Option<String>);

/// Facts about a later decision that earlier ones depend on.
struct Later {
    permits: Vec<String>,
    /// Names with the places in which they are permitted.
    allows: Vec<(String, Vec<String>)>,
    /// Ids and dates of decisions that it takes away.
    reversed: Vec<String>,
    /// Places that the entries above it in the same list are not for.
    exempt: Vec<String>,
    list: Option<List>,
    title: String,
}

impl Later {
    fn is_without_effect(&self) -> bool {
        self.permits.is_empty()
            && self.allows.is_empty()
            && self.reversed.is_empty()
            && self.exempt.is_empty()
    }
}

impl Decisions {
    /// Reads the text of a `decisions.md`.
    ///
    /// ```
    /// use hooks_team_rules::decisions::Decisions;
    ///
    /// let text = "### 2026-03-15: Dates\n**By:** Ada\n**What:** Use date-fns instead of moment.\n";
    /// let decisions = Decisions::parse(text);
    /// assert_eq!(decisions.all()[0].title, "Dates");
    /// assert_eq!(decisions.all()[0].date.as_deref(), Some("2026-03-15"));
    /// ```
    pub fn parse(text: &str) -> Self {
        Self::from_files(&DecisionFiles {
            files: vec![("decisions.md".to_owned(), text.as_bytes().to_vec())],
        })
    }

    /// Parses the files of a team.
    pub fn from_files(files: &DecisionFiles) -> Self {
        let mut entries = Vec::new();
        for (name, bytes) in &files.files {
            let document = Document::parse(plain(bytes));
            if is_inbox(name) {
                let file = InboxFile::new(name.as_str(), document);
                file.entries().for_each(|entry| entries.push(Parsed::new(name, &entry)));
            } else {
                let file = DecisionFile::new(document);
                let mut title = None;
                for entry in file.entries() {
                    title = title_of_list(&entry, title);
                    entries.push(Parsed::below(name, &entry, title.as_deref()));
                    title = trailing_title(&entry).or(title);
                }
            }
        }
        let mut decisions = Self::default();
        decisions.settle(entries);
        // Text in another encoding has no decisions, and must not pass for an empty file.
        let unread = files.files.iter().filter(|(_, bytes)| bytes.contains(&0));
        decisions.mistakes.extend(unread.map(|(name, _)| Mistake {
            file: name.clone(),
            decision: "all".to_owned(),
            problem: "the file is not UTF-8 text; save it as UTF-8".to_owned(),
        }));
        decisions
    }

    /// Returns all decisions, in order.
    ///
    /// ```
    /// use hooks_team_rules::decisions::Decisions;
    ///
    /// let dates = "### 2026-03-15: Dates\n**By:** Ada\n**What:** Use date-fns instead of moment.\n";
    /// let decisions = Decisions::parse(&format!("{dates}\n### Logging\n\n```rule\ncalls: [console.log]\n```\n"));
    /// let titles: Vec<_> = decisions.all().iter().map(|decision| decision.title.as_str()).collect();
    /// assert_eq!(titles, ["Dates", "Logging"]);
    /// assert_eq!(decisions.all()[0].author.as_deref(), Some("Ada"));
    /// ```
    pub fn all(&self) -> &[Decision] {
        &self.all
    }

    /// Returns the mistakes in rule blocks. A policy of decisions with mistakes denies every call that it judges.
    ///
    /// ```
    /// use hooks_team_rules::decisions::Decisions;
    ///
    /// let decisions = Decisions::parse("### Logging\n\n```rule\ncals: [console.log]\n```\n");
    /// let mistake = decisions.mistakes()[0].to_string();
    /// assert!(mistake.starts_with("`decisions.md`, decision \"Logging\": line 4: unknown key `cals`"));
    /// ```
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    fn settle(&mut self, entries: Vec<Parsed>) {
        let mut later: Vec<Later> = Vec::new();
        let mut all = Vec::new();
        for parsed in entries.into_iter().rev() {
            let (decision, own, mistakes) = parsed.settle(&later);
            // Most decisions take nothing away, and would only make the others slow.
            later.extend(own.filter(|own| !own.is_without_effect()));
            self.mistakes.extend(mistakes);
            all.push(decision);
        }
        all.reverse();
        self.all = all;
        self.mistakes.reverse();
    }
}

/// An entry with its reading.
struct Parsed {
    decision: Decision,
    heading: String,
    /// Number that the entry begins with.
    number: Option<String>,
    reading: Reading,
    void: Option<String>,
    reversed: Vec<String>,
    list: Option<List>,
}

impl Parsed {
    fn new(file: &str, entry: &Entry<'_>) -> Self {
        Self::below(file, entry, None)
    }

    /// Reads an entry that stands below a title without `#`, such as "Banned:".
    fn below(file: &str, entry: &Entry<'_>, title: Option<&str>) -> Self {
        let heading = entry.heading().trim().to_owned();
        let mut own = entry.text();
        if trailing_title(entry).is_some() {
            let end = own.trim_end().rfind('\n').unwrap_or(own.len());
            own = own.get(..end).unwrap_or_default().to_owned().into();
        }
        let is_ban = |title: &&str| entry.kind() != EntryKind::Block && prose::bans_list(title);
        let text = match title.filter(is_ban) {
            Some(title) => format!("## {title}\n{own}"),
            None => own.clone().into_owned(),
        };
        let decision = Decision {
            title: shown(&entry.title()),
            date: entry.date().map(day),
            author: entry.by().map(|author| shown(author.lines().next().unwrap_or_default())),
            file: file.to_owned(),
            ..Decision::default()
        };
        let mut reading = prose::read(&text);
        if let Some(place) = place_of(entry) {
            reading.keep_to(&place);
        }
        Self {
            void: void(entry, &text).or_else(|| {
                let title = title.filter(|title| is_void_title(title))?;
                Some(format!("it stands below \"{}\"", shown(title)))
            }),
            reversed: reversed(&text),
            list: (entry.kind() != EntryKind::Block)
                .then(|| (file.to_owned(), entry.group().map(|group| group.to_string()))),
            reading,
            decision,
            heading,
            number: number_of(&own),
        }
    }

    fn settle(self, later: &[Later]) -> (Decision, Option<Later>, Vec<Mistake>) {
        let Self { mut decision, heading, number, reading, void, reversed, list } = self;
        let folded = heading.to_lowercase();
        let by_later = later
            .iter()
            .find(|later| is_reversed(&folded, number.as_deref(), decision.date.as_deref(), later));
        if let Some(reason) = void
            .or_else(|| by_later.map(|later| format!("the later decision \"{}\" takes it away", later.title)))
        {
            decision.enforcement = Enforcement::Void(reason);
            return (decision, None, Vec::new());
        }
        let mut mistakes = Vec::new();
        let is_written = !reading.written.is_empty();
        let mut rules = Vec::new();
        for (line, rule) in reading.written {
            let checked = rule
                .map_err(|error| format!("line {}: {}", line + error.line - 1, error.problem))
                .and_then(|rule| {
                    Matcher::new(&rule).map_err(|problem| format!("line {line}: {problem}"))?;
                    super::policy::examples(&rule).map_err(|problem| format!("line {line}: {problem}"))?;
                    Ok(rule)
                });
            match checked {
                Ok(rule) => rules.push(rule),
                Err(problem) => mistakes.push(Mistake {
                    file: decision.file.clone(),
                    decision: decision.title.clone(),
                    problem,
                }),
            }
        }
        if !is_written {
            rules = reading.rules;
            let permitted: Vec<&String> =
                later.iter().flat_map(|later| &later.permits).chain(&reading.permits).collect();
            let allowed: Vec<_> = later.iter().flat_map(|later| &later.allows).collect();
            rules.iter_mut().for_each(|rule| except_allowed(rule, &allowed));
            let own = later.iter().filter(|later| list.is_some() && later.list == list);
            let exempt: Vec<&String> = own.flat_map(|later| &later.exempt).collect();
            rules.iter_mut().for_each(|rule| rule.except.extend(exempt.iter().map(|glob| (*glob).clone())));
            rules.retain_mut(|rule| !takes_away(rule, &permitted) && Matcher::new(rule).is_ok());
        }
        decision.enforcement = match (is_written, rules.is_empty(), reading.is_unclear) {
            (true, ..) => Enforcement::Block,
            (false, false, _) => Enforcement::Prose,
            (false, true, true) => Enforcement::Unclear,
            (false, true, false) => Enforcement::Nothing,
        };
        decision.rules = rules;
        // What an agent put into the inbox lifts nothing until it is merged.
        let own = (!is_inbox(&decision.file)).then(|| Later {
            permits: reading.permits,
            allows: reading.allows,
            reversed,
            exempt: reading.exempt,
            list,
            title: decision.title.clone(),
        });
        (decision, own, mistakes)
    }
}

/// Returns the title of the list that an entry without a heading belongs to, if it bans what it lists, or if nothing of the
/// list was decided; `open` is the title before the entry.
fn title_of_list(entry: &Entry<'_>, open: Option<String>) -> Option<String> {
    match entry.kind() {
        EntryKind::Item => open.or_else(|| entry.group().map(|group| group.to_string())),
        EntryKind::Loose => {
            let text = entry.text();
            let title = title_of_paragraph(&text);
            title.map(str::to_owned)
        }
        _ => None,
    }
}

/// Returns the title of the next list if it is the last line of an item: "- moment", and "allowed:" below it.
fn trailing_title(entry: &Entry<'_>) -> Option<String> {
    let text = entry.text();
    let last = text.trim_end().lines().skip(1).last()?;
    let is_title = !last.starts_with([' ', '\t', '-', '*', '+', '>']) && last.split(' ').count() <= 5;
    last.strip_suffix(':').filter(|_| is_title && entry.kind() == EntryKind::Item).map(str::to_owned)
}

/// Returns the folder that the heading of an entry is, as a glob: "## packages/api".
fn place_of(entry: &Entry<'_>) -> Option<String> {
    let title = entry.title();
    let path = title.trim().trim_matches('`').trim_end_matches('/');
    let is_path = path.contains('/') && is_path(&Word::new(path, false));
    (is_path && entry.kind() == EntryKind::Block && !path.starts_with('/')).then(|| format!("{path}/**"))
}

/// Removes from a rule what a later decision permits; returns whether nothing is left.
fn takes_away(rule: &mut DecisionRule, permitted: &[&String]) -> bool {
    let is_permitted = |name: &String| permitted.iter().any(|permit| same_name(permit, name));
    let own =
        rule.packages.iter().chain(&rule.commands).chain(&rule.calls).chain(&rule.content).any(is_permitted);
    let concept = permitted.iter().any(|permit| {
        tables::concept(&permit.to_lowercase()).is_some_and(|concept| {
            concept.patterns.split(" § ").any(|pattern| rule.content.iter().any(|own| own == pattern))
        })
    });
    own || concept
}

/// Adds the places in which a later decision permits something as exceptions of a rule about it.
fn except_allowed(rule: &mut DecisionRule, allowed: &[&(String, Vec<String>)]) {
    for (name, places) in allowed {
        if takes_away(rule, &[name]) {
            rule.except.extend(places.iter().cloned());
        }
    }
}

/// Returns the text of a file as Markdown; of one that is not UTF-8 text, as it is.
fn plain(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => markdown(text).into_owned().into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

/// Whether a file is in the inbox.
fn is_inbox(name: &str) -> bool {
    name.starts_with("decisions/inbox/")
}

fn same_name(one: &str, other: &str) -> bool {
    let folded = |name: &str| {
        name.to_lowercase().trim_end_matches(".js").trim_end_matches("()").replace(['-', '_', ' '], "")
    };
    folded(one) == folded(other)
}

fn day(moment: Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}

/// Returns a text on one line, without marks of Markdown, of at most 120 characters.
fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().replace(['*', '`', '~'], "");
    line.trim().trim_start_matches("- ").chars().take(120).collect()
}
