//! Values that are valid by their type, and cannot be meant: conditions without a value, rules without a condition,
//! exceptions that except everything, and intervals without a length. Each is a mistake, because a rule would match
//! everything or nothing.

use hooks_policies::config::RuleConfig;

use super::error::Mistakes;
use super::reload;
use super::tree::{Kind, Node};
use super::words::quoted;

/// Globs of everything.
const EVERYTHING: [&str; 3] = ["**", "**/*", "/**"];

/// Reports the nonsense in the tree of a file, or in the part of one for a tenant. `at` is the path of the part.
pub(super) fn check(root: &Node, at: &str, mistakes: &mut Mistakes) {
    let within = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    if let Some(Kind::List(rules)) = root.get("rules").map(|node| &node.kind) {
        for (index, rule) in rules.iter().enumerate() {
            check_rule(rule, &within(&format!("rules[{index}]")), mistakes);
        }
    }
    if let Some(guard) = root.get("read_guard") {
        check_exceptions(guard, &within("read_guard"), mistakes);
        if let Some(agents) = guard.get("agents") {
            for (name, own) in agents.entries() {
                check_exceptions(own, &within(&format!("read_guard.agents.{}", name.text)), mistakes);
            }
        }
    }
    if let Some(reload) = root.get(reload::KEY) {
        check_interval(reload, &within(reload::KEY), mistakes);
    }
}

fn check_rule(rule: &Node, at: &str, mistakes: &mut Mistakes) {
    if !matches!(rule.kind, Kind::Map(_)) {
        return;
    }
    let mut has_one = rule.get("results").is_some();
    for key in RuleConfig::CONDITIONS {
        let Some(value) = rule.get(key) else { continue };
        has_one = true;
        let is_empty = match &value.kind {
            Kind::List(items) => items.is_empty(),
            Kind::Map(entries) => entries.is_empty(),
            _ => false,
        };
        if is_empty {
            let hint = "name what the rule is about, or leave the key out";
            mistakes.add_with_hint(&value.place, format!("{at}.{key}"), "the condition is empty", hint);
        }
    }
    // A misspelt condition has a report of its own.
    let is_told =
        mistakes.paths().any(|path| path.strip_prefix(at).is_some_and(|rest| rest.starts_with('.')));
    if !has_one && !is_told {
        let conditions = RuleConfig::CONDITIONS.join(", ");
        let hint = format!("write `tools: ['*']` if every call is meant, or a condition: {conditions}");
        mistakes.add_with_hint(&rule.place, at, "the rule has no condition, so it is about every call", hint);
    }
}

fn check_exceptions(guard: &Node, at: &str, mistakes: &mut Mistakes) {
    let Some(Kind::List(patterns)) = guard.get("except").map(|node| &node.kind) else { return };
    for (index, pattern) in patterns.iter().enumerate() {
        let Kind::Text(text) = &pattern.kind else { continue };
        if EVERYTHING.contains(&text.trim()) {
            let problem = format!("{} excepts every file, so the guard denies nothing", quoted(text));
            let hint = "name the files that may be read, or leave the section out";
            mistakes.add_with_hint(&pattern.place, format!("{at}.except[{index}]"), problem, hint);
        }
    }
}

fn check_interval(reload: &Node, at: &str, mistakes: &mut Mistakes) {
    let Some(every) = reload.get("every") else { return };
    let Kind::Text(text) = &every.kind else { return };
    // A text that is no duration is reported by its reader.
    let Ok(interval) = hooks_core::duration::parse(text) else { return };
    if interval < reload::LEAST {
        let problem = format!("{} is too short: the files would be looked at without a pause", quoted(text));
        let hint = format!("write at least `{}ms`, or leave the key out for `1s`", reload::LEAST.as_millis());
        mistakes.add_with_hint(&every.place, format!("{at}.every"), problem, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options of a rule that do not decide which calls it is about. `results` does so in place of a condition.
    const OTHERS: [&str; 6] = ["name", "action", "reason", "match", "no_match", "results"];

    /// Regression test: `effects` was missing, so a rule that had no other condition was refused.
    #[test]
    fn every_option_of_a_rule_is_a_condition_or_not() {
        let schema = schemars::schema_for!(RuleConfig).to_value();
        let options = schema.get("properties").and_then(serde_json::Value::as_object).unwrap();
        let mut listed: Vec<_> = RuleConfig::CONDITIONS.iter().chain(&OTHERS).copied().collect();
        let mut options: Vec<_> = options.keys().map(String::as_str).collect();
        listed.sort_unstable();
        options.sort_unstable();
        assert_eq!(listed, options);
        for key in RuleConfig::CONDITIONS {
            let mut own = Mistakes::default();
            let text = format!("rules: [{{ name: a, reason: b, {key}: c }}]");
            check(&crate::yaml::parse(&text, &mut own).unwrap(), "", &mut own);
            assert!(own.is_empty(), "{key}");
        }
    }
}
