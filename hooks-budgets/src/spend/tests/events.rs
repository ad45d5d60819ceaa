//! The budget on events: two hooks of one call, in one process or in two, and the drivers.

use futures_util::FutureExt;
use hooks_core::drivers::{GovernModel, ModelCall, ModelOutcome, Session};
use hooks_core::event::{AfterModelCall, BeforeModelCall, EndReason, ErrorOccurred, ErrorType, SessionStart};
use hooks_core::testing::ScriptedModel;
use hooks_core::time::{StoppedClock, Timestamp};
use hooks_core::{Hooks, Judged, ReasonKind};
use tower::{Service, ServiceExt, service_fn};

use super::*;
use crate::{Budgets, BudgetsSettings};

fn hooks_with(budget: SpendBudgetConfig, store: Arc<dyn StateStore>, watch: Arc<Keeps>) -> Hooks {
    let config = BudgetsSettings { budget: Some(budget), ..BudgetsSettings::default() };
    Hooks::from_policy(Budgets::new(config).with_store(store).with_spend_watch(watch)).unwrap()
}

/// Returns hooks with a budget of one dollar, which reserve 4,000 tokens of an answer at a time.
fn hooks(store: Arc<dyn StateStore>) -> Hooks {
    let mut budget = config(json!([{ "of": "team", "per": "always", "usd": 1 }]));
    budget.cheaper.clear();
    hooks_with(budget, store, Arc::default())
}

fn of_call(id: Option<&str>) -> Arc<HookContext> {
    let mut at = HookContext::clone(&context("s", "a"));
    at.call_id = id.map(str::to_owned);
    Arc::new(at)
}

async fn before(hooks: &Hooks, id: Option<&str>, iteration: u64) -> bool {
    let event = BeforeModelCall::new("large", iteration, Vec::new());
    let mut decision = hooks.on(of_call(id)).before_model_call(event).await;
    decision.outcome.take_holds().commit();
    decision.outcome.goes_ahead()
}

async fn after(hooks: &Hooks, id: Option<&str>, iteration: u64, reply: &ModelReply) {
    let event = AfterModelCall::new("large", iteration, reply);
    assert!(hooks.on(of_call(id)).after_model_call(event).await.outcome.goes_ahead());
}

#[tokio::test]
async fn what_one_process_holds_another_settles() {
    for id in [Some("call-1"), None] {
        let (store, _) = memory();
        let [one, other] = [hooks(store.clone()), hooks(Arc::new(Slow(store.clone())))];
        assert!(before(&one, id, 1).await);
        assert_eq!(charged(&*store, "of").await, (40_000, 40_000));
        after(&other, id, 1, &reply(usage(100, 500))).await;
        assert_eq!(charged(&*store, "of").await, (5_100, 0), "{id:?}");
    }
}

/// Instance of a fleet: reservations here are taken from its lease, and other instances do not know of them.
struct Instance {
    leased: Memory,
    shared: Arc<Memory>,
}

impl Instance {
    fn sharing(shared: &Arc<Memory>) -> Arc<Self> {
        Arc::new(Self { leased: Memory::new(Arc::new(FakeClock::default())), shared: Arc::clone(shared) })
    }
}

impl StateStore for Instance {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        match op {
            Op::Reserve { .. } => self.leased.apply(op),
            Op::Settle { .. } | Op::Release { .. } => match self.leased.apply(op.clone()).now_or_never() {
                Some(Ok(StepResult::Unknown)) => self.shared.apply(op),
                answer => HookFuture::Now(answer),
            },
            op => self.shared.apply(op),
        }
    }
}

#[tokio::test]
async fn what_one_instance_of_a_fleet_holds_another_settles() {
    for id in [Some("call-1"), None] {
        let (store, _) = memory();
        let [one, other] = [hooks(Instance::sharing(&store)), hooks(Instance::sharing(&store))];
        assert!(before(&one, id, 1).await);
        assert_eq!(charged(&*store, "of").await, (40_000, 40_000));
        after(&other, id, 1, &reply(usage(100, 500))).await;
        assert_eq!(charged(&*store, "of").await, (5_100, 0), "{id:?}");
        // The end of another call is reported twice, and it has no reservation.
        for instance in [&one, &other] {
            after(instance, Some("call-2"), 2, &reply(usage(0, 10))).await;
        }
        assert_eq!(charged(&*store, "of").await, (5_200, 0), "{id:?}");
    }
}

#[tokio::test]
async fn what_the_store_forgot_is_charged_when_it_ends() {
    let [(store, _), (later, _)] = [memory(), memory()];
    assert!(before(&hooks(store.clone()), Some("1"), 1).await);
    // All that is left is the entry of the open call.
    let set = Key::new(None, &["spend", "open", "s"]);
    let StepResult::Members { members, .. } = store.apply(Op::Members { set: set.clone() }).await.unwrap()
    else {
        panic!("it has a set")
    };
    let [entry] = <[_; 1]>::try_from(Arc::unwrap_or_clone(members)).unwrap();
    let insert = Op::Insert { id: entry.id, set, name: entry.name, note: entry.note, ttl: None };
    later.apply(insert).await.unwrap();
    after(&hooks(later.clone()), Some("1"), 1, &reply(usage(100, 500))).await;
    assert_eq!(charged(&*later, "of").await, (5_100, 0));
}

#[tokio::test]
async fn what_was_given_back_and_was_spent_all_the_same_is_charged() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    assert!(before(&hooks, Some("1"), 1).await);
    let call = crate::spend::events::call_id(&of_call(Some("1")), "1");
    let part = open_calls::part_id(call, SpendUnit::Usd);
    store.apply(Op::Release { id: part }).await.unwrap();
    after(&hooks, Some("1"), 1, &reply(usage(100, 500))).await;
    assert_eq!(charged(&*store, "of").await, (5_100, 0));
}

#[tokio::test]
async fn wherever_the_second_telling_of_a_call_is_given_up_the_first_ones_hold_stays() {
    for polls in 0..40 {
        let (store, _) = memory();
        let hooks = hooks(Arc::new(Slow(store.clone())));
        assert!(before(&hooks, Some("1"), 1).await);
        let event = BeforeModelCall::new("large", 1, Vec::new());
        let at = hooks.on(of_call(Some("1")));
        let mut second = Box::pin(at.before_model_call(event));
        for _ in 0..polls {
            if (&mut second).now_or_never().is_some() {
                break;
            }
        }
        drop(second);
        quiet().await;
        assert_eq!(charged(&*store, "of").await, (40_000, 40_000), "after {polls}");
    }
}

#[tokio::test]
async fn calls_without_ids_end_in_their_order_and_turns_are_told_apart() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    for iteration in [1, 2, 2] {
        assert!(before(&hooks, None, iteration).await);
    }
    after(&hooks, None, 2, &reply(usage(0, 1))).await;
    assert_eq!(charged(&*store, "of").await, (80_010, 80_000));
    after(&hooks, None, 1, &reply(usage(0, 2))).await;
    after(&hooks, None, 2, &reply(usage(0, 3))).await;
    assert_eq!(charged(&*store, "of").await, (60, 0));
    // A call whose start was not reported is charged all the same.
    after(&hooks, None, 7, &reply(usage(0, 4))).await;
    assert_eq!(charged(&*store, "of").await, (100, 0));
}

#[tokio::test]
async fn what_is_told_twice_counts_once() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    assert!(before(&hooks, Some("1"), 1).await);
    let event = BeforeModelCall::new("large", 1, Vec::new());
    drop(hooks.on(of_call(Some("1"))).before_model_call(event).await);
    assert_eq!(
        charged(&*store, "of").await,
        (40_000, 40_000),
        "the second gives back nothing of the first's"
    );
    for _ in 0..2 {
        after(&hooks, Some("1"), 1, &reply(usage(0, 10))).await;
        assert_eq!(charged(&*store, "of").await, (100, 0));
    }
    // The same id for another call.
    assert!(before(&hooks, Some("1"), 2).await);
    assert_eq!(charged(&*store, "of").await, (40_100, 40_000));
    after(&hooks, Some("1"), 2, &reply(usage(0, 10))).await;
    assert_eq!(charged(&*store, "of").await, (200, 0));
}

#[tokio::test]
async fn what_is_not_made_is_not_charged_and_what_was_made_all_the_same_is() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    let event = BeforeModelCall::new("large", 1, Vec::new());
    drop(hooks.on(of_call(Some("1"))).before_model_call(event).await);
    assert_eq!(charged(&*store, "of").await, (0, 0));
    after(&hooks, Some("1"), 1, &reply(usage(0, 10))).await;
    assert_eq!(charged(&*store, "of").await, (100, 0));
}

#[tokio::test]
async fn an_answer_of_unknown_size_is_charged_as_it_is_held_or_as_it_looks() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    assert!(before(&hooks, Some("1"), 1).await);
    after(&hooks, Some("1"), 1, &reply(usage(0, 0))).await;
    assert_eq!(charged(&*store, "of").await, (40_000, 0));
    assert!(before(&hooks, Some("2"), 2).await);
    let long =
        ModelReply { response: Message::text(Role::Assistant, "x".repeat(30_000)), ..reply(usage(0, 0)) };
    after(&hooks, Some("2"), 2, &long).await;
    assert_eq!(charged(&*store, "of").await, (40_000 + 100_080, 0));
    // An empty answer without a usage: the call may have used the whole reserved amount.
    assert!(before(&hooks, Some("empty"), 2).await);
    let empty = ModelReply { response: Message::text(Role::Assistant, ""), ..reply(usage(0, 0)) };
    after(&hooks, Some("empty"), 2, &empty).await;
    assert_eq!(charged(&*store, "of").await, (40_000 + 100_080 + 40_000, 0));
    // A cost that the provider reports takes precedence.
    assert!(before(&hooks, Some("3"), 3).await);
    let told = ModelReply { cost: Some(hooks_core::event::MicroUsd(7)), ..reply(usage(5, 5)) };
    after(&hooks, Some("3"), 3, &told).await;
    assert_eq!(charged(&*store, "of").await, (180_087, 0));
}

#[tokio::test]
async fn a_failed_call_is_charged_what_was_sent() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    let sends = BeforeModelCall::new("large", 1, vec![Message::text(Role::User, "x".repeat(3_000))]);
    let mut decision = hooks.on(of_call(Some("1"))).before_model_call(sends).await;
    decision.outcome.take_holds().commit();
    let input = 1_008;
    let mut failed = ErrorOccurred::new("HTTP 529", ErrorType::Model);
    let tools = ErrorOccurred::new("no such file", ErrorType::Tool);
    hooks.on(of_call(Some("1"))).error_occurred(tools).await;
    assert_eq!(charged(&*store, "of").await.1, 40_000 + input);
    failed.current_model = Some("large".to_owned());
    hooks.on(of_call(Some("1"))).error_occurred(failed).await;
    assert_eq!(charged(&*store, "of").await, (input, 0));
}

#[tokio::test]
async fn a_store_that_is_away_denies_calls_and_withholds_no_answers() {
    let hooks = hooks(Arc::new(Away));
    let event = BeforeModelCall::new("large", 1, Vec::new());
    let refused = hooks.on(of_call(None)).before_model_call(event).await.outcome;
    assert!(refused.is_denied());
    assert_eq!(refused.shown_reason().unwrap().kind, ReasonKind::Failure);
    after(&hooks, None, 1, &reply(usage(1, 1))).await;
}

#[tokio::test]
async fn a_governed_session_is_settled_and_reported() {
    let (store, _) = memory();
    let watch = Arc::new(Keeps::default());
    let mut budget = config(json!([{ "of": "session", "per": "session", "usd": 1 }]));
    budget.cheaper.clear();
    let hooks = hooks_with(budget, store.clone(), watch.clone());
    let (session, _) = Session::start(hooks.clone(), context("s", "a"), SessionStart::default()).await;
    let model = ScriptedModel::new([
        Ok(reply(usage(1_000, 100))),
        Err("overloaded".to_owned()),
        Ok(reply(usage(0, 10_000))),
    ]);
    let mut model = session.model(model);
    for iteration in 1..=3 {
        let request = ModelRequest { iteration, ..asking("large") };
        let call = ModelCall { context: session.context().clone(), request };
        let outcome = model.ready().await.unwrap().call(call).await.unwrap();
        assert_eq!(matches!(outcome, ModelOutcome::Failed(..)), iteration == 2);
        assert_eq!(charged(&*store, "of").await.1, 0);
    }
    session.end(EndReason::Complete, None).await;
    let report = hooks.extension::<SpendBudget>().unwrap().report(&context("s", "a")).await.unwrap();
    assert_eq!((report.spent["large"].usd, report.budgets[0].left), (Some(102_000), 898_000));
    assert_eq!(watch.0.lock().unwrap().last(), Some(&SpendNotice::Report(report)));
}

#[tokio::test]
async fn a_governed_call_that_is_dropped_is_charged_and_one_that_is_refused_leaves_nothing() {
    let (store, _) = memory();
    let hooks = hooks(store.clone());
    let never = service_fn(|_: ModelRequest| std::future::pending::<Result<ModelReply, String>>());
    let mut model = GovernModel::new(hooks.clone(), never);
    let call = |model: &str| ModelCall { context: context("s", "a"), request: asking(model) };
    let mut running = model.call(call("large"));
    for _ in 0..5 {
        assert!((&mut running).now_or_never().is_none());
    }
    assert_eq!(charged(&*store, "of").await, (40_000, 40_000));
    drop(running);
    quiet().await;
    // The driver knows neither the answer nor its usage.
    assert_eq!(charged(&*store, "of").await, (40_000, 0));
    let refused = model.call(call("unknown")).await.unwrap();
    assert!(
        matches!(refused, ModelOutcome::Stopped(reason) if reason == "the price of `unknown` is unknown")
    );
}

#[tokio::test]
async fn an_answer_of_which_nobody_knows_how_long_it_may_be_is_not_asked_for() {
    let (store, _) = memory();
    let limits = || json!([{ "of": "team", "per": "always", "usd": 1 }]);
    let of = |most: Option<u64>, limits: Value| {
        let mut budget = config(limits);
        budget.hold.most_output_tokens = most;
        budget.cheaper.clear();
        hooks_with(budget, store.clone(), Arc::default())
    };
    // One call in flight for each: whatever they answer, the budget is not exceeded.
    let hooks = of(Some(50_000), limits());
    for (id, goes_ahead) in [("1", true), ("2", true), ("3", false)] {
        assert_eq!(before(&hooks, Some(id), 1).await, goes_ahead, "{id}");
    }
    for id in ["1", "2"] {
        after(&hooks, Some(id), 1, &reply(usage(0, 50_000))).await;
    }
    assert_eq!(charged(&*store, "of").await, (1_000_000, 0));

    let event = BeforeModelCall::new("large", 1, Vec::new());
    let refused = of(None, limits()).on(of_call(Some("4"))).before_model_call(event).await.outcome;
    let reason = refused.shown_reason().unwrap();
    assert_eq!((&*reason.rule, refused.is_denied()), ("unknown-size", true));
    assert!(reason.remedy.as_deref().unwrap().contains("`most_output_tokens`"), "{reason:?}");
    // Without limits, the call is only counted.
    assert!(before(&of(None, json!([])), Some("5"), 1).await);
}

#[tokio::test]
async fn where_a_layer_enforces_it_events_are_not_counted() {
    let (store, _) = memory();
    let mut budget = config(json!([{ "of": "team", "per": "always", "usd": 1 }]));
    budget.enforce = SpendEnforcement::Layer;
    let hooks = hooks_with(budget, store.clone(), Arc::default());
    assert!(before(&hooks, Some("1"), 1).await);
    assert_eq!(charged(&*store, "of").await, (0, 0));
    assert!(hooks.extension::<SpendBudget>().is_some());
}

#[tokio::test]
async fn a_call_that_was_not_announced_counts_in_the_windows_of_its_time() {
    let days = |days: u64| Timestamp(days * 86_400_000);
    // The time of the answer, and whether it counts for the day, the month and the session. Today is a day of March 1970.
    for (at, counted) in [
        (days(70), [true, true, true]),
        (days(69), [false, true, true]),
        (days(40), [false, false, true]),
        (days(80), [true, true, true]),
        // The time is not known.
        (Timestamp(0), [true, true, true]),
    ] {
        let (store, _) = memory();
        for (per, counted) in ["day", "month", "session"].into_iter().zip(counted) {
            let budget = json!({ "limits": [{ "of": "session", "per": per, "tokens": 9_000 }] });
            let hooks = hooks_with(serde_json::from_value(budget).unwrap(), store.clone(), Arc::default());
            let id = format!("{per}-1");
            let mut context = HookContext::clone(&of_call(Some(&id)));
            context.environment.clock = Arc::new(StoppedClock(days(70)));
            context.session_id = per.to_owned();
            context.timestamp = at;
            let event = AfterModelCall::new("m", 0, &reply(usage(100, 500))).unannounced();
            assert!(hooks.on(context).after_model_call(event).await.outcome.goes_ahead());
            let below = Key::new(None, &["spend", "of", "session", per]);
            let StepResult::Counters(counters) = store.apply(Op::Counters { below }).await.unwrap() else {
                panic!("there are no counters")
            };
            let used: u64 = counters.iter().map(|counter| counter.used).sum();
            assert_eq!(used, if counted { 600 } else { 0 }, "{per} at {at}");
        }
    }
}
