//! One compiled rule.

use hooks_core::{PolicyErrors, Reason, Verdict};
use hooks_facts::calls::{CallReader, CommandMatch, ParsedCommands, PathPatterns, command_patterns};
use hooks_facts::commands::BlockedPattern;

use super::changes::ReadChanges;
use super::further::{FurtherConditions, has_further};
use super::index::PathRules;
use crate::config::{RuleAction, RuleConfig};

/// Compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) action: RuleAction,
    pub(super) paths: PathRules,
    commands: Vec<BlockedPattern>,
    /// Conditions that are compared rule by rule; `None` if the rule has none.
    pub(super) further: Option<FurtherConditions>,
    reason: Option<String>,
}

impl Rule {
    pub(super) fn compile(
        config: &RuleConfig,
        index: usize,
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        if config.name.trim().is_empty() {
            errors.push(
                format!("rules[{index}].name"),
                "it is empty",
                "name the rule; reasons give its name",
            );
        }
        for (list, names) in [("tools", &config.tools), ("agents", &config.agents)] {
            for (at, name) in names.iter().enumerate() {
                let star = list == "agents" && name.contains('*');
                if name.trim().is_empty() || star {
                    let problem = format!("`{name}` is not a name");
                    let hint = "write a name; that of a tool may have `*` in it";
                    errors.push(format!("rules[{index}].{list}[{at}]"), problem, hint);
                }
            }
        }
        let paths = PathPatterns::compile(&config.paths, &format!("rules[{index}].paths"), reader, errors);
        let commands = command_patterns(&config.commands, &format!("rules[{index}].commands"), errors);
        Self {
            name: config.name.clone(),
            action: config.action,
            paths: PathRules::single(index, paths),
            commands,
            further: has_further(config)
                .then(|| FurtherConditions::compile(config, index, reader, changes, errors)),
            reason: config.reason.clone(),
        }
    }

    pub(super) fn has_commands(&self) -> bool {
        !self.commands.is_empty()
    }

    /// Compares a call's commands with the rule's. For a rule that allows, the call must run no other
    /// command.
    pub(super) fn compare_commands(&self, commands: &ParsedCommands) -> CommandMatch {
        match self.action {
            RuleAction::Allow => CommandMatch::only(&self.commands, commands),
            RuleAction::Deny | RuleAction::Ask => CommandMatch::any(&self.commands, commands),
        }
    }

    /// Returns the rule's judgement, with its own reason or the text of `otherwise`.
    pub(super) fn verdict(
        &self,
        otherwise: impl FnOnce() -> String,
        fill: impl FnOnce(Reason) -> Reason,
    ) -> Verdict {
        let reason = match &self.reason {
            Some(own) => Reason::new(super::policy::NAME, self.name.clone(), own.as_str()).by_operator(),
            None => Reason::new(super::policy::NAME, self.name.clone(), otherwise()),
        };
        let reason = fill(reason).unless(format!("change or remove the rule `{}`", self.name));
        match self.action {
            RuleAction::Deny => Verdict::deny(reason),
            RuleAction::Ask => Verdict::ask(reason),
            RuleAction::Allow => Verdict::allow(reason),
        }
    }
}
