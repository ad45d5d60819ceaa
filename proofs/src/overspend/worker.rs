//! One worker: concurrent calls, some of which are dropped before their end.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hooks_core::state::StateStore;
use hooks_core::time::SeededRandom;

use super::audit::Audit;
use super::call::{self, Desk, Policy};
use super::engine::Engine;
use super::ledger::{Ledger, Spent};
use super::options::number;
use super::plan::{IN_FLIGHT, Plan, WORKERS};
use crate::error::{Error, Result};

/// Runs one process of a fleet, as [`fleet`](super::fleet) starts it.
///
/// # Errors
/// Returns an error if the arguments are invalid, or the store or the ledger cannot be opened.
pub(super) fn run(arguments: &[&str]) -> Result {
    let [engine, folder, policy, operations, worker, life] = arguments else {
        return Err(Error::new("a worker is started by `cargo xtask overspend` only"));
    };
    let plan = Plan::for_operations(number(operations)?);
    let folder = Path::new(folder);
    let store = Engine::from_name(engine)?.open(folder)?;
    work(store, &plan, Policy::from_key(policy)?, folder, (number(worker)?, number(life)?))
}

/// Runs all workers as threads of this process.
///
/// # Errors
/// Returns an error if the store or a ledger cannot be opened.
pub(super) fn run_threads(plan: &Plan, policy: Policy) -> Result<Audit> {
    let folder = super::fleet::Folder::make(&std::env::temp_dir())?;
    let store = Engine::Memory.open(folder.path())?;
    std::thread::scope(|scope| {
        let of = |worker| {
            let (store, folder) = (Arc::clone(&store), folder.path());
            scope.spawn(move || work(store, plan, policy, folder, (worker, 0)))
        };
        let threads: Vec<_> = (0..WORKERS).map(of).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(Error::new("a worker has panicked"))))
    })?;
    Audit::read(&store, plan, folder.path(), 0)
}

/// Makes calls until the worker has made its share of the operations, in this process or earlier ones.
fn work(
    store: Arc<dyn StateStore>,
    plan: &Plan,
    policy: Policy,
    folder: &Path,
    (worker, life): (u64, u64),
) -> Result {
    let mut before = Spent::nothing(plan.all_sessions());
    before.add(folder, worker)?;
    let share = (plan.operations / WORKERS).saturating_sub(before.operations);
    let desk = Desk {
        store,
        plan: *plan,
        policy,
        ledger: Ledger::open(folder, worker)?,
        random: SeededRandom::new(worker << 32 | life),
        ids: u128::from(worker << 32 | life) << 64,
        operations: Cell::new(0),
        farewells: RefCell::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(calls(&desk, share))
}

async fn calls(desk: &Desk, share: u64) -> Result {
    let (mut next, mut noted) = (0, 0);
    let mut calls = FuturesUnordered::new();
    loop {
        while calls.len() < IN_FLIGHT && desk.operations.get() < share {
            calls.push(until_dropped(desk, next));
            next += 1;
        }
        let Some(made) = calls.next().await else { break };
        made?;
        let farewells = desk.farewells.take();
        for farewell in farewells {
            // A reservation whose end is lost expires, and is charged.
            let _heard = farewell.await;
        }
        // Failed operations are subtracted again, and may have been recorded before.
        let new = desk.operations.get().saturating_sub(noted);
        if new >= 64 {
            desk.ledger.count(new)?;
            noted += new;
        }
    }
    desk.ledger.count(desk.operations.get().saturating_sub(noted))
}

/// Makes a call; one in ten is dropped after some steps.
async fn until_dropped(desk: &Desk, number: u64) -> Result {
    let mut steps = if desk.roll(10) == 0 { desk.roll(8) } else { u64::MAX };
    let mut call = pin!(call::make(desk, number));
    std::future::poll_fn(|context| match (steps, call.as_mut().poll(context)) {
        (_, Poll::Ready(made)) => Poll::Ready(made),
        (0, Poll::Pending) => Poll::Ready(Ok(())),
        (_, Poll::Pending) => {
            steps -= 1;
            Poll::Pending
        }
    })
    .await
}
