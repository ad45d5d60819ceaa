//! Reads what a predicate forbids: its object or subject, its places, and the sentence behind it.

use super::super::names::{Name, is_file, is_unknown, names, without_guesses};
use super::super::scope::{self, Scope, scope};
use super::super::tables;
use super::super::words::Word;
use super::clause::{as_well, says_same};
use super::concession::{concession, permitted_before};
use super::condition::{
    inclusive, is_about_absence, is_conditional, is_faulty_means, is_means, keep_files, means, protects,
    unconditional,
};
use super::negation::UNKNOWN_VERB;
use super::permit::is_permit;
use super::phrases::{has_phrase, names_files, object_end};
use super::predicate::{Predicate, predicate};
use super::subject::{is_place_alone, own_subject};
use super::{Ban, Context, Reading};

impl Reading {
    pub(super) fn predicate(&mut self, clause: &[Word], found: &Predicate, context: &mut Context) {
        let (subject, _) = clause.split_at_checked(found.start).unwrap_or((clause, &[]));
        let behind = clause.get(found.end..).unwrap_or_default();
        if let Some(at) = subject.iter().position(|word| word.is("elsewhere")).filter(|_| !found.is_permit) {
            // "X is fine in `a/`, elsewhere it is banned"
            let before = subject.get(..at).unwrap_or_default();
            let places = Scope { except: scope::all(before), ..Scope::default() };
            self.forbid_named(names(&scope(before).1), places, &found.verb, None, context);
            return;
        }
        let is_elsewhere = behind.first().is_some_and(|word| word.is("elsewhere"))
            || [
                "everywhere else",
                "anywhere else",
                "in all other",
                "in any other",
                "in every other",
                "in other",
                "for all other",
            ]
            .iter()
            .any(|phrase| has_phrase(behind.get(..3).unwrap_or_default(), phrase));
        if is_elsewhere && !found.is_permit && !found.is_object && !scope::all(subject).is_empty() {
            // "X is tolerated in `a/`, and forbidden elsewhere"
            let places = Scope { except: scope::all(subject), ..Scope::default() };
            self.forbid_named(names(&scope(subject).1), places, &found.verb, None, context);
            return;
        }
        let is_excluding = ["excluded", "exempted", "excepted", "exempt"].contains(&found.verb.as_str());
        if is_excluding
            && !found.is_object
            && !scope::all(subject).is_empty()
            && self.rules.len() > context.start
        {
            // "`tools/` is excluded"
            self.except_places(&scope::all(subject), context.start);
            return;
        }
        if found.is_permit && !found.is_object && scope::all(clause).is_empty() {
            // "X is no longer banned"
            self.permits.extend(names(subject).into_iter().map(|name| name.text));
        }
        if found.is_permit || is_exempt(subject) {
            self.except(clause, context.start);
            return;
        }
        let subject = if found.is_object { subject } else { own_subject(subject) };
        if let Some(part) = permitted_before(subject).filter(|_| !found.is_object) {
            // "X is fine in `a/`, but banned in `b/`"
            let before = self.rules.len();
            let own = [part.subject, clause.get(found.start..).unwrap_or_default()].concat();
            self.clause(&own, context);
            self.except_places(&part.places, before);
            return;
        }
        if let Some(part) = concession(behind) {
            self.conceded(clause, found, &part, context);
            return;
        }
        let is_protective = protects(clause, found);
        context.is_ban = true;
        context.verb.clone_from(&found.verb);
        let (mut places, subject) = scope(subject);
        // "Never mock with X" has no object.
        let is_action = behind.first().is_some_and(|word| word.is("using"));
        let has_no_object = found.is_object && is_means(behind) && !is_action;
        let own_end = if has_no_object { 0 } else { object_end(behind) };
        let (object, tail) = behind.split_at_checked(own_end).unwrap_or((behind, &[]));
        let (object_places, object_words) = scope(object);
        let is_conditional = match found.is_object {
            true => is_conditional(&object_words, tail),
            false => inclusive(&subject).len() < subject.len(),
        };
        let object_words = unconditional(&object_words).to_vec();
        let subject = inclusive(&subject).to_vec();
        let (tail_places, _) = scope(tail);
        // "Neither X nor Y may appear in `a/`": the tail is the rest of the predicate.
        let (rest, tail) = tail.split_at_checked(predicate_end(tail)).unwrap_or((&[], tail));
        places.narrow(scope(rest).0.within);
        places.narrow(object_places.within.iter().cloned());
        places.except.extend(object_places.except.iter().cloned());
        places.with.extend(object_places.with.iter().cloned());
        places.except.extend(tail_places.except.iter().cloned());
        places.with.extend(tail_places.with.iter().cloned());
        if found.is_object
            && places.within.is_empty()
            && !names(&object_words).is_empty()
            && is_place_alone(&subject)
        {
            // "`src/core` must not contain X"
            places.within = scope::all(&subject);
        }
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
        // "X must not be a dependency of it nor be used in it"
        let is_in_it = |pair: &[Word]| match pair {
            [first, second] => {
                first.is_in(&["in", "of", "inside", "within", "into", "there"])
                    && second.is_in(&["it", "them"])
            }
            _ => false,
        };
        let says_there = says_there || context.has_place && behind.windows(2).any(is_in_it);
        if says_there && places.within.is_empty() && !context.globs.is_empty() {
            places.within.clone_from(&context.globs);
        }
        let is_for_all =
            ["and by agents", "and by anyone", "and by everyone", "anywhere else", "and everywhere else"]
                .iter()
                .any(|phrase| has_phrase(behind, phrase));
        if is_for_all && !found.is_permit {
            // "X is forbidden in scripts and by agents"
            places.within.clear();
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
        if is_protective {
            keep_files(&mut named, &verb);
            named.extend(names(means(&subject)).into_iter().filter(|name| name.is_code));
        }
        let branch = |word: &&Word| ["main", "master", "trunk", "develop"].contains(&word.lower.as_str());
        if !found.is_object && is_push && named.is_empty() {
            // "Direct pushes to `main` are not allowed"
            "push".clone_into(&mut verb);
        }
        let is_pushed = ["push", "commit", "merge"].contains(&verb.as_str());
        if (found.is_object || is_push) && named.is_empty() && is_pushed {
            // "No one commits directly to main"
            let direct = if found.is_object { [object, tail].concat() } else { clause.to_vec() };
            named.extend(direct.iter().find(branch).map(|word| Name {
                text: word.text.clone(),
                is_code: true,
                noun: String::new(),
                is_new: false,
            }));
        }
        let by_means = is_means(tail);
        if found.is_object
            && !by_means
            && ["run", "execute", "invoke", "call", "type"].contains(&verb.as_str())
            && let Some(command) = plain_command(&object_words)
        {
            named = vec![Name { text: command, is_code: true, noun: String::new(), is_new: false }];
        }
        let stated: &[Word] = if found.is_object { &object_words } else { &subject };
        if is_about_absence(stated, behind) {
            context.last = named;
            self.leave_unclear(context);
            return;
        }
        if found.is_object && named.is_empty() && !stated.is_empty() && stated.iter().all(is_usage) {
            // "X gets no new usages": what is not to be used is the subject.
            named = names(&subject);
        }
        if found.is_object && ["import", "depend"].contains(&verb.as_str()) {
            let is_pronoun = object
                .iter()
                .find(|word| !word.is_in(&["on", "upon", "from"]))
                .is_some_and(|word| word.is_in(&["it", "them", "that", "these", "those", "this"]));
            let own = names(&scope(clause.get(..found.start).unwrap_or_default()).1);
            if is_pronoun && own.iter().any(|name| !name.is_guess()) {
                // "X is archived, so do not import it"
                named = own;
            } else if is_pronoun && !context.last.is_empty() {
                // "Do not import it from `api/`"
                named.clone_from(&context.last);
                places.within = scope::all(object);
            } else if named.is_empty() || verb == "depend" {
                named = names(object);
                places.within.clear();
            }
            // The subject is where the import would be.
            places.within.extend(scope::all(clause.get(..found.start).unwrap_or_default()));
        }
        // "Do not run migrations with `alembic upgrade`": the code behind the object is what is meant.
        if found.is_object && by_means && !named.iter().any(|name| name.is_code) {
            let is_clear = |name: &Name| {
                // "We no longer send mail with X": the mail is not meant.
                let is_brought =
                    ["use", "add", "import", "install", "depend", "require"].contains(&verb.as_str());
                let is_vague = !is_brought && named.iter().all(Name::is_guess);
                let is_known = tables::technology(&name.text.to_lowercase()).is_some();
                name.is_code || (named.is_empty() || is_vague) && is_known
            };
            let is_meant = |name: &Name| is_clear(name) && !is_faulty_means(tail, name);
            let means: Vec<Name> = names(unconditional(tail)).into_iter().filter(is_meant).collect();
            if !means.is_empty() {
                if tables::IDLE_VERB.contains(&verb) || verb == UNKNOWN_VERB || is_protective {
                    "use".clone_into(&mut verb);
                }
                named = means;
            }
        }
        let is_of_packages = stated.iter().any(|word| {
            word.is_in(&[
                "dependency",
                "dependencies",
                "package",
                "packages",
                "library",
                "libraries",
                "imports",
            ])
        });
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
        if named.is_empty() && !places.within.is_empty() && is_about_files && !is_of_packages {
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
        let is_required = is_protective && !tables::FILE_VERB.contains(&verb);
        let is_faulty = found.is_object && names(behind).iter().any(|name| is_faulty_means(behind, name));
        if is_faulty {
            named.retain(|name| !is_faulty_means(behind, name));
        }
        if is_conditional {
            // "No other runner than X": a kind of thing.
            without_guesses(&mut named);
        }
        if named.is_empty() && (is_required || is_conditional || is_faulty) {
            self.leave_unclear(context);
            return;
        }
        // "A lock file shall not exist" is about new ones.
        let is_state = |word: &Word| {
            word.is_in(&["existing", "applied", "released", "shipped", "exists", "exist"])
                && found.verb != word.lower
        };
        let mut is_existing = clause.iter().any(is_state)
            || [
                "once merged",
                "once applied",
                "once released",
                "once shipped",
                "once committed",
                "after the merge",
            ]
            .iter()
            .any(|phrase| has_phrase(clause, phrase));
        if named.is_empty() {
            let is_of_files = context.last.iter().any(|name| name.text.contains('/') || is_file(&name.text));
            let has_pronoun = stated.iter().any(|word| word.is_in(tables::PRONOUN))
                || stated.iter().all(|word| {
                    word.is_in(tables::ADJECTIVE)
                        || word.is_in(tables::FILLER)
                        || word.is(",")
                        || word.is_in(tables::ACTOR)
                        || (is_of_files && word.is_in(tables::ABOUT_FILES))
                        || word.is_in(&[
                            "in",
                            "is",
                            "so",
                            "and",
                            "yet",
                            "particular",
                            "back",
                            "by",
                            "hand",
                            "which",
                            "that",
                            "exists",
                            "exist",
                            "already",
                            "migration",
                        ])
                });
            if has_pronoun && !(is_of_packages && found.is_object && !places.within.is_empty()) {
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
        if stated.iter().any(|word| word.is_in(&["image", "images"])) {
            // "Images from `acme/` are banned"
            let own = named.iter_mut().filter(|name| name.is_code && name.noun.is_empty());
            own.for_each(|name| "images".clone_into(&mut name.noun));
        }
        context.is_existing = is_existing;
        let is_existing = is_existing && !named.iter().any(|name| name.is_new);
        if is_protective && tables::FILE_VERB.contains(&verb) {
            keep_files(&mut named, &verb);
        }
        let (is_vague, named_any) = (verb == UNKNOWN_VERB, !named.is_empty());
        let ban = Ban { names: named, scope: places, verb, instead: None, is_existing };
        self.forbid_in(ban, context);
        let is_next = tail.first().is_none_or(|word| word.is_in(&[",", "and", "so", "but", ":"]));
        if is_vague && found.is_object && named_any {
            // "Do not treat X as something to remove"
            self.leave_unclear(context);
            if !is_next {
                return;
            }
        }
        // Another sentence may follow: "… is out, so no new code on it".
        let after = if found.is_object { tail } else { behind };
        if let Some(others) = as_well(after) {
            // "X must not be used, and neither must Y."
            self.forbid_as_well(others, context);
            return;
        }
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
        } else if (says_same(&after) || after.len() <= 6 && after.last().is_some_and(|word| word.is("too")))
            && predicate(&after).is_none()
        {
            self.forbid_as_well(&after, context);
        } else if predicate(&after).is_some_and(|next| is_coordinated(&after, &next)) {
            // "X is removed from Y and must not be used" is about X.
        } else if after.first().is_some_and(|word| word.is_in(&["which", "that", "who", "whose"])) {
            // "Code which `x` rejects" is about the code.
            self.leave_unclear(context);
        } else if predicate(&after).is_some_and(|next| !next.is_permit) && after.len() < clause.len() {
            self.clause(&after, context);
        } else if after.len() < clause.len() {
            let parts = after.split(|word| word.is(",")).filter(|part| is_permit(part));
            parts.for_each(|part| self.except_part(part, context.start));
        }
    }
}

/// Returns the end of the rest of a predicate at the beginning of the words behind its object: "may appear in `a/`".
fn predicate_end(tail: &[Word]) -> usize {
    let is_verbal = |word: &Word| word.is_in(tables::BE) || word.is_in(tables::AUXILIARY);
    let is_rest =
        tail.first().is_some_and(is_verbal) && !tail.iter().take(2).any(|word| word.is_in(tables::NEGATION));
    let is_end = |word: &Word| word.is_in(&[",", ";", ":", "but", "because", "since", "so", "until", "as"]);
    if is_rest { tail.iter().position(is_end).unwrap_or(tail.len()) } else { 0 }
}

/// Whether a predicate has no subject of its own: the words before it only end the predicate before.
fn is_coordinated(words: &[Word], found: &Predicate) -> bool {
    let is_link = found.start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| word.is("and"));
    is_link
        && !found.is_object
        && words.first().is_some_and(|word| word.is_in(&["from", "by", "in", "for", "since"]))
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
    let is_list = rest.iter().any(|word| word.is_in(&["or", "and", "nor", "but", "not"]));
    let fits = !is_list
        && is_plain(first)
        && is_program
        && (1..=3).contains(&rest.len())
        && rest.iter().all(is_plain);
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
