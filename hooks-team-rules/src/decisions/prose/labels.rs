//! Reads what stands around a clause: a label before it, and texts in parentheses behind it.

use super::super::names::{Name, is_path, names};
use super::super::rule::DecisionRule;
use super::super::scope::{self, Scope, scope};
use super::super::tables;
use super::super::words::Word;
use super::concession::concession;
use super::order::is_order;
use super::permit::{is_permit, lifted};
use super::phrases::plain;
use super::predicate::predicate;
use super::verdict::{bans_list, is_name_alone, places_of, verdict};
use super::{Ban, Context, Reading};

impl Reading {
    /// Reads a text in parentheses: a place, an exception or a sentence.
    pub(super) fn aside(&mut self, words: &[Word], before: usize, context: &mut Context) {
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
            if context.is_ban
                && part.first().is_some_and(|word| {
                    word.is_in(tables::CHOOSE) || word.is_in(&["instead", "rather", "use"])
                })
                && predicate(part).is_none()
            {
                // "(use `y`)"
                let own: Vec<Word> = part
                    .iter()
                    .filter(|word| !word.is_in(tables::CHOOSE) && !word.is("instead"))
                    .cloned()
                    .collect();
                let instead = plain(&own);
                let list = self.rules.get_mut(before..).unwrap_or_default();
                list.iter_mut()
                    .for_each(|rule| rule.instead = rule.instead.take().or_else(|| instead.clone()));
                continue;
            }
            if let Some((not, named)) = part.split_first()
                && not.is_in(&["not", "never", "no"])
                && !context.is_ban
                && is_name_alone(named)
            {
                // "We use fetch (not axios)"
                self.forbid_named(names(named), Scope::default(), "use", None, context);
                continue;
            }
            let is_code = part.iter().all(|word| word.is_code || word.is_in(&[",", "or", "and", "/"]));
            if is_code
                && !part.is_empty()
                && rules > before
                && !part.iter().any(is_path)
                && part.iter().any(|word| word.text.contains([' ', '(', '\\']) || word.text.contains("::"))
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
            if is_code && self.is_about_files(part, before, context) {
                // "Generated files (`*.pb.go`) are not edited by hand"
                self.rules.truncate(before);
                let verb = context.verb.clone();
                let is_existing = context.is_existing;
                self.forbid_in(Ban { names: names(part), verb, is_existing, ..Ban::default() }, context);
                continue;
            }
            let is_list = part.iter().all(|word| {
                word.is_code
                    || word.is_in(&[",", "and", "or", "/"])
                    || !names(std::slice::from_ref(word)).is_empty()
            });
            if is_list && context.is_ban && self.is_kind_of(part, before) {
                // "Styling in scripts (styled-components, emotion) is over"
                self.forbid_as_well(part, context);
                continue;
            }
            let is_ending = |word: &Word| word.text.starts_with('.') && word.text.len() > 2;
            let endings: Vec<Name> = part
                .iter()
                .filter(|word| is_ending(word))
                .map(|word| Name {
                    text: word.text.clone(),
                    is_code: true,
                    noun: "files".to_owned(),
                    is_new: true,
                })
                .collect();
            if is_list && context.is_ban && !endings.is_empty() {
                // "Storyboards (.storyboard, .xib) are banned"
                self.forbid_named(endings, Scope::default(), "use", None, context);
                continue;
            }
            let is_pattern =
                self.rules.last().is_some_and(|rule| !rule.content.is_empty() && rule.packages.is_empty());
            if is_list && is_code && context.is_ban && is_pattern && part.iter().all(|word| !is_path(word)) {
                // "Snapshot tests are not wanted (`toMatchSnapshot`, `toMatchInlineSnapshot`)"
                self.forbid_as_well(part, context);
                continue;
            }
            if is_list && context.is_ban && rules == before && !names(part).is_empty() {
                // "No date libraries (moment, dayjs)"
                let (verb, is_existing) = (context.verb.clone(), context.is_existing);
                self.forbid_in(Ban { names: names(part), verb, is_existing, ..Ban::default() }, context);
                continue;
            }
            self.clause(part, context);
            let globs = scope::all(part);
            let is_place = |word: &Word| {
                !scope::all(std::slice::from_ref(word)).is_empty()
                    || [tables::PLACE_WORD, tables::ADJECTIVE, tables::FILLER, tables::ABOUT_FILES]
                        .iter()
                        .any(|list| word.is_in(*list))
                    || word.is_in(&[",", "and", "or", "only", "i.e", "e.g"])
            };
            let is_whole = |(_, length): (Vec<String>, usize)| length == part.len();
            let is_place = scope::place(part, true).is_some_and(is_whole) || part.iter().all(is_place);
            if self.rules.len() == rules && !globs.is_empty() && part.len() <= 4 && is_place {
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

    /// Whether code in parentheses names the files that a sentence is about, whose rules start at `before`.
    fn is_about_files(&self, part: &[Word], before: usize, context: &Context) -> bool {
        const COMMITTED: &[&str] = &["commit", "committed", "check", "checked", "go", "create", "created"];
        let own = self.rules.get(before..).unwrap_or_default();
        let is_named = own.iter().any(|rule| !rule.paths.is_empty() || !rule.existing_files.is_empty());
        let is_file_verb = tables::FILE_VERB.contains(&context.verb) && !is_named;
        let is_unnamed = own.is_empty() && COMMITTED.contains(&context.verb.as_str());
        !part.is_empty()
            && context.is_ban
            && part.iter().all(|word| !word.is_code || is_path(word))
            && (is_file_verb || is_unnamed)
    }

    /// Whether a list in parentheses has known names of the kind that the sentence bans with words that no table has.
    fn is_kind_of(&self, part: &[Word], before: usize) -> bool {
        let is_unknown = |rule: &DecisionRule| {
            rule.commands.is_empty()
                && rule
                    .packages
                    .first()
                    .is_some_and(|name| tables::technology(&name.to_lowercase()).is_none())
        };
        let own = self.rules.get(before..).unwrap_or_default();
        let named = names(part);
        let is_known = |name: &Name| tables::technology(&name.text.to_lowercase()).is_some();
        let is_code =
            part.iter().all(|word| word.is_code && !is_path(word) || word.is_in(&[",", "and", "or", "/"]));
        own.len() == 1
            && own.iter().all(is_unknown)
            && named.len() > 1
            && (is_code || named.iter().any(is_known))
    }

    /// Reads a clause whose beginning may be a label.
    pub(super) fn labelled(&mut self, clause: &[Word], context: &mut Context) {
        if lifted(clause).is_some() {
            return self.clause(clause, context);
        }
        let colon = clause.iter().position(|word| word.is(":")).filter(|at| *at <= 8);
        let Some(at) = colon else { return self.clause(clause, context) };
        let (label, rest) = clause.split_at_checked(at).unwrap_or((clause, &[]));
        let rest = rest.get(1..).unwrap_or_default();
        let forbids = |words: &[Word]| predicate(words).is_some();
        let title = label.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if label.len() <= 4 && is_name_alone(rest) && bans_list(&title) {
            // "No-go list: x; y"
            context.is_enumerated = true;
            self.forbid_named(names(rest), Scope::default(), "use", None, context);
            return;
        }
        let is_too = label.last().is_some_and(|word| word.is_in(&["too", "likewise", "ditto"]));
        if is_too && self.rules.len() > context.start {
            // "`x` too: everything goes through Y"
            self.forbid_as_well(label, context);
            self.clause(rest, context);
            return;
        }
        let has_negation = label.iter().any(|word| word.is_in(tables::NEGATION));
        let is_order = |word: &Word| is_order(word) && !has_negation;
        let is_ban = label.iter().all(|word| {
            word.is_in(tables::BANNED)
                || word.is_in(tables::ACTOR)
                || is_order(word)
                || word.is_in(tables::FILLER)
                || word.is_in(&[
                    "not",
                    "allowed",
                    "do",
                    "don't",
                    "use",
                    "never",
                    "also",
                    "no",
                    "the",
                    "following",
                    "from",
                    "today",
                    "now",
                    "on",
                    "here",
                    "must",
                    "may",
                    "hold",
                    "retire",
                    "red",
                ])
        });
        let is_ring = label.len() == 1 && label.iter().any(|word| word.is_in(&["hold", "retire", "red"]));
        let is_stated = |word: &Word| {
            is_ring || word.is_in(tables::BANNED) || word.is_in(tables::NEGATION) || is_order(word)
        };
        if is_ban && label.iter().any(is_stated) {
            let (places, rest) = scope(&self.without_required(rest, context));
            self.forbid_named(names(&rest), places, "use", None, context);
            return;
        }
        let is_exception = label.iter().any(|word| {
            word.is_in(&[
                "exception",
                "exceptions",
                "except",
                "exempt",
                "exemption",
                "exemptions",
                "exempted",
            ])
        });
        // "Exceptions: no `throw`" is about those of a language.
        let is_ban = label.len() == 1 && predicate(rest).is_some_and(|own| own.start == 0 && own.is_object);
        if is_exception && !is_ban && !forbids(label) {
            self.except_places(&scope::all(rest), context.start);
            self.except(clause, context.start);
            return;
        }
        if forbids(label) {
            let before = self.rules.len();
            self.clause(label, context);
            if label.iter().any(|word| word.is_in(&["exception", "exceptions"])) && predicate(rest).is_none()
            {
                // "No X, with one exception: the crawler (`crawler/`)"
                self.except_places(&scope::all(rest), before);
                context.is_only = true;
                return;
            }
            if self.list_behind(label, rest, before, context) {
                return;
            }
            let own =
                predicate(label).filter(|own| own.is_object && !own.is_permit && own.end == label.len());
            if let (Some(own), None) = (own, predicate(rest)) {
                // "We don't accept: `x`, anything for Y, because …"
                let is_reason = |word: &Word| word.is_in(&["because", "since", "so", "which", "as", "while"]);
                let end = rest.iter().position(is_reason).unwrap_or(rest.len());
                let mut named = Vec::new();
                for item in rest.get(..end).unwrap_or(rest).split(|word| word.is(",")) {
                    let is_any = item.first().is_some_and(|word| word.is_in(&["anything", "everything"]))
                        && item.get(1).is_some_and(|word| word.is_in(&["for", "from", "by", "of"]));
                    named.extend(names(item.get(if is_any { 2 } else { 0 }..).unwrap_or_default()));
                }
                self.forbid_named(named, scope(label).0, &own.verb, None, context);
                return;
            }
            let own = before..self.rules.len();
            let places = scope(label).0.within;
            self.clause(rest, context);
            if !places.is_empty() {
                // "In `firmware/` no dynamic allocation: malloc and free are banned"
                let list = self.rules.get_mut(own.end..).unwrap_or_default();
                list.iter_mut()
                    .filter(|rule| rule.within.is_empty())
                    .for_each(|rule| rule.within.clone_from(&places));
            }
            self.narrow_label(own.clone());
            self.drop_wider(own);
            return;
        }
        let is_void = label.first().is_some_and(|word| {
            word.is_in(&[
                "rejected",
                "proposed",
                "proposal",
                "withdrawn",
                "superseded",
                "postponed",
                "deferred",
                "idea",
            ])
        });
        if is_void && label.len() <= 3 {
            return;
        }
        let before = context.label.clone();
        context.label = label.to_vec();
        let rules = self.rules.len();
        let own = names(label);
        let before_label = context.last.clone();
        if !own.is_empty() {
            context.last = own;
        }
        let is_verdict = label.len() <= 2
            && label.last().is_some_and(|word| {
                word.is_in(&["verdict", "ruling", "answer", "outcome", "result", "conclusion"])
            });
        if verdict(rest).is_some() && is_verdict && !before_label.is_empty() {
            // "We looked at X. Verdict: no."
            self.forbid_named(before_label, places_of(rest), "use", None, context);
        } else if verdict(rest).is_some() {
            let (mut places, label) = scope(label);
            // "X: banned in `a/`, allowed in `b/`"
            let part = concession(rest);
            let own = places_of(part.as_ref().map_or(rest, |part| part.before));
            places.narrow(own.within);
            places.except.extend(own.except);
            places.except.extend(part.map(|part| scope::all(part.words)).unwrap_or_default());
            self.forbid_named(names(&label), places, "use", None, context);
        } else if rest.iter().take(8).any(|word| word.is(":")) {
            // "Ada: in `firmware/` no allocation: malloc is banned"
            self.labelled(rest, context);
        } else {
            self.clause(rest, context);
            self.forbid_label(label, rest, rules, context);
        }
        self.restrict_to_label(label, rules);
        context.label = before;
    }

    /// Reads a list of names behind a label that forbids: "Lock files are never committed: `yarn.lock`". Returns whether
    /// it is one.
    fn list_behind(&mut self, label: &[Word], rest: &[Word], before: usize, context: &mut Context) -> bool {
        let named = names(rest);
        let is_said = names(label).iter().any(|name| !named.contains(name));
        let is_list = (!is_said || named.iter().all(|name| name.is_code))
            && rest.iter().all(|word| {
                word.is_code
                    || word.is_in(&[",", "and", "or", "nor", "/"])
                    || !names(std::slice::from_ref(word)).is_empty()
            });
        let (Some(found), true) = (predicate(label), is_list && !named.is_empty()) else { return false };
        if found.is_permit {
            return false;
        }
        let (places, _) = scope(label);
        // The list names exactly what the label means.
        self.rules.truncate(before);
        self.forbid_named(named, places, &found.verb, None, context);
        true
    }

    /// Forbids the paths of a label if the words behind it forbid something that has no name: "`dist/`: build output, not
    /// to be written".
    fn forbid_label(&mut self, label: &[Word], rest: &[Word], before: usize, context: &mut Context) {
        let paths: Vec<Name> = label
            .iter()
            .filter(|word| word.is_code && is_path(word))
            .flat_map(|word| names(std::slice::from_ref(word)))
            .collect();
        let found = predicate(rest).filter(|found| !found.is_permit && !found.is_object);
        if let (Some(found), false) = (found, paths.is_empty() || self.rules.len() > before) {
            self.forbid_named(paths, Scope::default(), &found.verb, None, context);
        }
    }

    /// Restricts the rules from `start` to the places that a label consists of: "Frontend: no X".
    fn restrict_to_label(&mut self, label: &[Word], start: usize) {
        let globs = scope::all(label);
        let (_, rest) = scope(label);
        let is_place = |word: &Word| !scope::all(std::slice::from_ref(word)).is_empty();
        if globs.is_empty()
            || !names(&rest).iter().all(|name| globs.iter().any(|glob| glob.starts_with(&name.text)))
        {
            return;
        }
        // "Only CI publishes: …" is no place.
        let is_link =
            |word: &Word| word.is_in(tables::PLACE_WORD) || word.is_in(tables::ADJECTIVE) || word.is("only");
        if !label.iter().all(|word| is_place(word) || is_link(word)) {
            return;
        }
        for rule in
            self.rules.get_mut(start..).unwrap_or_default().iter_mut().filter(|rule| rule.within.is_empty())
        {
            rule.within.clone_from(&globs);
        }
    }

    /// Restricts the rules of a label to the places of the sentence behind it: "No barrel files: no `index.ts` below
    /// `src/features`".
    fn narrow_label(&mut self, label: std::ops::Range<usize>) {
        let end = label.end.min(self.rules.len());
        let (own, behind) = self.rules.split_at_mut(end);
        let Some(places) = behind.first().map(|rule| rule.within.clone()) else { return };
        if !behind.iter().all(|rule| rule.within == places) {
            return;
        }
        let own = own.get_mut(label.start..).unwrap_or_default().iter_mut();
        own.filter(|rule| rule.within.is_empty()).for_each(|rule| rule.within.clone_from(&places));
    }

    /// Removes the rules of a label if the sentence behind it forbids the same in certain places only.
    fn drop_wider(&mut self, label: std::ops::Range<usize>) {
        let behind: Vec<DecisionRule> = self.rules.get(label.end..).unwrap_or_default().to_vec();
        let is_wider = |rule: &DecisionRule| {
            let is_restricted = |own: &DecisionRule| {
                let own =
                    DecisionRule { within: rule.within.clone(), except: rule.except.clone(), ..own.clone() };
                own == *rule
            };
            rule.within.is_empty() && behind.iter().any(|own| !own.within.is_empty() && is_restricted(own))
        };
        let mut at = 0;
        self.rules.retain(|rule| {
            let is_label = label.contains(&at);
            at += 1;
            !(is_label && is_wider(rule))
        });
    }
}
