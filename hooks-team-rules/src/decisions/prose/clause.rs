//! Reads a clause: its label, its places, what it forbids, and what it permits.

use super::super::names::{Name, is_file, is_path, is_unknown, names};
use super::super::rule::DecisionRule;
use super::super::scope::{self, Scope, scope};
use super::super::tables;
use super::super::words::Word;
use super::permit::{faulty, is_back, is_lifted, is_permit, is_piped, only_by, only_in};
use super::phrases::{has_phrase, names_files, object_end, plain, starts_with_phrase};
use super::predicate::{Predicate, predicate};
use super::replacement::replacement;
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
            let is_code = part.iter().all(|word| word.is_code || word.is_in(&[",", "or", "and", "/"]));
            if is_code
                && !part.is_empty()
                && rules > before
                && !part.iter().any(is_path)
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
            let is_list = part.iter().all(|word| {
                word.is_code
                    || word.is_in(&[",", "and", "or", "/"])
                    || !names(std::slice::from_ref(word)).is_empty()
            });
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

    /// Reads a clause whose beginning may be a label.
    pub(super) fn labelled(&mut self, clause: &[Word], context: &mut Context) {
        let colon = clause.iter().position(|word| word.is(":")).filter(|at| *at <= 8);
        let Some(at) = colon else { return self.clause(clause, context) };
        let (label, rest) = clause.split_at_checked(at).unwrap_or((clause, &[]));
        let rest = rest.get(1..).unwrap_or_default();
        let forbids = |words: &[Word]| predicate(words).is_some();
        let is_ban = label.iter().all(|word| {
            word.is_in(tables::BANNED)
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
                ])
        });
        if is_ban && label.iter().any(|word| word.is_in(tables::BANNED) || word.is_in(tables::NEGATION)) {
            let (places, rest) = scope(rest);
            self.forbid_named(names(&rest), places, "use", None, context);
            return;
        }
        if label.iter().any(|word| word.is_in(&["exception", "exceptions", "except", "exempt"])) {
            self.except(clause, context.start);
            return;
        }
        if forbids(label) {
            let before = self.rules.len();
            self.clause(label, context);
            if self.list_behind(label, rest, before, context) {
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
        if !own.is_empty() {
            context.last = own;
        }
        let is_verdict = match rest {
            [word] => word.is_in(tables::BANNED) || word.is_in(&["no", "never", "out", "❌", "🚫", "✗"]),
            [first, second] => first.is("not") && second.is_in(tables::USED),
            _ => false,
        };
        if is_verdict {
            let (places, label) = scope(label);
            self.forbid_named(names(&label), places, "use", None, context);
        } else if rest.iter().take(8).any(|word| word.is(":")) {
            // "Ada: in `firmware/` no allocation: malloc is banned"
            self.labelled(rest, context);
        } else {
            self.clause(rest, context);
        }
        self.restrict_to_label(label, rules);
        context.label = before;
    }

    /// Reads a clause.
    fn clause(&mut self, clause: &[Word], context: &mut Context) {
        if clause.is_empty() {
            return;
        }
        self.own_clause(clause, context);
        let globs = scope::all(clause);
        if !globs.is_empty() {
            context.globs = globs;
        }
    }

    fn own_clause(&mut self, clause: &[Word], context: &mut Context) {
        if let Some((forbidden, instead)) = with_instead(clause) {
            let before = self.rules.len();
            self.clause(&forbidden, context);
            for rule in self.rules.get_mut(before..).unwrap_or_default() {
                rule.instead = rule.instead.take().or_else(|| instead.clone());
            }
            return;
        }
        if is_everywhere_else(clause) && self.rules.len() > context.start {
            // "X is read in `a.py` only. Everywhere else it is forbidden."
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
        let is_exempt = tables::PERMIT_PHRASE.iter().any(|phrase| has_phrase(clause, phrase));
        if is_exempt && !scope::all(clause).is_empty() {
            self.except_places(&scope::all(clause), context.start);
            return;
        }
        if let Some(old) = faulty(clause) {
            self.forbid_named(old, Scope::default(), "use", None, context);
            return;
        }
        if let Some((verb, object)) = only_by(clause) {
            self.forbid_to_all(&verb, object, context);
            return;
        }
        if is_piped(clause) && predicate(clause).is_some() {
            let name =
                Name { text: "curl | sh".to_owned(), is_code: false, noun: String::new(), is_new: false };
            self.forbid_named(vec![name], Scope::default(), "use", None, context);
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
        let outside = scope(clause).0.except;
        if !outside.is_empty() {
            // "Except for `x/`."
            self.except_places(&outside, context.start);
            return;
        }
        let (places, around) = scope(clause);
        let is_only_place = |word: &Word| {
            word.is_in(&[
                "anywhere",
                "everywhere",
                "at",
                "least",
                "and",
                "also",
                "specifically",
                "namely",
                "that",
                "is",
            ])
        };
        if !places.within.is_empty() && around.iter().all(is_only_place) {
            // "X is banned -- anywhere under `a/`"
            let own = self.rules.get_mut(context.sentence..).unwrap_or_default();
            own.iter_mut()
                .filter(|rule| rule.within.is_empty())
                .for_each(|rule| rule.within.clone_from(&places.within));
            return;
        }
        let globs = scope::all(clause);
        let is_left = clause.iter().any(|word| word.is("leave"))
            && (has_phrase(clause, "as it is") || has_phrase(clause, "as is"));
        if !globs.is_empty() && (is_left || clause.iter().any(|word| word.is("still"))) {
            self.except_places(&globs, context.start);
        }
        if is_lifted(clause) {
            self.permits.extend(names(clause).into_iter().map(|name| name.text));
        }
        if is_permit(clause) || is_back(clause) {
            self.except(clause, context.start);
        } else if scope(clause).1.iter().any(|word| word.is_in(&["likewise", "too", "ditto"]))
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
        // The first names of a sentence are its topic; what is to be used is not.
        let is_advice = clause.first().is_some_and(|word| word.is_in(tables::CHOOSE));
        let own = names(clause);
        if !own.is_empty() && (context.last.is_empty() || !(is_advice || context.has_topic)) {
            context.last = own;
            context.has_topic = true;
        }
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

    fn predicate(&mut self, clause: &[Word], found: &Predicate, context: &mut Context) {
        let (subject, _) = clause.split_at_checked(found.start).unwrap_or((clause, &[]));
        let behind = clause.get(found.end..).unwrap_or_default();
        if let Some(at) = subject.iter().position(|word| word.is("elsewhere")).filter(|_| !found.is_permit) {
            // "X is fine in `a/`, elsewhere it is banned"
            let before = subject.get(..at).unwrap_or_default();
            let places = Scope { except: scope::all(before), ..Scope::default() };
            self.forbid_named(names(&scope(before).1), places, &found.verb, None, context);
            return;
        }
        if found.is_permit || is_exempt(subject) {
            self.except(clause, context.start);
            return;
        }
        let subject = if found.is_object { subject } else { own_subject(subject) };
        context.is_ban = true;
        context.verb.clone_from(&found.verb);
        let (mut places, subject) = scope(subject);
        let own_end = object_end(behind);
        let (object, tail) = behind.split_at_checked(own_end).unwrap_or((behind, &[]));
        let (object_places, object_words) = scope(object);
        let (tail_places, _) = scope(tail);
        places.narrow(object_places.within.iter().cloned());
        places.except.extend(object_places.except.iter().cloned());
        places.with.extend(object_places.with.iter().cloned());
        places.except.extend(tail_places.except.iter().cloned());
        places.with.extend(tail_places.with.iter().cloned());
        if ["reach", "enter", "appear", "land", "end"].contains(&found.verb.as_str()) {
            places.within.extend(scope::all(behind));
        }
        if !found.is_object {
            places.narrow(tail_places.within.iter().cloned());
        }
        let is_there = |word: &Word| word.is("there");
        let is_that_place = |pair: &[Word]| match pair {
            [first, second] => {
                first.is_in(&["that", "this", "same", "those", "these"])
                    && second.is_in(&[
                        "directory",
                        "folder",
                        "package",
                        "module",
                        "service",
                        "tree",
                        "place",
                        "crate",
                        "area",
                        "layer",
                        "directories",
                        "folders",
                        "packages",
                        "modules",
                        "services",
                        "places",
                    ])
            }
            _ => false,
        };
        let says_there = behind.iter().any(is_there)
            || subject.iter().any(is_there)
            || behind.windows(2).any(is_that_place);
        if says_there && places.within.is_empty() && !context.globs.is_empty() {
            places.within.clone_from(&context.globs);
        }
        let is_push = [&object_words[..], &subject[..]]
            .concat()
            .iter()
            .any(|word| word.is_in(&["commit", "commits", "push", "pushes", "pushing"]));
        let mut verb = if is_push && found.verb == "use" { "push".to_owned() } else { found.verb.clone() };
        let is_gerund = |word: &Word| word.lower.ends_with("ing") && word.is_in(tables::ABOUT_FILES);
        if !found.is_object && !places.within.is_empty() && subject.first().is_some_and(is_gerund) {
            // "Writing to `x/` is forbidden"
            "edit".clone_into(&mut verb);
        }
        let mut named = if found.is_object { names(&object_words) } else { names(&subject) };
        let by_means =
            tail.first().is_some_and(|word| word.is_in(&["with", "via", "by", "through", "using"]));
        if found.is_object
            && !by_means
            && ["run", "execute", "invoke", "call", "type"].contains(&verb.as_str())
            && let Some(command) = plain_command(&object_words)
        {
            named = vec![Name { text: command, is_code: true, noun: String::new(), is_new: false }];
        }
        let is_call = |word: &Word| word.text.contains('(');
        if !found.is_object && subject.iter().any(|word| word.is("without")) && !subject.iter().any(is_call) {
            // "X without Y is banned": no call shows what is missing.
            self.is_unclear = true;
            return;
        }
        let stated: &[Word] = if found.is_object { &object_words } else { &subject };
        if found.is_object && named.is_empty() && !stated.is_empty() && stated.iter().all(is_usage) {
            // "X gets no new usages": what is not to be used is the subject.
            named = names(&subject);
        }
        if found.is_object && ["import", "depend"].contains(&verb.as_str()) {
            let is_pronoun = object
                .first()
                .is_some_and(|word| word.is_in(&["it", "them", "that", "these", "those", "this"]));
            if is_pronoun && !context.last.is_empty() {
                // "Do not import it from `api/`"
                named.clone_from(&context.last);
                places.within = scope::all(object);
            } else if named.is_empty() || verb == "depend" {
                named = names(object);
                places.within.clear();
            }
            // The subject is where the import would be.
            places.within.extend(scope::all(&subject));
        }
        // "Do not run migrations with `alembic upgrade`": the code behind the object is what is meant.
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
                || word.is_in(tables::AUXILIARY)
                || word.is_in(tables::BE)
                || word.is_in(tables::USED)
                || word.is_in(tables::ABOUT_FILES)
                || word.is(",")
        });
        // To edit something that is in a folder is to edit its files.
        let is_edit =
            ["edit", "edited", "touch", "touched", "hand-edit", "hand-edited", "modify", "modified"]
                .contains(&verb.as_str());
        let is_nothing = found.is_object && clause.get(found.start).is_some_and(|word| word.is("nothing"));
        let is_about_files = (is_about_files || is_edit)
            && (is_nothing
                || stated.iter().any(|word| word.is_in(tables::ABOUT_FILES))
                || names_files(stated)
                || tables::FILE_VERB.contains(&verb)
                || (stated.is_empty()
                    && ["commit", "committed", "write", "put", "store", "save", "check"]
                        .contains(&verb.as_str())));
        let is_plain = |name: &Name| !name.is_code && tables::technology(&name.text.to_lowercase()).is_none();
        if is_edit && !places.within.is_empty() && named.iter().all(is_plain) {
            named.clear();
        }
        if is_nothing {
            places.within.extend(tail_places.within.iter().cloned());
        }
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
            let is_of_files = context.last.iter().any(|name| name.text.contains('/') || is_file(&name.text));
            let has_pronoun = stated.iter().any(|word| word.is_in(tables::PRONOUN))
                || stated.iter().all(|word| {
                    word.is_in(tables::ADJECTIVE)
                        || word.is_in(tables::FILLER)
                        || word.is(",")
                        || word.is_in(tables::ACTOR)
                        || (is_of_files && word.is_in(tables::ABOUT_FILES))
                        || word.is_in(&["in", "is", "so", "and", "yet", "particular", "back", "by", "hand"])
                });
            if has_pronoun {
                is_existing |= context.is_existing;
                let own =
                    clause.get(..found.start).map(names).filter(|own| found.is_object && !own.is_empty());
                named = match own {
                    // "X is generated, do not edit it"
                    Some(own) => own,
                    None if context.last.is_empty() => names(&scope(&context.label).1),
                    None => context.last.clone(),
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
        let is_exception = |word: &Word| word.is_in(&["excluded", "excepted", "exempt", "exempted"]);
        let is_excepting = after.len() < 6
            && after.iter().any(is_exception)
            && !after.iter().any(|word| word.is_in(tables::BE));
        if is_excepting {
            self.except_part(&after, context.start);
        } else if predicate(&after).is_some_and(|next| !next.is_permit) && after.len() < clause.len() {
            self.clause(&after, context);
        } else if after.len() < clause.len() {
            let parts = after.split(|word| word.is(",")).filter(|part| is_permit(part));
            parts.for_each(|part| self.except_part(part, context.start));
        }
    }
}

/// Splits a clause that ends with its replacement: "ban X, Y instead".
fn with_instead(clause: &[Word]) -> Option<(Vec<Word>, Option<String>)> {
    let at = clause.iter().position(|word| word.is("instead"))?;
    if clause.get(at + 1).is_some_and(|next| next.is("of")) {
        return None;
    }
    let comma = clause.get(..at)?.iter().rposition(|word| word.is(",")).filter(|comma| *comma > 0)?;
    let instead = clause.get(comma + 1..at)?;
    let forbidden = clause.get(..comma)?;
    let is_stated = predicate(forbidden).is_some_and(|found| !found.is_permit);
    (is_stated && predicate(instead).is_none() && instead.len() <= 8 && !names(instead).is_empty()).then(
        || {
            let behind = clause.get(at + 1..).unwrap_or_default();
            let instead: Vec<Word> =
                instead.iter().filter(|word| !word.is_in(tables::CHOOSE)).cloned().collect();
            ([forbidden, behind].concat(), plain(&instead))
        },
    )
}

/// Whether a clause is about all places but those that were named before.
fn is_everywhere_else(clause: &[Word]) -> bool {
    ["everywhere else", "anywhere else", "elsewhere", "nowhere else", "all other places", "in all other"]
        .iter()
        .any(|phrase| starts_with_phrase(clause, phrase))
}

/// Returns the words of a subject behind those of another sentence: "new code uses Y, X must not be added".
fn own_subject(words: &[Word]) -> &[Word] {
    let Some(comma) = words.iter().rposition(|word| word.is(",")) else { return words };
    let (before, behind) = words.split_at_checked(comma).unwrap_or((words, &[]));
    let is_sentence = before.iter().any(|word| {
        word.is_in(tables::BE) || word.is_in(tables::CHOOSE) || word.is("uses") || word.is_in(tables::BANNED)
    });
    let behind = behind.get(1..).unwrap_or_default();
    if is_sentence && !names(behind).is_empty() { behind } else { words }
}

/// Returns a command without a code span: "never run alembic downgrade".
fn plain_command(words: &[Word]) -> Option<String> {
    let is_plain = |word: &Word| {
        !word.is_code
            && word
                .text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':' | '_'))
    };
    let (first, rest) = words.split_first()?;
    let is_program =
        tables::is_named_program(&first.lower) || tables::is_program(&first.lower) || is_unknown(first);
    let fits = is_plain(first) && is_program && (1..=3).contains(&rest.len()) && rest.iter().all(is_plain);
    fits.then(|| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}

/// Whether the words before a predicate already exempt their subject: "X is exempt until it is deleted".
fn is_exempt(subject: &[Word]) -> bool {
    subject.iter().any(|word| word.is_in(&["exempt", "exempted", "excepted", "excluded"]))
        && !subject.iter().any(|word| word.is_in(tables::NEGATION))
}

/// Whether a word only states that something is used.
fn is_usage(word: &Word) -> bool {
    word.is_in(tables::ADJECTIVE)
        || word.is_in(tables::FILLER)
        || word.is_in(&["places", "consumers", "users"])
}
