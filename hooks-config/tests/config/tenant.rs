//! Tenants: those of a configuration hold in every set of hooks that is built from it, for events and for
//! state.

use std::sync::Arc;

use hooks_classic::PolicyHooks;
use hooks_config::{Config, ConfigErrors, ConfigReader, Kept};
use hooks_core::event::{BeforeModelCall, PreToolUse};
use hooks_core::state::{Key, Memory, Op, StateStore, StepResult};
use hooks_core::{EventDecision, HookContext, Hooks, Judged};
use hooks_policies::LockoutRegistry;
use serde_json::json;

fn at(tenant: Option<&str>) -> HookContext {
    let mut context = HookContext::new("s", "a").with_environment(hooks_system::system());
    context.tenant = tenant.map(str::to_owned);
    context
}

async fn asks(hooks: &Hooks, tenant: Option<&str>) -> EventDecision<PreToolUse> {
    let mut decision = hooks.on(at(tenant)).pre_tool_use(PreToolUse::new("ask_user", json!({}))).await;
    decision.outcome.take_holds().commit();
    decision
}

fn kept(store: &Arc<Memory>) -> Kept {
    Kept::new(Arc::new(LockoutRegistry::default()), store.clone())
}

#[tokio::test]
async fn what_names_nobody_is_the_tenants_and_what_names_another_is_refused() {
    let store = Arc::new(Memory::new(hooks_system::system().clock));
    let read =
        |text: &str| ConfigReader::default().keeping(kept(&store)).parse(text, "hooks.yaml").unwrap().hooks();
    let file = "version: 1\ntenant: acme\nask_user: { max_per_session: 2 }\n";
    let hooks = read(file);
    assert!(asks(&hooks, None).await.outcome.goes_ahead());
    assert!(asks(&hooks, Some("acme")).await.outcome.goes_ahead());
    assert!(asks(&hooks, None).await.outcome.is_denied(), "both were the same tenant's");
    let below = Key::new(None, &[]);
    let StepResult::Counters(counters) = store.apply(Op::Counters { below }).await.unwrap() else { panic!() };
    assert_eq!(counters, [], "nothing is nobody's");

    let refused = asks(&hooks, Some("initech")).await.outcome;
    let reason = refused.shown_reason().unwrap();
    assert_eq!(reason.message, "this is an event of `initech`, and these hooks are of `acme`");
    assert!(reason.remedy.as_deref().unwrap().contains("`tenants`"));
    // Whatever the event is about.
    let view =
        hooks.on(at(Some("initech"))).pre_tool_use(PreToolUse::new("view", json!({"path": "a"}))).await;
    assert!(view.outcome.is_denied());
    let call = BeforeModelCall::new("m", 1, Vec::new());
    assert!(hooks.on(at(Some("initech"))).before_model_call(call).await.outcome.is_denied());

    // Tenants that are listed have state of their own.
    let hooks = read(&file.replace("acme", "acme\ntenants: [initech]"));
    for _ in 0..2 {
        assert!(asks(&hooks, Some("initech")).await.outcome.goes_ahead());
    }
    assert!(asks(&hooks, Some("initech")).await.outcome.is_denied());
    assert!(asks(&hooks, Some("hooli")).await.outcome.is_denied());
    // If the file names no tenant, every event keeps its own.
    let hooks = read("version: 1\nask_user: { max_per_session: 1 }\n");
    for tenant in [None, Some("initrode")] {
        assert!(asks(&hooks, tenant).await.outcome.goes_ahead());
        assert!(asks(&hooks, tenant).await.outcome.is_denied());
    }
}

#[tokio::test]
async fn what_is_asked_of_a_budget_by_hand_is_within_the_tenant_too() {
    let store = Arc::new(Memory::new(hooks_system::system().clock));
    let file = "version: 1
tenant: a/b
budget: { limits: [{ of: team, per: always, tokens: 10 }], hold: { most_output_tokens: 4 } }
";
    let hooks = ConfigReader::default().keeping(kept(&store)).parse(file, "hooks.yaml").unwrap().hooks();
    let mut decision = hooks.on(at(None)).before_model_call(BeforeModelCall::new("m", 1, Vec::new())).await;
    decision.outcome.take_holds().commit();
    let budget = hooks.spend_budget().unwrap();
    for tenant in [None, Some("a/b")] {
        assert_eq!(budget.report(&at(tenant)).await.unwrap().budgets[0].held, 4, "{tenant:?}");
    }
    let closed = budget.report(&at(Some("c"))).await.unwrap_err().to_string();
    assert!(closed.contains("these hooks are of `a/b`"), "{closed}");
}

#[test]
fn a_tenant_without_a_name_is_refused() {
    for (lines, wanted) in [
        ("tenant: \"\"", "line 2, column 9: tenant: it is empty; write whose state it is, or leave it out"),
        ("tenant: \"  \"", "tenant: it is empty"),
        ("tenant: \" acme\"", "tenant: there is space around it"),
        ("tenant: a\ntenants: [b, \"\"]", "line 3, column 14: tenants[1]: it is empty"),
        ("tenants: [b]", "tenants: `tenant` is missing; write `tenant` too"),
        ("tenant: a\ntenants: [b]\nreviewer_lockout: {}", "tenants: lockouts are of one tenant"),
        ("tenant: 5", "tenant: expected a string"),
        ("tenant:", "tenant: there is no value"),
    ] {
        let errors = Config::parse(&format!("version: 1\n{lines}\n"), "hooks.yaml").unwrap_err();
        let messages: Vec<_> = ConfigErrors::errors(&errors).iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1, "{lines}: {messages:?}");
        assert!(messages[0].contains(wanted), "{lines}: {messages:?}");
    }
}
