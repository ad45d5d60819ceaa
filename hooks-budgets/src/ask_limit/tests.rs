use hooks_core::event::PreToolUse;
use hooks_core::state::{Memory, Op, StepResult, StoreError};
use hooks_core::{HookContext, Hooks, Strength, policy_fn};
use serde_json::json;

use super::*;
use crate::{Budgets, BudgetsSettings};

fn hooks(max_per_session: u64, counts: AskCounting) -> Hooks {
    let ask_user = Some(AskUserConfig { max_per_session, counts, ..AskUserConfig::default() });
    let no_bad =
        policy_fn("no-bad", |request: &HookRequest<PreToolUse>| {
            match request.event().tool_args["q"].as_str() {
                Some("bad") => hooks_core::Verdict::deny(Reason::new("no-bad", "word", "bad")),
                _ => hooks_core::Verdict::NO_OPINION,
            }
        });
    Hooks::builder()
        .policy(no_bad)
        .config(BudgetsSettings { ask_user, ..BudgetsSettings::default() })
        .unwrap()
        .build()
}

/// Asks a question and returns whether the call went ahead.
async fn ask(hooks: &Hooks, session: &str, tool: &str, question: &str, id: Option<&str>) -> bool {
    let mut event = PreToolUse::new(tool, json!({ "q": question }));
    event.tool_use_id = id.map(str::to_owned);
    let mut decision = hooks.on(HookContext::new(session, "Lead")).pre_tool_use(event).await;
    decision.outcome.take_holds().commit();
    decision.outcome.goes_ahead()
}

#[tokio::test]
async fn a_session_has_its_places_whatever_the_tool_is_called() {
    let hooks = hooks(2, AskCounting::Asked);
    assert!(ask(&hooks, "s", "ask_user", "a", None).await);
    assert!(ask(&hooks, "s", "AskUserQuestion", "a", None).await);
    assert!(!ask(&hooks, "s", "askUser", "a", None).await);
    assert!(ask(&hooks, "t", "ask_user", "a", None).await);
    assert!(ask(&hooks, "s", "view", "a", None).await);
}

#[tokio::test]
async fn a_call_that_is_told_twice_takes_one_place() {
    let hooks = hooks(1, AskCounting::Asked);
    assert!(ask(&hooks, "s", "ask_user", "a", Some("call-1")).await);
    assert!(ask(&hooks, "s", "ask_user", "a", Some("call-1")).await);
    assert!(!ask(&hooks, "s", "ask_user", "a", Some("call-2")).await);
}

#[tokio::test]
async fn what_is_not_put_is_given_back() {
    let hooks = hooks(1, AskCounting::Asked);
    let event = PreToolUse::new("ask_user", json!({}));
    drop(hooks.on(HookContext::new("s", "Lead")).pre_tool_use(event).await);
    assert!(!ask(&hooks, "s", "ask_user", "bad", None).await);
    assert!(ask(&hooks, "s", "ask_user", "good", None).await);
}

/// Asks about a call with an id and returns the decision without committing it.
async fn decision_on(hooks: &Hooks, id: &str) -> hooks_core::EventDecision<PreToolUse> {
    let mut event = PreToolUse::new("ask_user", json!({}));
    event.tool_use_id = Some(id.to_owned());
    hooks.on(HookContext::new("s", "Lead")).pre_tool_use(event).await
}

#[tokio::test]
async fn a_call_that_is_told_again_after_its_place_was_given_back_is_not_free() {
    let hooks = hooks(1, AskCounting::Asked);
    for _ in 0..3 {
        drop(decision_on(&hooks, "call-1").await);
    }
    assert!(ask(&hooks, "s", "ask_user", "a", Some("call-1")).await);
    assert!(!ask(&hooks, "s", "ask_user", "a", Some("call-2")).await);
    assert!(ask(&hooks, "s", "ask_user", "a", Some("call-1")).await, "it is paid for");
}

#[tokio::test]
async fn a_call_that_holds_its_place_takes_no_other_and_does_not_give_it_away() {
    let hooks = hooks(1, AskCounting::Asked);
    drop(decision_on(&hooks, "call-1").await);
    let mut first = decision_on(&hooks, "call-1").await;
    let mut second = decision_on(&hooks, "call-1").await;
    assert!(first.outcome.goes_ahead() && second.outcome.goes_ahead());
    first.outcome.take_holds().commit();
    drop(second.outcome.take_holds());
    assert!(!ask(&hooks, "s", "ask_user", "a", Some("call-2")).await, "the question was put");
}

#[tokio::test]
async fn a_call_that_never_ends_giving_back_is_refused() {
    let hooks = hooks(1, AskCounting::Asked);
    for _ in 0..=MOST_GIVEN_BACK {
        assert!(decision_on(&hooks, "call-1").await.outcome.goes_ahead());
    }
    let refused = decision_on(&hooks, "call-1").await.outcome;
    assert_eq!(refused.shown_reason().map(|reason| &*reason.rule), Some("call"));
    assert!(decision_on(&hooks, "call-2").await.outcome.goes_ahead());
}

#[tokio::test]
async fn attempts_count_where_they_shall() {
    let hooks = hooks(1, AskCounting::Attempted);
    assert!(!ask(&hooks, "s", "ask_user", "bad", Some("call-1")).await);
    assert!(!ask(&hooks, "s", "ask_user", "good", None).await);
    assert!(
        !ask(&hooks, "s", "ask_user", "good", Some("call-1")).await,
        "its number came back with another question"
    );
}

#[tokio::test]
async fn zero_is_none_at_all_and_the_reason_counts() {
    let hooks = hooks(0, AskCounting::Asked);
    let event = PreToolUse::new("ask_user", json!({}));
    let decision = hooks.on(HookContext::new("s", "Lead")).pre_tool_use(event).await;
    let reason = decision.outcome.shown_reason().unwrap();
    assert_eq!(reason.strength, Strength::Deny);
    assert_eq!(reason.evidence, [Evidence::Count { used: 0, limit: 0 }]);
}

/// Store that answers later, or, with `None`, fails.
struct Slow(Option<Memory>);

impl StateStore for Slow {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let answer = match &self.0 {
            Some(memory) => memory.apply(op),
            None => HookFuture::now(Err(StoreError::Unavailable("down".into()))),
        };
        HookFuture::later(async move {
            tokio::task::yield_now().await;
            answer.await
        })
    }
}

#[tokio::test]
async fn a_store_that_answers_later_counts_and_one_that_fails_denies() {
    let config = || BudgetsSettings {
        ask_user: Some(AskUserConfig { max_per_session: 1, ..AskUserConfig::default() }),
        ..BudgetsSettings::default()
    };
    let memory = Memory::new(Arc::new(hooks_core::time::StoppedClock::default()));
    for (store, first, second) in [(Slow(Some(memory)), true, false), (Slow(None), false, false)] {
        let policies = Budgets::new(config()).with_store(Arc::new(store));
        let hooks = Hooks::from_policy(policies).unwrap();
        assert_eq!(ask(&hooks, "s", "ask_user", "a", None).await, first);
        assert_eq!(ask(&hooks, "s", "ask_user", "a", None).await, second);
    }
}

#[tokio::test]
async fn a_tree_of_sessions_may_share_its_places() {
    for (of, goes_ahead) in [(AskLevel::Session, true), (AskLevel::Tree, false)] {
        let ask_user = Some(AskUserConfig { max_per_session: 1, of, ..AskUserConfig::default() });
        let hooks = Hooks::from_policy(BudgetsSettings { ask_user, ..BudgetsSettings::default() }).unwrap();
        let asks = async |session: &str, parent: &str| {
            let mut context = HookContext::new(session, "Lead");
            context.parent_session_id = Some(parent.to_owned());
            let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new("ask_user", json!({}))).await;
            decision.outcome.take_holds().commit();
            decision.outcome.goes_ahead()
        };
        assert!(asks("child", "root").await);
        for (session, parent) in [("grandchild", "child"), ("root", "")] {
            assert_eq!(asks(session, parent).await, goes_ahead, "{of:?} {session}");
        }
        assert!(asks("other", "").await);
    }
}

#[tokio::test]
async fn an_attempt_counts_for_its_tree_also_without_a_background() {
    let ask_user =
        Some(AskUserConfig { max_per_session: 1, of: AskLevel::Tree, counts: AskCounting::Attempted });
    let no_bad = policy_fn("no-bad", |request: &HookRequest<PreToolUse>| {
        let is_bad = request.event().tool_args["q"] == "bad";
        let deny = || hooks_core::Verdict::deny(Reason::new("no-bad", "word", "bad"));
        if is_bad { deny() } else { hooks_core::Verdict::NO_OPINION }
    });
    let config = BudgetsSettings { ask_user, ..BudgetsSettings::default() };
    let hooks = Hooks::builder().policy(no_bad).config(config).unwrap().build();
    assert!(!ask(&hooks, "s", "ask_user", "bad", None).await);
    assert!(!ask(&hooks, "s", "ask_user", "good", None).await);
}
