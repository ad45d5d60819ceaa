//! Measures the cost of the engine compared with the bare server, and the gain of a lease. Both are measured
//! in one run; optimised builds also check the limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hooks_core::HookFuture;
use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, Window};
use hooks_core::time::SeededRandom;
use hooks_store::{LeaseSettings, Leased, Redis};

use crate::server::Server;
use crate::world::{RealTime, patient_store};

/// The scripts of a reservation and of its end, composed as the engine does it.
const RESERVE: &str = concat!(
    include_str!("../../src/redis/lua/time.lua"),
    include_str!("../../src/redis/lua/due.lua"),
    include_str!("../../src/redis/lua/counters.lua"),
    include_str!("../../src/redis/lua/holds.lua"),
    include_str!("../../src/redis/lua/reserve.lua"),
);
const SETTLE: &str = concat!(
    include_str!("../../src/redis/lua/time.lua"),
    include_str!("../../src/redis/lua/due.lua"),
    include_str!("../../src/redis/lua/counters.lua"),
    include_str!("../../src/redis/lua/holds.lua"),
    include_str!("../../src/redis/lua/settle.lua"),
);

/// Number of concurrent requests.
const AT_ONCE: u64 = 16;
/// Number of alternating measurements, so that load on the machine affects both.
const ROUNDS: u64 = 30;
/// Number of calls in a round.
const CALLS: u64 = if cfg!(debug_assertions) { 4 } else { 100 };

fn scopes() -> Arc<[Scope]> {
    let key = |name| Key::new(Some("acme"), &[name]);
    let limit = 1 << 50;
    [
        Scope::spent(key("session"), limit).per(Window::SESSION),
        Scope::spent(key("day"), limit).per(Window::DAY),
        Scope::spent(key("month"), limit).per(Window::Month),
    ]
    .into()
}

#[test]
fn the_engine_costs_little_beside_its_server() {
    let Some(server) = Server::start_append_only() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Other load may slow one more than the other, but not three times in a row.
    let ratios = (0..3).map(|attempt| runtime.block_on(measure(&server, attempt)));
    let enough = ratios.take(if cfg!(debug_assertions) { 1 } else { 3 }).any(|ratio| ratio >= 0.8);
    assert!(cfg!(debug_assertions) || enough);
}

/// Returns the speed of the engine relative to bare `EVALSHA`.
async fn measure(server: &Server, attempt: u64) -> f64 {
    let store = patient_store(server, "ours:");
    store.connect().await.unwrap();
    let client = redis::Client::open(server.url()).unwrap();
    let raw = Bare::new(client.get_multiplexed_async_connection().await.unwrap()).await;
    let (mut ratios, mut all) = (Vec::new(), Duration::ZERO);
    for round in 0..ROUNDS {
        let ids = |task| attempt << 48 | round << 32 | task << 16;
        let ours = async {
            let began = now();
            join_all((0..AT_ONCE).map(|task| spend(&store, ids(task)))).await;
            began.elapsed()
        };
        let bare = async {
            let began = now();
            join_all((0..AT_ONCE).map(|task| raw.spend(ids(task)))).await;
            began.elapsed()
        };
        // The order alternates between rounds.
        let (ours, bare) = if round % 2 == 0 {
            let ours = ours.await;
            (ours, bare.await)
        } else {
            let bare = bare.await;
            (ours.await, bare)
        };
        ratios.push(bare.as_secs_f64() / ours.as_secs_f64());
        all += ours;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    let each = all.as_secs_f64() / (ROUNDS * AT_ONCE * CALLS) as f64 * 1e6;
    println!(
        "{ratio:.2} of bare EVALSHA, {AT_ONCE} at once; {each:.0} us a reservation and its end, three scopes"
    );
    ratio
}

async fn spend(store: &Redis, ids: u64) {
    for id in ids..ids + CALLS {
        let id = OpId(id.into());
        let reserve = Op::Reserve { id, scopes: scopes(), amount: 7, ttl: Duration::from_secs(60) };
        assert_eq!(store.apply(reserve).await.unwrap(), StepResult::Done);
        assert_eq!(store.apply(Op::Settle { id, actual: 5 }).await.unwrap(), StepResult::Done);
    }
}

/// The bare server, without the engine.
struct Bare {
    connection: redis::aio::MultiplexedConnection,
    reserve: String,
    settle: String,
}

impl Bare {
    async fn new(connection: redis::aio::MultiplexedConnection) -> Self {
        let mut loading = connection.clone();
        let meta: [(&str, &str); 3] = [("epoch", "e"), ("now", "0"), ("revision", "0")];
        let () = redis::cmd("HSET").arg("bare:meta").arg(&meta).query_async(&mut loading).await.unwrap();
        let mut load = async |text: &str| -> String {
            redis::cmd("SCRIPT").arg("LOAD").arg(text).query_async(&mut loading).await.unwrap()
        };
        let (reserve, settle) = (load(RESERVE).await, load(SETTLE).await);
        Self { connection, reserve, settle }
    }

    async fn spend(&self, ids: u64) {
        let mut connection = self.connection.clone();
        for id in ids..ids + CALLS {
            let id = format!("{id:032x}");
            let mut reserve = redis::cmd("EVALSHA");
            reserve.arg(&self.reserve).arg(1).arg("bare:").arg("e").arg("").arg(&id).arg(7).arg(60_000);
            for (window, key) in
                [("i2592000000", "acme/session"), ("e86400000", "acme/day"), ("m", "acme/month")]
            {
                reserve.arg("s").arg(1_u64 << 50).arg(window).arg(key);
            }
            let answer: (String, u64) = reserve.query_async(&mut connection).await.unwrap();
            assert_eq!(answer.0, "done");
            let mut settle = redis::cmd("EVALSHA");
            settle.arg(&self.settle).arg(1).arg("bare:").arg("e").arg("").arg(&id).arg(5);
            let answer: (String, u64) = settle.query_async(&mut connection).await.unwrap();
            assert_eq!(answer.0, "done");
        }
    }
}

#[test]
fn a_lease_answers_at_once() {
    let Some(server) = Server::start() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = patient_store(&server, "leased:");
        let settings = LeaseSettings::default().with_most(100);
        let leased = Leased::new(store, settings, Arc::new(RealTime), Arc::new(SeededRandom::new(1)));
        let scopes = scopes();
        let (mut times, mut store_calls) = (Vec::new(), 0);
        for id in 0..20_000 {
            let reserve = Op::Reserve {
                id: OpId(id),
                scopes: Arc::clone(&scopes),
                amount: 1,
                ttl: Duration::from_secs(60),
            };
            let began = now();
            let answer = leased.apply(reserve);
            store_calls += u32::from(matches!(answer, HookFuture::Later(_)));
            let answer = answer.await.unwrap();
            times.push(began.elapsed());
            assert_eq!(answer, StepResult::Done);
            assert_eq!(leased.apply(Op::Settle { id: OpId(id), actual: 1 }).await.unwrap(), StepResult::Done);
        }
        leased.close().await.unwrap();
        let (p50, p99) = (median(times.clone()), percentile(times, 99));
        println!("leases of 100: p50 {p50:?}, p99 {p99:?}, {store_calls} of 20000 asked the store");
        assert!(store_calls < 300, "{store_calls}");
        assert!(cfg!(debug_assertions) || p50 < Duration::from_micros(1), "{p50:?}");
    });
}

fn median(times: Vec<Duration>) -> Duration {
    percentile(times, 50)
}

fn percentile(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort_unstable();
    times[times.len() * percent / 100]
}

#[expect(clippy::disallowed_methods, reason = "this measures")]
fn now() -> Instant {
    Instant::now()
}
