//! Packs: named sets of rules about one program or service, with a severity and with examples.
//!
//! A rule of a pack has the conditions of a [rule](crate::rules), so it sees a command behind wrappers and in every spelling.
//! Its severity selects its action: `critical` denies, `high` and `medium` ask. A pack never allows a call. A call whose
//! commands cannot be known before it runs is asked about, whatever the packs are. A path that cannot be known matches no
//! rule of a pack: guards and rules about paths judge it.
//!
//! Rules are found by the programs of a call. A pack about other programs costs one look-up for each program that a command
//! starts.
//!
//! ```
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::packs::{PackConfig, Packs};
//! use serde_json::json;
//!
//! let pack: PackConfig = serde_json::from_value(json!({
//!     "name": "team",
//!     "idle": ["--help"],
//!     "rules": [{"name": "deploy", "severity": "critical", "commands": ["deployctl promote"], "reason": "it is live then"}],
//! }))?;
//! let packs = Packs::new(&[pack], &CallReader::default())?;
//! let judge = |command: &str| {
//!     let event = PreToolUse::new("bash", json!({ "command": command }));
//!     packs.judge(&HookRequest::new(HookContext::default(), event))
//! };
//! let denied = judge("sudo -E deployctl promote api");
//! assert_eq!(denied.strength(), Strength::Deny);
//! assert_eq!(denied.reasons()[0].message, "pack `team`, rule `deploy`: it is live then");
//! assert_eq!(judge("deployctl promote --help").strength(), Strength::NoOpinion);
//! assert_eq!(judge("$TOOL promote").strength(), Strength::Ask);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Strength, Verdict};
use hooks_facts::calls::CallReader;

pub use self::config::{PackAction, PackConfig, PackEntry, PackExample, PackRuleConfig, PackUse, Severity};
use crate::config::{RuleAction, RuleConfig};
use crate::rules::{Rules, example_request};

pub(crate) const NAME: &str = "packs";

/// Rules of packs; see the [module](self) for an example.
#[derive(Clone, Debug)]
pub struct Packs {
    reader: CallReader,
    rules: Rules,
}

/// Rules of packs in front of an inner hook.
pub type PacksLayer = PolicyLayer<Arc<Packs>>;

impl Packs {
    /// Creates the rules of packs about calls as `reader` reads them. Examples are not tried; [`check_examples`] does so.
    ///
    /// # Errors
    /// Returns an error for each name and pattern that cannot be used.
    pub fn new(packs: &[PackConfig], reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let packs = Self::compile(packs, reader, &mut errors);
        errors.or(packs)
    }

    /// Wraps the packs in a layer.
    pub fn layer(self) -> PacksLayer {
        PolicyLayer::new(Arc::new(self))
    }

    pub(crate) fn compile(packs: &[PackConfig], reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let mut configs = Vec::new();
        let mut places = Vec::new();
        for (number, pack) in packs.iter().enumerate() {
            if packs.iter().take(number).any(|earlier| earlier.name == pack.name) {
                let problem = format!("the pack `{}` is used twice", pack.name);
                errors.push(format!("packs.{}", pack.name), problem, "use it once, or give one another name");
            }
            check_names(pack, errors);
            for rule in &pack.rules {
                places.push(format!("packs.{}.{}", pack.name, rule.name));
                configs.push(pack.rule(rule));
            }
        }
        let mut own = PolicyErrors::default();
        let rules = Rules::of_packs(configs, reader, &mut own);
        for error in own {
            // `rules[3].commands[0]` is a field of the fourth rule.
            let rest = error.field.strip_prefix("rules[").and_then(|rest| rest.split_once(']'));
            let place =
                rest.and_then(|(at, rest)| Some(format!("{}{rest}", places.get(at.parse::<usize>().ok()?)?)));
            errors.push(place.unwrap_or(error.field), error.problem, error.hint);
        }
        Self { reader: reader.clone(), rules }
    }
}

impl Policy<PreToolUse> for Packs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let mut verdict = self.rules.judge(request);
        let call = self.reader.read(request);
        if verdict.strength() < Strength::Ask && call.kind().runs_commands() && call.commands().has_unknown()
        {
            let message =
                "a program or word of this call is not known before it runs, so the packs cannot be checked";
            let reason = Reason::new(NAME, "unknown-command", message)
                .instead("write the program and its words out")
                .unless("leave `packs` out");
            verdict.merge(Verdict::ask(reason));
        }
        verdict
    }
}

impl PackConfig {
    /// Returns a rule of the pack as a rule of its own.
    fn rule(&self, rule: &PackRuleConfig) -> RuleConfig {
        RuleConfig {
            name: format!("{}/{}", self.name, rule.name),
            action: match rule.action() {
                PackAction::Deny => RuleAction::Deny,
                PackAction::Ask => RuleAction::Ask,
            },
            tools: rule.tools.clone(),
            commands: rule.commands.iter().map(|command| self.without_idle(command)).collect(),
            reads: rule.reads.clone(),
            writes: rule.writes.clone(),
            reason: Some(rule.reason.clone()),
            ..RuleConfig::default()
        }
    }

    /// Returns a command pattern that matches no command with an option of `idle`.
    fn without_idle(&self, command: &str) -> String {
        let idle: String = self.idle.iter().map(|option| format!(" !{option}")).collect();
        let parts: Vec<_> = command.split(" => ").map(|part| format!("{part}{idle}")).collect();
        parts.join(" => ")
    }
}

/// Reports names and conditions that are missing.
fn check_names(pack: &PackConfig, errors: &mut PolicyErrors) {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let hint = "write letters, digits and dashes";
    if !is_name(&pack.name) {
        errors.push(
            format!("packs.{}", pack.name),
            format!("`{}` is not the name of a pack", pack.name),
            hint,
        );
    }
    for (at, rule) in pack.rules.iter().enumerate() {
        let field = format!("packs.{}.{}", pack.name, rule.name);
        if !is_name(&rule.name) {
            errors.push(field.as_str(), format!("`{}` is not the name of a rule", rule.name), hint);
        }
        if pack.rules.iter().take(at).any(|earlier| earlier.name == rule.name) {
            errors.push(field.as_str(), "an earlier rule has this name", "give each rule a name of its own");
        }
        let lists = [&rule.tools, &rule.commands, &rule.reads, &rule.writes];
        if lists.iter().all(|list| list.is_empty()) {
            let problem = "the rule has no condition, so it would match each call";
            errors.push(field.as_str(), problem, "write `commands`, `reads`, `writes` or `tools`");
        }
    }
    let is_word =
        |word: &str| !word.is_empty() && !word.contains(char::is_whitespace) && !word.starts_with('!');
    for (at, option) in pack.idle.iter().enumerate().filter(|(_, option)| !is_word(option)) {
        let problem = format!("`{option}` is not an option or a word");
        errors.push(format!("packs.{}.idle[{at}]", pack.name), problem, "write one such as `--dry-run`");
    }
}

/// Tries the examples of packs: each against its rule alone, on an empty disk. Reports those that contradict it.
///
/// ```
/// use hooks_core::PolicyErrors;
/// use hooks_facts::calls::CallReader;
/// use hooks_policies::packs::{PackConfig, check_examples};
/// use serde_json::json;
///
/// let pack: PackConfig = serde_json::from_value(json!({
///     "name": "team",
///     "rules": [{
///         "name": "deploy", "severity": "high", "reason": "x", "commands": ["deployctl promote"],
///         "match": ["deployctl status"],
///     }],
/// }))?;
/// let mut errors = PolicyErrors::default();
/// check_examples(&[pack], &CallReader::default(), &mut errors);
/// assert_eq!(errors.as_slice()[0].field, "packs.team.deploy.match[0]");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn check_examples(packs: &[PackConfig], reader: &CallReader, errors: &mut PolicyErrors) {
    for pack in packs {
        for rule in &pack.rules {
            let alone = PackConfig { rules: vec![rule.clone()], ..pack.clone() };
            let alone = Packs::compile(&[alone], reader, &mut PolicyErrors::default());
            let field = format!("packs.{}.{}", pack.name, rule.name);
            for (at, example) in rule.matches.iter().enumerate().filter(|(_, one)| !alone.matches(one)) {
                let problem = format!("the rule does not match {}", shown(example));
                errors.push(
                    format!("{field}.match[{at}]"),
                    problem,
                    "widen the rule, or correct the example",
                );
            }
            for (at, example) in rule.no_match.iter().enumerate().filter(|(_, one)| alone.matches(one)) {
                let problem = format!("the rule matches {}", shown(example));
                errors.push(
                    format!("{field}.no_match[{at}]"),
                    problem,
                    "narrow the rule, or correct the example",
                );
            }
        }
    }
}

fn shown(example: &PackExample) -> String {
    match example {
        PackExample::Command(command) => format!("`{command}`"),
        PackExample::Call(call) => format!("this call of `{}`", call.tool),
    }
}

impl Packs {
    /// Returns whether a rule matches an example.
    pub fn matches(&self, example: &PackExample) -> bool {
        let request = example_request(&example.call(), HookContext::new("example", "agent"), &self.reader);
        self.rules.judge(&request).strength() > Strength::NoOpinion
    }
}

#[cfg(test)]
mod tests;
