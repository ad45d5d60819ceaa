use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hooks_core::drivers::{GovernModel, ModelRequest};
use hooks_core::event::{ErrorOccurred, ErrorType, ModelReply, SpawnFailed};
use hooks_core::state::{Memory, OpId};
use hooks_core::testing::VirtualTime;
use hooks_core::time::SeededRandom;
use hooks_core::{Environment, FailureLayer, HookContext, Hooks, Recovery};

use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::classify::{Classifiers, Finding};
use crate::{
    AttemptConfig, AttemptLayer, Call, Catalog, Chains, ChainsConfig, Classified, ErrorKind, FallbackConfig,
    Governed, Health, HealthSettings, Model, ModelError, RetryBudgetConfig, RetryConfig, RetryLayer, Tier,
    World,
};

struct Host {
    time: VirtualTime,
    health: Health,
    catalog: Catalog,
    advisor: Advisor,
    hooks: Hooks,
}

fn host() -> Host {
    let catalog = Catalog::new([
        Model::new("opus", "anthropic", Tier::Premium),
        Model::new("gpt", "openai", Tier::Premium),
        Model::new("haiku", "anthropic", Tier::Fast),
    ])
    .unwrap();
    host_of(catalog, VirtualTime::default(), HealthSettings::default())
}

fn host_of(catalog: Catalog, time: VirtualTime, settings: HealthSettings) -> Host {
    host_sharing(catalog, time, settings, |health| health)
}

fn host_sharing(
    catalog: Catalog,
    time: VirtualTime,
    settings: HealthSettings,
    shared: impl FnOnce(Health) -> Health,
) -> Host {
    let environment = Environment {
        clock: Arc::new(time.clone()),
        random: Arc::new(SeededRandom::new(3)),
        ..Environment::detached()
    };
    let world = World::new(&environment, time.clone());
    let health = shared(Health::new(&catalog, settings, world).unwrap());
    let config = ChainsConfig::default().with_agent("scribe", "fast");
    let chains = Chains::new(&catalog, &config).unwrap();
    let advisor = Advisor::new(chains, health.clone(), FallbackConfig::default());
    let hooks = hooks(&advisor);
    Host { time, health, catalog, advisor, hooks }
}

fn hooks(advisor: &Advisor) -> Hooks {
    Hooks::builder()
        .hook::<ErrorOccurred, _>(&FailureLayer::new("model"), RecoverModel::new(advisor.clone()))
        .hook::<SpawnFailed, _>(&FailureLayer::new("spawn"), RecoverSpawn::new(advisor.clone()))
        .build()
}

fn failed(text: &str, model: &str, attempt: u32) -> ErrorOccurred {
    let mut event = ErrorOccurred::new(text, ErrorType::Model);
    (event.current_model, event.attempt) = (Some(model.to_owned()), attempt);
    event
}

impl Host {
    fn asks(&self, event: ErrorOccurred) -> Recovery {
        let on = self.hooks.on(HookContext::new("s", "lead"));
        self.time.block_on(on.error_occurred(event)).unwrap()
    }
}

#[test]
fn another_model_that_is_ready_is_asked_at_once() {
    let recovery = host().asks(failed("529 overloaded", "opus", 1));
    assert_eq!((recovery.retry, recovery.fallback_model.as_deref()), (Some(true), Some("gpt")));
    assert_eq!(recovery.backoff_ms, None);
    let reason = &recovery.reasons[0];
    assert_eq!((&*reason.policy, &*reason.rule), ("model_recovery", "overloaded"));
    assert_eq!(reason.message, "overloaded at attempt 1: ask `gpt` at once");
}

#[test]
fn a_model_alone_is_asked_again_after_a_pause_as_often_as_that_is_worth_it() {
    let host = host();
    for attempt in 1..=2 {
        let recovery = host.asks(failed("529 overloaded", "haiku", attempt));
        assert_eq!((recovery.retry, recovery.fallback_model), (Some(true), None));
        assert!(recovery.backoff_ms.unwrap() <= 2_000);
    }
    // The retries are used up: the call waits as if it were parked, and ends after that.
    let recovery = host.asks(failed("529 overloaded", "haiku", 3));
    assert_eq!(recovery.retry, Some(true));
    assert!(recovery.backoff_ms.unwrap() >= 30_000);
    let recovery = host.asks(failed("529 overloaded", "haiku", FallbackConfig::default().max_attempts));
    assert_eq!(recovery.retry, Some(false));
    assert_eq!(recovery.reasons[0].message, "overloaded at attempt 64: as many attempts were made as may be");
}

#[test]
fn the_providers_time_is_kept_to() {
    let host = host();
    let recovery = host.asks(failed("429: try again in 20s", "haiku", 1));
    assert_eq!((recovery.retry, recovery.fallback_model), (Some(true), None));
    assert!(recovery.backoff_ms.unwrap() >= 20_000);
    // All calls that share the health record avoid the model.
    let haiku = host.catalog.get("haiku").unwrap();
    let opens = host.health.readiness(haiku, &crate::Needs::default(), host.health.world().tick());
    assert_eq!(opens.tick(hooks_core::time::Tick::default()).unwrap().0, Duration::from_secs(20));
}

#[test]
fn a_rate_that_a_fleet_used_up_is_waited_for() {
    let mut model = Model::new("haiku", "anthropic", Tier::Fast);
    model.limits.requests_per_minute = Some(1);
    let time = VirtualTime::default();
    let store = Arc::new(Memory::new(Arc::new(time.clone())));
    let host = host_sharing(Catalog::new([model]).unwrap(), time, HealthSettings::default(), |health| {
        health.shared(store, "fleet")
    });
    let (haiku, now) = (host.catalog.get("haiku").unwrap(), host.health.world().tick());
    while host.health.pace(haiku, &crate::Needs::default(), now).is_ok() {}
    let recovery = host.asks(failed("connection reset", "haiku", 1));
    assert_eq!((recovery.retry, recovery.fallback_model), (Some(true), None));
    assert!((1_000..=60_000).contains(&recovery.backoff_ms.unwrap()));
}

#[test]
fn credentials_that_are_refused_go_to_another_provider_and_tell_people() {
    let recovery = host().asks(failed("401 invalid api key", "opus", 1));
    assert_eq!(recovery.fallback_model.as_deref(), Some("gpt"));
    assert_eq!(recovery.notify, ["`opus`: authentication: 401 invalid api key"]);
    let recovery = host().asks(failed("401 invalid api key", "haiku", 1));
    assert_eq!(recovery.retry, Some(false));
}

#[test]
fn a_mistake_of_the_caller_is_given_up_with_its_reason() {
    let recovery = host().asks(failed("400 bad request", "opus", 1));
    assert_eq!(recovery.retry, Some(false));
    assert_eq!(
        recovery.reasons[0].message,
        "invalid_request at attempt 1: another model would answer the same"
    );
}

#[test]
fn a_tool_that_failed_is_not_its_business() {
    let event = ErrorOccurred::new("exit code 1", ErrorType::Tool);
    assert_eq!(host().asks(event), Recovery::default());
}

#[test]
fn of_an_unknown_model_only_the_pause_is_known() {
    let host = host();
    let recovery = host.asks(failed("529 overloaded", "mystery", 1));
    assert_eq!((recovery.retry, recovery.fallback_model), (Some(true), None));
    assert_eq!(host.asks(failed("529 overloaded", "mystery", 3)).retry, Some(false));
    assert_eq!(host.asks(ErrorOccurred::new("401", ErrorType::Permission)).retry, Some(false));
}

#[test]
fn where_nobody_says_which_model_failed_none_is_left_alone() {
    let host = host();
    for model in [None, Some("premium"), Some("fast"), Some("mystery")] {
        let mut event = failed("429: try again in 20s", "", 1);
        event.current_model = model.map(str::to_owned);
        let recovery = host.asks(event);
        assert_eq!((recovery.retry, recovery.backoff_ms), (Some(true), Some(20_000)), "{model:?}");
        assert_eq!(recovery.fallback_model, None, "{model:?}");
        let mut event = failed("401 invalid api key", "", 1);
        event.current_model = model.map(str::to_owned);
        let recovery = host.asks(event);
        assert_eq!(recovery.retry, Some(false), "{model:?}");
        assert!(recovery.reasons[0].message.contains("name the model"), "{recovery:?}");
    }
    for model in host.catalog.models() {
        let ready = host.health.readiness(model, &crate::Needs::default(), host.health.world().tick());
        assert_eq!(ready, crate::Readiness::Ready, "{}", model.name);
    }
}

#[test]
fn what_one_tenant_is_told_holds_for_it_alone() {
    let host = host();
    let on = host.hooks.on(HookContext::new("s", "lead").for_tenant("acme"));
    host.time.block_on(on.error_occurred(failed("429: try again in 20s", "opus", 1))).unwrap();
    let ready = |health: &Health| {
        let model = host.catalog.get("opus").unwrap();
        health.readiness(model, &crate::Needs::default(), host.health.world().tick())
    };
    assert!(matches!(ready(&host.health.of_tenant(Some("acme"))), crate::Readiness::At(_)));
    assert_eq!(ready(&host.health), crate::Readiness::Ready);
}

#[test]
fn failures_alone_open_no_breaker() {
    let host = host();
    for text in ["529 overloaded", "401 invalid api key"] {
        for _ in 0..20 {
            host.asks(failed(text, "opus", 1));
        }
    }
    assert_eq!(host.health.breaker(host.catalog.get("opus").unwrap()), crate::BreakerState::Closed);
}

#[test]
fn attempts_without_end_end() {
    assert_eq!(host().asks(failed("429", "opus", u32::MAX)).retry, Some(false));
}

#[test]
fn a_child_that_could_not_be_created_uses_its_own_chain() {
    let host = host();
    let mut event = SpawnFailed::new("scribe", "529 overloaded");
    event.current_model = Some("opus".to_owned());
    let on = host.hooks.on(HookContext::new("s", "lead"));
    let recovery = host.time.block_on(on.spawn_failed(event)).unwrap();
    assert_eq!(recovery.fallback_model.as_deref(), Some("haiku"));
    assert_eq!(&*recovery.reasons[0].policy, "spawn_recovery");
}

#[test]
fn a_host_that_knows_better_reads_errors_itself() {
    let host = host();
    let classifiers = Classifiers::new(Arc::new(host.time.clone()))
        .with(|_| Some(Finding::new(ErrorKind::InvalidRequest, "it is ours")));
    let advisor = host.advisor.clone().classifying(classifiers);
    let hooks = hooks(&advisor);
    let on = hooks.on(HookContext::new("s", "lead"));
    let calls = on.error_occurred(failed("529 overloaded", "opus", 1));
    assert_eq!(host.time.block_on(calls).unwrap().retry, Some(false));
}

#[test]
fn below_a_stack_it_takes_nothing_of_what_the_stack_takes() {
    for (shares, further) in [(true, 4), (false, 2)] {
        let catalog = Catalog::new([Model::new("haiku", "anthropic", Tier::Fast)]).unwrap();
        let budget = RetryBudgetConfig { ratio: 0.0, per_minute: 0, burst: 4 };
        let host = host_of(catalog, VirtualTime::default(), HealthSettings { budget, ..Default::default() });
        let (calls, health) = (Arc::new(AtomicUsize::new(0)), host.health.clone());
        let asks = Arc::clone(&calls);
        let client = service_fn(move |_: ModelRequest| {
            asks.fetch_add(1, Ordering::Relaxed);
            ready(Err::<ModelReply, _>(ModelError::new(ErrorKind::Server, "500 down")))
        });
        let governed = Governed::new(GovernModel::new(host.hooks.clone(), client));
        let governed = if shares { governed.treating_by(health.clone()) } else { governed };
        let attempt =
            AttemptLayer::new(health.world().clone(), AttemptConfig::default(), Classified).unwrap();
        let stack = RetryLayer::new(health, RetryConfig::default()).unwrap().layer(attempt.layer(governed));
        for _ in 0..4 {
            let mut call = Call::new(Arc::new(HookContext::new("s", "lead")), request("haiku"), OpId(1));
            call.model = host.catalog.get("haiku").cloned();
            host.time.block_on(stack.clone().oneshot(call)).unwrap().unwrap_err();
        }
        assert_eq!(calls.load(Ordering::Relaxed), 4 + further, "shares: {shares}");
    }
}

fn request(model: &str) -> ModelRequest {
    ModelRequest { model: model.to_owned(), ..ModelRequest::default() }
}
