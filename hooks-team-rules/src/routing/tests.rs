use std::sync::Arc;

use futures_util::FutureExt;
use hooks_core::event::{PreToolUse, Priority, Route};
use hooks_core::testing::FakeDisk;
use hooks_core::{
    BoxError, HookContext, HookFuture, HookRequest, Hooks, Judged, Policy, PolicyErrors, Strength,
    assert_policy_laws,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::team;

struct Open(Vec<&'static str>);

impl OpenTasks for Open {
    fn agents(&self, _: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        HookFuture::now(Ok(self.0.iter().map(|&agent| agent.to_owned()).collect()))
    }
}

struct Broken;

impl OpenTasks for Broken {
    fn agents(&self, _: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
        HookFuture::now(Err("the store is away".into()))
    }
}

fn rules(config: Value) -> RouteRules {
    RouteRules::new(&serde_json::from_value(config).unwrap()).unwrap()
}

/// Routes a task of the lead through hooks; returns the agent that gets it, or the rule that denies it.
fn sent(hooks: &Hooks, route: Route) -> Result<String, String> {
    let decided =
        hooks.on(HookContext::new("s", "lead").in_dir("/repo")).route(route).now_or_never().unwrap();
    match decided.outcome.goes_ahead() {
        true => Ok(decided.request.event().target_agent.clone()),
        false => Err(decided.outcome.shown_reason().unwrap().rule.to_string()),
    }
}

fn urgent(target: &str, priority: Priority) -> Route {
    let mut route = Route::new(target, "restart");
    route.priority = priority;
    route
}

fn hooks(config: Value, open: Vec<&'static str>) -> Hooks {
    Routing::new(rules(config)).counting(Arc::new(Open(open))).add_to(Hooks::builder()).build()
}

#[test]
fn rules_are_about_agents_words_and_priorities() {
    let hooks = hooks(
        json!({"rules": [
            {"name": "no-interns", "from": ["intern"]},
            {"name": "not-to-legal", "to": ["Legal*"], "words": ["private data"]},
            {"name": "no-rush", "to": ["ops"], "at_least": "high", "reason": "ops is asleep"},
        ]}),
        Vec::new(),
    );
    let with = |priority| urgent("ops", priority);
    for (route, wanted) in [
        (Route::new("legal-team", "Look at the PRIVATE  data."), Err("not-to-legal".to_owned())),
        (Route::new("legal-team", "look at the privateer's data"), Ok("legal-team".to_owned())),
        (with(Priority::High), Err("no-rush".to_owned())),
        (with(Priority::Critical), Err("no-rush".to_owned())),
        (with(Priority::Normal), Ok("ops".to_owned())),
    ] {
        assert_eq!(sent(&hooks, route.clone()), wanted, "{route:?}");
    }
    let of_intern =
        hooks.on(HookContext::new("s", " Intern ")).route(Route::new("ops", "x")).now_or_never().unwrap();
    assert!(of_intern.outcome.is_denied());
}

#[test]
fn a_target_without_the_capability_is_replaced_or_denied() {
    let config = json!({
        "rules": [
            {"name": "sql", "words": ["sql"], "requires": ["SQL"], "instead": ["intern", "ada", "bob"]},
            {"name": "not-ada-at-night", "to": ["ada"], "words": ["night"]},
            {"name": "rust", "words": ["rust"], "requires": ["rust"]},
        ],
        "agents": {"ada": {"capabilities": ["sql"]}, "bob": {"capabilities": ["sql"]}},
    });
    let hooks = hooks(config, Vec::new());
    assert_eq!(sent(&hooks, Route::new("designer", "some SQL")), Ok("ada".to_owned()));
    assert_eq!(sent(&hooks, Route::new("designer", "some SQL at night")), Ok("bob".to_owned()));
    assert_eq!(sent(&hooks, Route::new("ADA", "some SQL")), Ok("ADA".to_owned()));
    assert_eq!(sent(&hooks, Route::new("designer", "some Rust")), Err("rust".to_owned()));
}

#[test]
fn capabilities_are_read_from_the_team() {
    let charter = "---\ncapabilities: [sql]\n---\n# Ada\n\n## Identity\n\n- **Expertise:** Rust, async\n";
    let roster =
        "## Members\n\n| Name | Role | Charter | Status |\n|--|--|--|--|\n| Ada | Security | — | active |\n";
    let disk = FakeDisk::default()
        .with_file("/repo/.squad/agents/ada/charter.md", charter)
        .with_file("/repo/.squad/team.md", roster);
    let config = |needed: &str| {
        serde_json::from_value(json!({"rules": [{"name": "r", "requires": [needed]}]})).unwrap()
    };
    let strength = |needed: &str, agent: &str| {
        let mut errors = PolicyErrors::default();
        let rules = RouteRules::compile(&config(needed), Some(team(&disk)), &mut errors);
        let context = HookContext::new("s", "lead").in_dir("/repo");
        rules.judge(&HookRequest::new(context, Route::new(agent, "x"))).strength()
    };
    for needed in ["SQL", "rust", "Async", "security"] {
        assert_eq!(strength(needed, "Ada"), Strength::NoOpinion, "{needed}");
        assert_eq!(strength(needed, "bob"), Strength::Deny, "{needed}");
    }
    assert_eq!(strength("go", "ada"), Strength::Deny);
}

#[test]
fn only_what_a_rule_allows_is_routed_if_others_are_denied() {
    let config = json!({
        "others": "deny",
        "rules": [
            {"name": "lead", "action": "allow", "from": ["lead"], "to": ["a", "b"]},
            {"name": "not-b", "to": ["b"], "words": ["x"]},
        ],
    });
    let hooks = hooks(config, Vec::new());
    assert_eq!(sent(&hooks, Route::new("a", "x")), Ok("a".to_owned()));
    assert_eq!(sent(&hooks, Route::new("b", "x")), Err("not-b".to_owned()));
    assert_eq!(sent(&hooks, Route::new("c", "x")), Err("others".to_owned()));
}

#[test]
fn an_agent_with_enough_to_do_gets_no_task() {
    let config = json!({
        "most": 1,
        "urgent": "critical",
        "agents": {"ada": {"most": 2, "instead": ["bob", "eve"]}},
        "rules": [{"name": "not-eve", "to": ["eve"], "words": ["secret"]}],
    });
    let with = |open| hooks(config.clone(), open);
    assert_eq!(sent(&with(vec!["ada"]), Route::new("Ada", "x")), Ok("Ada".to_owned()));
    assert_eq!(sent(&with(vec!["ada", "ada"]), Route::new("Ada", "x")), Ok("bob".to_owned()));
    assert_eq!(sent(&with(vec!["ada", "ada", "bob"]), Route::new("Ada", "x")), Ok("eve".to_owned()));
    assert_eq!(sent(&with(vec!["ada", "ada", "bob"]), Route::new("Ada", "a secret")), Err("load".to_owned()));
    assert_eq!(sent(&with(vec!["bob"]), Route::new("bob", "x")), Err("load".to_owned()));
    assert_eq!(sent(&with(vec!["bob"]), urgent("bob", Priority::Critical)), Ok("bob".to_owned()));
}

#[test]
fn open_tasks_that_are_not_known_deny_the_task() {
    let rules = || rules(json!({"agents": {"ada": {"most": 2}}}));
    for hooks in [
        Routing::new(rules()).add_to(Hooks::builder()).build(),
        Routing::new(rules()).counting(Arc::new(Broken)).add_to(Hooks::builder()).build(),
    ] {
        assert!(sent(&hooks, Route::new("ada", "x")).is_err());
        assert!(sent(&hooks, Route::new("bob", "x")).is_ok(), "no limit is asked for it");
    }
}

#[test]
fn calls_of_the_tool_are_judged_and_changed_too() {
    let config = json!({
        "rules": [{"name": "sql", "words": ["sql"], "requires": ["sql"], "instead": ["ada"]}, {"name": "legal", "to": ["legal"]}],
        "agents": {"ada": {"capabilities": ["sql"]}},
    });
    let hooks = hooks(config, Vec::new());
    let call = |tool: &str, args: Value| {
        let decided = hooks
            .on(HookContext::new("s", "lead"))
            .pre_tool_use(PreToolUse::new(tool, args))
            .now_or_never()
            .unwrap();
        (decided.outcome.is_denied(), decided.request.event().tool_args.clone())
    };
    let args = |target: &str, task: &str| json!({"targetAgent": target, "task": task});
    for tool in ["squad_route", "mcp__squad__squad_route", "SquadRoute"] {
        assert_eq!(call(tool, args("bob", "sql")), (false, args("ada", "sql")), "{tool}");
        assert!(call(tool, args("legal", "x")).0, "{tool}");
        for odd in [
            json!({}),
            json!({"targetAgent": 7}),
            json!({"targetAgent": "a", "agent": "b"}),
            json!({"targetAgent": "a", "priority": "soon"}),
            json!({"targetAgent": "a", "task": ["sql"]}),
            json!({"targetAgent": "a", "task": "x", "context": {"words": "sql"}}),
        ] {
            assert!(call(tool, odd.clone()).0, "{tool} {odd}");
        }
    }
    assert!(!call("other", json!({})).0);
}

#[test]
fn mistakes_are_reported() {
    let config: RoutesConfig = serde_json::from_value(json!({
        "most": 0,
        "rules": [
            {"name": "a", "from": [" "]},
            {"name": "a", "words": ["!"]},
            {"name": "", "instead": ["x*"]},
            {"name": "b", "at_least": "high", "at_most": "low"},
            {"name": "c", "action": "allow", "instead": ["x"]},
        ],
        "agents": {"x": {"instead": ["y"]}},
    }))
    .unwrap();
    let errors = RouteRules::new(&config).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    let wanted = [
        "routes.rules[1].name",
        "routes.rules[0].from[0]",
        "routes.rules[1].words[0]",
        "routes.rules[2].name",
        "routes.rules[2].instead[0]",
        "routes.rules[3].at_least",
        "routes.rules[4].instead",
        "routes.agents.x.instead",
        "routes.most",
    ];
    assert_eq!(fields, wanted);
}

#[test]
fn the_laws_hold() {
    assert_policy_laws!(Route, rules(json!({"rules": [{"name": "r", "requires": ["x"]}], "others": "deny"})));
    assert_policy_laws!(PreToolUse, rules(json!({"rules": [{"name": "r"}]})));
}

fn rule() -> impl Strategy<Value = RouteRuleConfig> {
    let names = || {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "lead", "*"]).prop_map(str::to_owned), 0..2)
    };
    let needs =
        prop::collection::vec(prop::sample::select(vec!["sql", "rust"]).prop_map(str::to_owned), 0..2);
    (names(), names(), needs).prop_map(|(from, to, requires)| RouteRuleConfig {
        from,
        to,
        requires,
        ..RouteRuleConfig::default()
    })
}

proptest! {
    /// Another rule that denies never allows more: what was denied stays denied.
    #[test]
    fn another_denial_never_allows_more(all in prop::collection::vec(rule(), 1..4), target in "[ab]") {
        let named = |all: &[RouteRuleConfig]| -> Vec<_> {
            all.iter().enumerate().map(|(index, rule)| RouteRuleConfig { name: format!("r{index}"), ..rule.clone() }).collect()
        };
        let strength = |rules: &[RouteRuleConfig]| {
            let config = RoutesConfig { rules: named(rules), ..RoutesConfig::default() };
            let request = HookRequest::new(HookContext::new("s", "lead"), Route::new(target.as_str(), "x"));
            RouteRules::new(&config).unwrap().judge(&request).strength()
        };
        prop_assert!(strength(&all) >= strength(&all[1..]));
        prop_assert!(strength(&all) != Strength::Allow);
    }
}
