//! Policy that applies the rules.

use std::collections::HashSet;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyErrors, PolicyLayer, Verdict};
use hooks_facts::calls::{Call, CallReader, CommandMatch, NamedPath};
use hooks_facts::globs;

use super::changes::{ConditionMatch, ReadChanges};
use super::examples;
use super::further::FurtherConditions;
use super::index::{ByAction, Index, PathRules};
use super::rule::Rule;
use crate::config::{RuleAction, RuleConfig};

pub(super) const NAME: &str = "rules";

/// Most rules that the reasons of one judgement name.
const MOST_NAMED: usize = 8;

/// Custom rules; see the [module](super) for an example.
#[derive(Clone, Debug)]
pub struct Rules {
    reader: CallReader,
    rules: Vec<Rule>,
    index: Index,
}

/// Rules in front of an inner hook.
pub type RulesLayer = PolicyLayer<Arc<Rules>>;

/// Rule that matches, and the part of the call that it matches.
struct Hit<'a> {
    rule: usize,
    on: On<'a>,
}

enum On<'a> {
    Call,
    Path(&'a NamedPath, &'a str),
    /// Path or command that cannot be known before the call runs.
    Unknown(&'a str),
}

impl Rules {
    /// Creates rules about calls as `reader` reads them.
    ///
    /// # Errors
    /// Returns an error for each name, pattern and command that cannot be used, and for each example that
    /// contradicts its rule.
    ///
    /// An example in a rule that the rule does not match is an error of the configuration, as is an unusable name:
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_policies::Rules;
    /// use hooks_policies::config::RuleConfig;
    /// use serde_json::json;
    ///
    /// let rule: RuleConfig = serde_json::from_value(json!({
    ///     "name": "no-publish",
    ///     "commands": ["npm publish"],
    ///     "match": [{"tool": "bash", "args": {"command": "npm run publish"}}],
    /// }))?;
    /// let errors = Rules::new(&[rule], &CallReader::default()).expect_err("`npm run` publishes nothing");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`rules[0].match[0]`: the rule does not match this call; widen the rule, or correct the example",
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(rules: &[RuleConfig], reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let rules = Self::compile(rules, reader, None, &mut errors);
        errors.or(rules)
    }

    /// Wraps the rules in a layer.
    pub fn layer(self) -> RulesLayer {
        PolicyLayer::new(Arc::new(self))
    }

    pub(crate) fn compile(
        configs: &[RuleConfig],
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let before = errors.as_slice().len();
        let mut names = HashSet::new();
        for (index, config) in configs.iter().enumerate() {
            if !names.insert(&config.name) {
                let problem = format!("`{}` is the name of an earlier rule", config.name);
                errors.push(format!("rules[{index}].name"), problem, "give each rule a name of its own");
            }
        }
        let compiled = Self::unchecked(configs, reader, changes, errors);
        if errors.as_slice().len() == before {
            examples::check(configs, reader, changes, errors);
        }
        compiled
    }

    /// Compiles rules without checking their examples.
    pub(super) fn unchecked(
        configs: &[RuleConfig],
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let rules = configs
            .iter()
            .enumerate()
            .map(|(index, config)| Rule::compile(config, index, reader, changes, errors))
            .collect();
        Self { reader: reader.clone(), rules, index: Index::new(configs, reader) }
    }

    /// Returns the first rule of each action that matches a call.
    fn hits<'r>(&self, call: Call<'r>) -> ByAction<Option<Hit<'r>>> {
        let mut hits = ByAction::default();
        let event = call.request().event();
        self.index.visit(&event.tool_name, &call.request().context().agent_name, |bucket| {
            for (hit, plain) in [
                (&mut hits.deny, bucket.plain.deny),
                (&mut hits.ask, bucket.plain.ask),
                (&mut hits.allow, bucket.plain.allow),
            ] {
                keep(hit, plain.map(|rule| Hit { rule, on: On::Call }));
            }
            keep(&mut hits.deny, some_path(call, &bucket.paths.deny));
            keep(&mut hits.ask, some_path(call, &bucket.paths.ask));
            keep(&mut hits.allow, every_path(call, &bucket.paths.allow));
            for number in &bucket.one_by_one {
                let Some(rule) = self.rules.get(*number) else { continue };
                let found = match &rule.further {
                    Some(further) => by_further(call, *number, rule, further),
                    None => by_command(call, *number, rule),
                };
                match rule.action {
                    RuleAction::Deny => keep(&mut hits.deny, found),
                    RuleAction::Ask => keep(&mut hits.ask, found),
                    RuleAction::Allow => keep(&mut hits.allow, found),
                }
            }
        });
        hits
    }
}

impl Rules {
    /// Returns further rules with an action that match a call, in their order. They are only looked for once a rule
    /// with that action decides.
    fn others<'r>(&self, call: Call<'r>, action: RuleAction, first: usize) -> Vec<Hit<'r>> {
        let event = call.request().event();
        let mut numbers = Vec::new();
        self.index.visit(&event.tool_name, &call.request().context().agent_name, |bucket| {
            numbers.extend(bucket.all.get(action).iter().filter(|number| **number > first));
        });
        numbers.sort_unstable();
        numbers.dedup();
        let hits = numbers.into_iter().filter_map(|number| self.hit(call, number));
        hits.take(MOST_NAMED.saturating_sub(1)).collect()
    }

    /// Returns whether one rule of the call's tool and agent matches a call.
    fn hit<'r>(&self, call: Call<'r>, number: usize) -> Option<Hit<'r>> {
        let rule = self.rules.get(number)?;
        match rule.action {
            _ if let Some(further) = &rule.further => by_further(call, number, rule, further),
            _ if rule.has_commands() => by_command(call, number, rule),
            _ if rule.paths.is_empty() => Some(Hit { rule: number, on: On::Call }),
            RuleAction::Allow => every_path(call, &rule.paths),
            // A path that cannot be known is the same for each rule; the first one has it.
            RuleAction::Deny | RuleAction::Ask => {
                some_path(call, &rule.paths).filter(|hit| !matches!(hit.on, On::Unknown(_)))
            }
        }
    }

    /// Returns the judgement of a rule that matches a call.
    fn verdict(&self, tool: &str, hit: &Hit<'_>) -> Option<Verdict> {
        let rule = self.rules.get(hit.rule)?;
        let name = &rule.name;
        let text = || match hit.on {
            On::Call => format!("the rule `{name}` is about this call of `{tool}`"),
            On::Path(place, _) => format!("the rule `{name}` is about `{}`", place.given),
            On::Unknown(_) => {
                format!("whether the rule `{name}` applies to this call of `{tool}` is unknown")
            }
        };
        Some(rule.verdict(text, |reason| {
            match hit.on {
                On::Call => reason,
                On::Path(place, reading) => reason
                    .on(&*place.pointer)
                    .because(Evidence::Path { given: place.given.clone(), resolved: globs::shown(reading) }),
                On::Unknown("") => reason,
                On::Unknown(pointer) => reason.on(pointer),
            }
        }))
    }
}

impl Policy<PreToolUse> for Rules {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        let ByAction { deny, ask, allow } = self.hits(call);
        let Some(first) = deny.or(ask).or(allow) else { return Verdict::NO_OPINION };
        let tool = &request.event().tool_name;
        let Some(mut verdict) = self.verdict(tool, &first) else { return Verdict::NO_OPINION };
        let Some(action) = self.rules.get(first.rule).map(|rule| rule.action) else { return verdict };
        for other in self.others(call, action, first.rule) {
            if let Some(other) = self.verdict(tool, &other) {
                verdict.merge(other);
            }
        }
        verdict
    }
}

/// Keeps the rule that comes first.
fn keep<'a>(kept: &mut Option<Hit<'a>>, found: Option<Hit<'a>>) {
    if let Some(found) = found
        && kept.as_ref().is_none_or(|kept| found.rule < kept.rule)
    {
        *kept = Some(found);
    }
}

/// Returns a rule that matches some path of a call, or a path that cannot be known.
fn some_path<'r>(call: Call<'r>, rules: &PathRules) -> Option<Hit<'r>> {
    let first = rules.first()?;
    let places = call.places();
    if let Some(pointer) = places.unusable.first().or(places.unknown.first()) {
        return Some(Hit { rule: first, on: On::Unknown(pointer) });
    }
    let mut best = None;
    for place in places.found.iter().chain(&places.partial).filter(|place| !place.is_nameless) {
        let Some(known) = place.known(call) else {
            return Some(Hit { rule: first, on: On::Unknown(&place.pointer) });
        };
        for reading in known.below_root() {
            let ignores_case = call.ignores_case();
            let found = if place.is_partial() {
                rules.meets(reading, ignores_case)
            } else {
                rules.find(reading, ignores_case)
            };
            keep(&mut best, found.map(|rule| Hit { rule, on: On::Path(place, reading) }));
        }
    }
    best
}

/// Returns the first of the rules that together match every path of a call.
fn every_path<'r>(call: Call<'r>, rules: &PathRules) -> Option<Hit<'r>> {
    rules.first()?;
    let places = call.places();
    let unknown = !places.unusable.is_empty() || !places.unknown.is_empty() || !places.partial.is_empty();
    if places.found.is_empty() || unknown {
        return None;
    }
    let mut best = None;
    for place in &places.found {
        for reading in &place.resolution.as_ref().ok()?.readings {
            let rule = rules.find(&reading.path, call.ignores_case())?;
            keep(&mut best, Some(Hit { rule, on: On::Path(place, &reading.path) }));
        }
    }
    best
}

/// Returns whether a rule with further conditions matches a call.
fn by_further<'r>(
    call: Call<'r>,
    number: usize,
    rule: &Rule,
    further: &FurtherConditions,
) -> Option<Hit<'r>> {
    let found = further.compare(call);
    if found == ConditionMatch::Other
        || (found == ConditionMatch::Unknown && rule.action == RuleAction::Allow)
    {
        return None;
    }
    let hit = match rule.action {
        _ if rule.has_commands() => by_command(call, number, rule),
        _ if rule.paths.is_empty() => Some(Hit { rule: number, on: On::Call }),
        RuleAction::Allow => every_path(call, &rule.paths),
        RuleAction::Deny | RuleAction::Ask => some_path(call, &rule.paths),
    }?;
    let on = if found == ConditionMatch::Unknown { On::Unknown("") } else { hit.on };
    Some(Hit { rule: number, on })
}

/// Returns whether a rule with commands matches a call.
fn by_command<'r>(call: Call<'r>, number: usize, rule: &Rule) -> Option<Hit<'r>> {
    let commands = call.commands();
    let on = match rule.compare_commands(commands) {
        CommandMatch::Other => return None,
        CommandMatch::Unknown if rule.action == RuleAction::Allow => return None,
        CommandMatch::Unknown => On::Unknown(commands.found.first().map_or("", |command| &command.pointer)),
        CommandMatch::Same => On::Call,
    };
    let has_paths = || match rule.action {
        RuleAction::Allow => rule.paths.patterns().match_all(call),
        RuleAction::Deny | RuleAction::Ask => rule.paths.patterns().may_match(call),
    };
    (rule.paths.is_empty() || has_paths()).then_some(Hit { rule: number, on })
}
