//! A watch that the server wakes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use hooks_core::state::{Key, Op, StateStore as _};
use hooks_store::watch_woken;

use crate::server::Server;
use crate::world::{RealTime, patient_store, runtime};

#[test]
fn it_hears_at_once_what_is_written() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let store = patient_store(&server, "watch:");
        let writer = patient_store(&server, "watch:");
        let (folder, hour) = (Key::new(Some("acme"), &[]), Duration::from_secs(3_600));
        let mut changes =
            Box::pin(watch_woken(store.clone(), folder, Arc::new(RealTime), hour, store.wakes()));
        for name in ["a", "b", "c"] {
            let key = Key::new(Some("acme"), &[name]);
            let written = writer.apply(Op::Put { key: key.clone(), value: "1".into(), ttl: None }).await;
            written.unwrap();
            let heard = tokio::time::timeout(Duration::from_secs(20), changes.next()).await;
            assert_eq!(heard.unwrap().unwrap().unwrap(), [key]);
        }
        // It also wakes again after its connection was cut, with a short delay.
        server.run(&["CLIENT", "KILL", "TYPE", "pubsub"]);
        let set = Key::new(Some("acme"), &["d"]);
        let insert = Op::Insert {
            id: hooks_core::state::OpId(1),
            set: set.clone(),
            name: "x".into(),
            note: "".into(),
            ttl: None,
        };
        writer.apply(insert).await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(20), changes.next()).await;
        assert_eq!(heard.unwrap().unwrap().unwrap(), [set]);
    });
}
