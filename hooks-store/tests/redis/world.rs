//! Real time, since a real server runs in real time.

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use hooks_core::HookFuture;
use hooks_core::time::{Clock, SeededRandom, Tick, Timer, Timestamp};
use hooks_store::redis::{Redis, RedisSettings};

use crate::server::Server;

/// A real clock and timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealTime;

impl Clock for RealTime {
    #[expect(clippy::disallowed_methods, reason = "the clock of the tests")]
    fn now(&self) -> Timestamp {
        let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp(elapsed.as_millis().try_into().unwrap())
    }

    #[expect(clippy::disallowed_methods, reason = "the clock of the tests")]
    fn tick(&self) -> Tick {
        static START: OnceLock<Instant> = OnceLock::new();
        Tick(START.get_or_init(Instant::now).elapsed())
    }
}

impl Timer for RealTime {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(tokio::time::sleep(duration))
    }
}

/// A store in `server`, with a prefix of its own and a long timeout, so that a slow machine does not fail the
/// test.
pub(crate) fn patient_store(server: &Server, prefix: &str) -> Redis {
    let settings = RedisSettings::new(server.url()).with_prefix(prefix);
    with(settings.with_timeout(Duration::from_secs(10)))
}

pub(crate) fn with(settings: RedisSettings) -> Redis {
    static SEED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    let seed = SEED.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + RealTime.now().0;
    Redis::new(settings, Arc::new(RealTime), Arc::new(RealTime), Arc::new(SeededRandom::new(seed))).unwrap()
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}
