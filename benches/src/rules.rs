//! Cost of a decision with many rules.

use std::sync::Arc;

use hooks_classic::PolicyConfig;
use hooks_core::event::PreToolUse;
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, EventDecision, HookContext, HookRequest, Hooks, decide};
use hooks_policies::config::{GuardsSettings, RuleAction, RuleConfig};
use hooks_policies::packs::{PackConfig, PackRuleConfig};
use serde_json::json;

use crate::call::{edit, finish};
use crate::{Bar, Case, SetupError};

/// Literal rules and globs, from ten to ten thousand; the call matches none of them. The request is new each
/// time, so nothing is resolved yet. The event moves from one request to the next and is not copied, as in a host.
/// For comparison, a peer compares raw strings: it parses no arguments, resolves no path, and tests one pattern
/// after the other.
///
/// # Errors
/// Returns an error if the rules are refused.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let ratio = Bar::Times(1.5, "rules/10 literal");
    let mut cases = vec![
        decision("rules/10 literal", (0..10).map(literal))?,
        decision("rules/100 literal", (0..100).map(literal))?.at_most(ratio),
        decision("rules/1,000 literal", (0..1_000).map(literal))?.at_most(ratio),
        decision("rules/10,000 literal", (0..10_000).map(literal))?.at_most(ratio),
    ];
    for shape in SHAPES {
        let [ten, hundred, thousand, ten_thousand] = shape.names;
        let of = |count: usize| (0..count).map(|place| glob(place, (shape.pattern)(place)));
        cases.push(decision(ten, of(10))?);
        cases.push(decision(hundred, of(100))?.at_most(Bar::Times(1.5, ten)));
        cases.push(decision(thousand, of(1_000))?.at_most(Bar::Times(1.5, ten)));
        cases.push(decision(ten_thousand, of(10_000))?.at_most(Bar::Times(2.0, ten)));
    }
    cases.push(under_packs("packs/git status, no pack", 0)?);
    cases.push(
        under_packs("packs/git status, 30 packs about others", 30)?
            .at_most(Bar::Times(1.1, "packs/git status, no pack")),
    );
    cases.push(under_packs("packs/git status, 1 pack about others", 1)?);
    let few = Bar::Times(1.1, "packs/git status, 1 pack about others");
    cases.push(under_packs("packs/git status, 30 packs about others", 30)?.at_most(few));
    for (name, count) in [("rules/10 raw strings, a peer", 10), ("rules/1,000 raw strings, a peer", 1_000)] {
        cases.push(raw(name, count));
    }
    Ok(cases)
}

/// Patterns that differ in the same part.
struct Shape {
    names: [&'static str; 4],
    pattern: fn(usize) -> String,
}

/// Patterns that share the folder before their first wildcard.
const SHAPES: [Shape; 4] = [
    Shape {
        names: ["rules/10 globs", "rules/100 globs", "rules/1,000 globs", "rules/10,000 globs"],
        pattern: |place| format!("*/package-{place}/**/*.gen{place}.rs"),
    },
    Shape {
        names: [
            "rules/10 beginnings",
            "rules/100 beginnings",
            "rules/1,000 beginnings",
            "rules/10,000 beginnings",
        ],
        pattern: |place| format!("src/gen{place}*"),
    },
    Shape {
        names: ["rules/10 names", "rules/100 names", "rules/1,000 names", "rules/10,000 names"],
        pattern: |place| format!("src/**/module-{place}/*.rs"),
    },
    Shape {
        names: [
            "rules/10 fragments",
            "rules/100 fragments",
            "rules/1,000 fragments",
            "rules/10,000 fragments",
        ],
        pattern: |place| format!("src/*-{place}-*.rs"),
    },
];

/// Compares the text of the path with the beginning and end of each pattern.
fn raw(name: &'static str, count: usize) -> Case {
    let patterns: Vec<(String, String)> =
        (0..count).map(|place| (format!("edit:packages/package-{place}/"), String::new())).collect();
    Case::new(name, move || {
        let action = format!("edit:{}", std::hint::black_box("src/parser/expression.rs"));
        patterns.iter().any(|(start, end)| action.starts_with(start) && action.ends_with(end))
    })
}

/// A rule about one tool, one agent and one folder.
fn literal(place: usize) -> RuleConfig {
    RuleConfig {
        name: format!("literal-{place}"),
        action: RuleAction::Deny,
        tools: vec![
            ["edit", "create", "bash", "write_file"]
                .get(place % 4)
                .map_or_else(String::new, ToString::to_string),
        ],
        agents: vec![format!("agent-{}", place % 50)],
        paths: vec![format!("packages/package-{place}/**")],
        ..RuleConfig::default()
    }
}

/// A rule with a pattern.
fn glob(place: usize, pattern: String) -> RuleConfig {
    RuleConfig {
        name: format!("glob-{place}"),
        action: RuleAction::Deny,
        paths: vec![pattern],
        ..RuleConfig::default()
    }
}

/// A harmless command under packs about other programs.
fn under_packs(name: &'static str, count: usize) -> Result<Case, SetupError> {
    let settings = GuardsSettings { packs: (0..count).map(pack).collect(), ..GuardsSettings::default() };
    let event = PreToolUse::new("bash", json!({"command": "git status"}));
    Ok(judged(name, Hooks::from_policy(settings)?, event))
}

/// A pack of ten rules about one program.
fn pack(place: usize) -> PackConfig {
    let rule = |number: usize| PackRuleConfig {
        name: format!("rule-{number}"),
        commands: vec![
            format!("program-{place} ** {{delete,remove}} kind-{number} !--plan"),
            format!("program-{place} kind-{number} --force"),
            format!("other-{place} * kind-{number}-*"),
        ],
        ..PackRuleConfig::default()
    };
    PackConfig {
        name: format!("pack-{place}"),
        idle: vec!["--help".to_owned()],
        rules: (0..10).map(rule).collect(),
        ..PackConfig::default()
    }
}

fn decision(name: &'static str, rules: impl Iterator<Item = RuleConfig>) -> Result<Case, SetupError> {
    let hooks = Hooks::from_policy(PolicyConfig { rules: rules.collect(), ..PolicyConfig::default() })?;
    Ok(judged(name, hooks, edit()))
}

fn judged(name: &'static str, hooks: Hooks, mut event: PreToolUse) -> Case {
    let environment = Environment { files: Arc::new(FakeFileSystem::default()), ..Environment::detached() };
    let context =
        Arc::new(HookContext::new("session-1", "agent-7").in_dir("/repo").with_environment(environment));
    Case::new(name, move || {
        let request = HookRequest::new(Arc::clone(&context), std::mem::take(&mut event));
        let EventDecision { request, outcome } = finish(decide(&hooks, request));
        event = request.into_event();
        outcome
    })
}
