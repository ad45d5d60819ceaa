//! Reads rules from the prose of a decision.
//!
//! The grammar is explicit. A sentence forbids its subject ("X is banned", "X must not be used") or its object ("never use
//! X", "no new X"). It forbids the old part of a replacement ("use Y instead of X", "X -> Y"). Places in the sentence restrict the
//! rule; sentences behind it that permit something are its exceptions. The words are in `data/words.tsv`.

use super::blocks::{Block, Kind, blocks, is_void};
use super::names::{Name, Use, names};
use super::rule::{DecisionRule, RuleError};
use super::scope::{self, Scope, scope};
use super::tables;
use super::words::{Sentence, Word, sentences, words};

/// Statements in the text of a decision.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Rules from prose.
    pub(super) rules: Vec<DecisionRule>,
    /// Rules of rule blocks, each with its line in the text.
    pub(super) written: Vec<(usize, Result<DecisionRule, RuleError>)>,
    /// Names that the decision permits, which earlier ones may forbid.
    pub(super) permits: Vec<String>,
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
}

/// Reads the text of a decision, with its heading.
pub(super) fn read(text: &str) -> Reading {
    let text = without_struck(text);
    let mut reading = Reading::default();
    let mut context = Context::default();
    for block in blocks(&text) {
        reading.block(&block, &mut context);
    }
    reading
}

impl Reading {
    fn block(&mut self, block: &Block, context: &mut Context) {
        match &block.kind {
            Kind::Rule(line) => self.written.push((*line, DecisionRule::parse(&block.text))),
            Kind::Pair(instead) => {
                let ban = Ban {
                    names: names(&words(&block.text)),
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
                let mut own = Context::default();
                let before = self.rules.len();
                self.statement(title, &mut own);
                // The sentences below a title may speak of what it names.
                context.last = own.last;
                context.label = words(title);
                context.start = before;
                context.title = before..self.rules.len();
            }
            Kind::Statement => {
                let text = without_id(&block.text);
                if is_annotated_void(&block.text) {
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
        for sentence in sentences(&text) {
            if sentence.is_question || is_hedged(&plainly(&sentence)) {
                context.last = names(&sentence.words);
                continue;
            }
            let before = self.rules.len();
            context.is_only = false;
            for clause in sentence.words.split(|word| word.is(";") || word.is("—") || word.is("...")) {
                self.labelled(clause, context);
            }
            for aside in &sentence.asides {
                self.aside(aside, before, context);
            }
        }
    }

    /// Reads a text in parentheses: a place, an exception or a sentence.
    fn aside(&mut self, words: &[Word], before: usize, context: &mut Context) {
        for part in words.split(|word| word.is(";")) {
            let rules = self.rules.len();
            let (places, _) = scope(part);
            if !places.except.is_empty() || !places.with.is_empty() {
                let list = self.rules.get_mut(before..).unwrap_or_default();
                for rule in list {
                    rule.except.extend(places.except.iter().cloned());
                    rule.with.extend(places.with.iter().cloned());
                }
                continue;
            }
            if is_permit(part) {
                self.except(part, before.min(context.start));
                continue;
            }
            let is_code = part.iter().all(|word| word.is_code || word.is_in(&[",", "or", "and", "/"]));
            if is_code
                && !part.is_empty()
                && rules > before
                && !part.iter().any(super::names::is_path)
                && part.iter().any(|word| word.text.contains([' ', '(']))
            {
                // The code is the exact form of the words before it.
                let scope = self.rules.get(before).map(|rule| Scope {
                    within: rule.within.clone(),
                    except: rule.except.clone(),
                    ..Scope::default()
                });
                self.rules.truncate(before);
                self.forbid_named(names(part), scope.unwrap_or_default(), "run", None, context);
                continue;
            }
            self.clause(part, context);
            let globs = scope::all(part);
            if self.rules.len() == rules && !globs.is_empty() && part.len() <= 4 {
                let list = self.rules.get_mut(before..).unwrap_or_default();
                if context.is_only {
                    list.iter_mut().for_each(|rule| rule.except.extend(globs.iter().cloned()));
                    continue;
                }
                let is_exact = part.iter().any(|word| word.is_code);
                list.iter_mut()
                    .filter(|rule| is_exact || rule.within.is_empty())
                    .for_each(|rule| rule.within.clone_from(&globs));
            }
        }
    }

    /// Reads a clause whose beginning may be a label.
    fn labelled(&mut self, clause: &[Word], context: &mut Context) {
        let colon = clause.iter().position(|word| word.is(":")).filter(|at| *at <= 8);
        let Some(at) = colon else { return self.clause(clause, context) };
        let (label, rest) = clause.split_at_checked(at).unwrap_or((clause, &[]));
        let rest = rest.get(1..).unwrap_or_default();
        let forbids = |words: &[Word]| predicate(words).is_some();
        if label.iter().all(|word| {
            word.is_in(tables::BANNED)
                || word.is_in(&["not", "allowed", "do", "don't", "use", "never", "also", "no"])
        }) && !label.is_empty()
        {
            let (places, rest) = scope(rest);
            self.forbid_named(names(&rest), places, "use", None, context);
            return;
        }
        if forbids(label) {
            self.clause(label, context);
            self.clause(rest, context);
            return;
        }
        let before = context.label.clone();
        context.label = label.to_vec();
        let own = names(label);
        if !own.is_empty() {
            context.last = own;
        }
        if rest.first().is_some_and(|word| word.is("no") || word.is("never") || word.is("out"))
            && rest.len() == 1
        {
            let (places, label) = scope(label);
            self.forbid_named(names(&label), places, "use", None, context);
        } else {
            self.clause(rest, context);
        }
        context.label = before;
    }

    /// Reads a clause.
    fn clause(&mut self, clause: &[Word], context: &mut Context) {
        if clause.is_empty() {
            return;
        }
        if let Some(ban) = replacement(clause, context) {
            let rest = ban.1;
            self.forbid_in(ban.0, context);
            if let Some(rest) = rest {
                self.clause(&rest, context);
            }
            return;
        }
        if let Some((places, subject)) = only_in(clause) {
            context.is_only = true;
            let scope = Scope { except: places, ..Scope::default() };
            self.forbid_named(names(&subject), scope, "use", None, context);
            return;
        }
        if let Some(found) = predicate(clause) {
            self.predicate(clause, &found, context);
            return;
        }
        if is_permit(clause) {
            self.except(clause, context.start);
        } else if clause.iter().any(|word| word.is_in(&["likewise", "too", "ditto"]))
            && self.rules.len() > context.start
        {
            // The same holds for another name, in the same places.
            let (mut places, rest) = scope(clause);
            if let Some(last) = self.rules.last().filter(|_| places == Scope::default()) {
                (places.within, places.except) = (last.within.clone(), last.except.clone());
            }
            self.forbid_named(names(&rest), places, "use", None, context);
            return;
        }
        let own = names(clause);
        if !own.is_empty() {
            context.last = own;
        }
    }

    fn predicate(&mut self, clause: &[Word], found: &Predicate, context: &mut Context) {
        let (subject, _) = clause.split_at_checked(found.start).unwrap_or((clause, &[]));
        let behind = clause.get(found.end..).unwrap_or_default();
        if found.is_permit {
            self.except(clause, context.start);
            return;
        }
        let (mut places, subject) = scope(subject);
        let own_end = object_end(behind);
        let (object, tail) = behind.split_at_checked(own_end).unwrap_or((behind, &[]));
        let (object_places, object_words) = scope(object);
        let (tail_places, _) = scope(tail);
        places.within.extend(object_places.within.iter().cloned());
        places.except.extend(object_places.except.iter().cloned());
        places.with.extend(object_places.with.iter().cloned());
        places.except.extend(tail_places.except.iter().cloned());
        places.with.extend(tail_places.with.iter().cloned());
        if ["reach", "enter", "appear", "land", "end"].contains(&found.verb.as_str()) {
            places.within.extend(scope::all(behind));
        }
        if !found.is_object {
            places.within.extend(tail_places.within.iter().cloned());
        }
        let is_push = [&object_words[..], &subject[..]]
            .concat()
            .iter()
            .any(|word| word.is_in(&["commit", "commits", "push", "pushes", "pushing"]));
        let verb = if is_push && found.verb == "use" { "push".to_owned() } else { found.verb.clone() };
        let mut named = if found.is_object { names(&object_words) } else { names(&subject) };
        let stated: &[Word] = if found.is_object { &object_words } else { &subject };
        if found.is_object && ["import", "depend"].contains(&verb.as_str()) {
            if named.is_empty() || verb == "depend" {
                named = names(object);
                places.within.clear();
            }
            // The subject is where the import would be.
            places.within.extend(scope::all(&subject));
        }
        // "Do not run migrations with `alembic upgrade`": the code behind the object is what is meant.
        let by_means =
            tail.first().is_some_and(|word| word.is_in(&["with", "via", "by", "through", "using"]));
        if found.is_object && by_means && !named.iter().any(|name| name.is_code) {
            let means: Vec<Name> = names(tail).into_iter().filter(|name| name.is_code).collect();
            if !means.is_empty() {
                named = means;
            }
        }
        let is_about_files = stated.iter().all(|word| {
            word.is_in(tables::ADJECTIVE)
                || word.is_in(tables::FILLER)
                || word.is_in(tables::PRONOUN)
                || word.is_in(&[
                    "anything",
                    "something",
                    "nobody",
                    "commits",
                    "by",
                    "hand",
                    "things",
                    "changes",
                    "matching",
                    ",",
                    "secret",
                    "secrets",
                    "credentials",
                    "passwords",
                    "api",
                    "keys",
                    "existing",
                    "past",
                    "old",
                    "applied",
                    "migrations",
                    "manual",
                    "manually",
                    "snapshots",
                    "sources",
                    "edits",
                    "writes",
                ])
        });
        let is_about_files = is_about_files
            && (names_files(stated)
                || super::names::FILE_VERBS.contains(&verb.as_str())
                || (stated.is_empty()
                    && ["commit", "committed", "write", "put", "store", "save", "check"]
                        .contains(&verb.as_str())));
        if named.is_empty() && !places.within.is_empty() && is_about_files {
            named = std::mem::take(&mut places.within)
                .into_iter()
                .map(|glob| Name {
                    text: glob,
                    is_code: true,
                    noun: String::new(),
                    is_new: stated.iter().any(|word| word.is("new")),
                })
                .collect();
        }
        let mut is_existing =
            clause.iter().any(|word| word.is_in(&["existing", "applied", "released", "shipped"]));
        if named.is_empty() {
            let has_pronoun = stated.iter().any(|word| word.is_in(tables::PRONOUN))
                || stated.iter().all(|word| {
                    word.is_in(tables::ADJECTIVE)
                        || word.is_in(tables::FILLER)
                        || word.is(",")
                        || word.is_in(tables::ACTOR)
                        || word.is_in(&["in", "is", "so", "and", "yet", "particular", "back", "by", "hand"])
                });
            if has_pronoun {
                is_existing |= context.is_existing;
                named = if context.last.is_empty() {
                    names(&scope(&context.label).1)
                } else {
                    context.last.clone()
                };
                if stated.iter().any(|word| word.is("former")) {
                    named.truncate(1);
                }
                if named.is_empty() && places.within.is_empty() {
                    let (label_places, _) = scope(&context.label);
                    named = label_places
                        .within
                        .into_iter()
                        .chain(scope::all(&context.label))
                        .map(|glob| Name { text: glob, is_code: true, noun: String::new(), is_new: false })
                        .collect();
                }
            } else {
                self.is_unclear = true;
            }
        }
        context.is_existing = is_existing;
        let is_existing = is_existing && !named.iter().any(|name| name.is_new);
        let ban = Ban { names: named, scope: places, verb, instead: None, is_existing };
        self.forbid_in(ban, context);
        // Another sentence may follow: "… is out, so no new code on it".
        let after = if found.is_object { tail } else { behind };
        let after: Vec<Word> = after
            .iter()
            .skip_while(|word| word.is(",") || word.is_in(&["and", "so", "but", "nor", "also"]))
            .cloned()
            .collect();
        if predicate(&after).is_some_and(|next| !next.is_permit) && after.len() < clause.len() {
            self.clause(&after, context);
        } else if is_permit(&after) && after.len() < clause.len() {
            self.except(&after, context.start);
        }
    }

    fn forbid_named(
        &mut self,
        names: Vec<Name>,
        scope: Scope,
        verb: &str,
        instead: Option<String>,
        context: &mut Context,
    ) {
        let ban = Ban { names, scope, verb: verb.to_owned(), instead, is_existing: false };
        self.forbid_in(ban, context);
    }

    fn forbid_in(&mut self, ban: Ban, context: &mut Context) {
        self.forbid(&ban);
        if !ban.names.is_empty() {
            context.last = ban.names;
        }
    }

    /// Adds the rules of a sentence.
    fn forbid(&mut self, ban: &Ban) {
        let is_call = ban.names.iter().any(|name| name.text.contains("()"))
            || ["call", "called", "invoked"].contains(&ban.verb.as_str())
            || ["committed", "commit", "reach"].contains(&ban.verb.as_str())
                && ban.names.iter().any(|name| name.text.contains('.') || name.text.contains('('));
        let usage = Use { verb: ban.verb.clone(), is_call, is_existing: ban.is_existing };
        let is_idle = (tables::IDLE_VERB.contains(&ban.verb.as_str()) || ban.verb == UNKNOWN_VERB)
            && !super::names::FILE_VERBS.contains(&ban.verb.as_str());
        for name in
            ban.names.iter().filter(|name| name.is_code || !is_idle || super::names::is_file(&name.text))
        {
            let mut rule = DecisionRule {
                within: ban.scope.within.clone(),
                except: ban.scope.except.clone(),
                with: ban.scope.with.clone(),
                instead: ban.instead.clone(),
                ..DecisionRule::default()
            };
            if name.forbid_in(&mut rule, &usage) && !rule.forbids_nothing() {
                dedup(&mut rule);
                if !self.rules.contains(&rule) {
                    self.rules.push(rule);
                }
            } else {
                self.is_unclear = true;
            }
        }
    }

    /// Adds what a sentence permits as exceptions to the rules from `start`; names are reported, since earlier
    /// decisions may forbid them.
    fn except(&mut self, words: &[Word], start: usize) {
        let globs = scope::all(words);
        let named = names(words);
        let is_permitted = is_permit(words);
        if !is_permitted {
            return;
        }
        let rules = self.rules.get_mut(start..).unwrap_or_default();
        let is_new = words.iter().any(|word| word.is_in(&["new", "adding", "add"]));
        for rule in rules.iter_mut().filter(|rule| rule.existing_files.is_empty() || !is_new) {
            let own = globs.iter().filter(|glob| !rule.within.contains(glob));
            rule.except.extend(own.filter(|glob| !rule.except.contains(glob)).cloned().collect::<Vec<_>>());
        }
        for name in named.iter().filter(|name| !globs.contains(&name.text)) {
            for rule in rules.iter_mut() {
                let is_own = rule
                    .packages
                    .iter()
                    .chain(&rule.commands)
                    .chain(&rule.calls)
                    .any(|own| own.eq_ignore_ascii_case(&name.text));
                if !is_own && name.is_code {
                    rule.allow.push(name.text.clone());
                }
            }
        }
        let lower = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        if globs.is_empty() && tables::BACK_PHRASE.iter().any(|phrase| contains_phrase(&lower, phrase)) {
            self.permits.extend(named.into_iter().map(|name| name.text));
        }
    }
}

/// Position of the words that forbid something.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Predicate {
    start: usize,
    end: usize,
    verb: String,
    /// Whether the object is forbidden, and not the subject.
    is_object: bool,
    /// Whether it permits instead: "X is not banned any more".
    is_permit: bool,
}

/// Finds the first words in a clause that forbid something.
fn predicate(clause: &[Word]) -> Option<Predicate> {
    (0..clause.len())
        .find_map(|at| ordered(clause, at).or_else(|| banned(clause, at)).or_else(|| negated(clause, at)))
}

/// An order: "avoid X", "drop X", "we ban X", "stop using X".
fn ordered(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    let before = clause.get(..at)?;
    let is_start = before.iter().all(|word| {
        word.is_in(tables::ACTOR)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(tables::ADJECTIVE)
            || word.is_in(&[
                "we",
                "we're",
                "we've",
                "we'll",
                "we'd",
                "please",
                "and",
                "also",
                "let",
                "always",
                ",",
                "then",
                "are",
                "were",
                "agreed",
                "decided",
                "will",
                "to",
                "so",
                "therefore",
                "hereby",
                "now",
                "finally",
                "completely",
                "in",
                "favour",
                "of",
                "voted",
            ])
    });
    let tail = clause.get(at..)?;
    let phrase = tables::ORDER_PHRASE
        .iter()
        .filter(|phrase| starts_with_phrase(tail, phrase))
        .map(|phrase| phrase.split(' ').count())
        .max();
    // "Deprecated crypto" is a title, and no sentence.
    let is_past = word.lower.ends_with("ed") && before.is_empty();
    let length = phrase.unwrap_or(usize::from(is_order(word) && !is_past));
    if !is_start
        || length == 0
        || at + length >= clause.len()
        || before.iter().any(|word| word.is_in(tables::NEGATION))
    {
        return None;
    }
    if names(clause.get(at + length..)?).is_empty()
        && !clause.get(at + length..)?.iter().any(|word| word.is_in(tables::PRONOUN))
        && scope::all(clause.get(at + length..)?).is_empty()
    {
        return None;
    }
    let mut end = at + length;
    while clause.get(end).is_some_and(|word| {
        !word.is_code
            && (word.is_in(&[
                "using",
                "adding",
                "importing",
                "calling",
                "the",
                "use",
                "of",
                "all",
                "any",
                "writing",
                "to",
                "running",
                "introducing",
                "on",
            ]))
    }) {
        end += 1;
    }
    Some(Predicate { start: at, end, verb: "use".to_owned(), is_object: true, is_permit: false })
}

/// Whether a word is a verb that forbids its object, in any form: drop, dropped, dropping.
fn is_order(word: &Word) -> bool {
    let lower = word.lower.as_str();
    let is_form = |verb: &&str| {
        let Some(ending) = lower.strip_prefix(*verb) else {
            return lower.strip_suffix("ing").is_some_and(|stem| verb.strip_suffix('e') == Some(stem));
        };
        let doubled = verb.chars().next_back().and_then(|last| ending.strip_prefix(last));
        ["", "ed", "d", "ing", "s"].contains(&ending)
            || doubled.is_some_and(|rest| ["ed", "ing"].contains(&rest))
    };
    !word.is_code && tables::ORDER.iter().any(is_form)
}

/// A word or phrase that forbids its subject: "X is banned", "X must go".
fn banned(clause: &[Word], at: usize) -> Option<Predicate> {
    let tail = clause.get(at..)?;
    let phrase = tables::BANNED_PHRASE
        .iter()
        .filter(|phrase| starts_with_phrase(tail, phrase))
        .map(|phrase| phrase.split(' ').count())
        .max();
    let word = clause.get(at)?;
    let before = clause.get(..at)?;
    let is_single = word.is_in(tables::BANNED);
    let length = phrase.unwrap_or(usize::from(is_single));
    if length == 0 || (at == 0 && phrase.is_none()) {
        return None;
    }
    let nearest = before.iter().rev().take(5);
    let has_aux = nearest.clone().any(|word| {
        word.is_in(tables::BE)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(&["gets", "got", "stays", "stay", "remain", "remains", "goes"])
    });
    let is_last = at + length >= clause.len()
        || clause.get(at + length).is_some_and(|word| {
            word.is(",")
                || word.is_in(tables::PLACE_WORD)
                || word.is_in(tables::OUTSIDE)
                || word.is_in(tables::BOUNDARY)
        });
    if phrase.is_none() && !has_aux && !is_last {
        return None;
    }
    let is_negated = before.iter().rev().take(3).any(|word| word.is_in(tables::NEGATION));
    let mut start = at;
    while start > 0
        && clause.get(start - 1).is_some_and(|word| {
            word.is_in(tables::BE)
                || word.is_in(tables::AUXILIARY)
                || word.is_in(tables::NEGATION)
                || word.is_in(&[
                    "now",
                    "also",
                    "strictly",
                    "still",
                    "officially",
                    "therefore",
                    "completely",
                    "simply",
                    "already",
                    "both",
                    "permanently",
                    "hereby",
                    "stays",
                    "remains",
                    "not",
                    "all",
                    "just",
                ])
        })
    {
        start -= 1;
    }
    let needs_subject = clause.get(..start)?.iter().all(|word| word.is_in(tables::ADJECTIVE) || word.is(","));
    if needs_subject && phrase.is_none() && !has_aux {
        return None;
    }
    Some(Predicate {
        start,
        end: at + length,
        verb: word.lower.clone(),
        is_object: false,
        is_permit: is_negated,
    })
}

/// A negation with a verb: "never use X", "X must not be used", "no new X", "X is not allowed".
fn negated(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    if !word.is_in(tables::NEGATION) {
        return None;
    }
    let before = clause.get(..at)?;
    let next = clause.get(at + 1);
    let subject_start = |mut start: usize| {
        while start > 0
            && clause.get(start - 1).is_some_and(|word| {
                word.is_in(tables::BE)
                    || word.is_in(tables::AUXILIARY)
                    || word.is_in(&["simply", "also", "therefore", "still", "just"])
            })
        {
            start -= 1;
        }
        start
    };
    let object = |end: usize, verb: &str| {
        Some(Predicate { start: at, end, verb: verb.to_owned(), is_object: true, is_permit: false })
    };
    let subject = |start: usize, end: usize, verb: &str| {
        Some(Predicate {
            start: subject_start(start),
            end,
            verb: verb.to_owned(),
            is_object: false,
            is_permit: false,
        })
    };
    if word.is("nobody") || (word.is("no") && next.is_some_and(|next| next.is("one"))) {
        let verb = clause.iter().skip(at + 1).position(is_verb).map(|offset| at + 1 + offset)?;
        return object(verb + 1, &stem(&clause.get(verb)?.lower));
    }
    if word.is("no") && next.is_none_or(|next| next.is("longer") || next.is("more")) || word.is("longer") {
        let behind = clause.get(at + 1..)?;
        let verb = behind.iter().position(|word| word.is_in(tables::USED)).map(|offset| at + 1 + offset);
        let is_active = before.iter().all(|word| word.is_in(tables::ACTOR));
        if is_active && let Some(verb) = behind.iter().position(is_verb).map(|offset| at + 1 + offset) {
            return object(verb + 1, &stem(&clause.get(verb)?.lower));
        }
        if is_active && next.is_some_and(|next| next.is("more")) {
            return object(at + 2, "use");
        }
        let end = verb.unwrap_or(at + 1);
        let verb = clause.get(end).map(|word| word.lower.clone()).unwrap_or_default();
        return (!before.is_empty()).then(|| subject(at, end + 1, &verb)).flatten();
    }
    let is_order = word.is("never")
        || word.is("don't")
        || (word.is("not")
            && before.last().is_some_and(|word| word.is_in(&["do", "must", "should", "shall", "may"])));
    if is_order && next.is_some_and(|next| next.is_code) {
        return object(at + 1, "use");
    }
    if word.is("neither") || word.is("no") || word.is("nothing") {
        let behind = clause.get(at + 1..)?;
        if behind.is_empty() {
            return None;
        }
        if word.is("neither") && !before.is_empty() && behind.iter().all(|word| !word.is("nor")) {
            return None;
        }
        // "No X may be used" ends before the verb.
        let aux = behind.iter().position(|word| {
            word.is_in(tables::BE) || word.is_in(tables::AUXILIARY) || word.is("may") || word.is("must")
        });
        let verb = aux
            .and_then(|aux| {
                behind.get(aux..)?.iter().find(|word| word.is_in(tables::USED) || word.is_in(tables::VERB))
            })
            .map_or("use".to_owned(), |word| word.lower.clone());
        return object(at + 1, &verb);
    }
    let behind = clause.get(at + 1..)?;
    let mut end = at + 1;
    let mut is_passive = before.iter().rev().take(3).any(|word| word.is_in(tables::BE))
        || word.lower.starts_with("isn")
        || word.lower.starts_with("aren")
        || word.lower.starts_with("wasn")
        || word.lower.starts_with("weren");
    for word in behind.iter().take(7) {
        end += 1;
        if word.is_in(&["be", "been", "being"]) {
            is_passive = true;
        } else if word.is("reach") && clause.get(end).is_some_and(|next| next.is("for")) {
            return object(end + 1, "use");
        } else if (word.is_in(tables::STAY_AWAY) && !(word.is("go") && is_passive))
            || (is_passive
                && (word.is_in(tables::USED)
                    || word.lower.ends_with("ed") && !word.is_code && word.lower.len() > 4))
        {
            return subject(at, end, &word.lower);
        } else if is_passive && word.is_in(tables::BANNED) {
            return Some(Predicate {
                start: subject_start(at),
                end,
                verb: word.lower.clone(),
                is_object: false,
                is_permit: true,
            });
        } else if !is_passive && word.is_in(tables::VERB) {
            return object(end, &word.lower);
        } else if !is_passive && word.is_in(tables::USED) {
            // "X: not allowed", "X never used", "X not needed"
            return subject(at, end, &word.lower);
        } else if is_order
            && !is_passive
            && is_plain_verb(word)
            && end == at + 2
            && before.iter().all(|word| word.is_in(tables::ACTOR) || word.is_in(tables::AUXILIARY))
        {
            return object(end, UNKNOWN_VERB);
        } else if word.is_code
            || (!word.is_in(tables::AUXILIARY)
                && !word.is_in(tables::ADJECTIVE)
                && !word.is_in(&[
                    "ever",
                    "longer",
                    "simply",
                    "just",
                    "directly",
                    "even",
                    "manually",
                    "going",
                    "to",
                    "acceptable",
                    "again",
                    "yet",
                    "really",
                    "actually",
                    "in",
                    "you",
                    "we",
                    "an",
                ]))
        {
            break;
        } else if word.is("in") {
            let is_place = behind
                .iter()
                .skip(end - at - 1)
                .take(3)
                .any(|word| word.is_in(&["code", "codebase", "repo", "stack", "base", "use", "project"]));
            if is_place {
                return subject(at, end + 3, "used");
            }
        }
    }
    None
}

/// Verb of an order that no table lists.
const UNKNOWN_VERB: &str = "do something with";

/// Whether a word may be the verb of an order: "never frobnicate `x`".
fn is_plain_verb(word: &Word) -> bool {
    let lists: [&[&str]; 6] =
        [tables::ADJECTIVE, tables::AUXILIARY, tables::BE, tables::ENGLISH, tables::PRONOUN, tables::USED];
    !word.is_code
        && word.lower.len() > 2
        && word.lower.chars().all(|c| c.is_alphabetic() || c == '-')
        && !word.lower.ends_with("ly")
        && !lists.iter().any(|list| list.contains(&word.lower.as_str()))
}

fn is_verb(word: &Word) -> bool {
    !word.is_code && (tables::VERB.contains(&word.lower.as_str()) || third_person(&word.lower))
}

fn third_person(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|stem| {
        tables::VERB.contains(&stem)
            || stem.strip_suffix('e').is_some_and(|stem| tables::VERB.contains(&stem))
    })
}

fn stem(verb: &str) -> String {
    if tables::VERB.contains(&verb) {
        return verb.to_owned();
    }
    let stem = verb.strip_suffix('s').unwrap_or(verb);
    stem.strip_suffix('e').filter(|short| tables::VERB.contains(short)).unwrap_or(stem).to_owned()
}

/// Returns the end of the object that `words` begin with.
fn object_end(words: &[Word]) -> usize {
    let is_end = |(at, word): &(usize, &Word)| {
        let next_is_name = words.get(at + 1).is_some_and(|next| {
            next.is_code
                || !names(std::slice::from_ref(next)).is_empty()
                || next.is_in(&["no", "not", "nor", "or", "and"])
        });
        (word.is(",") && !next_is_name)
            || (word.is_in(tables::BOUNDARY)
                && !word.is("to")
                && !word.is("than")
                && !word.is("of")
                && !word.is("from")
                && !word.is("on")
                && *at > 0)
            || ((word.is_in(tables::BE) || word.is_in(tables::AUXILIARY)) && *at > 0 && !word.is("to"))
            || word.is(":")
    };
    words.iter().enumerate().find(is_end).map_or(words.len(), |(at, _)| at)
}

/// Returns the ban of a replacement, and the words behind it.
fn replacement(clause: &[Word], context: &Context) -> Option<(Ban, Option<Vec<Word>>)> {
    let position = |wanted: &[&str]| {
        (0..clause.len()).find(|at| {
            wanted
                .iter()
                .enumerate()
                .all(|(offset, word)| clause.get(at + offset).is_some_and(|given| given.is(word)))
        })
    };
    let part = |from: usize, to: usize| clause.get(from..to).unwrap_or_default().to_vec();
    let ban = |old: Vec<Word>, new: Vec<Word>| {
        let (old_places, old_words) = scope(&old);
        let (new_places, new_words) = scope(&new);
        let mut places = old_places;
        places.within.extend(new_places.within);
        places.except.extend(new_places.except);
        let old = names(&old_words);
        (!old.is_empty()).then(|| Ban {
            names: old,
            scope: places,
            verb: "use".to_owned(),
            instead: plain(&new_words),
            is_existing: false,
        })
    };
    let end_of = |from: usize| {
        clause
            .iter()
            .enumerate()
            .skip(from)
            .find(|(_, word)| word.is(",") || word.is("because") || word.is("since"))
            .map_or(clause.len(), |(at, _)| at)
    };
    // "X -> Y"
    if let Some(at) = position(&["->"]) {
        let label = clause.iter().take(at).position(|word| word.is(":")).map_or(0, |colon| colon + 1);
        return ban(part(label, at), part(at + 1, clause.len())).map(|ban| (ban, None));
    }
    let is_negative = |from: usize| clause.iter().take(from).any(|word| word.is_in(tables::NEGATION));
    for phrase in [
        &["replaced", "by"][..],
        &["replaced", "with"],
        &["superseded", "by"],
        &["in", "favour", "of"],
        &["in", "favor", "of"],
        &["swapped", "for"],
        &["swapped", "out", "for"],
        &["traded", "for"],
        &["given", "way", "to"],
        &["gave", "way", "to"],
        &["made", "way", "for"],
        &["taken", "over", "by"],
        &["replaced", "in", "favour", "of"],
        &["exchanged", "for"],
        &["makes", "way", "for"],
        &["gives", "way", "to"],
        &["deprecated", "for"],
        &["loses", "to"],
        &["lost", "to"],
        &["lost", "against"],
        &["migrated", "to"],
        &["moved", "to"],
        &["ported", "to"],
        &["switched", "to"],
    ] {
        if let Some(at) = position(phrase).filter(|at| !is_negative(*at) && *at > 0) {
            let mut start = at;
            while start > 0
                && clause.get(start - 1).is_some_and(|word| {
                    word.is_in(tables::BE)
                        || word.is_in(tables::AUXILIARY)
                        || word.is_in(tables::BANNED)
                        || word.is("been")
                })
            {
                start -= 1;
            }
            if clause.get(..start)?.first().is_some_and(|word| word.is("we"))
                && phrase.len() == 2
                && phrase.last() == Some(&"to")
            {
                continue;
            }
            let end = end_of(at + phrase.len());
            let found = ban(part(0, start), part(at + phrase.len(), end))?;
            return Some((found, clause.get(end + 1..).map(<[Word]>::to_vec)));
        }
    }
    // "replace X by Y", "migrate from X to Y"
    for (verb, links) in [
        ("replace", &["by", "with"][..]),
        ("swap", &["for"]),
        ("migrate", &["to"]),
        ("move", &["to"]),
        ("moved", &["to"]),
        ("moving", &["to"]),
        ("switch", &["to"]),
        ("switched", &["to"]),
        ("migrated", &["to"]),
        ("migrating", &["to"]),
        ("switching", &["to"]),
        ("exchange", &["for"]),
        ("port", &["to"]),
    ] {
        let Some(at) = position(&[verb]).filter(|at| *at <= 4 && !is_negative(*at)) else { continue };
        let from = clause.get(at + 1).is_some_and(|word| word.is("from") || word.is("off"));
        if !from && !["replace", "swap", "exchange"].contains(&verb) {
            continue;
        }
        let from = at + 1 + usize::from(from);
        let link = (from..clause.len()).find(|at| clause.get(*at).is_some_and(|word| word.is_in(links)));
        let link = link?;
        return ban(part(from, link), part(link + 1, end_of(link + 1))).map(|found| (found, None));
    }
    // "Y replaces X"
    for verb in ["replaces", "supersedes", "supplants", "succeeds", "beats", "displaces", "trumps", "ousts"] {
        if let Some(at) = position(&[verb]).filter(|at| *at > 0) {
            let end = end_of(at + 1);
            let behind = part(at + 1, end);
            let old = if names(&behind).is_empty() && behind.iter().any(|word| word.is_in(tables::PRONOUN)) {
                None
            } else {
                Some(behind)
            };
            let new = part(0, at);
            return match old {
                Some(old) => ban(old, new).map(|found| (found, None)),
                None => {
                    let found = Ban {
                        names: context.last.clone(),
                        verb: "use".to_owned(),
                        instead: plain(&new),
                        ..Ban::default()
                    };
                    (!found.names.is_empty()).then_some((found, None))
                }
            };
        }
    }
    if let Some(at) = position(&["takes", "over", "from"]).or_else(|| position(&["took", "over", "from"])) {
        return ban(part(at + 3, end_of(at + 3)), part(0, at)).map(|found| (found, None));
    }
    // "Instead of X, use Y"
    if let Some(at) = position(&["instead", "of"])
        .or_else(|| position(&["rather", "than"]))
        .or_else(|| position(&["in", "place", "of"]).map(|at| at + 1))
    {
        let end = clause
            .iter()
            .enumerate()
            .skip(at + 2)
            .find(|(_, word)| {
                word.is(":")
                    || word.is_in(&["because", "since", "when"])
                    || (at == 0 && (word.is(",") || word.is("use")))
            })
            .map_or(clause.len(), |(at, _)| at);
        let new = if at == 0 { part(end, clause.len()) } else { part(0, at) };
        let new: Vec<Word> = new.into_iter().filter(|word| !word.is_in(tables::CHOOSE)).collect();
        let is_negated = new.first().is_some_and(|word| word.is_in(tables::NEGATION));
        if is_negated {
            return None;
        }
        return ban(part(at + 2, end), new).map(|found| (found, None));
    }
    // "we picked Y over X"
    if let Some(at) = position(&["over"]) {
        let choose = clause
            .iter()
            .take(at)
            .position(|word| word.is_in(tables::CHOOSE) || word.is_in(&["won", "wins", "won"]));
        if let Some(choose) = choose.filter(|choose| !is_negative(*choose)) {
            let won = clause.get(choose).is_some_and(|word| word.is("won") || word.is("wins"));
            let new = if won { part(0, choose) } else { part(choose + 1, at) };
            let end = end_of_names(clause, at + 1);
            return ban(part(at + 1, end), new).map(|found| {
                (found, clause.get(end + 1..).filter(|rest| !rest.is_empty()).map(<[Word]>::to_vec))
            });
        }
    }
    // "use Y, not X"; "Y, not X"
    if let Some(comma) =
        position(&[",", "not"]).or_else(|| position(&[",", "never"])).or_else(|| position(&["and", "not"]))
    {
        let behind = part(comma + 2, clause.len());
        let is_sentence = behind.iter().take(2).any(|word| {
            word.is_in(tables::VERB)
                || word.is_in(tables::USED)
                || word.is_in(tables::PLACE_WORD)
                || word.is_in(tables::BE)
        });
        let before = part(0, comma);
        if !is_sentence && !behind.is_empty() && predicate(&before).is_none() {
            let new: Vec<Word> = before
                .into_iter()
                .filter(|word| !word.is_in(tables::CHOOSE) && !word.is_in(tables::ACTOR))
                .collect();
            if behind.len() <= 8
                && (!names(&new).is_empty()
                    || clause.iter().take(comma).any(|word| word.is_in(tables::CHOOSE)))
            {
                return ban(behind, new).map(|found| (found, None));
            }
        }
    }
    None
}

/// Returns the end of a list of names.
fn end_of_names(clause: &[Word], from: usize) -> usize {
    let is_end = |(at, word): &(usize, &Word)| {
        let next = clause.get(at + 1);
        word.is(",")
            && next.is_none_or(|next| {
                next.is_in(tables::ACTOR) || next.is_in(&["because", "so", "which", "since", "the"])
            })
            || word.is("because")
            || word.is("last")
            || word.is("for") && next.is_none_or(|next| next.is("its"))
    };
    clause.iter().enumerate().skip(from).find(is_end).map_or(clause.len(), |(at, _)| at)
}

/// Returns the only places of the subject, and the subject: "X is restricted to `crates/cli`".
fn only_in(clause: &[Word]) -> Option<(Vec<String>, Vec<Word>)> {
    let at = (0..clause.len()).find(|at| {
        let tail = clause.get(*at..).unwrap_or_default();
        tables::ONLY_PHRASE.iter().any(|phrase| starts_with_phrase(tail, phrase))
    })?;
    let globs = scope::all(clause);
    let (before, behind) = clause.split_at_checked(at)?;
    let subject: Vec<Word> = before
        .iter()
        .take_while(|word| !word.is_in(tables::BE) && !word.is_in(tables::AUXILIARY) && !word.is("belongs"))
        .cloned()
        .collect();
    let has_place = !scope::all(behind).is_empty()
        || (clause.get(at).is_some_and(|word| word.is("nowhere")) && !globs.is_empty());
    let subject_names = names(&subject);
    let is_place = subject.iter().any(super::names::is_path);
    // The places may follow in parentheses: the caller adds them.
    let is_restricted = starts_with_phrase(behind, "restricted to")
        || starts_with_phrase(behind, "limited to")
        || starts_with_phrase(behind, "reserved for");
    ((has_place || is_restricted) && !globs.is_empty() && !subject_names.is_empty() && !is_place)
        .then_some((globs, subject))
}

fn is_permit(words: &[Word]) -> bool {
    let is_negated = |at: usize| words.iter().take(at).rev().take(3).any(|word| word.is_in(tables::NEGATION));
    words.iter().enumerate().any(|(at, word)| {
        !(word.text == "May" && at > 0)
            && (word.is_in(tables::PERMIT) || word.is("exception") || word.is("exceptions"))
            && !is_negated(at)
            && !words.get(at + 1).is_some_and(|next| next.is_in(tables::NEGATION))
    })
}

fn is_hedged(words: &[Word]) -> bool {
    let lower = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
    tables::HEDGE_PHRASE.iter().any(|phrase| contains_phrase(&lower, phrase))
        || words.iter().any(|word| word.is_in(tables::HEDGE))
}

/// Whether a statement declares that it does not count: "Discussed, rejected."
fn is_rejected(text: &str) -> bool {
    sentences(text).iter().any(|sentence| {
        let mut own = sentence.words.iter().filter(|word| !word.is(","));
        !sentence.words.is_empty()
            && own.all(|word| {
                (tables::VOID.contains(&word.lower.as_str()) && !word.is("replaced"))
                    || word.is_in(&["discussed", "but", "and", "then", "later", "ok", "was"])
            })
            && sentence.words.iter().any(|word| is_void(&word.lower))
    })
}

/// Whether the first words of an item carry a status that ends it: "D5 (dropped 2025-03): …", "X: proposed by …".
fn is_annotated_void(text: &str) -> bool {
    let beginning = text
        .get(..text.len().min(text.char_indices().nth(60).map_or(text.len(), |(at, _)| at)))
        .unwrap_or(text);
    let aside = beginning
        .split_once('(')
        .filter(|(before, _)| before.split_whitespace().count() <= 2)
        .map(|(_, rest)| rest);
    let value = beginning
        .split_once(": ")
        .filter(|(before, _)| before.split_whitespace().count() <= 4)
        .map(|(_, rest)| rest);
    let is_status = |text: &str| {
        let first = text
            .trim_start_matches(['*', '_'])
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        is_void(text)
            && [
                "proposed",
                "draft",
                "rejected",
                "withdrawn",
                "reversed",
                "revoked",
                "superseded",
                "undecided",
                "pending",
                "deferred",
                "postponed",
                "rescinded",
                "wip",
            ]
            .contains(&first.to_lowercase().as_str())
    };
    aside.is_some_and(is_void) || value.is_some_and(is_status)
}

/// Removes an id, a date or a number before a text: `ADR-014: …`, `D2 (kept): …`, `2024/03: …`.
fn without_id(text: &str) -> &str {
    let mut text = text.trim().trim_start_matches(['*', '_', '[', ' ']);
    for _ in 0..3 {
        let Some(end) = text.find([':', ' ', '.', ']']) else { return text };
        let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let first = first.trim_matches(|c: char| !c.is_alphanumeric());
        let is_marked = [":", ".", "]", " (", " -", " \u{2014}", " \u{2013}", ")", " |"]
            .iter()
            .any(|mark| rest.starts_with(mark));
        let digits = first.chars().filter(char::is_ascii_digit).count();
        let letters = first.chars().filter(|c| c.is_alphabetic()).count();
        let is_id = digits > 0
            && (letters == 0
                || (letters <= 4
                    && first.chars().last().is_some_and(|c| c.is_ascii_digit())
                    && first.chars().next().is_some_and(char::is_uppercase))
                || first.contains('T') && digits > 7);
        let is_word = ["adr", "decision", "rfc", "rule"].contains(&first.to_lowercase().as_str())
            && (rest.starts_with(':') || rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        if !(is_id && (is_marked || letters == 0) || first.starts_with("ADR")) && !is_word {
            return text;
        }
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ":.*_-—–]".contains(c));
        text = match rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            Some((aside, behind)) if behind.starts_with(':') && aside.split(' ').count() <= 3 => {
                behind.trim_start_matches([':', ' '])
            }
            _ => rest,
        };
    }
    text
}

/// Replaces "under no circumstances" and the like by "never".
fn emphatic(text: &str) -> String {
    const PHRASES: &[&str] = &[
        "under no circumstances",
        "at no time",
        "in no case",
        "on no account",
        "by no means",
        "not ever",
        "not under any circumstances",
    ];
    let mut text = text.to_owned();
    for phrase in PHRASES {
        let capital: String = phrase
            .chars()
            .enumerate()
            .map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
            .collect();
        text = text.replace(phrase, "never").replace(&capital, "Never");
    }
    text
}

/// Joins the lines of a paragraph.
fn joined(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Removes the parts that are struck out.
fn without_struck(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("~~") {
        kept.push_str(before);
        let Some((struck, after)) = behind.split_once("~~").filter(|(struck, _)| !struck.contains("\n\n"))
        else {
            kept.push_str("~~");
            rest = behind;
            continue;
        };
        kept.extend(struck.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Returns the words of a sentence with those in parentheses.
fn plainly(sentence: &Sentence) -> Vec<Word> {
    sentence.words.iter().chain(sentence.asides.iter().flatten()).cloned().collect()
}

/// Returns the words as text: the replacement, as it is shown.
fn plain(words: &[Word]) -> Option<String> {
    let named = names(words);
    let text = match named.first() {
        Some(name) => name.text.clone(),
        None => words
            .iter()
            .filter(|word| !word.is_in(tables::ADJECTIVE))
            .map(|word| word.text.as_str())
            .take(4)
            .collect::<Vec<_>>()
            .join(" "),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Whether words are about files in general.
fn names_files(words: &[Word]) -> bool {
    words.iter().any(|word| {
        word.is_in(&[
            "file",
            "files",
            "anything",
            "something",
            "things",
            "migrations",
            "folder",
            "directory",
            "directories",
            "code",
            "sources",
            "snapshots",
            "tree",
            "everything",
            "nothing",
            "changes",
            "edits",
            "secret",
            "secrets",
            "credentials",
            "passwords",
            "keys",
        ])
    })
}

fn starts_with_phrase(words: &[Word], phrase: &str) -> bool {
    phrase.split(' ').enumerate().all(|(at, wanted)| words.get(at).is_some_and(|word| word.is(wanted)))
}

fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
    })
}

fn dedup(rule: &mut DecisionRule) {
    for list in [
        &mut rule.packages,
        &mut rule.commands,
        &mut rule.languages,
        &mut rule.within,
        &mut rule.except,
        &mut rule.content,
        &mut rule.imports,
    ] {
        let mut seen = std::collections::HashSet::new();
        list.retain(|value| seen.insert(value.clone()));
    }
}
