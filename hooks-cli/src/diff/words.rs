//! The patterns and names of configurations, from which events are made.

use std::collections::BTreeSet;

use hooks::config::{Config, packs};
use hooks::duration;
use hooks::policies::config::{RuleConfig, RuleExample};
use hooks::policies::packs::PackExample;
use serde_json::{Value, json};

use super::step::Step;

type Texts = BTreeSet<String>;

/// Patterns and names, by what they are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) paths: Texts,
    pub(super) commands: Texts,
    pub(super) tools: Texts,
    pub(super) agents: Texts,
    pub(super) tenants: Texts,
    pub(super) models: Texts,
    /// Kinds of tasks of children.
    pub(super) tasks: Texts,
    /// Words of tasks, and texts of unknown keys.
    pub(super) texts: Texts,
    /// Source text and imports.
    pub(super) sources: Texts,
    pub(super) regexes: Texts,
    pub(super) sets: Texts,
    /// Folders that relative patterns start from.
    pub(super) roots: Texts,
    /// Days and moments at which rules begin.
    pub(super) moments: Texts,
    pub(super) numbers: BTreeSet<u64>,
    /// In milliseconds.
    pub(super) durations: BTreeSet<u64>,
    pub(super) rules: Vec<RuleConfig>,
}

impl Words {
    /// The words of a configuration, whose sections are `written` so.
    pub(super) fn collect(config: &Config, written: &Value) -> Self {
        let policy = config.policy();
        let mut words = Self { rules: policy.rules.clone(), ..Self::default() };
        words.sections(&json!(policy));
        words.sections(written);
        words
    }

    fn sections(&mut self, all: &Value) {
        for (section, value) in all.as_object().into_iter().flatten() {
            self.add(section, "", section, value);
        }
    }

    fn add(&mut self, section: &str, parent: &str, key: &str, value: &Value) {
        match value {
            Value::String(text) => self.add_text(section, parent, key, text),
            Value::Number(number) => self.numbers.extend(number.as_f64().map(whole)),
            Value::Array(items) => items.iter().for_each(|item| self.add(section, parent, key, item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if ["name", "reason", "match", "no_match", "args", "advice"].contains(&&**name)
                        && section != key
                        && !matches!(key, "cheaper" | "roles" | "agents" | "locked" | "patterns" | "tiers")
                    {
                        continue;
                    }
                    if let Some(names) = self.names(section, key) {
                        names.insert(name.clone());
                    }
                    self.add(section, key, name, field);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The names that the keys of a map are.
    fn names(&mut self, section: &str, key: &str) -> Option<&mut Texts> {
        match (section, key) {
            (_, "locked") => Some(&mut self.paths),
            (_, "agents") => Some(&mut self.agents),
            ("tools", "tools") => Some(&mut self.tools),
            (_, "cheaper") => Some(&mut self.models),
            ("tenants", "tenants") => Some(&mut self.tenants),
            _ => None,
        }
    }

    fn add_text(&mut self, section: &str, parent: &str, key: &str, text: &str) {
        if let Ok(duration) = duration::parse(text) {
            self.durations.extend(u64::try_from(duration.as_millis()));
            return;
        }
        let place = match (section, parent, key) {
            (_, _, "until") => &mut self.moments,
            ("paths", _, "root") => &mut self.roots,
            ("tenant" | "tenants", "", _) => &mut self.tenants,
            (_, "patterns", _) | (_, _, "matches" | "pattern") => &mut self.regexes,
            ("budget", "roles", _) | (_, "locked", _) => &mut self.agents,
            ("budget" | "spawn", "tiers" | "cheaper", _)
            | ("spawn", _, "allow")
            | (_, _, "model" | "known_models" | "replace_by") => &mut self.models,
            ("budget", _, "named") => {
                self.models.insert(text.to_owned());
                &mut self.agents
            }
            (_, _, "paths" | "reads" | "writes" | "allow" | "deny" | "except" | "protected") => {
                &mut self.paths
            }
            (_, _, "commands" | "block" | "fragments") => &mut self.commands,
            (_, _, "tools" | "started_by" | "ended_by") => &mut self.tools,
            (_, _, "agents" | "agent" | "from" | "to" | "team" | "instead") => &mut self.agents,
            (_, _, "task_types") => &mut self.tasks,
            (_, _, "content" | "imports") => &mut self.sources,
            (_, _, "sets" | "effects") => &mut self.sets,
            _ => &mut self.texts,
        };
        place.insert(text.to_owned());
    }

    /// The words of either, and those of one alone.
    pub(super) fn compared(&self, other: &Self) -> (Self, Self) {
        macro_rules! each {
            ($how:ident: $($field:ident)*) => {
                Self { $($field: self.$field.$how(&other.$field).cloned().collect(),)* rules: Vec::new() }
            };
            (all $how:ident) => {
                each!($how: paths commands tools agents tenants models tasks texts sources regexes sets roots moments numbers durations)
            };
        }
        let (mut all, mut changed) = (each!(all union), each!(all symmetric_difference));
        let meaning = |rule: &RuleConfig| RuleConfig { name: String::new(), reason: None, ..rule.clone() };
        let is_in =
            |rule: &RuleConfig, rules: &[RuleConfig]| rules.iter().any(|one| meaning(one) == meaning(rule));
        for (rules, others) in [(&self.rules, &other.rules), (&other.rules, &self.rules)] {
            changed.rules.extend(rules.iter().filter(|rule| !is_in(rule, others)).cloned());
        }
        all.rules.extend(self.rules.iter().chain(&other.rules).cloned());
        all.rules.dedup();
        (all, changed)
    }
}

/// A number that limits something.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn whole(number: f64) -> u64 {
    number.ceil() as u64
}

/// The examples that rules have, and those of all packs if one of the configurations uses packs.
pub(super) fn examples(words: &Words, configs: [&Config; 2]) -> Vec<Step> {
    let own = words.rules.iter().flat_map(|rule| rule.matches.iter().chain(&rule.no_match));
    let mut all: Vec<Step> = own.map(example).collect();
    if configs.iter().any(|config| !config.policy().packs.is_empty()) {
        let rules = packs::names().filter_map(packs::standard).flat_map(|pack| pack.rules);
        let examples = rules.flat_map(|rule| [rule.matches, rule.no_match].concat());
        all.extend(examples.map(|of_pack| match of_pack {
            PackExample::Command(line) => Step::call("Bash", &json!({"command": line})),
            PackExample::Call(call) => example(&call),
        }));
    }
    all
}

fn example(example: &RuleExample) -> Step {
    Step::call(&example.tool, &example.args).by(example.agent.as_deref().unwrap_or_default())
}
