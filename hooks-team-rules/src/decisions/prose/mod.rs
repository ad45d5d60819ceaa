//! Reads rules from the prose of a decision.
//!
//! The grammar is explicit. A sentence forbids its subject ("X is banned", "X must not be used") or its object ("never use
//! X", "no new X"). It forbids the old part of a replacement ("use Y instead of X", "X -> Y"). Places in the sentence restrict the
//! rule; sentences behind it that permit something are its exceptions. The words are in `data/words.tsv`.

use super::blocks::{Block, Kind, blocks};
use super::names::{Name, names};
use super::rule::{DecisionRule, RuleError};
use super::scope::{Scope, all as all_places, scope};
use super::tables;
use super::words::{Sentence, Word, sentences, words};

mod ban;
mod clause;
mod concession;
mod condition;
mod exempt;
mod labels;
mod listed;
mod negation;
mod object;
mod order;
mod past;
mod permit;
mod phrases;
mod polarity;
mod predicate;
mod replacement;
mod status;
mod subject;
mod verdict;

use self::past::takes_back;
use self::permit::lifted;
use self::phrases::{plain, plainly};
pub(super) use self::status::status_alone;
use self::status::{emphatic, is_annotated_void, is_hedged, is_rejected, joined, without_id, without_struck};
pub(super) use self::verdict::bans_list;
use self::verdict::{asks_leave, elided, is_name_alone, is_tagged, marked, permits, places_of, verdict};

/// Statements in the text of a decision.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Rules from prose.
    pub(super) rules: Vec<DecisionRule>,
    /// Rules of rule blocks, each with its line in the text.
    pub(super) written: Vec<(usize, Result<DecisionRule, RuleError>)>,
    /// Names that the decision permits, which earlier ones may forbid.
    pub(super) permits: Vec<String>,
    /// Names that the decision permits in certain places.
    pub(super) allows: Vec<(String, Vec<String>)>,
    /// Places that the entries above in the same list are not for: "`archive/` is exempt".
    pub(super) exempt: Vec<String>,
    /// Whether a sentence forbids something that no call shows.
    pub(super) is_unclear: bool,
}

/// A sentence that forbids something.
#[derive(Clone, Debug, Default)]
struct Ban {
    names: Vec<Name>,
    scope: Scope,
    verb: String,
    instead: Option<String>,
    is_existing: bool,
}

/// Facts that are known while a block is read.
#[derive(Clone, Debug, Default)]
struct Context {
    /// Names of the sentence before.
    last: Vec<Name>,
    /// Names and words before a colon.
    label: Vec<Word>,
    /// Rules of the block start here.
    start: usize,
    /// Whether the sentence before is about files that exist.
    is_existing: bool,
    /// Rules of the last title.
    title: std::ops::Range<usize>,
    /// Whether the sentence before names the only places of something.
    is_only: bool,
    /// Whether a clause of this sentence has named its topic.
    has_topic: bool,
    /// Whether a clause of this sentence forbids something.
    is_ban: bool,
    /// Verb of the last words that forbid something.
    verb: String,
    /// Rules of the sentence start here.
    sentence: usize,
    /// Places that were named last.
    globs: Vec<String>,
    /// Whether the clauses of this sentence are a list of what is banned.
    is_enumerated: bool,
    /// The names that the sentence before consists of: "X."
    named: Vec<Name>,
    /// Whether a clause of this sentence is about a place alone.
    has_place: bool,
    /// Whether the sentence before permits something.
    was_permit: bool,
    /// Whether the title above bans what is listed below it.
    is_listed: bool,
    /// Whether a clause of this sentence forbids nothing that a call shows.
    is_void: bool,
    /// Names that the sentence before asks about: "X?"
    asked: Vec<Name>,
}

/// Reads the text of a decision, with its heading.
pub(super) fn read(text: &str) -> Reading {
    let text = without_tags(&without_struck(text));
    let mut reading = Reading::default();
    let mut context = Context::default();
    for block in blocks(&text) {
        reading.block(&block, &mut context);
    }
    if let Some(language) = languages_of_title(&text) {
        let is_open = |rule: &&mut DecisionRule| {
            rule.languages.is_empty() && (!rule.content.is_empty() || !rule.calls.is_empty())
        };
        reading.rules.iter_mut().filter(is_open).for_each(|rule| rule.languages.push(language.to_owned()));
        // "C# collections": the same name in another language is another thing.
        let is_wider = |rule: &&mut DecisionRule| {
            rule.languages.len() > 1 && rule.languages.iter().any(|own| own == language)
        };
        reading
            .rules
            .iter_mut()
            .filter(is_wider)
            .for_each(|rule| rule.languages.retain(|own| own == language));
    }
    reading
}

/// Returns a text with the lists and code of HTML as those of Markdown.
fn without_tags(text: &str) -> String {
    if !["<li>", "<code>", "<summary>", "<p>", "<br"].iter().any(|tag| text.contains(tag)) {
        return text.to_owned();
    }
    let lines = text.lines().map(|line| {
        // Tags in code are meant.
        if line.contains('`') {
            return line.to_owned();
        }
        let line = line.replace("<li>", "\n- ").replace("<code>", "`").replace("</code>", "`");
        let line =
            ["<h1>", "<h2>", "<h3>", "<h4>"].iter().fold(line, |line, tag| line.replace(tag, "\n### "));
        let line =
            ["</h1>", "</h2>", "</h3>", "</h4>"].iter().fold(line, |line, tag| line.replace(tag, "\n"));
        let line = line.replace("<br>", " ").replace("<br/>", " ").replace("<summary>", "### ");
        ["</li>", "</summary>", "<p>", "</p>", "<ul>", "</ul>", "<ol>", "</ol>", "<b>", "</b>"]
            .iter()
            .fold(line, |line, tag| line.replace(tag, ""))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the language that the heading of a decision names, if it is one: "C# collections".
fn languages_of_title(text: &str) -> Option<&'static str> {
    let heading = text.lines().next().filter(|line| line.starts_with('#'))?;
    let words = words(heading.trim_start_matches('#'));
    let is_language = |word: &&Word| !word.is_in(&["headers", "css", "html"]);
    let mut globs = words.iter().filter(is_language).filter_map(|word| tables::area(&word.lower)).flatten();
    let language = tables::language(globs.next()?)?.name;
    globs.all(|glob| tables::language(glob).is_some_and(|other| other.name == language)).then_some(language)
}

impl Reading {
    /// Restricts everything to the files of a glob.
    pub(super) fn keep_to(&mut self, place: &str) {
        let open = self.rules.iter_mut().filter(|rule| rule.within.is_empty());
        open.for_each(|rule| rule.within.push(place.to_owned()));
        let permits = std::mem::take(&mut self.permits);
        self.allows.extend(permits.into_iter().map(|name| (name, vec![place.to_owned()])));
    }

    fn block(&mut self, block: &Block, context: &mut Context) {
        match &block.kind {
            Kind::Rule(line) => self.written.push((*line, DecisionRule::parse(&block.text))),
            Kind::Pair(instead) => {
                let (places, old) = scope(&words(&block.text));
                let ban = Ban {
                    names: names(&old),
                    scope: places,
                    instead: plain(&words(instead)),
                    ..Ban::default()
                };
                self.forbid(&ban);
            }
            Kind::Side => {
                for sentence in sentences(&block.text) {
                    let sentence = plainly(&sentence);
                    self.except(&sentence, 0);
                }
            }
            Kind::Title => {
                let title = block.text.trim();
                let title = without_id(title);
                // "Revert "No X"" only names the decision that it takes away.
                let first = title.split(' ').next().unwrap_or_default().to_lowercase();
                if tables::REVERSE.contains(&first) && title.contains('"') {
                    return;
                }
                let mut own = Context::default();
                let before = self.rules.len();
                self.statement(title, &mut own);
                if first == "why" && self.rules.len() > before {
                    // "Why we left X" is a story.
                    self.rules.truncate(before);
                    self.is_unclear = true;
                }
                // The sentences below a title may speak of what it names, and answer what it asks.
                context.asked = own.asked;
                context.last = own.last;
                context.label = words(title);
                context.is_listed = bans_list(title);
                context.start = before;
                context.title = before..self.rules.len();
            }
            Kind::Advised(instead) => {
                let before = self.rules.len();
                context.start = before;
                let text = without_id(&block.text);
                self.statement(text, context);
                let own = words(text);
                if self.rules.len() == before && is_name_alone(&own) {
                    self.forbid_named(names(&own), Scope::default(), "use", None, context);
                }
                let instead = plain(&words(instead));
                for rule in self.rules.get_mut(before..).unwrap_or_default() {
                    rule.instead = rule.instead.take().or_else(|| instead.clone());
                }
            }
            Kind::Statement => {
                let text = without_id(&block.text);
                if is_annotated_void(&block.text) {
                    // "Revoked: the ban of X."
                    let taken =
                        sentences(text).into_iter().filter_map(|sentence| lifted(&sentence.words)).flatten();
                    self.permits.extend(taken.map(|name| name.text));
                    return;
                }
                let rules = self.rules.len();
                let permits = self.permits.len();
                context.start = rules;
                self.statement(text, context);
                self.drop_title(context);
                if is_rejected(text) {
                    self.rules.truncate(rules);
                    self.permits.truncate(permits);
                }
            }
        }
    }

    /// Removes the rules of a title if the text below it restricts one of them: a title leaves places out.
    fn drop_title(&mut self, context: &mut Context) {
        let title = self.rules.get(context.title.clone()).unwrap_or_default();
        let behind = self.rules.get(context.title.end..).unwrap_or_default();
        let is_restricted = |rule: &DecisionRule| !rule.within.is_empty() || !rule.except.is_empty();
        if !title.is_empty() && behind.iter().any(is_restricted) {
            self.rules.drain(context.title.clone());
            context.start = context.title.start;
            context.title = context.start..context.start;
        }
    }

    fn statement(&mut self, text: &str, context: &mut Context) {
        let text = emphatic(&joined(text));
        let mut previous = self.rules.len();
        for sentence in sentences(&text) {
            if takes_back(&sentence.words) {
                self.rules.truncate(previous);
                continue;
            }
            previous = self.rules.len();
            let asked = std::mem::take(&mut context.asked);
            let is_question = sentence.is_question && !is_tagged(&sentence.words);
            if is_question || is_hedged(&plainly(&sentence)) {
                let colon = sentence.words.iter().position(|word| word.is(":")).filter(|_| is_question);
                let own = colon.and_then(|at| sentence.words.get(at + 1..)).unwrap_or(&sentence.words);
                context.last = names(own);
                if is_question && asks_leave(&sentence.words) {
                    context.asked.clone_from(&context.last);
                }
                continue;
            }
            let was_permit = std::mem::replace(&mut context.was_permit, permits(&sentence.words));
            if let Some(subject) = elided(&sentence.words).filter(|_| was_permit) {
                self.forbid_named(names(subject), Scope::default(), "use", None, context);
                continue;
            }
            if let Some(refused) = marked(&sentence.words) {
                // "❌ X", "X ❌, Y ✅"
                self.forbid_named(refused, Scope::default(), "use", None, context);
                continue;
            }
            if context.is_listed && self.listed(&sentence, context) {
                continue;
            }
            let named = std::mem::take(&mut context.named);
            if is_name_alone(&sentence.words) && !context.is_listed {
                context.named = names(&sentence.words);
            }
            // "X. Out since 2023."
            let asked = if asked.is_empty() { named } else { asked };
            if self.answer(&sentence.words, asked, context) {
                continue;
            }
            let before = self.rules.len();
            context.is_only = false;
            context.has_topic = false;
            context.has_place = false;
            context.is_enumerated = false;
            context.is_ban = false;
            context.is_void = false;
            context.sentence = before;
            let stated = self.stated();
            let mut was_permit = false;
            for clause in sentence.words.split(|word| word.is(";") || word.is("—") || word.is("...")) {
                if let Some(subject) = elided(clause).filter(|_| was_permit) {
                    // "X may be used; Y may not."
                    self.forbid_named(names(subject), Scope::default(), "use", None, context);
                    continue;
                }
                was_permit = permits(clause);
                if context.is_enumerated && is_name_alone(clause) {
                    self.forbid_named(names(clause), Scope::default(), "use", None, context);
                    continue;
                }
                if context.has_topic && verdict(clause).is_some() && !context.last.is_empty() {
                    // "X — no."
                    let (places, last) = (places_of(clause), context.last.clone());
                    self.forbid_named(last, places, "use", None, context);
                    continue;
                }
                self.labelled(clause, context);
            }
            self.asides(&sentence, before, context);
            let is_read = self.rules.len() > before || stated != self.stated();
            if !is_read && !context.is_void {
                self.refusal(&sentence, context);
            }
        }
    }

    /// Counts what sentences state besides bans.
    fn stated(&self) -> usize {
        let exceptions: usize = self.rules.iter().map(|rule| rule.except.len() + rule.allow.len()).sum();
        self.permits.len() + self.allows.len() + self.exempt.len() + exceptions
    }

    /// Reads the texts in parentheses of a sentence, whose rules start at `before`.
    fn asides(&mut self, sentence: &Sentence, before: usize, context: &mut Context) {
        // "(Exception: `x/`)" alone is about the sentence before.
        let before = if sentence.words.is_empty() { context.start.min(before) } else { before };
        for aside in &sentence.asides {
            let places = all_places(aside);
            let is_exempt =
                || tables::PERMIT_PHRASE.iter().any(|phrase| phrases::has_phrase(&sentence.words, phrase));
            let is_permitting = self.rules.len() == before && permit::is_permit(&sentence.words);
            if !places.is_empty() && (ends_with_exception(&sentence.words) || is_exempt() || is_permitting) {
                self.except_places(&places, context.start);
                continue;
            }
            self.aside(aside, before, context);
        }
    }
}

/// Whether a sentence ends with the beginning of an exception, whose places follow in parentheses: "named exports only, except
/// for pages".
fn ends_with_exception(words: &[Word]) -> bool {
    let is_all_but = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        before.is_some_and(|word| word.is_in(&["everywhere", "anywhere", "all"]))
    };
    let outside = (0..words.len()).rev().find(|at| {
        let word = words.get(*at);
        word.is_some_and(|word| {
            word.is_in(tables::OUTSIDE)
                || word.is_in(&["excepted", "exempted", "excluded"])
                || word.is("but") && is_all_but(*at)
        })
    });
    outside.is_some_and(|at| words.len() - at <= 6 && !words.iter().skip(at).any(|word| word.is(",")))
}
