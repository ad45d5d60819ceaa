//! One file for all clients: what it says about tools by the name that one client has for them holds for the same tools of
//! another.

use hooks_facts::tools::{Dialect, Reach};
use hooks_policies::config::{PolicyConfig, RuleAction};

/// Adds to every list of tools what the client of `dialect` calls them.
pub(super) fn spell_out(policy: &mut PolicyConfig, dialect: Dialect) {
    for rule in &mut policy.rules {
        let reach = if rule.action == RuleAction::Allow { Reach::Same } else { Reach::Alike };
        rule.tools.extend(missing(&rule.tools, dialect, reach));
    }
    for limit in policy.limits.iter_mut().flat_map(|limits| &mut limits.calls) {
        limit.spellings = missing(&limit.tools, dialect, Reach::Alike);
    }
}

/// What the client of `dialect` calls `tools`, beyond what they are called there.
fn missing(tools: &[String], dialect: Dialect, reach: Reach) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    for name in tools.iter().flat_map(|tool| dialect.spellings(tool, reach)) {
        if !tools.iter().chain(&missing).any(|tool| tool.eq_ignore_ascii_case(&name)) {
            missing.push(name);
        }
    }
    missing
}
