//! Servers that cannot be used for budgets.

use hooks_core::state::{Key, Op, OpId, Scope, StateStore as _, StepResult, StoreError, Window};
use hooks_core::time::SeededRandom;
use hooks_store::redis::{Redis, RedisSettings};
use std::sync::Arc;
use std::time::Duration;

use crate::server::Server;
use crate::world::{RealTime, patient_store, runtime, with};

#[test]
fn a_replica_is_refused() {
    let (Some(server), Some(other)) = (Server::start(), Server::start()) else { return };
    server.run(&["REPLICAOF", "127.0.0.1", &other.port().to_string()]);
    assert!(why(&server).contains("replica"), "{}", why(&server));
}

#[test]
fn a_server_that_drops_keys_is_refused() {
    let Some(server) = Server::start() else { return };
    server.run(&["CONFIG", "SET", "maxmemory", "100mb"]);
    assert!(why(&server).is_empty(), "{}", why(&server));
    for policy in ["allkeys-lru", "volatile-ttl"] {
        server.run(&["CONFIG", "SET", "maxmemory-policy", policy]);
        assert!(why(&server).contains("noeviction"), "{}", why(&server));
    }
}

#[test]
fn a_store_of_another_version_is_refused() {
    let Some(server) = Server::start() else { return };
    assert!(why(&server).is_empty());
    server.run(&["HSET", "refused:meta", "version", "7"]);
    assert!(why(&server).contains("version 7"), "{}", why(&server));
    // Data of the first version, which did not record its version.
    server.run(&["HDEL", "refused:meta", "version"]);
    assert!(why(&server).is_empty(), "{}", why(&server));
}

#[test]
fn a_server_whose_memory_is_full_says_so_and_changes_nothing() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "refused:");
        let scopes = || [Scope::spent(Key::new(None, &["day"]), 10)].into();
        let reserve =
            |id| Op::Reserve { id: OpId(id), scopes: scopes(), amount: 4, ttl: Duration::from_secs(60) };
        assert_eq!(store.apply(reserve(1)).await.unwrap(), StepResult::Done);
        server.run(&["CONFIG", "SET", "maxmemory", "1"]);
        let StoreError::Unavailable(why) = store.apply(reserve(2)).await.unwrap_err() else { panic!() };
        assert!(why.contains("maxmemory"), "{why}");
        server.run(&["CONFIG", "SET", "maxmemory", "0"]);
        let used = Op::Used { key: Key::new(None, &["day"]), window: Window::Always };
        assert_eq!(store.apply(used).await.unwrap(), StepResult::Used { used: 4, held: 4 });
        assert_eq!(store.apply(reserve(2)).await.unwrap(), StepResult::Done);
    });
}

#[test]
fn a_url_that_is_none_and_a_thread_without_a_runtime_are_told() {
    let store = |url: &str| {
        let (clock, random) = (Arc::new(RealTime), Arc::new(SeededRandom::new(1)));
        Redis::new(RedisSettings::new(url), clock.clone(), clock, random)
    };
    assert!(store("redis://127.0.0.1").unwrap_err().to_string().contains("runtime"));
    runtime().block_on(async {
        assert!(store("nonsense").unwrap_err().to_string().contains("URL"));
        store("redis://127.0.0.1").unwrap();
    });
}

#[test]
fn nobody_waits_long_for_a_server_that_is_not_there() {
    runtime().block_on(async {
        let settings = RedisSettings::new("redis://127.0.0.1:1").with_timeout(Duration::from_secs(5));
        let store = with(settings);
        for _ in 0..5 {
            store.apply(Op::Now).await.unwrap_err();
        }
        let StoreError::Unavailable(why) = store.apply(Op::Now).await.unwrap_err() else { panic!() };
        assert!(why.contains("left alone"), "{why}");
    });
}

/// Returns the reason why a server is refused; empty if it is accepted.
fn why(server: &Server) -> String {
    runtime().block_on(async {
        match patient_store(server, "refused:").connect().await {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    })
}
