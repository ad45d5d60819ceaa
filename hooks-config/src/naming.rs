//! Tool names of one configuration for all clients. A rule that names a tool as one client does holds for the
//! same tool of every other client.

use hooks_classic::PolicyConfig;
use hooks_facts::tools::{Dialect, Reach};
use hooks_policies::config::RuleAction;

/// Adds the names that the clients of `dialects` use to every list of tools.
pub(super) fn spell_out(policy: &mut PolicyConfig, dialects: &[Dialect]) {
    for rule in &mut policy.rules {
        let reach = if rule.action == RuleAction::Allow { Reach::Same } else { Reach::Alike };
        rule.tools.extend(missing(&rule.tools, dialects, reach));
    }
    for limit in policy.limits.iter_mut().flat_map(|limits| &mut limits.calls) {
        limit.spellings = missing(&limit.tools, dialects, Reach::Alike);
    }
}

/// Names that the clients of `dialects` use for `tools` and that the list does not have yet.
fn missing(tools: &[String], dialects: &[Dialect], reach: Reach) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    let names =
        dialects.iter().flat_map(|dialect| tools.iter().flat_map(|tool| dialect.spellings(tool, reach)));
    for name in names {
        if !tools.iter().chain(&missing).any(|tool| tool.eq_ignore_ascii_case(&name)) {
            missing.push(name);
        }
    }
    missing
}
