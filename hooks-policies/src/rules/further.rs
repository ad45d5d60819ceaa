//! Conditions that are compared rule by rule: patterns of tools, arguments, and the content of a call.

use std::sync::Arc;

use hooks_core::PolicyErrors;
use hooks_facts::calls::{Call, CallReader};
use hooks_facts::names;
use regex::Regex;

use super::arguments::{ArgumentRule, wildcard};
use super::changes::{ChangeCondition, ConditionMatch, ReadChanges};
use crate::config::{RuleAction, RuleConfig};

/// Further conditions of one rule. Without any, each call matches.
#[derive(Clone, Debug, Default)]
pub(super) struct FurtherConditions {
    /// Patterns of tools, if a name of the rule is one.
    tools: Vec<Regex>,
    arguments: Vec<ArgumentRule>,
    /// Whether a call without one of the arguments may match: the rule names its tools.
    names_tools: bool,
    changes: Vec<Arc<dyn ChangeCondition>>,
}

impl FurtherConditions {
    pub(super) fn compile(
        config: &RuleConfig,
        index: usize,
        reader: &CallReader,
        changes: Option<&dyn ReadChanges>,
        errors: &mut PolicyErrors,
    ) -> Self {
        let names_tools = !config.tools.is_empty() && config.tools.iter().all(|tool| tool.trim() != "*");
        let mut conditions = Self { names_tools, ..Self::default() };
        if has_tool_patterns(config) {
            for (at, tool) in config.tools.iter().enumerate() {
                match tool_pattern(tool) {
                    Ok(pattern) => conditions.tools.push(pattern),
                    Err(problem) => errors.push(
                        format!("rules[{index}].tools[{at}]"),
                        problem,
                        "write a name, a name with `*`, or a regular expression between slashes",
                    ),
                }
            }
        }
        for (name, condition) in &config.args {
            let field = format!("rules[{index}].args.{name}");
            conditions.arguments.push(ArgumentRule::compile(name, condition, &field, errors));
        }
        for (key, texts) in [("content", &config.content), ("imports", &config.imports)] {
            if texts.is_empty() {
                continue;
            }
            let field = format!("rules[{index}].{key}");
            if config.action == RuleAction::Allow {
                let problem = format!("`{key}` cannot allow a call, which may write other content too");
                errors.push(field, problem, "allow by `tools`, `paths`, `commands` or `args`");
                continue;
            }
            let compiled = changes.map(|changes| match key {
                "content" => changes.content(texts, reader),
                _ => changes.imports(texts, reader),
            });
            match compiled {
                Some(Ok(condition)) => conditions.changes.push(condition),
                Some(Err(problem)) => errors.push(field, problem, "correct the text"),
                None => errors.push(
                    field,
                    "this program cannot read source text",
                    "read the rules with `hooks-config`, or give `Guards` a reader with `with_changes`",
                ),
            }
        }
        conditions
    }

    /// Compares the conditions with a call.
    pub(super) fn compare(&self, call: Call<'_>) -> ConditionMatch {
        let request = call.request();
        let tool = names::folded(&request.event().tool_name);
        if !self.tools.is_empty() && !self.tools.iter().any(|pattern| pattern.is_match(&tool)) {
            return ConditionMatch::Other;
        }
        let arguments = call.arguments();
        let mut found = ConditionMatch::Same;
        for condition in &self.arguments {
            found = found.and(condition.compare(arguments, self.names_tools));
        }
        for condition in &self.changes {
            if found == ConditionMatch::Other {
                break;
            }
            found = found.and(condition.compare(request));
        }
        found
    }
}

impl FurtherConditions {
    /// Describes the part of a matching call that the conditions are about.
    pub(super) fn describe(&self, call: Call<'_>) -> Option<String> {
        let change = self.changes.iter().find_map(|change| change.describe(call.request()));
        change.or_else(|| Some(format!("its argument `{}` decides", self.arguments.first()?.name)))
    }
}

/// Returns whether a rule has to be compared one by one.
pub(super) fn has_further(config: &RuleConfig) -> bool {
    has_tool_patterns(config)
        || !(config.args.is_empty() && config.content.is_empty() && config.imports.is_empty())
}

/// Returns whether a tool of the rule is more than a name, or the beginning of one.
pub(super) fn has_tool_patterns(config: &RuleConfig) -> bool {
    config.tools.iter().any(|tool| is_pattern(tool))
}

/// Returns whether the name of a tool is a pattern, and not a name or a beginning with `*` at its end.
pub(super) fn is_pattern(tool: &str) -> bool {
    expression(tool).is_some() || tool.strip_suffix('*').unwrap_or(tool).contains('*')
}

/// Regular expression between slashes.
fn expression(tool: &str) -> Option<&str> {
    tool.trim().strip_prefix('/')?.strip_suffix('/').filter(|text| !text.is_empty())
}

fn tool_pattern(tool: &str) -> Result<Regex, String> {
    match expression(tool) {
        Some(text) => Regex::new(&format!("(?i)^(?:{text})$"))
            .map_err(|error| format!("`{tool}` is not a regular expression: {error}")),
        None => wildcard(&names::folded(tool)).ok_or_else(|| format!("`{tool}` is too long")),
    }
}
