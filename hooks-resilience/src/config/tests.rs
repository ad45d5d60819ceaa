use serde_json::{Value, json};

use super::*;
use crate::error::{BreakerVote, NextModel, SameModel};
use crate::{ErrorKind, Tier};

fn config(changes: Value) -> ResilienceConfig {
    let mut config = json!({
        "catalog": [
            { "name": "large", "provider": "one", "tier": "premium", "context_tokens": 200_000,
              "price": { "input": 15.0, "output": 75.5 }, "limits": { "requests_per_minute": 60 } },
            { "name": "small", "provider": "two", "tier": "fast", "vision": true },
        ],
    });
    let (Some(config_map), Value::Object(changes)) = (config.as_object_mut(), changes) else {
        panic!("two maps")
    };
    config_map.extend(changes);
    serde_json::from_value(config).unwrap()
}

fn faults(changes: Value) -> Vec<String> {
    let faults = Resilience::new(&config(changes)).unwrap_err();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_document_becomes_models_and_chains() {
    let resilience = Resilience::new(&config(json!({}))).unwrap();
    let large = resilience.catalog().get("large").unwrap();
    let price = large.price.unwrap();
    assert_eq!((price.input.0, price.output.0), (15_000_000, 75_500_000));
    assert_eq!((large.tier, large.limits.requests_per_minute), (Tier::Premium, Some(60)));
    let order = resilience.chains().order("premium", "", None).unwrap();
    assert_eq!(order.iter().map(|model| &*model.name).collect::<Vec<_>>(), ["large", "small"]);
}

#[test]
fn every_mistake_is_told_with_its_path() {
    let told = faults(json!({
        "routing": { "tiers": { "premium": [] } },
        "breaker": { "failure_rate": 1.5 },
        "retry": { "max_attempts": 0 },
        "hedge": { "delay": "0s" },
        "overflow": { "target_percent": 0 },
        "treatments": { "not_admitted": { "retries": 1 }, "server": { "retries": 1, "wait_at_most": "8s" } },
    }));
    assert_eq!(
        told,
        [
            "routing.tiers.premium: the list is empty; name at least one model, or leave it out",
            "treatments.server: `retries` and `wait_at_most` exclude each other; keep one of them",
            "treatments.not_admitted: a provider cannot cause this kind, so its treatment is fixed; leave it out",
            "breaker.failure_rate: `breaker.failure_rate` is not a share of calls; give it a value above 0 and at most 1",
            "hedge.delay: `hedge.delay` is zero; give a count of at least 1, or a time such as `30s`",
            "retry.max_attempts: `retry.max_attempts` is zero; give a count of at least 1, or a time such as `30s`",
            "overflow.target_percent: `target_percent` is `0`; give 1 to 95, such as 70",
        ]
    );
    let told = faults(json!({
        "routing": {
            "tiers": { "premium": [], "best": ["large"] },
            "chains": { "a": { "models": ["large"], "then": "b" }, "b": { "models": ["small"], "then": "a" },
                        "c": { "models": ["large"], "then": "d" } },
            "default": "e",
        },
        "breaker": { "window": "0s" },
        "budget": { "ratio": -1.0 },
        "pacing": { "instances": 0, "longest_gate": "0s" },
        "treatments": { "context_overflow": { "retries": 1 }, "content_filter": { "next_model": "any" } },
    }));
    let paths: Vec<_> = told.iter().map(|fault| fault.split(": ").next().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "routing.tiers.best",
            "routing.tiers.premium",
            "routing.chains.b.then",
            "routing.chains.c.then",
            "routing.default",
            "treatments.context_overflow",
            "treatments.content_filter",
            "breaker.window",
            "budget.ratio",
            "pacing.longest_gate",
            "pacing.instances",
        ]
    );
    let told = faults(json!({
        "deadline": "0s",
        "attempt_timeout": "0s",
        "fallback": { "max_attempts": 0 },
        "retry": { "max_attempts": 0 },
        "hedge": { "delay": "0s" },
        "bulkhead": { "concurrent": 0 },
        "overflow": { "target_percent": 0 },
        "stream": { "idle": "0s" },
        "alert": { "window": "0s" },
    }));
    let paths: Vec<_> = told.iter().map(|fault| fault.split(':').next().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "deadline",
            "fallback.max_attempts",
            "hedge.delay",
            "retry.max_attempts",
            "bulkhead.concurrent",
            "attempt_timeout",
            "stream.idle",
            "alert.window",
            "overflow.target_percent",
        ]
    );
    assert!(faults(json!({ "breaker": { "window": "0s" } }))[0].starts_with("breaker.window: "));
    assert!(faults(json!({ "budget": { "ratio": -1.0 } }))[0].starts_with("budget.ratio: "));
    assert!(faults(json!({ "pacing": { "instances": 0 } }))[0].starts_with("pacing.instances: "));
}

#[test]
fn a_catalog_of_nonsense_is_refused_entry_by_entry() {
    let told = faults(json!({ "catalog": [
        { "name": "a", "provider": "one", "context_tokens": 0 },
        { "name": "a", "provider": " " },
        { "name": "b", "provider": "one", "price": { "input": -1.0, "output": 1.0 }, "limits": { "concurrent": 0 } },
    ] }));
    let paths: Vec<_> = told.iter().map(|fault| fault.split(':').next().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "catalog[0].context_tokens",
            "catalog[1].provider",
            "catalog[1].name",
            "catalog[2].limits.concurrent",
            "catalog[2].price",
        ]
    );
    assert_eq!(faults(json!({ "catalog": [] })), ["catalog: there is no model; list at least one"]);
}

#[test]
fn unknown_keys_are_refused() {
    for changes in [json!({ "retires": {} }), json!({ "retry": { "base": "1s" } }), json!({ "pacing": 1 })] {
        let mut config = json!({ "catalog": [] });
        config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        assert!(serde_json::from_value::<ResilienceConfig>(config).is_err(), "{changes}");
    }
}

#[test]
fn a_row_of_the_table_is_changed_and_the_rest_stays() {
    let resilience = Resilience::new(&config(json!({ "treatments": {
        "content_filter": { "next_model": "other_provider", "alert": true },
        "rate_limited": { "wait_at_most": "20s" },
        "server": { "retries": 0, "breaker": "slow" },
    } })))
    .unwrap();
    let health =
        resilience.health(crate::fixture::world(&hooks_core::testing::VirtualTime::default())).unwrap();
    let of = |kind| health.treatments().for_kind(kind);
    let filter = of(ErrorKind::ContentFilter);
    assert_eq!((filter.next_model, filter.alert), (NextModel::IfAllowed, true));
    assert!(health.treatments().cross_content_filter);
    assert_eq!(of(ErrorKind::RateLimited).same_model, SameModel::AsTold(std::time::Duration::from_secs(20)));
    let server = of(ErrorKind::Server);
    assert_eq!((server.same_model, server.breaker), (SameModel::No, BreakerVote::Slow));
    assert_eq!(server.next_model, NextModel::Any);
}
