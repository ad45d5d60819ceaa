//! Checks the examples of rules: each rule alone, on an empty disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::fs::{Entry, FileSystem};
use hooks_core::{Environment, HookContext, HookRequest, Policy, PolicyErrors, Strength};
use hooks_facts::calls::CallReader;

use super::changes::ReadChanges;
use super::policy::Rules;
use crate::config::{RuleAction, RuleConfig, RuleExample};

/// Root of the examples, unless one is configured.
const ROOT: &str = "/project";

/// Reports the examples that contradict their rule.
pub(super) fn check(
    rules: &[RuleConfig],
    reader: &CallReader,
    changes: Option<&dyn ReadChanges>,
    errors: &mut PolicyErrors,
) {
    for (index, rule) in rules.iter().enumerate() {
        if rule.matches.is_empty() && rule.no_match.is_empty() {
            continue;
        }
        // The examples of a rule for results are the calls of these results.
        let rule = &RuleConfig { results: None, ..rule.clone() };
        let alone =
            Rules::unchecked(std::slice::from_ref(rule), reader, changes, &mut PolicyErrors::default());
        for (field, examples, wanted) in [("match", &rule.matches, true), ("no_match", &rule.no_match, false)]
        {
            for (at, example) in examples.iter().enumerate() {
                if matches(&alone, rule, example, reader) != wanted {
                    let (problem, hint) = if wanted {
                        ("the rule does not match this call", "widen the rule, or correct the example")
                    } else {
                        ("the rule matches this call", "narrow the rule, or correct the example")
                    };
                    errors.push(format!("rules[{index}].{field}[{at}]"), problem, hint);
                }
            }
        }
    }
}

fn matches(alone: &Rules, rule: &RuleConfig, example: &RuleExample, reader: &CallReader) -> bool {
    let agent = example.agent.as_deref().or(rule.agents.first().map(String::as_str)).unwrap_or("agent");
    let request = request_of(example, HookContext::new("example", agent), reader);
    let strength = alone.judge(&request).strength();
    let wanted = match rule.action {
        RuleAction::Deny => Strength::Deny,
        RuleAction::Ask => Strength::Ask,
        RuleAction::Allow => Strength::Allow,
    };
    strength == wanted
}

/// Returns the request of an example, on an empty disk.
pub(crate) fn request_of(
    example: &RuleExample,
    context: HookContext,
    reader: &CallReader,
) -> HookRequest<PreToolUse> {
    let environment = Environment { files: Arc::new(EmptyDisk), ..Environment::detached() };
    let context = context.in_dir(reader.fixed_root().unwrap_or(ROOT)).with_environment(environment);
    HookRequest::new(context, PreToolUse::new(&example.tool, example.args.clone()))
}

/// Empty file system.
#[derive(Debug)]
struct EmptyDisk;

impl FileSystem for EmptyDisk {
    fn entry(&self, _path: &Path) -> io::Result<Option<Entry>> {
        Ok(None)
    }

    fn read_link(&self, _path: &Path) -> io::Result<PathBuf> {
        Err(io::ErrorKind::NotFound.into())
    }
}
