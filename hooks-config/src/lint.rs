//! Warnings about a configuration that is valid but probably not meant.

use std::collections::HashSet;

use hooks_budgets::{ModelPriceConfig, SpendEnforcement};
use hooks_classic::PolicyConfig;
use hooks_policies::config::OnUnknownReads;

use super::error::{ConfigError, Mistakes};
use super::tree::{Kind, Node};
use super::words::quoted;

/// Warnings about `policy`, which was read from `root`. `is_lost`: its counters end with the process.
pub(super) fn lint(policy: &PolicyConfig, is_lost: bool, root: &Node) -> Vec<ConfigError> {
    let mut linter = Linter { root, doubts: Mistakes::default() };
    let counts = ["budget", "limits", "ask_user", "spawn"];
    if let (true, Some(section)) = (is_lost, counts.into_iter().find(|section| root.get(section).is_some())) {
        let hint = "write `store: {engine: file}` to have all processes count together";
        linter.doubt(section, "it is counted in memory, and begins anew with each process", hint);
    }
    if let Some(guard) = &policy.write_guard {
        for (index, pattern) in guard.allow.iter().enumerate() {
            if matches!(pattern.as_str(), "**" | "**/*") {
                let hint = "name the folders, or leave `write_guard` out";
                linter.doubt(&format!("write_guard.allow[{index}]"), "every file may be written", hint);
            }
        }
        linter.twice("write_guard.allow", &guard.allow);
        linter.twice("write_guard.deny", &guard.deny);
    }
    if let Some(guard) = &policy.read_guard {
        let limits = guard.agents.values().any(|own| !own.allow.is_empty() || !own.deny.is_empty());
        if guard.deny.is_empty()
            && guard.allow.is_empty()
            && guard.sets.is_empty()
            && !limits
            && guard.unknown == OnUnknownReads::Allow
        {
            linter.doubt("read_guard", "it limits nothing", "write `sets`, `deny` or `allow`");
        }
        linter.twice("read_guard.deny", &guard.deny);
        linter.twice("read_guard.except", &guard.except);
        linter.twice("read_guard.allow", &guard.allow);
    }
    if let Some(guard) = &policy.command_guard {
        if guard.block.is_empty() && guard.fragments.is_empty() {
            let hint = "leave `block` out to have the usual commands blocked";
            linter.doubt("command_guard.block", "no command is blocked", hint);
        }
        linter.twice("command_guard.block", &guard.block);
    }
    if let Some(budget) = &policy.budget {
        let limited = budget.limits.iter().position(|limit| limit.usd.is_some());
        let is_known =
            !budget.prices.is_empty() || budget.price_ceiling.is_some() || root.get("models").is_some();
        if let (Some(index), false) = (limited, is_known) {
            let hint = "list them in `budget.prices`, or give a `budget.price_ceiling`";
            linter.doubt(
                &format!("budget.limits[{index}].usd"),
                "no model has a price, so none may be called",
                hint,
            );
        }
        let says_size = |price: &ModelPriceConfig| price.most_output_tokens.is_some();
        let is_open = budget.enforce == SpendEnforcement::Events
            && budget.hold.most_output_tokens.is_none()
            && !budget.limits.is_empty();
        let unknown = budget.prices.iter().position(|price| !says_size(price));
        if is_open && (unknown.is_some() || budget.prices.is_empty()) {
            let field =
                unknown.map_or_else(|| "budget".to_owned(), |index| format!("budget.prices[{index}]"));
            let hint = "write its `most_output_tokens`, or one for all models in `budget.hold`";
            let problem = "the length of answers is unknown, so calls of unknown size are denied";
            linter.doubt(&field, problem, hint);
        }
        if budget.limits.is_empty() {
            linter.doubt("budget", "nothing is limited", "give it `limits`");
        }
    }
    linter.summaries();
    linter.doubts.into_doubts()
}

struct Linter<'r> {
    root: &'r Node,
    doubts: Mistakes,
}

impl Linter<'_> {
    fn doubt(&mut self, path: &str, message: &str, hint: &str) {
        self.doubts.doubt(self.root.locate(path), path.to_owned(), message.to_owned(), Some(hint.to_owned()));
    }

    /// Doubts `summarise` in a file that has no hook with a summary: the file names models, and does not call
    /// them.
    fn summaries(&mut self) {
        let means = self.root.get("models").and_then(|models| models.get("overflow")?.get("means"));
        let Some(Kind::List(means)) = means.map(|node| &node.kind) else { return };
        let is_summary = |node: &Node| matches!(&node.kind, Kind::Text(word) if word == "summarise");
        let is_hook =
            |hooks: &Node| ["before_compaction", "pre_compact"].iter().any(|name| hooks.get(name).is_some());
        let has_hook = self.root.get("compaction").is_some() || self.root.get("hooks").is_some_and(is_hook);
        if let (Some(index), false) = (means.iter().position(is_summary), has_hook) {
            let problem = "no hook of this file writes a summary, so only a host with `Models::with_summariser` has one";
            let hint = "write `compaction: {}` for a summary without a model, a command below `hooks.before_compaction` that gives one, or leave `summarise` out";
            self.doubt(&format!("models.overflow.means[{index}]"), problem, hint);
        }
    }

    fn twice(&mut self, path: &str, list: &[String]) {
        let mut seen = HashSet::new();
        for (index, text) in list.iter().enumerate() {
            if !seen.insert(text) {
                let message = format!("{} stands in the list already", quoted(text));
                self.doubt(&format!("{path}[{index}]"), &message, "leave it out");
            }
        }
    }
}
