//! Content and imports in `rules`: read as the decisions of a team read them.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Policy, Strength};
use hooks_facts::calls::CallReader;
use hooks_policies::rules::{ChangeCondition, ConditionMatch, ReadChanges};
use hooks_team_rules::decisions::{DecisionPolicy, DecisionRule, Decisions};

/// Rule of the reason that a decision gives if it cannot read a call.
const UNREADABLE: &str = "unreadable";

/// Reads the content of calls with the reader of decisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionReader;

/// Condition that holds if a decision would deny the call.
#[derive(Clone, Debug)]
struct AsDecision(DecisionPolicy);

impl ReadChanges for DecisionReader {
    fn content(&self, tokens: &[String], reader: &CallReader) -> Result<Arc<dyn ChangeCondition>, String> {
        let mut rule = DecisionRule::default();
        rule.content = tokens.to_vec();
        condition(&rule, reader)
    }

    fn imports(&self, modules: &[String], reader: &CallReader) -> Result<Arc<dyn ChangeCondition>, String> {
        let mut rule = DecisionRule::default();
        rule.imports = modules.to_vec();
        condition(&rule, reader)
    }
}

fn condition(rule: &DecisionRule, reader: &CallReader) -> Result<Arc<dyn ChangeCondition>, String> {
    let all = rule.content.iter().chain(&rule.imports);
    for text in all {
        if text.trim().is_empty() || text.contains(['\n', '\r', '`']) {
            return Err(format!("`{text}` is empty, or has a line break or a backtick"));
        }
    }
    let decisions = Decisions::parse(&format!("### rule\n\n```rule\n{rule}```\n"));
    match decisions.mistakes().first() {
        Some(mistake) => Err(mistake.to_string()),
        None if decisions.all().iter().all(|decision| decision.rules.is_empty()) => {
            Err("it forbids nothing".to_owned())
        }
        None => Ok(Arc::new(AsDecision(DecisionPolicy::new(&decisions, reader)))),
    }
}

impl ChangeCondition for AsDecision {
    fn compare(&self, request: &HookRequest<PreToolUse>) -> ConditionMatch {
        let verdict = self.0.judge(request);
        let is_unreadable = || verdict.reasons().iter().any(|reason| reason.rule == UNREADABLE);
        match verdict.strength() {
            Strength::Deny if is_unreadable() => ConditionMatch::Unknown,
            Strength::Deny | Strength::Ask => ConditionMatch::Same,
            _ => ConditionMatch::Other,
        }
    }

    fn describe(&self, request: &HookRequest<PreToolUse>) -> Option<String> {
        let verdict = self.0.judge(request);
        let message = &verdict.reasons().first()?.message;
        // The rule is not a decision of the team.
        message.split_once(", which the decision").map(|(what, _)| what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::event::PostToolUse;
    use hooks_core::{HookContext, Judged};
    use serde_json::{Value, json};

    use super::super::Config;
    use super::*;

    async fn strength(rules: &str, tool: &str, args: Value) -> Strength {
        let config = Config::parse(&format!("version: 1\nrules:\n{rules}"), "hooks.yaml").unwrap();
        let context = HookContext::new("s", "a").in_dir("/p").with_environment(hooks_system::system());
        config.hooks().on(context).pre_tool_use(PreToolUse::new(tool, args)).await.outcome.strength()
    }

    #[tokio::test]
    async fn rules_judge_imports_and_content_as_decisions_do() {
        let imports = "  - { name: no jquery, imports: [jquery], reason: no jQuery here }\n";
        let content = "  - { name: no eval, action: ask, content: ['eval('], paths: ['src/**'] }\n";
        let write = |path: &str, text: &str| json!({"path": path, "content": text});
        for (rules, path, text, wanted) in [
            (imports, "src/a.js", "import $ from 'jquery';\n", Strength::Deny),
            (imports, "src/a.js", "const $ = require(\"jquery\");\n", Strength::Deny),
            (imports, "src/a.js", "// import $ from 'jquery'\n", Strength::NoOpinion),
            (imports, "src/a.js", "import x from './jquery-free';\n", Strength::NoOpinion),
            (content, "src/a.js", "eval(x);\n", Strength::Ask),
            (content, "src/a.js", "// eval(x)\n", Strength::NoOpinion),
            (content, "test/a.js", "eval(x);\n", Strength::NoOpinion),
        ] {
            assert_eq!(strength(rules, "create", write(path, text)).await, wanted, "{rules} {path} {text}");
        }
        assert_eq!(strength(imports, "view", json!({"path": "src/a.js"})).await, Strength::NoOpinion);
    }

    #[tokio::test]
    async fn arguments_and_patterns_of_tools_are_conditions() {
        let hosts = "  - { name: hosts, tools: [web_fetch], args: { url: { host: ['*.example.com', example.com], not: true } } }\n";
        let pay = "  - { name: pay, action: allow, tools: ['/mcp__(bank|shop)__pay/'], args: { amount: { max: 100 } } }\n";
        let deletes = "  - { name: deletes, tools: ['mcp__*__delete*'] }\n";
        for (rules, tool, args, wanted) in [
            (hosts, "web_fetch", json!({"url": "https://docs.example.com/x"}), Strength::NoOpinion),
            (hosts, "web_fetch", json!({"url": "https://evil.com/example.com"}), Strength::Deny),
            (hosts, "web_fetch", json!({"url": "https://example.com@evil.com"}), Strength::Deny),
            (
                hosts,
                "web_fetch",
                json!({"URL": "https://evil.com", "url": "https://example.com"}),
                Strength::Deny,
            ),
            (hosts, "web_fetch", json!({"address": "https://evil.com"}), Strength::Deny),
            (hosts, "other", json!({"url": "https://evil.com"}), Strength::NoOpinion),
            (pay, "mcp__bank__pay", json!({"amount": 99.5}), Strength::Allow),
            (pay, "mcp__bank__pay", json!({"amount": "100"}), Strength::Allow),
            (pay, "mcp__bank__pay", json!({"amount": 101}), Strength::NoOpinion),
            (pay, "mcp__bank__pay", json!({"amount": "lots"}), Strength::NoOpinion),
            (pay, "mcp__bank__pay", json!({"amount": [1, 1000]}), Strength::NoOpinion),
            (pay, "mcp__bank__pay", json!({}), Strength::NoOpinion),
            (pay, "mcp__bank__payout", json!({"amount": 1}), Strength::NoOpinion),
            (deletes, "mcp__github__delete_file", json!({}), Strength::Deny),
            (deletes, "mcp__github__create_file", json!({}), Strength::NoOpinion),
        ] {
            assert_eq!(strength(rules, tool, args.clone()).await, wanted, "{rules} {tool} {args}");
        }
    }

    #[tokio::test]
    async fn a_reason_has_the_part_of_the_call() {
        let rules = "version: 1\nrules: [{ name: a, imports: [jquery] }, { name: b, tools: [pay], args: { n: { min: 5 } } }]\n";
        let hooks = Config::parse(rules, "hooks.yaml").unwrap().hooks();
        for (tool, args, part) in [
            (
                "create",
                json!({"path": "a.js", "content": "import $ from 'jquery'"}),
                "the call imports `jquery`",
            ),
            ("pay", json!({"n": 6}), "its argument `n` decides"),
        ] {
            let context = HookContext::new("s", "a").in_dir("/p").with_environment(hooks_system::system());
            let outcome = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await.outcome;
            let message = &outcome.shown_reason().unwrap().message;
            assert!(message.ends_with(part), "{message}");
        }
    }

    #[tokio::test]
    async fn a_rule_for_failed_results_withholds_only_those() {
        let rules = "version: 1\nrules: [{ name: stack traces, tools: [bash], results: failed, reason: traces stay here }]\n";
        let hooks = Config::parse(rules, "hooks.yaml").unwrap().hooks();
        let call = PreToolUse::new("bash", json!({"command": "make"}));
        let context = || HookContext::new("s", "a").in_dir("/p").with_environment(hooks_system::system());
        assert!(hooks.on(context()).pre_tool_use(call.clone()).await.outcome.goes_ahead());
        for (tool, error, withheld) in
            [("bash", Some("boom"), true), ("bash", None, false), ("view", Some("boom"), false)]
        {
            let call = PreToolUse::new(tool, json!({"command": "make"}));
            let done = PostToolUse::after(&call, json!("out"), error.map(str::to_owned), 1);
            let outcome = hooks.on(context()).post_tool_use(done).await.outcome;
            assert_eq!(outcome.is_denied(), withheld, "{tool} {error:?}");
        }
    }

    #[test]
    fn conditions_that_cannot_be_are_refused_at_their_place() {
        for (rule, place) in [
            ("{ name: a, action: allow, imports: [x] }", "rules[0].imports"),
            ("{ name: a, imports: [''] }", "rules[0].imports"),
            ("{ name: a, args: { url: {} } }", "rules[0].args.url"),
            ("{ name: a, args: { url: { host: ['https://a.com'] } } }", "rules[0].args.url.host[0]"),
            ("{ name: a, args: { n: { min: 2, max: 1 } } }", "rules[0].args.n"),
            ("{ name: a, args: { n: { matches: '(' } } }", "rules[0].args.n.matches"),
            ("{ name: a, tools: ['/(/'] }", "rules[0].tools[0]"),
            ("{ name: a, action: ask, results: failed }", "rules[0].results"),
        ] {
            let text = format!("version: 1\nrules: [{rule}]\n");
            let errors = Config::parse(&text, "hooks.yaml").unwrap_err().to_string();
            assert!(errors.contains(place), "{rule}: {errors}");
        }
    }
}
