//! The store that a configuration names.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, Window};
use hooks_core::time::{Clock as _, SeededRandom};
use hooks_store::{StoreConfig, StoreThread, World, open_redis};

use crate::server::Server;
use crate::world::{RealTime, patient_store, runtime};

#[test]
fn a_service_leases_and_gives_back() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = open(&server, StoreThread::Later);
        let session = Key::new(Some("acme"), &["session"]);
        let scopes: Arc<[Scope]> = [Scope::spent(session.clone(), 1_000)].into();
        for id in 0..40 {
            let scopes = Arc::clone(&scopes);
            let reserve = Op::Reserve { id: OpId(id), scopes, amount: 1, ttl: Duration::from_secs(60) };
            while store.apply(reserve.clone()).await.ok() != Some(StepResult::Done) {}
            store.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap();
        }
        let used = async || {
            let store = patient_store(&server, "acme:");
            let used = Op::Used { key: session.clone(), window: Window::Always };
            let StepResult::Used { used, held } = store.apply(used).await.unwrap() else { panic!() };
            (used, held)
        };
        assert!(used().await.0 > 40);
        drop(store);
        while used().await.1 > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(used().await, (40, 0));
    });
}

#[test]
fn a_service_gives_back_when_it_is_closed_by_what_it_knows_of_its_store() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = open(&server, StoreThread::Later);
        lease_some(&*store).await;
        while store.close().await.is_err() {}
        assert_eq!(held(&server).await, 0);
    });
}

#[test]
fn a_service_that_closes_at_once_leases_nothing() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = open_with(&server, StoreThread::Later, &serde_json::json!({"spend": "close"}));
        lease_some(&*store).await;
        assert_eq!(held(&server).await, 0);
    });
}

/// Spends until the rest is leased.
async fn lease_some(store: &dyn StateStore) {
    let scopes: Arc<[Scope]> = [Scope::spent(Key::new(Some("acme"), &["session"]), 1_000)].into();
    for id in 0..40 {
        let scopes = Arc::clone(&scopes);
        let reserve = Op::Reserve { id: OpId(id), scopes, amount: 1, ttl: Duration::from_secs(60) };
        while store.apply(reserve.clone()).await.ok() != Some(StepResult::Done) {}
        store.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap();
    }
}

async fn held(server: &Server) -> u64 {
    let used = Op::Used { key: Key::new(Some("acme"), &["session"]), window: Window::Always };
    let StepResult::Used { held, .. } = patient_store(server, "acme:").apply(used).await.unwrap() else {
        panic!("it says what is used")
    };
    held
}

#[test]
fn that_a_server_was_emptied_is_written_down_in_it() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let stores = [open(&server, StoreThread::Later), open(&server, StoreThread::AtOnce)];
        for store in &stores {
            while store.apply(Op::Now).await.is_err() {}
        }
        server.run(&["FLUSHALL"]);
        let losses = || Op::Members { set: Key::new(None, &["hooks", "losses"]) };
        let mut known = 0;
        while known == 0 {
            for store in &stores {
                if let Ok(StepResult::Members { members, .. }) = store.apply(losses()).await {
                    known = members.len();
                    assert!(members.iter().all(|loss| loss.note.contains("emptied")), "{members:?}");
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(known, 1);
    });
}

#[test]
fn a_program_that_ends_leases_nothing() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = open(&server, StoreThread::AtOnce);
        let mut answer = store.apply(Op::Now).await;
        while answer.is_err() {
            answer = store.apply(Op::Now).await;
        }
        assert!(matches!(answer, Ok(StepResult::Now(_))));
    });
}

fn open(server: &Server, store_thread: StoreThread) -> Arc<dyn StateStore> {
    open_with(server, store_thread, &serde_json::json!({}))
}

fn open_with(server: &Server, store_thread: StoreThread, away: &serde_json::Value) -> Arc<dyn StateStore> {
    let config = serde_json::json!({
        "engine": "redis", "url": server.url(), "prefix": "acme:", "stale_after": "5s", "timeout": "5s", "away": away,
    });
    let config: StoreConfig = serde_json::from_value(config).unwrap();
    assert_eq!(config.faults(), []);
    let random = Arc::new(SeededRandom::new(RealTime.now().0));
    let world = World { clock: Arc::new(RealTime), timer: Arc::new(RealTime), random };
    open_redis(&config, world, store_thread, None).unwrap()
}
