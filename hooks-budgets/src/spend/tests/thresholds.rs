//! Actions before a limit is reached.

use std::convert::Infallible;

use hooks_core::event::{BeforeModelCall, PreToolUse, SubagentStart};
use hooks_core::{Hooks, Judged, Reason, Strength};
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::{Budgets, BudgetsSettings};

/// Returns a budget of a hundred tokens, of which `tokens` are spent.
async fn spent(tokens: u64, thresholds: Value) -> (SpendBudget, Arc<Memory>, Arc<Keeps>) {
    let (store, _) = memory();
    let watch = Arc::new(Keeps::default());
    let budget = SpendBudget::new(&thresholds_config(thresholds), store.clone()).unwrap();
    let budget = budget.with_watch(watch.clone());
    let size = CallSize::new(context("s", "a"), "large", tokens).replying_at_most(Some(0));
    let mut hold = budget.hold(&size, ReplyBound::Nothing).await.unwrap();
    hold.used(Used::tokens(usage(tokens, 0)));
    hold.end().await.unwrap();
    (budget, store, watch)
}

fn thresholds_config(thresholds: Value) -> SpendBudgetConfig {
    let mut config = config(json!([{ "of": "team", "per": "day", "tokens": 100 }]));
    config.thresholds = serde_json::from_value(thresholds).unwrap();
    config
}

#[tokio::test]
async fn each_threshold_acts_where_it_is_reached_and_not_before() {
    let thresholds = || json!({ "warn": 50, "cheaper": 70, "ask": 80, "pause_spawns": 90 });
    for (tokens, warned, cheaper, confirmed, paused) in [
        (49, false, false, false, false),
        (50, true, false, false, false),
        (69, true, false, false, false),
        (70, true, true, false, false),
        (80, true, true, true, false),
        (90, true, true, true, true),
        (100, true, true, true, true),
    ] {
        let (budget, _, watch) = spent(tokens, thresholds()).await;
        let context = context("s", "a");
        let advice = budget.advice(&context, "large").await.unwrap();
        assert_eq!(!advice.warnings.is_empty(), warned, "{tokens}");
        assert_eq!(watch.warnings(), advice.warnings);
        assert_eq!(advice.cheaper.as_deref(), cheaper.then_some("small"), "{tokens}");
        assert_eq!(advice.ask.is_some(), confirmed, "{tokens}");
        assert_eq!(advice::pause(&budget, &context).await.unwrap().is_some(), paused, "{tokens}");
        // The warning comes once, the question again.
        let again = budget.advice(&context, "small").await.unwrap();
        assert_eq!((again.warnings.len(), again.cheaper, again.ask.is_some()), (0, None, confirmed));
    }
}

#[tokio::test]
async fn a_hundred_percent_switches_a_threshold_off() {
    let off = json!({ "warn": 100, "cheaper": 100, "ask": 100, "pause_spawns": 100 });
    let (budget, ..) = spent(100, off).await;
    assert_eq!(budget.advice(&context("s", "a"), "large").await.unwrap(), Advice::default());
}

/// Answers with a fixed value, and keeps the questions.
struct Approves(Mutex<Vec<String>>, bool);

impl SpendApprover for Approves {
    fn approve(&self, _size: CallSize, reason: Reason) -> HookFuture<'static, bool> {
        self.0.lock().unwrap().push(reason.message);
        HookFuture::now(self.1)
    }
}

#[tokio::test]
async fn around_a_model_a_person_is_asked_once_and_the_cheaper_model_is_called() {
    for (answer, approver) in [(Some(true), true), (Some(false), true), (None, false)] {
        let (budget, _, watch) = spent(85, json!({ "ask": 80 })).await;
        let model = service_fn(|request: ModelRequest| async move {
            Ok::<_, Infallible>(ModelReply {
                response: Message::text(Role::Assistant, request.model),
                usage: usage(1, 1),
                cost: None,
            })
        });
        let approves = Arc::new(Approves(Mutex::default(), answer == Some(true)));
        let layer = budget.layer(Short(ModelMeter::new(context("s", "a"))));
        let layer = if approver { layer.asking(approves.clone()) } else { layer };
        let model = layer.layer(model);
        for _ in 0..2 {
            let called = model.clone().oneshot(asking("large")).await;
            match answer {
                Some(true) => assert_eq!(called.unwrap().response.content, "small"),
                _ => assert!(
                    called.unwrap_err().to_string().contains("nearly used up: 85 tokens of 100 tokens")
                ),
            }
        }
        let questions = approves.0.lock().unwrap().len();
        assert_eq!(
            questions,
            match answer {
                Some(true) => 1,
                Some(false) => 2,
                None => 0,
            }
        );
        let told = watch.0.lock().unwrap();
        let cheaper = SpendNotice::Cheaper { model: "large".into(), instead: "small".into() };
        assert_eq!(told.contains(&cheaper), answer == Some(true));
    }
}

/// Meter for answers of one token.
#[derive(Clone)]
struct Short(ModelMeter);

impl Meter<ModelRequest> for Short {
    fn size(&self, request: &ModelRequest) -> CallSize {
        self.0.size(request).replying_at_most(Some(1))
    }

    fn use_model(&self, request: &mut ModelRequest, model: &str) -> bool {
        self.0.use_model(request, model)
    }
}

impl MeterReply<ModelReply> for Short {
    fn used(&self, reply: &ModelReply) -> Used {
        self.0.used(reply)
    }
}

#[tokio::test]
async fn on_events_the_same_is_done() {
    let thresholds = json!({ "ask": 80 });
    let (_, store, _) = spent(75, thresholds.clone()).await;
    let mut budget = thresholds_config(thresholds);
    budget.hold.output_tokens = 1;
    budget.hold.most_output_tokens = Some(1);
    let policies = |budget: SpendBudgetConfig| {
        let config = BudgetsSettings { budget: Some(budget), ..BudgetsSettings::default() };
        Hooks::from_policy(Budgets::new(config).with_store(store.clone())).unwrap()
    };
    let hooks = policies(budget.clone());
    let at = hooks.on(context("s", "a"));
    let call = || BeforeModelCall::new("large", 1, Vec::new());
    let mut decision = at.before_model_call(call()).await;
    assert_eq!(decision.request.event().model, "small");
    assert!(decision.outcome.goes_ahead());
    assert!(decision.outcome.reasons().iter().any(|reason| reason.rule == "warn"));
    decision.outcome.take_holds().commit();
    assert!(at.subagent_start(SubagentStart::new("b", "x")).await.outcome.goes_ahead());
    // A child gets the cheaper model as well, if it has an expensive one.
    for (model, used) in [(Some("large"), Some("small")), (Some("small"), Some("small")), (None, None)] {
        let mut start = SubagentStart::new("b", "x");
        start.model = model.map(str::to_owned);
        let decision = at.subagent_start(start).await;
        assert!(decision.outcome.goes_ahead());
        assert_eq!(decision.request.event().model.as_deref(), used);
    }
    // The same through tools, which keep their other arguments.
    for (arguments, used) in [
        (json!({"subagent_type": "b", "prompt": "x", "model": "large"}), json!("small")),
        (json!({"subagent_type": "b", "prompt": "x", "model": "small"}), json!("small")),
        (json!({"subagent_type": "b", "prompt": "x"}), Value::Null),
    ] {
        let decision = at.pre_tool_use(PreToolUse::new("Task", arguments)).await;
        assert!(decision.outcome.goes_ahead());
        let args = &decision.request.event().tool_args;
        assert_eq!((&args["model"], &args["prompt"]), (&used, &json!("x")));
    }
    let other = PreToolUse::new("view", json!({"path": "a", "model": "large"}));
    assert_eq!(at.pre_tool_use(other).await.request.event().tool_args["model"], "large");

    budget.thresholds.ask = 76;
    budget.thresholds.pause_spawns = 76;
    let hooks = policies(budget);
    let at = hooks.on(context("s", "a"));
    assert_eq!(at.before_model_call(call()).await.outcome.strength(), Strength::Ask);
    let refused = at.subagent_start(SubagentStart::new("b", "x")).await.outcome;
    assert_eq!(refused.shown_reason().unwrap().rule, "pause-spawns");
    assert!(at.pre_tool_use(PreToolUse::new("Task", json!({}))).await.outcome.is_denied());
    assert!(at.pre_tool_use(PreToolUse::new("view", json!({"path": "a"}))).await.outcome.goes_ahead());
    // The user approves by hand.
    hooks.extension::<SpendBudget>().unwrap().approve(&context("s", "a"), "small").await.unwrap();
    assert!(at.before_model_call(call()).await.outcome.goes_ahead());
}

/// Store that counts its operations, and allows no set of marks.
struct Counts(Arc<Memory>, std::sync::atomic::AtomicUsize);

impl StateStore for Counts {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        if let Op::Members { set } | Op::Insert { set, .. } = &op {
            assert!(!set.as_str().contains("said"), "{op:?}");
        }
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0.apply(op)
    }
}

#[tokio::test]
async fn what_was_said_costs_the_same_after_many_sessions_and_ends_with_its_window() {
    let (memory, clock) = memory();
    let store = Arc::new(Counts(memory.clone(), Default::default()));
    let mut config = config(json!([{ "of": "session", "per": "hour", "tokens": 10 }]));
    config.thresholds = serde_json::from_value(json!({ "warn": 1, "ask": 1 })).unwrap();
    let budget = SpendBudget::new(&config, store.clone()).unwrap();
    let mut confirmed = Vec::new();
    for number in 0..200 {
        let at = context(&format!("s{number}"), "a");
        let size = CallSize::new(at.clone(), "large", 10).replying_at_most(Some(0));
        let mut hold = budget.hold(&size, ReplyBound::Nothing).await.unwrap();
        hold.used(Used::tokens(usage(10, 0)));
        hold.end().await.unwrap();
        let before = store.1.load(std::sync::atomic::Ordering::Relaxed);
        let advice = budget.advice(&at, "large").await.unwrap();
        assert!(advice.ask.is_some() && advice.warnings.len() == 1);
        confirmed.push(store.1.load(std::sync::atomic::Ordering::Relaxed) - before);
        assert_eq!(budget.approve(&at, "large").await.unwrap().len(), 1);
        assert_eq!(budget.approve(&at, "large").await.unwrap(), [""; 0], "it is approved");
        let again = budget.advice(&at, "large").await.unwrap();
        assert_eq!((again.ask, again.warnings.len()), (None, 0));
    }
    assert!(confirmed.iter().all(|count| *count == confirmed[0]), "{confirmed:?}");
    // The mark expires with its window, and nothing of it is left.
    clock.advance(std::time::Duration::from_secs(3_600));
    let at = context("s0", "a");
    let size = CallSize::new(at.clone(), "large", 1).replying_at_most(Some(0));
    let _open = budget.hold(&size, ReplyBound::Nothing).await.unwrap();
    let anew = budget.advice(&at, "large").await.unwrap();
    assert!(anew.ask.is_some() && anew.warnings.len() == 1);
}
