//! Finds the rules that may apply to a call: by tool, then by agent.

use std::collections::HashMap;

use hooks_core::PolicyErrors;
use hooks_facts::calls::{CallReader, PathPatterns, PlaceMatch};
use hooks_facts::commands::BlockedPattern;
use hooks_facts::names;

use super::further::{has_further, has_tool_patterns};
use crate::config::{RuleAction, RuleConfig};

/// Rules by tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    any: ByAgent,
    named: HashMap<String, ByAgent>,
    /// Rules for all tools whose name starts with a prefix.
    beginnings: HashMap<String, ByAgent>,
    longest_beginning: usize,
}

/// Rules for some tools, by agent.
#[derive(Clone, Debug, Default)]
struct ByAgent {
    any: Bucket,
    named: HashMap<String, Bucket>,
}

/// Rules for some tools and agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    /// The first rule of each action that has no further condition.
    pub(super) plain: ByAction<Option<usize>>,
    /// Rules whose only further condition is files that are read or written.
    pub(super) paths: ByAction<PathRules>,
    /// Rules whose only further condition is files that are read.
    pub(super) reads: ByAction<PathRules>,
    /// Rules whose only further condition is files that are written.
    pub(super) writes: ByAction<PathRules>,
    /// Rules with a condition that is compared rule by rule, such as arguments, or with several conditions.
    pub(super) one_by_one: Vec<usize>,
    /// Rules with commands that deny or ask.
    pub(super) with_commands: Vec<usize>,
    /// The same by the names of their programs, in lower case.
    by_program: HashMap<String, Vec<usize>>,
    /// All rules.
    pub(super) all: ByAction<Vec<usize>>,
}

/// Paths of many rules in one matcher.
#[derive(Clone, Debug, Default)]
pub(super) struct PathRules {
    texts: Vec<String>,
    /// Index of the rule of each pattern.
    owners: Vec<usize>,
    patterns: PathPatterns,
}

/// A value for each action.
#[derive(Clone, Debug, Default)]
pub(super) struct ByAction<T> {
    pub(super) deny: T,
    pub(super) ask: T,
    pub(super) allow: T,
}

impl Index {
    /// Indexes rules whose patterns are known to compile.
    pub(super) fn new(rules: &[RuleConfig], reader: &CallReader) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            if rule.results.is_some() {
                continue;
            }
            if rule.tools.is_empty() || has_tool_patterns(rule) {
                index.any.enter(number, rule);
                continue;
            }
            for tool in &rule.tools {
                let name = folded(tool);
                let by_agent = match name.strip_suffix('*') {
                    Some(beginning) => {
                        index.longest_beginning = index.longest_beginning.max(beginning.len());
                        index.beginnings.entry(beginning.to_owned()).or_default()
                    }
                    None => index.named.entry(name).or_default(),
                };
                by_agent.enter(number, rule);
            }
        }
        let buckets = std::iter::once(&mut index.any)
            .chain(index.named.values_mut())
            .chain(index.beginnings.values_mut())
            .flat_map(|by_agent| std::iter::once(&mut by_agent.any).chain(by_agent.named.values_mut()));
        for bucket in buckets {
            for by_action in [&mut bucket.paths, &mut bucket.reads, &mut bucket.writes] {
                let ByAction { deny, ask, allow } = by_action;
                let errors = &mut PolicyErrors::default();
                for rules in [deny, ask] {
                    rules.patterns = PathPatterns::compile(&rules.texts, "rules", reader, errors);
                }
                allow.patterns = PathPatterns::allowing(&allow.texts, "rules", reader, errors);
            }
        }
        index
    }

    /// Visits the rules for a tool and an agent.
    pub(super) fn visit<'a>(&'a self, tool: &str, agent: &str, mut visit: impl FnMut(&'a Bucket)) {
        let (tool, agent) = (names::folded(tool), names::folded(agent));
        self.any.visit(&agent, &mut visit);
        if let Some(by_agent) = self.named.get(&*tool) {
            by_agent.visit(&agent, &mut visit);
        }
        if self.beginnings.is_empty() {
            return;
        }
        let ends = tool.char_indices().map(|(at, _)| at).chain([tool.len()]);
        for end in ends.take_while(|end| *end <= self.longest_beginning) {
            if let Some(by_agent) = tool.get(..end).and_then(|beginning| self.beginnings.get(beginning)) {
                by_agent.visit(&agent, &mut visit);
            }
        }
    }
}

impl ByAgent {
    fn enter(&mut self, number: usize, rule: &RuleConfig) {
        if rule.agents.is_empty() {
            self.any.enter(number, rule);
        }
        for agent in &rule.agents {
            self.named.entry(folded(agent)).or_default().enter(number, rule);
        }
    }

    fn visit<'a>(&'a self, agent: &str, visit: &mut impl FnMut(&'a Bucket)) {
        visit(&self.any);
        if let Some(bucket) = self.named.get(agent) {
            visit(bucket);
        }
    }
}

impl Bucket {
    fn enter(&mut self, number: usize, rule: &RuleConfig) {
        self.all.get_mut(rule.action).push(number);
        let lists = [&rule.paths, &rule.reads, &rule.writes];
        let mut given = lists.iter().filter(|list| !list.is_empty());
        let first = given.next();
        if !rule.commands.is_empty() && rule.effects.is_empty() && rule.action != RuleAction::Allow {
            self.with_commands.push(number);
            for program in rule.commands.iter().flat_map(|text| BlockedPattern::programs_of(text)) {
                self.by_program.entry(program.to_lowercase()).or_default().push(number);
            }
            return;
        }
        if !(rule.commands.is_empty() && rule.effects.is_empty())
            || given.next().is_some()
            || has_further(rule)
        {
            self.one_by_one.push(number);
            return;
        }
        let Some(list) = first else {
            self.plain.get_mut(rule.action).get_or_insert(number);
            return;
        };
        let by_action = if !rule.paths.is_empty() {
            &mut self.paths
        } else if !rule.reads.is_empty() {
            &mut self.reads
        } else {
            &mut self.writes
        };
        by_action.get_mut(rule.action).extend(number, list);
    }
}

impl Bucket {
    /// Returns the rules with commands that are about one of these programs.
    pub(super) fn about(&self, programs: &[String]) -> Vec<usize> {
        let mut found = Vec::new();
        for program in programs {
            // `mkfs.ext4` is `mkfs` too.
            let family = program.split_once('.').map_or("", |(family, _)| family);
            for name in [program.as_str(), family] {
                found.extend(self.by_program.get(name).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl PathRules {
    /// The patterns of one rule.
    pub(super) fn single(number: usize, patterns: PathPatterns) -> Self {
        Self { texts: Vec::new(), owners: vec![number; patterns.len()], patterns }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    fn extend(&mut self, number: usize, patterns: &[String]) {
        self.texts.extend(patterns.iter().cloned());
        self.owners.extend(patterns.iter().map(|_| number));
    }

    /// Returns the rule of a pattern that matches.
    pub(super) fn owner(&self, found: &PlaceMatch) -> Option<usize> {
        self.owners.get(found.pattern).copied()
    }

    /// The patterns of all rules.
    pub(super) const fn patterns(&self) -> &PathPatterns {
        &self.patterns
    }

    /// Returns the first rule, if there is one.
    pub(super) fn first(&self) -> Option<usize> {
        self.owners.first().copied()
    }
}

impl<T> ByAction<T> {
    pub(super) fn get(&self, action: RuleAction) -> &T {
        match action {
            RuleAction::Deny => &self.deny,
            RuleAction::Ask => &self.ask,
            RuleAction::Allow => &self.allow,
        }
    }

    fn get_mut(&mut self, action: RuleAction) -> &mut T {
        match action {
            RuleAction::Deny => &mut self.deny,
            RuleAction::Ask => &mut self.ask,
            RuleAction::Allow => &mut self.allow,
        }
    }
}

/// Returns a name in the form in which names are compared.
pub(super) fn folded(name: &str) -> String {
    names::folded(name).into_owned()
}
