//! The identity of the store is remembered outside the server; and operations work from threads outside the
//! runtime.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_core::state::{Op, StateStore, StepResult, StoreError};
use hooks_store::{Redis, StoreId, Witness};

use crate::server::Server;
use crate::world::{patient_store, runtime};

/// Remembers in memory, as a file would.
#[derive(Clone, Default)]
struct Remembers(Arc<Mutex<Option<StoreId>>>);

impl Witness for Remembers {
    fn known(&self) -> Result<Option<StoreId>, StoreError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn remember(&self, id: &StoreId) -> Result<(), StoreError> {
        *self.0.lock().unwrap() = Some(id.clone());
        Ok(())
    }
}

fn witnessed(server: &Server, witness: &Remembers) -> Redis {
    let store = patient_store(server, "acme:");
    store.witnessed_by(Arc::new(witness.clone()));
    store
}

fn is_lost<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    let is_lost = matches!(answer, Err(StoreError::Closed(why)) if why.contains("accept-loss"));
    assert!(is_lost, "{answer:?}");
}

#[test]
fn an_emptied_server_is_refused_until_the_loss_is_accepted_once() {
    let Some(server) = Server::start() else { return };
    runtime().block_on(async {
        let (here, there) = (Remembers::default(), Remembers::default());
        let running = witnessed(&server, &here);
        running.apply(Op::Now).await.unwrap();
        witnessed(&server, &there).apply(Op::Now).await.unwrap();
        assert_eq!(*here.0.lock().unwrap(), *there.0.lock().unwrap());
        server.run(&["FLUSHALL"]);
        // Connected clients detect the loss, and so do new ones; the server stays empty.
        is_lost(&running.apply(Op::Now).await);
        is_lost(&witnessed(&server, &there).apply(Op::Now).await);
        assert_eq!(witnessed(&server, &Remembers::default()).accept_loss().await, Ok(None));
        is_lost(&witnessed(&server, &there).apply(Op::Now).await);

        let accepted = witnessed(&server, &here).accept_loss().await.unwrap();
        assert!(accepted.is_some_and(|why| why.contains("another one")), "somebody began anew meanwhile");
        running.apply(Op::Now).await.unwrap();
        witnessed(&server, &there).apply(Op::Now).await.unwrap();
        assert_eq!(*here.0.lock().unwrap(), *there.0.lock().unwrap());
        assert_eq!(witnessed(&server, &here).accept_loss().await, Ok(None));
    });
}

#[test]
fn an_operation_may_be_polled_by_a_thread_without_a_runtime() {
    let Some(server) = Server::start() else { return };
    let runtime = runtime();
    let store = runtime.block_on(async {
        let store = patient_store(&server, "acme:");
        store.apply(Op::Now).await.unwrap();
        store
    });
    // As when a reservation is given back: started here, and finished in the background, where the answer may be there already.
    let mut pending = store.apply(Op::Now);
    let begun = std::pin::Pin::new(&mut pending).poll(&mut Context::from_waker(Waker::noop()));
    let answer = match begun {
        Poll::Ready(answer) => answer,
        Poll::Pending => runtime.block_on(pending),
    };
    assert!(matches!(answer, Ok(StepResult::Now(_))), "{answer:?}");
    runtime.shutdown_timeout(Duration::from_secs(5));
    // The runtime has ended, so no request can be sent.
    let answer = tokio_test::block_on(store.apply(Op::Now));
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
}
