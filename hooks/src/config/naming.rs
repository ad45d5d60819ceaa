//! One file for all clients: what it says about tools by the name that one client has for them holds for the same tools of
//! another.

use hooks_facts::tools::{Dialect, Reach};
use hooks_policies::config::{PolicyConfig, RuleAction};

/// Adds to every list of tools what the client of `dialect` calls them.
pub(super) fn spell_out(policy: &mut PolicyConfig, dialect: Dialect) {
    for rule in &mut policy.rules {
        let reach = if rule.action == RuleAction::Allow { Reach::Same } else { Reach::Alike };
        add(&mut rule.tools, dialect, reach);
    }
    for limit in policy.limits.iter_mut().flat_map(|limits| &mut limits.calls) {
        add(&mut limit.tools, dialect, Reach::Alike);
    }
}

fn add(tools: &mut Vec<String>, dialect: Dialect, reach: Reach) {
    let more: Vec<String> = tools.iter().flat_map(|tool| dialect.spellings(tool, reach)).collect();
    for name in more {
        if !tools.iter().any(|tool| tool.eq_ignore_ascii_case(&name)) {
            tools.push(name);
        }
    }
}
