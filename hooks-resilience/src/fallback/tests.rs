use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::Recovery;
use hooks_core::time::Tick;
use proptest::prelude::*;

use super::*;
use crate::call::Needs;
use crate::catalog::{Catalog, Model, Tier};
use crate::chain::Chain;
use crate::error::{BreakerVote, ErrorKind, ModelError, NextModel, SameModel, Treatments};
use crate::health::Readiness;

/// Readiness from a table with the time at which each model is ready next; a test changes it after an
/// attempt.
#[derive(Default)]
struct Table {
    ready: HashMap<String, u64>,
    budget: RefCell<u32>,
    /// Whether a call that has a last chance may take it with any model.
    lets_last_chance: bool,
    /// Seconds that a model took for its recent answers.
    usual: HashMap<String, u64>,
    /// Answers of a model to a thousand calls, if they are fewer.
    answers: HashMap<String, u32>,
}

impl View for Table {
    fn readiness(&self, model: &Model, _needs: &Needs, now: Tick) -> Readiness {
        match self.ready.get(&*model.name) {
            Some(&u64::MAX) => Readiness::Never,
            Some(&seconds) if tick(seconds) > now => Readiness::At(tick(seconds)),
            _ => Readiness::Ready,
        }
    }

    fn another_attempt(&self, _model: &Model, _now: Tick) -> bool {
        let mut budget = self.budget.borrow_mut();
        let left = budget.checked_sub(1);
        *budget = left.unwrap_or_default();
        left.is_some()
    }

    fn last_resort(&self, _: &Model, _: &Needs, now: Tick, last_chance: bool) -> Option<Tick> {
        (last_chance && self.lets_last_chance).then_some(now)
    }

    fn usual_time(&self, model: &Model) -> Option<Duration> {
        self.usual.get(&*model.name).copied().map(Duration::from_secs)
    }

    fn answers_per_thousand(&self, model: &Model) -> u32 {
        self.answers.get(&*model.name).copied().unwrap_or(1_000)
    }
}

fn tick(seconds: u64) -> Tick {
    Tick(Duration::from_secs(seconds))
}

fn chain(models: Vec<Model>) -> Chain {
    let catalog = Catalog::new(models).unwrap();
    let mut models = catalog.models().iter().map(Arc::clone);
    Chain::new(models.next().unwrap(), models)
}

/// An attempt that fails or is not admitted.
#[derive(Clone, Debug)]
struct Mishap {
    kind: ErrorKind,
    told: Option<u64>,
    takes: u64,
    /// Time at which the model is ready again because of other calls.
    leaves: Option<u64>,
}

fn mishap() -> impl Strategy<Value = Mishap> {
    let kind = prop::sample::select(ErrorKind::ALL.to_vec());
    // In half of the cases, a kind after which the call goes on.
    let usual = prop::sample::select(vec![
        ErrorKind::Overloaded,
        ErrorKind::Network,
        ErrorKind::RateLimited,
        ErrorKind::NotAdmitted,
    ]);
    let kind = prop_oneof![kind, usual];
    (kind, prop::option::of(0..100u64), 0..20u64, prop::option::of(0..400u64))
        .prop_map(|(kind, told, takes, leaves)| Mishap { kind, told, takes, leaves })
}

fn model() -> impl Strategy<Value = (u8, Option<u64>, u64)> {
    let ready = prop_oneof![3 => Just(0), 1 => 0..500u64, 1 => Just(u64::MAX)];
    (0..3u8, prop::option::of(0..5u64), ready)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_course_ends_in_time_asks_nobody_it_must_not_and_never_parks_while_one_is_ready(
        models in prop::collection::vec(model(), 1..6),
        mishaps in prop::collection::vec(mishap(), 1..30),
        deadline in prop::option::of(0..600u64),
        max_park in 0..400u64,
        max_attempts in 1..15u32,
        budget in 0..10u32,
        cross in any::<bool>(),
    ) {
        let named = models.iter().enumerate().map(|(index, (provider, window, _))| {
            let mut model = Model::new(format!("m{index}"), format!("p{provider}"), Tier::Standard);
            model.context_tokens = *window;
            model
        });
        let chain = chain(named.collect());
        let ready = models.iter().enumerate().map(|(index, (.., ready))| (format!("m{index}"), *ready));
        let mut table = Table { ready: ready.collect(), budget: RefCell::new(budget), ..Table::default() };
        let mut treatments = Treatments::default();
        treatments.cross_content_filter = cross;
        let settings = FallbackConfig::default()
            .with_max_attempts(max_attempts)
            .with_max_park(Duration::from_secs(max_park));
        let mut plan = Plan::new(chain.clone(), Needs::default(), deadline.map(tick), &settings);
        let (mut now, mut parked) = (Tick::default(), Duration::ZERO);
        let mut mishaps = mishaps.into_iter().cycle();
        let mut tried: Vec<(usize, ErrorKind)> = Vec::new();
        // A model that did not admit the call at its turn is left alone for a moment, at most for a second.
        let mut refused: HashMap<usize, Tick> = HashMap::new();
        let (mut asks, mut again): (Vec<Ask>, u32) = (Vec::new(), 0);
        let ready = |table: &Table, place: usize, now| {
            table.readiness(&chain[place], &Needs::default(), now) == Readiness::Ready
        };
        let mut announced = None;
        for turn in 0.. {
            prop_assert!(turn < 5_000, "it does not end");
            let fresh: Vec<usize> = (0..chain.len())
                .filter(|place| !tried.iter().any(|(earlier, _)| earlier == place))
                .filter(|place| !forbidden(&chain, &tried, *place))
                .filter(|place| ready(&table, *place, now))
                .filter(|place| refused.get(place).is_none_or(|at| now.since(*at) >= Duration::from_secs(1)))
                .collect();
            let step = plan.next(&table, now);
            if let (Some(place), Step::Try { place: tried, last_resort: false, .. }) = (announced.take(), step) {
                prop_assert_eq!(tried, place, "another was announced");
            }
            match step {
                Step::GiveUp(_) => break,
                Step::Park { until, place, .. } => {
                    announced = Some(place);
                    prop_assert!(fresh.is_empty(), "{fresh:?} is ready");
                    prop_assert!(until > now);
                    prop_assert!(deadline.is_none_or(|deadline| until < tick(deadline)));
                    parked += until.since(now);
                    prop_assert!(parked <= Duration::from_secs(max_park));
                    now = until;
                }
                Step::Try { place, elsewhere, last_resort } => {
                    prop_assert!(deadline.is_none_or(|deadline| now < tick(deadline)));
                    prop_assert!(ready(&table, place, now));
                    prop_assert!(!forbidden(&chain, &tried, place), "{tried:?}, then {place}");
                    prop_assert!(elsewhere.is_none_or(|at| at >= now));
                    // The first ready model goes first, and untried models go before tried ones.
                    if let Some(first) = fresh.first() {
                        prop_assert!(*first == place || (place < *first && refused.contains_key(&place)));
                        let others = fresh.len() > 1;
                        prop_assert!(!others || elsewhere == Some(now));
                    }
                    // A model that failed is left alone for its time, but for a last chance, and tried again
                    // only if the retry budget allows it.
                    let of_place = || asks.iter().filter(|ask| ask.place == place);
                    if let Some(last) = of_place().next_back() {
                        let cap = deadline.map_or(settings.backoff.cap, |whole| {
                            settings.backoff.cap.min((Duration::from_secs(whole) / 24).max(Duration::from_secs(5)))
                        });
                        let least = least_rest(last, of_place().count(), cap);
                        let is_told = last.told.is_some_and(|told| now < last.failed.after(Duration::from_secs(told)));
                        prop_assert!(!is_told, "{last:?} and again at {now:?}");
                        prop_assert!(last_resort || now.since(last.failed) >= least, "{last:?} and again at {now:?}");
                        again += 1;
                        prop_assert!(again <= budget);
                    }
                    let mishap = mishaps.next().unwrap();
                    let began = now;
                    now = now.after(Duration::from_secs(mishap.takes));
                    let error = ModelError::new(mishap.kind, "");
                    let error = match mishap.told {
                        Some(told) => error.with_retry_after(Duration::from_secs(told)),
                        None => error,
                    };
                    if let Some(leaves) = mishap.leaves {
                        table.ready.insert(chain[place].name.to_string(), leaves);
                    }
                    plan.failed(&error, &treatments, now, |_| Duration::from_secs(1));
                    if mishap.kind == ErrorKind::NotAdmitted {
                        refused.insert(place, now);
                    } else {
                        tried.push((place, mishap.kind));
                        asks.push(Ask { place, began, failed: now, kind: mishap.kind, told: mishap.told });
                        prop_assert!(tried.len() <= max_attempts as usize);
                        let allowed = cross || mishap.kind != ErrorKind::ContentFilter;
                        if treatments.for_kind(mishap.kind).next_model == NextModel::No || !allowed {
                            prop_assert_eq!(plan.next(&table, now), Step::GiveUp(End::Final));
                        }
                    }
                }
            }
        }
        for first in &asks {
            let minute = first.began..first.began.after(Duration::from_secs(60));
            let in_it = asks.iter().filter(|ask| ask.place == first.place && minute.contains(&ask.began));
            // The first attempt, its two retries, and one after a rest; with a deadline, one more for each rest
            // that fits into the minute, and the last chances. Attempts at times that a provider named do not
            // count.
            let most = deadline.map_or(4, |whole| 8 + 60 * 24 / whole.max(1));
            prop_assert!(in_it.filter(|ask| !is_told(ask.kind)).count() as u64 <= most, "{asks:?}");
        }
    }
}

/// An attempt that failed.
#[derive(Debug)]
struct Ask {
    place: usize,
    began: Tick,
    failed: Tick,
    kind: ErrorKind,
    told: Option<u64>,
}

fn is_told(kind: ErrorKind) -> bool {
    matches!(Treatments::default().for_kind(kind).same_model, SameModel::AsTold(_))
}

/// Shortest time for which a model is left alone after `ask`, its failure number `attempts`, if pauses are a
/// second and the longest is `cap`; computed independently from the table.
fn least_rest(ask: &Ask, attempts: usize, cap: Duration) -> Duration {
    let second = Duration::from_secs(1);
    let told = ask.told.map(Duration::from_secs);
    match Treatments::default().for_kind(ask.kind).same_model {
        SameModel::No => cap,
        SameModel::Backoff(more) if attempts > more as usize => cap,
        SameModel::AsTold(_) if attempts > 2 => told.unwrap_or_default().max(second),
        SameModel::Backoff(_) | SameModel::AsTold(_) | SameModel::Compacted => told.unwrap_or(second),
    }
}

/// Whether earlier failures forbid an attempt at `place`; computed independently from the table.
fn forbidden(chain: &Chain, tried: &[(usize, ErrorKind)], place: usize) -> bool {
    let treatments = Treatments::default();
    tried.iter().any(|&(earlier, kind)| {
        let treatment = treatments.for_kind(kind);
        let (failed, model) = (&chain[earlier], &chain[place]);
        let elsewhere = match treatment.next_model {
            NextModel::No => true,
            NextModel::Any => false,
            NextModel::OtherProvider | NextModel::IfAllowed => failed.provider == model.provider,
            NextModel::LargerWindow => {
                model.context_tokens.is_none_or(|window| window <= failed.context_tokens.unwrap_or(0))
            }
        };
        let again = earlier == place
            && match treatment.same_model {
                SameModel::Compacted => true,
                // A failure that passes by itself may be over after a rest.
                SameModel::No => !matches!(treatment.breaker, BreakerVote::Failure | BreakerVote::Slow),
                SameModel::Backoff(_) => false,
                SameModel::AsTold(_) => false,
            };
        elsewhere || again
    })
}

fn three() -> Chain {
    chain(["one", "two", "three"].map(|name| Model::new(name, name, Tier::Standard)).to_vec())
}

fn fails(plan: &mut Plan, kind: ErrorKind, now: u64) {
    plan.failed(&ModelError::new(kind, ""), &Treatments::default(), tick(now), |_| Duration::from_secs(2));
}

#[test]
fn a_model_that_failed_comes_after_those_that_were_not_asked() {
    let table = Table { budget: RefCell::new(9), ..Table::default() };
    let mut plan = Plan::new(three(), Needs::default(), None, &FallbackConfig::default());
    for place in 0..3 {
        assert_eq!(
            plan.next(&table, tick(9)),
            Step::Try { place, elsewhere: next_after(place), last_resort: false }
        );
        fails(&mut plan, ErrorKind::Overloaded, 9);
    }
    assert_eq!(plan.next(&table, tick(9)), Step::Park { until: tick(11), place: 0, last_chance: false });
    assert_eq!(
        plan.next(&table, tick(11)),
        Step::Try { place: 0, elsewhere: Some(tick(11)), last_resort: false }
    );
}

/// The last of three has no untried model behind it; the first is left alone for two seconds.
fn next_after(place: usize) -> Option<Tick> {
    Some(if place == 2 { tick(11) } else { tick(9) })
}

#[test]
fn a_quota_that_refused_a_call_is_asked_again_from_the_budget_whichever_model_draws_on_it() {
    let models = ["large", "small", "other"].map(|name| {
        let mut model = Model::new(name, "acme", Tier::Standard);
        model.quota = (name != "other").then(|| "acme".into());
        model
    });
    let tried = || {
        let table = Table::default();
        let mut plan = Plan::new(chain(models.to_vec()), Needs::default(), None, &FallbackConfig::default());
        assert!(matches!(plan.next(&table, tick(0)), Step::Try { place: 0, .. }));
        fails(&mut plan, ErrorKind::RateLimited, 0);
        // A refusal does not affect the model with a quota of its own.
        assert!(matches!(plan.next(&table, tick(0)), Step::Try { place: 2, .. }));
        plan
    };
    assert_eq!(tried().ready_at(1, &Table::default(), tick(0)), Some(tick(2)));

    let table = Table::default();
    let mut plan = Plan::new(chain(models[..2].to_vec()), Needs::default(), None, &FallbackConfig::default());
    assert!(matches!(plan.next(&table, tick(0)), Step::Try { place: 0, .. }));
    fails(&mut plan, ErrorKind::RateLimited, 0);
    assert!(matches!(plan.next(&table, tick(0)), Step::Park { until, .. } if until == tick(2)));
    // Without budget neither model is tried, not even the one without an attempt.
    assert!(matches!(plan.next(&table, tick(2)), Step::Park { .. }));
}

#[test]
fn without_budget_nobody_is_asked_again() {
    let mut plan = Plan::new(three(), Needs::default(), None, &FallbackConfig::default());
    for _ in 0..3 {
        assert!(matches!(plan.next(&Table::default(), tick(0)), Step::Try { .. }));
        fails(&mut plan, ErrorKind::Overloaded, 0);
    }
    assert_eq!(
        plan.next(&Table::default(), tick(0)),
        Step::Park { until: tick(2), place: 0, last_chance: false }
    );
    // The budget fills again.
    assert_eq!(
        plan.next(&Table::default(), tick(2)),
        Step::Park { until: tick(32), place: 0, last_chance: false }
    );
}

#[test]
fn what_hooks_propose_narrows_what_is_done() {
    let table = Table { budget: RefCell::new(9), ..Table::default() };
    let asked_next = |recovery| {
        let mut plan = Plan::new(three(), Needs::default(), None, &FallbackConfig::default());
        assert!(matches!(plan.next(&table, tick(0)), Step::Try { place: 0, .. }));
        let error = ModelError::new(ErrorKind::Overloaded, "").with_proposal(recovery);
        plan.failed(&error, &Treatments::default(), tick(0), |_| Duration::from_secs(1));
        let next = plan.next(&table, tick(0));
        (next, plan.ready_at(0, &table, tick(0)))
    };
    let named = Recovery { fallback_model: Some("three".to_owned()), ..Recovery::default() };
    assert!(matches!(asked_next(named).0, Step::Try { place: 2, .. }));
    let unknown = Recovery { fallback_model: Some("opus".to_owned()), ..Recovery::default() };
    assert!(matches!(asked_next(unknown).0, Step::Try { place: 1, .. }));
    assert_eq!(asked_next(Recovery { retry: Some(false), ..Recovery::default() }).1, None);
    assert_eq!(asked_next(Recovery { backoff_ms: Some(9_000), ..Recovery::default() }).1, Some(tick(9)));
}

#[test]
fn attempts_that_a_loop_below_made_count() {
    let mut plan = Plan::new(three(), Needs::default(), None, &FallbackConfig::default());
    assert!(matches!(plan.next(&Table::default(), tick(0)), Step::Try { place: 0, .. }));
    let error = |kind| ModelError::new(kind, "");
    let earlier = crate::FailedAttempt::new("one", &error(ErrorKind::Server), tick(0));
    let error = error(ErrorKind::Server).with_failed(vec![earlier.clone(), earlier]);
    plan.failed(&error, &Treatments::default(), tick(0), |_| Duration::ZERO);
    assert_eq!(plan.attempts_of(0), 3);
}

#[test]
fn a_model_that_admits_nobody_at_its_turn_is_looked_at_again_ever_more_rarely() {
    let mut plan = Plan::new(
        chain(vec![Model::new("one", "p", Tier::Fast)]),
        Needs::default(),
        None,
        &FallbackConfig::default().with_max_park(Duration::from_secs(300)),
    );
    let (table, mut now, mut turns) = (Table::default(), tick(0), 0);
    loop {
        turns += 1;
        match plan.next(&table, now) {
            Step::Try { .. } => {
                let refused = ModelError::new(ErrorKind::NotAdmitted, "").with_ready_at(now);
                plan.failed(&refused, &Treatments::default(), now, |_| Duration::ZERO);
            }
            Step::Park { until, .. } => now = until,
            Step::GiveUp(end) => break assert!(matches!(end, End::TooFar(_))),
        }
    }
    assert!((500..1_000).contains(&turns), "{turns} turns");
    assert!(now <= tick(300));
}

#[test]
fn nonsense_settings_are_refused() {
    assert!(FallbackConfig::default().with_max_attempts(0).check().is_err());
    assert!(FallbackConfig::default().staying(Duration::ZERO).check().is_err());
    let backoff = crate::Backoff::new(Duration::from_secs(2), Duration::from_secs(1));
    assert!(FallbackConfig::default().with_backoff(backoff).check().is_err());
    let read: FallbackConfig = serde_json::from_str(r#"{"max_park": "1m", "stay": "10m"}"#).unwrap();
    assert_eq!((read.max_park, read.stay), (Duration::from_secs(60), Some(Duration::from_secs(600))));
    assert!(serde_json::from_str::<FallbackConfig>(r#"{"max_parks": "1m"}"#).is_err());
}

#[test]
fn a_call_that_is_not_admitted_again_and_again_earns_one_share_of_the_retry_budget() {
    use hooks_core::testing::VirtualTime;
    use tower_layer::Layer;

    use crate::attempt::{AttemptConfig, AttemptLayer};
    use crate::fixture::{Client, Does, ask, call, catalog, world};
    use crate::{Classified, Health, HealthSettings};

    let (time, catalog) = (VirtualTime::default(), catalog(|_| {}));
    let mut settings = HealthSettings::default();
    (settings.budget.ratio, settings.budget.per_minute) = (1.0, 0);
    let health = Health::new(&catalog, settings, world(&time)).unwrap();
    let spend = || (0..100).filter(|_| health.another_attempt(&catalog.models()[0], tick(0))).count();
    spend();
    let client = Client::new(&time, [Does::Fails(ErrorKind::NotAdmitted); 5]);
    let attempt = AttemptLayer::new(world(&time), AttemptConfig::default(), Classified).unwrap();
    let chains =
        crate::Chains::new(&catalog, &crate::ChainsConfig::default().with_default("standard")).unwrap();
    let layer = FallbackLayer::new(chains, health.clone(), FallbackConfig::default()).unwrap();
    let mut stack = layer.layer(attempt.layer(client.clone()));
    time.block_on(ask(&mut stack, call(&catalog))).unwrap().unwrap();
    assert_eq!((client.calls(), spend()), (6, 1));
}

#[test]
fn a_host_adapts_conversations_its_own_way_and_says_for_which_model() {
    use hooks_core::event::{Message, Role};
    use hooks_core::testing::VirtualTime;
    use tower_layer::Layer;

    use crate::attempt::{AttemptConfig, AttemptLayer};
    use crate::fixture::{Client, Does, ask, call, world};
    use crate::{ChainConfig, ChainsConfig, Classified, Health, HealthSettings};

    let time = VirtualTime::default();
    let models = ["a", "b"].map(|name| Model::new(name, name, Tier::Standard));
    let catalog = Catalog::new(models).unwrap();
    let health = Health::new(&catalog, HealthSettings::default(), world(&time)).unwrap();
    let chains =
        ChainsConfig::default().with_chain("both", ChainConfig::new(["a", "b"])).with_default("both");
    let chains = crate::Chains::new(&catalog, &chains).unwrap();
    let layer = FallbackLayer::new(chains, health, FallbackConfig::default()).unwrap().adapting(
        |messages: &[Message], from: &Model, to: &Model| {
            assert_eq!(&*from.name, "a");
            (from != to).then(|| {
                let for_whom = Message::text(Role::User, format!("for {}", to.name));
                messages.iter().cloned().chain([for_whom]).collect()
            })
        },
    );
    let client = Client::new(&time, [Does::Fails(ErrorKind::Authentication)]);
    let attempt = AttemptLayer::new(world(&time), AttemptConfig::default(), Classified).unwrap();
    let mut stack = layer.layer(attempt.layer(client));
    let mut unnamed = call(&catalog);
    unnamed.model = None;
    let before = unnamed.messages().to_vec();
    let replied = time.block_on(ask(&mut stack, unnamed)).unwrap().unwrap();
    assert_eq!(&*replied.model.unwrap().name, "b");
    let adapted = replied.call.messages();
    assert_eq!(adapted.last(), Some(&Message::text(Role::User, "for b")));
    assert_eq!(adapted.len(), before.len() + 1);
}

/// Times of the attempts of a call that began at 0, if every attempt fails at once with `kind`; each with
/// whether it is a last resort.
fn sent(plan: &mut Plan, table: &Table, kind: ErrorKind) -> Vec<(u64, bool)> {
    let (mut now, mut sent) = (Tick::default(), Vec::new());
    loop {
        match plan.next(table, now) {
            Step::Try { last_resort, .. } => {
                sent.push((now.0.as_secs(), last_resort));
                plan.failed(&ModelError::new(kind, ""), &Treatments::default(), now, |_| {
                    Duration::from_secs(2)
                });
            }
            Step::Park { until, .. } => now = until,
            Step::GiveUp(_) => return sent,
        }
    }
}

/// A plan of one model with the deadline `seconds`.
fn alone(seconds: u64) -> Plan {
    let chain = chain(vec![Model::new("one", "p", Tier::Fast)]);
    Plan::new(chain, Needs::default(), Some(tick(seconds)), &FallbackConfig::default())
}

/// Times of the attempts of a call that began at 0, if all breakers stay open and every attempt fails at
/// once.
fn sent_by(deadline: u64) -> Vec<u64> {
    let ready = ["one", "two", "three"].map(|name| (name.to_owned(), 10_000)).into();
    let table = Table { ready, budget: RefCell::new(9), lets_last_chance: true, ..Table::default() };
    let mut plan = Plan::new(three(), Needs::default(), Some(tick(deadline)), &FallbackConfig::default());
    let sent = sent(&mut plan, &table, ErrorKind::Overloaded);
    assert!(sent.iter().all(|(_, last_resort)| *last_resort));
    sent.into_iter().map(|(at, _)| at).collect()
}

#[test]
fn a_call_that_would_end_unanswered_asks_again_as_its_end_comes_closer() {
    assert_eq!(sent_by(600), [580, 586, 591, 594]);
    // A tenth of its time, and no more.
    assert_eq!(sent_by(100), [90, 93, 95]);
    assert_eq!(sent_by(30), [27]);
}

/// Regression test: a model without retries left rested for half a minute, whatever the time of the call. Of
/// two minutes, that left three tries.
#[test]
fn the_less_time_a_call_has_the_shorter_are_its_rests() {
    let gaps = |deadline| {
        let table = Table { budget: RefCell::new(99), ..Table::default() };
        let sent = sent(&mut alone(deadline), &table, ErrorKind::AttemptTimeout);
        let usual: Vec<u64> = sent.iter().filter(|(_, last)| !last).map(|(at, _)| *at).collect();
        usual.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    assert_eq!(gaps(120)[..5], [5, 10, 10, 10, 10]);
    assert_eq!(gaps(600)[..4], [25, 30, 30, 30]);
    assert_eq!(gaps(6_000)[..3], [30, 30, 30]);
}

/// Regression test: a call whose own rest lasted beyond its deadline ended unanswered, although its model
/// admitted calls.
#[test]
fn a_last_chance_ends_a_rest_of_the_call_and_no_wait_that_the_provider_named() {
    let after = |error: ModelError| {
        let table = Table { budget: RefCell::new(9), ..Table::default() };
        let mut plan = alone(100);
        assert!(matches!(plan.next(&table, tick(0)), Step::Try { .. }));
        let pause = |_| Duration::from_secs(500);
        plan.failed(&error, &Treatments::default(), tick(0), pause);
        plan.next(&table, tick(0))
    };
    let overloaded = || ModelError::new(ErrorKind::Overloaded, "");
    let step = after(overloaded());
    assert_eq!(step, Step::Park { until: tick(90), place: 0, last_chance: true });
    let told = after(overloaded().with_retry_after(Duration::from_secs(500)));
    assert_eq!(told, Step::GiveUp(End::Late(Some(tick(500)))));
}

#[test]
fn in_the_last_seconds_the_fastest_model_comes_first() {
    let ready: HashMap<_, _> = ["one", "two", "three"].map(|name| (name.to_owned(), 10_000)).into();
    let usual = [("one", 7), ("two", 8), ("three", 4)].map(|(name, time)| (name.to_owned(), time)).into();
    let table = Table { ready, usual, budget: RefCell::new(9), lets_last_chance: true, ..Table::default() };
    let mut plan = Plan::new(three(), Needs::default(), Some(tick(100)), &FallbackConfig::default());
    // Ten seconds are left, then less: the fastest one, although others have fewer attempts.
    for now in [90, 94] {
        let _parked = plan.next(&table, tick(0));
        let step = plan.next(&table, tick(now));
        assert!(matches!(step, Step::Try { place: 2, last_resort: true, .. }), "{step:?}");
        fails(&mut plan, ErrorKind::Overloaded, now);
    }
    // Before the first answer, the tier decides.
    let tiers = [("large", Tier::Premium), ("small", Tier::Fast)];
    let models = tiers.map(|(name, tier)| Model::new(name, name, tier));
    let settings = FallbackConfig::default();
    let mut plan = Plan::new(chain(models.to_vec()), Needs::default(), Some(tick(100)), &settings);
    let ready = ["large", "small"].map(|name| (name.to_owned(), 10_000)).into();
    let table = Table { ready, budget: RefCell::new(9), lets_last_chance: true, ..Table::default() };
    let _parked = plan.next(&table, tick(0));
    assert!(matches!(plan.next(&table, tick(90)), Step::Try { place: 1, .. }));
}

/// Regression test: of models with open breakers each got as many attempts, although one answered half of its calls
/// and the other ones few.
#[test]
fn the_better_of_the_last_resorts_has_more_turns() {
    let ready: HashMap<_, _> = ["one", "two", "three"].map(|name| (name.to_owned(), 10_000)).into();
    let answers = [("one", 150), ("two", 500), ("three", 150)].map(|(name, of)| (name.to_owned(), of)).into();
    let table =
        Table { ready, answers, budget: RefCell::new(99), lets_last_chance: true, ..Table::default() };
    let mut plan = Plan::new(three(), Needs::default(), Some(tick(600)), &FallbackConfig::default());
    let (mut now, mut turns) = (Tick::default(), Vec::new());
    loop {
        match plan.next(&table, now) {
            Step::Try { place, .. } => {
                turns.push(place);
                plan.failed(&ModelError::new(ErrorKind::Overloaded, ""), &Treatments::default(), now, |_| {
                    Duration::ZERO
                });
            }
            Step::Park { until, .. } => now = until,
            Step::GiveUp(_) => break,
        }
    }
    // By attempts alone, the first model would come first, and each would have one turn before the second round.
    assert_eq!(turns, [1, 1, 1, 0]);
}

#[test]
fn from_the_first_last_chance_on_the_models_are_checked_every_second() {
    let ready = [("one".to_owned(), 98)].into();
    let table = Table { ready, lets_last_chance: true, ..Table::default() };
    let mut plan = alone(100);
    assert_eq!(plan.next(&table, tick(0)), Step::Park { until: tick(90), place: 0, last_chance: true });
    // The retry budget pays for no attempt.
    assert_eq!(plan.next(&table, tick(90)), Step::Park { until: tick(91), place: 0, last_chance: true });
}

#[test]
fn of_calls_that_wait_for_a_quota_the_oldest_has_the_least_jitter() {
    let (mut plan, second) = (alone(100), Duration::from_secs(1));
    let _tried = plan.next(&Table::default(), tick(0));
    assert_eq!(plan.jitter(second, tick(0)), second);
    assert_eq!(plan.jitter(second, tick(75)), second / 4);
    assert_eq!(plan.jitter(second, tick(200)), Duration::ZERO);
    let endless = Plan::new(three(), Needs::default(), None, &FallbackConfig::default());
    assert_eq!(endless.jitter(second, tick(75)), second);
}
