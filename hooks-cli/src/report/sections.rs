//! Names of rules as `hooks.yaml` has them.

use hooks::config::{Config, InShadow};

/// Policies whose sections have other names.
const SECTIONS: [(&str, &str); 17] = [
    ("write-guard", "write_guard"),
    ("read-guard", "read_guard"),
    ("command-guard", "command_guard"),
    ("reviewer-lockout", "reviewer_lockout"),
    ("ask-limit", "ask_user"),
    ("spend-budget", "budget"),
    ("call-limit", "limits.calls"),
    ("loop-limit", "limits.loops"),
    ("iteration-limit", "limits.iterations"),
    ("spawn-budget", "spawn"),
    ("spawn-rules", "spawn"),
    ("boundaries", "boundaries"),
    ("ceremonies", "ceremonies"),
    ("decisions", "decisions"),
    ("phases", "phases"),
    ("routes", "routes"),
    ("sequences", "sequences"),
];

/// The section of a policy, or the name of a policy that has none.
pub(super) fn section(policy: &str) -> &str {
    SECTIONS.iter().find(|(name, _)| *name == policy).map_or(policy, |(_, section)| section)
}

/// The name of a rule.
pub(super) fn rule_name(policy: &str, rule: &str) -> String {
    let section = section(policy);
    match section.rsplit_once('.') {
        _ if rule.is_empty() => section.to_owned(),
        Some((_, part)) if part == rule => section.to_owned(),
        _ => format!("{section}/{rule}"),
    }
}

/// The rules of the list `rules`, and the sections that judge.
pub(super) fn all(config: &Config) -> Vec<String> {
    let rules = config.policy().rules.iter().map(|rule| rule_name("rules", &rule.name));
    let named = config.section_names().iter();
    let sections = named.filter(|name| SECTIONS.iter().any(|(_, section)| section == name));
    rules.chain(sections.cloned()).collect()
}

/// Whether the rule or section is in the shadow.
pub(super) fn is_in_shadow(config: &Config, name: &str) -> bool {
    config.in_shadow().iter().any(|InShadow { path, name: rule, .. }| {
        let is_rule = || {
            rule.as_ref().is_some_and(|rule| path.starts_with("rules[") && rule_name("rules", rule) == name)
        };
        let is_part =
            || name.strip_prefix(&**path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        path.is_empty() || is_part() || is_rule()
    })
}
