//! Adds what a clause forbids as rules, and what it permits as their exceptions.

use super::super::manifest::Manifest;
use super::super::names::{Name, Use, is_file, is_path, names};
use super::super::rule::DecisionRule;
use super::super::scope::{self, Scope};
use super::super::tables;
use super::super::words::Word;
use super::negation::UNKNOWN_VERB;
use super::permit::{is_back, is_permit};
use super::{Ban, Context, Reading};

impl Reading {
    pub(super) fn forbid_named(
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

    pub(super) fn forbid_in(&mut self, ban: Ban, context: &mut Context) {
        self.forbid(&ban);
        if !ban.names.is_empty() {
            context.last = ban.names;
        }
    }

    /// Adds the rules of a sentence.
    pub(super) fn forbid(&mut self, ban: &Ban) {
        let is_call_concept = |name: &Name| {
            tables::concept(&name.text.to_lowercase()).is_some_and(|known| known.patterns.starts_with("CALL"))
        };
        let is_call = ban.names.iter().any(|name| name.text.contains("()") || is_call_concept(name))
            || ["call", "called", "invoked"].contains(&ban.verb.as_str())
            || ["committed", "commit", "reach"].contains(&ban.verb.as_str())
                && ban.names.iter().any(|name| name.text.contains('.') || name.text.contains('('));
        let usage = Use { verb: ban.verb.clone(), is_call, is_existing: ban.is_existing };
        let is_idle = (tables::IDLE_VERB.contains(&ban.verb) || ban.verb == UNKNOWN_VERB)
            && !tables::FILE_VERB.contains(&ban.verb);
        // "Do not remove X" does not forbid to add it.
        let is_removal = ["remove", "delete", "uninstall"].contains(&ban.verb.as_str());
        let is_meant = |name: &&Name| match is_file(&name.text) || name.text.contains(['/', '*', '.', ' ']) {
            true => name.is_code || !is_idle || is_file(&name.text),
            false => name.is_code || !is_removal && !is_idle,
        };
        // "Do not wrap `x` twice" may well want it: an unknown verb is about files at most.
        let is_vague = ban.verb == UNKNOWN_VERB;
        let is_known = |name: &&Name| !is_vague || is_path(&Word::new(&name.text, name.is_code));
        self.is_unclear |= is_vague && !ban.names.is_empty();
        for name in ban.names.iter().filter(is_meant).filter(is_known) {
            let mut rule = DecisionRule {
                within: ban.scope.within.clone(),
                except: ban.scope.except.clone(),
                with: ban.scope.with.clone(),
                instead: ban.instead.clone(),
                ..DecisionRule::default()
            };
            if name.forbid_in(&mut rule, &usage) && !rule.forbids_nothing() {
                rule.drop_own_language();
                dedup(&mut rule);
                // "Not in our package.json" is not about a place.
                let is_manifest = |glob: &String| Manifest::at_path(glob).is_some();
                if !rule.packages.is_empty()
                    && rule.content.is_empty()
                    && !rule.within.is_empty()
                    && rule.within.iter().all(is_manifest)
                {
                    rule.within.clear();
                }
                if !self.rules.contains(&rule) {
                    self.rules.push(rule);
                }
            } else {
                self.is_unclear = true;
            }
        }
    }

    /// Forbids everyone to do to files what only some may do.
    pub(super) fn forbid_to_all(&mut self, verb: &str, files: Vec<String>, context: &mut Context) {
        let named =
            files.into_iter().map(|text| Name { text, is_code: true, noun: String::new(), is_new: false });
        self.forbid_named(named.collect(), Scope::default(), verb, None, context);
    }

    /// Adds places as exceptions to the rules from `start`.
    pub(super) fn except_places(&mut self, globs: &[String], start: usize) {
        for rule in self.rules.get_mut(start..).unwrap_or_default() {
            let own = globs.iter().filter(|glob| !rule.within.contains(glob) && !rule.except.contains(glob));
            let own: Vec<String> = own.cloned().collect();
            rule.except.extend(own);
        }
    }

    /// Adds what a sentence permits as exceptions to the rules from `start`; names are reported, since earlier
    /// decisions may forbid them.
    pub(super) fn except(&mut self, words: &[Word], start: usize) {
        self.except_part(words, start);
        let (globs, is_own) = (scope::all(words), self.rules.len() > start);
        if is_permit(words) && !globs.is_empty() && !is_own {
            let named = names(&scope::scope(words).1).into_iter().map(|name| name.text);
            self.allows.extend(named.map(|name| (name, globs.clone())));
        }
        if scope::all(words).is_empty() && is_back(words) {
            // "SOAP with `zeep` is allowed again" permits both.
            let parts = words.split(|word| word.is_in(&["with", "through", "using"]));
            let again = [
                "again",
                "back",
                "longer",
                "anymore",
                "more",
                "now",
                "unbanned",
                "rehabilitated",
                "reinstated",
            ];
            let is_again = words.iter().any(|word| word.is_in(&again));
            // "`x` with an option is fine" behind the ban of `x` does not take it away.
            let own: Vec<String> = parts.flat_map(names).map(|name| name.text).collect();
            let lifted = own.into_iter().filter(|name| is_again || !self.forbids_since(name, start));
            let lifted: Vec<String> = lifted.collect();
            self.permits.extend(lifted);
        }
    }

    /// Whether a rule from `start` on forbids `name`.
    fn forbids_since(&self, name: &str, start: usize) -> bool {
        let own = self.rules.get(start..).unwrap_or_default();
        own.iter().any(|rule| {
            let mut named =
                rule.packages.iter().chain(&rule.commands).chain(&rule.calls).chain(&rule.content);
            named.any(|own| own.eq_ignore_ascii_case(name))
        })
    }

    /// The same for a part of a sentence that forbids something, so that it lifts no other decision.
    pub(super) fn except_part(&mut self, words: &[Word], start: usize) {
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
    }
}

impl DecisionRule {
    /// Removes the places of a rule for code if they only name the language that the code is in: SQL is in other
    /// files too.
    fn drop_own_language(&mut self) {
        let is_own = |glob: &String| {
            tables::language(glob).is_some_and(|found| self.languages.iter().any(|name| name == found.name))
        };
        let is_code = self.packages.is_empty() && !self.content.is_empty();
        if is_code && self.within.iter().all(is_own) {
            self.within.clear();
        }
    }
}

pub(super) fn dedup(rule: &mut DecisionRule) {
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
