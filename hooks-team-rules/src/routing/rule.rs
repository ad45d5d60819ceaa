//! One rule about routes.

use hooks_core::event::{Priority, Route};
use hooks_core::{PolicyErrors, Reason};
use hooks_facts::names;

use super::NAME;
use super::config::{RouteAction, RouteRuleConfig};
use crate::agents::is_like;

/// A compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) action: RouteAction,
    from: Vec<String>,
    to: Vec<String>,
    words: Vec<Vec<String>>,
    priorities: (Option<Priority>, Option<Priority>),
    requires: Vec<String>,
    pub(super) instead: Vec<String>,
    reason: Option<String>,
}

impl Rule {
    /// Compiles the rule at `field`, and reports its mistakes.
    pub(super) fn compile(field: &str, config: &RouteRuleConfig, errors: &mut PolicyErrors) -> Self {
        if config.name.trim().is_empty() {
            errors.push(format!("{field}.name"), "it is empty", "name the rule; reasons give its name");
        }
        for (list, names) in [
            ("from", &config.from),
            ("to", &config.to),
            ("requires", &config.requires),
            ("instead", &config.instead),
        ] {
            for (index, _) in names.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
                errors.push(
                    format!("{field}.{list}[{index}]"),
                    "the name is empty",
                    "write a name, or leave it out",
                );
            }
        }
        for (index, name) in config.instead.iter().enumerate().filter(|(_, name)| name.contains('*')) {
            let problem = format!("`{name}` is not a single agent");
            errors.push(format!("{field}.instead[{index}]"), problem, "name one agent for each item");
        }
        let words: Vec<_> = config.words.iter().map(|phrase| tokens(phrase)).collect();
        for (index, _) in words.iter().enumerate().filter(|(_, words)| words.is_empty()) {
            errors.push(format!("{field}.words[{index}]"), "it has no word", "write a word or phrase");
        }
        if let (Some(least), Some(most)) = (config.at_least, config.at_most)
            && least > most
        {
            errors.push(
                format!("{field}.at_least"),
                "no task has such a priority",
                "write one up to `at_most`",
            );
        }
        if config.action == RouteAction::Allow && !config.instead.is_empty() {
            errors.push(
                format!("{field}.instead"),
                "a rule that allows changes no target",
                "leave it out, or deny",
            );
        }
        Self {
            name: config.name.clone(),
            action: config.action,
            from: config.from.clone(),
            to: config.to.clone(),
            words,
            priorities: (config.at_least, config.at_most),
            requires: config.requires.iter().map(|one| names::folded(one).into_owned()).collect(),
            instead: config.instead.clone(),
            reason: config.reason.clone(),
        }
    }

    /// Returns whether the rule is about a task of `from` for `target`, whatever it can do.
    pub(super) fn is_about(&self, from: &str, target: &str, route: &Route) -> bool {
        let is_one = |patterns: &[String], name: &str| {
            patterns.is_empty() || patterns.iter().any(|one| is_like(one, name))
        };
        let (least, most) = self.priorities;
        is_one(&self.from, from)
            && is_one(&self.to, target)
            && least.is_none_or(|least| route.priority >= least)
            && most.is_none_or(|most| route.priority <= most)
            && (self.words.is_empty() || self.has_words(route))
    }

    /// Returns the first capability that the rule requires and `has` does not confirm.
    pub(super) fn lacks(&self, has: impl Fn(&str) -> bool) -> Option<&str> {
        self.requires.iter().map(String::as_str).find(|needed| !has(needed))
    }

    pub(super) fn requires_something(&self) -> bool {
        !self.requires.is_empty()
    }

    /// Returns the reason to deny the task for `target`, which lacks a required capability if there is one.
    pub(super) fn denial(&self, from: &str, target: &str, lacks: Option<&str>) -> Reason {
        let who =
            if from.trim().is_empty() { "an agent without a name".to_owned() } else { format!("`{from}`") };
        let reason = match (&self.reason, lacks) {
            (Some(own), _) => Reason::new(NAME, self.name.clone(), own.as_str()).by_operator(),
            (None, Some(lacks)) => {
                let message =
                    format!("the rule `{}` requires `{lacks}`, which `{target}` does not have", self.name);
                Reason::new(NAME, self.name.clone(), message)
            }
            (None, None) => {
                let message =
                    format!("{who} may not route this task to `{target}` by the rule `{}`", self.name);
                Reason::new(NAME, self.name.clone(), message)
            }
        };
        let reason = reason.unless(format!("change or remove the rule `{}` in `routes.rules`", self.name));
        reason.instead(match lacks {
            Some(lacks) => format!("choose an agent that can do `{lacks}`"),
            None => "choose another agent, or do it yourself".to_owned(),
        })
    }

    fn has_words(&self, route: &Route) -> bool {
        let text = [Some(route.task.as_str()), route.context.as_deref()];
        let texts: Vec<_> = text.into_iter().flatten().map(tokens).collect();
        let is_in = |phrase: &Vec<String>| {
            texts.iter().any(|text| text.windows(phrase.len()).any(|part| part == phrase))
        };
        self.words.iter().any(is_in)
    }
}

/// Returns the words of a text in lower case.
fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect()
}
