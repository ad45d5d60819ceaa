//! One compiled rule.

use hooks_core::{PolicyErrors, Reason, Verdict};
use hooks_facts::calls::{CallReader, CommandMatch, ParsedCommands, PathPatterns, command_patterns};
use hooks_facts::commands::{Analysis, BlockedPattern, Effect, FoundEffect};

use super::changes::ReadChanges;
use super::further::{FurtherConditions, has_further};
use super::index::PathRules;
use super::policy::NAME;
use crate::config::{RuleAction, RuleConfig};
use crate::packs;

/// Origin of rules, which the reasons name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The section `rules`.
    #[default]
    Rules,
    /// Packs. Commands that cannot be known are judged apart from the rules.
    Packs,
}

/// Compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) action: RuleAction,
    pub(super) paths: PathRules,
    pub(super) reads: PathRules,
    pub(super) writes: PathRules,
    commands: Vec<BlockedPattern>,
    effects: Vec<Effect>,
    /// Conditions that are compared rule by rule; `None` if the rule has none.
    pub(super) further: Option<FurtherConditions>,
    pub(super) reason: Option<String>,
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
        let mut patterns = |list: &[String], name: &str| {
            let field = format!("rules[{index}].{name}");
            let patterns = match config.action {
                RuleAction::Allow => PathPatterns::allowing(list, &field, reader, errors),
                RuleAction::Deny | RuleAction::Ask => PathPatterns::compile(list, &field, reader, errors),
            };
            PathRules::single(index, patterns)
        };
        let paths = patterns(&config.paths, "paths");
        let (reads, writes) = (patterns(&config.reads, "reads"), patterns(&config.writes, "writes"));
        let commands = command_patterns(&config.commands, &format!("rules[{index}].commands"), errors);
        if config.action == RuleAction::Allow && !config.effects.is_empty() {
            let problem = "`effects` cannot allow a call, which may have other effects too";
            errors.push(
                format!("rules[{index}].effects"),
                problem,
                "allow by `tools`, `paths`, `commands` or `args`",
            );
        }
        Self {
            name: config.name.clone(),
            action: config.action,
            paths,
            reads,
            writes,
            commands,
            effects: config.effects.clone(),
            further: has_further(config)
                .then(|| FurtherConditions::compile(config, index, reader, changes, errors)),
            reason: config.reason.clone(),
        }
    }

    /// Returns whether the rule is about what commands run or cause.
    pub(super) fn has_commands(&self) -> bool {
        !self.commands.is_empty() || !self.effects.is_empty()
    }

    /// Returns whether the rule may deny reading a file by a file tool.
    pub(super) fn may_deny_reads(&self) -> bool {
        self.action == RuleAction::Deny && !self.has_commands() && self.writes.is_empty()
    }

    /// Returns the first effect of a call's commands that the rule names.
    pub(super) fn find_effect(&self, commands: &ParsedCommands) -> Option<FoundEffect> {
        let mut found = commands.found.iter().flat_map(|command| command.analysis.effects());
        found.find(|found| self.effects.contains(&found.effect)).cloned()
    }

    /// Returns whether code that a command runs has an effect of the rule.
    pub(super) fn has_effect_in_code(&self, analysis: &Analysis) -> bool {
        analysis.effects().iter().any(|found| found.in_code && self.effects.contains(&found.effect))
    }

    /// Compares a call's commands with the rule's. For a rule that allows, the call must run no other
    /// command.
    pub(super) fn compare_commands(&self, commands: &ParsedCommands) -> CommandMatch {
        if !self.effects.is_empty() && self.find_effect(commands).is_none() {
            // Whether an unknown command has an effect is as unknown as which command it is.
            let unknown = CommandMatch::any(&[], commands) == CommandMatch::Unknown;
            return if unknown { CommandMatch::Unknown } else { CommandMatch::Other };
        }
        if self.commands.is_empty() {
            return CommandMatch::Same;
        }
        match self.action {
            RuleAction::Allow => CommandMatch::only(&self.commands, commands),
            RuleAction::Deny | RuleAction::Ask => CommandMatch::any(&self.commands, commands),
        }
    }

    /// Returns the rule's judgement, with its own reason or the text of `otherwise`.
    pub(super) fn verdict(
        &self,
        origin: Origin,
        otherwise: impl FnOnce() -> String,
        fill: impl FnOnce(Reason) -> Reason,
    ) -> Verdict {
        let name = &self.name;
        let reason = match (origin, &self.reason) {
            (Origin::Packs, _) => {
                let (pack, rule) = name.split_once('/').unwrap_or((name, ""));
                let own = self.reason.as_deref().unwrap_or_default();
                let message = format!("pack `{pack}`, rule `{rule}`: {own}");
                let unless = format!("leave it out with `except: [{rule}]` of the pack `{pack}`");
                fill(Reason::new(packs::NAME, name.clone(), message)).unless(unless)
            }
            (Origin::Rules, own) => {
                let reason = match own {
                    Some(own) => Reason::new(NAME, name.clone(), own.as_str()).by_operator(),
                    None => Reason::new(NAME, name.clone(), otherwise()),
                };
                fill(reason).unless(format!("change or remove the rule `{name}`"))
            }
        };
        match self.action {
            RuleAction::Deny => Verdict::deny(reason),
            RuleAction::Ask => Verdict::ask(reason),
            RuleAction::Allow => Verdict::allow(reason),
        }
    }
}
