//! A Redis server alone, the engine with it, and a lease.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, Window};
use hooks_core::time::Timer;
use hooks_store::redis::RedisSettings;
use hooks_store::{LeaseSettings, Leased, Redis};
use redis::aio::MultiplexedConnection;
use tokio::runtime::Runtime;

use super::Spender;
use crate::{Bar, Case, SetupError};

/// Number of callers that reserve and settle at once.
const AT_ONCE: u128 = 16;

/// The scripts of both operations, concatenated as the engine does.
const RESERVE: &str = concat!(
    include_str!("../../../hooks-store/src/redis/lua/time.lua"),
    include_str!("../../../hooks-store/src/redis/lua/due.lua"),
    include_str!("../../../hooks-store/src/redis/lua/counters.lua"),
    include_str!("../../../hooks-store/src/redis/lua/holds.lua"),
    include_str!("../../../hooks-store/src/redis/lua/reserve.lua"),
);
const SETTLE: &str = concat!(
    include_str!("../../../hooks-store/src/redis/lua/time.lua"),
    include_str!("../../../hooks-store/src/redis/lua/due.lua"),
    include_str!("../../../hooks-store/src/redis/lua/counters.lua"),
    include_str!("../../../hooks-store/src/redis/lua/holds.lua"),
    include_str!("../../../hooks-store/src/redis/lua/settle.lua"),
);

/// The cases. If no server is installed, prints a note and returns none.
///
/// # Errors
/// Returns an error if the server does not start.
pub(super) fn cases() -> Result<Vec<Case>, SetupError> {
    const BARE: &str = "store/bare EVALSHA, both scripts, 16 at once";
    let Some(server) = Server::start()?.map(Rc::new) else {
        println!("no `redis-server` here: the cases of store/redis are left out");
        return Ok(Vec::new());
    };
    let runtime = Rc::new(tokio::runtime::Builder::new_current_thread().enable_all().build()?);
    let bare = runtime.block_on(Bare::new(&server))?;
    let (system, timer) = (hooks_system::system(), Arc::new(hooks_system::TokioTimer) as Arc<dyn Timer>);
    let store = |prefix: &str| {
        let settings =
            RedisSettings::new(server.url()).with_prefix(prefix).with_timeout(Duration::from_secs(10));
        let _entered = runtime.enter();
        Redis::new(settings, Arc::clone(&system.clock), Arc::clone(&timer), Arc::clone(&system.random))
    };
    let ours = Ours { store: store("ours:")?, next: Cell::default() };
    runtime.block_on(ours.store.connect())?;
    let settings = LeaseSettings::default();
    let leased =
        Leased::new(store("leased:")?, settings, Arc::clone(&system.clock), Arc::clone(&system.random));
    let spender = Spender::new(leased);
    Ok(vec![
        at_once(BARE, (&server, &runtime), bare),
        // 0.8 of its speed.
        at_once("store/redis, reserve and settle, 16 at once", (&server, &runtime), ours)
            .at_most(Bar::Times(1.0 / 0.8, BARE)),
        // A microsecond each.
        from_a_lease((server, runtime), spender).at_most(Bar::Nanoseconds(2_000.0)),
    ])
}

/// A caller that reserves and settles once.
trait Spends: 'static {
    /// Reserves and settles, and returns whether both succeeded.
    async fn spend(&self) -> bool;
}

fn at_once(name: &'static str, (server, runtime): (&Rc<Server>, &Rc<Runtime>), who: impl Spends) -> Case {
    let (server, runtime) = (Rc::clone(server), Rc::clone(runtime));
    Case::new(name, move || {
        let _server = &server;
        runtime.block_on(join_all((0..AT_ONCE).map(|_| who.spend())))
    })
}

fn from_a_lease((server, runtime): (Rc<Server>, Rc<Runtime>), mut spender: Spender<Leased<Redis>>) -> Case {
    Case::new("store/redis, reserve and settle from a lease", move || {
        let _server = &server;
        runtime.block_on(spender.spend_later())
    })
}

/// The engine.
struct Ours {
    store: Redis,
    next: Cell<u128>,
}

impl Spends for Ours {
    async fn spend(&self) -> bool {
        let id = OpId(self.next.replace(self.next.get() + 1));
        let key = Key::new(Some("acme"), &["spend", "session", "1c8f0e52"]);
        let scopes = [Scope::spent(key, 1 << 50).per(Window::DAY)].into();
        let reserve = Op::Reserve { id, scopes, amount: 7, ttl: Duration::from_secs(60) };
        let reserved = self.store.apply(reserve).await;
        let settled = self.store.apply(Op::Settle { id, actual: 5 }).await;
        matches!((reserved, settled), (Ok(StepResult::Done), Ok(StepResult::Done)))
    }
}

/// The server alone, with the engine's scripts.
struct Bare {
    connection: MultiplexedConnection,
    reserve: String,
    settle: String,
    next: Cell<u128>,
}

impl Bare {
    async fn new(server: &Server) -> Result<Self, SetupError> {
        let client = redis::Client::open(server.url())?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        let meta = [("epoch", "e"), ("now", "0"), ("revision", "0")];
        redis::cmd("HSET").arg("bare:meta").arg(&meta).exec_async(&mut connection).await?;
        let mut hashes = [String::new(), String::new()];
        for (hash, text) in hashes.iter_mut().zip([RESERVE, SETTLE]) {
            *hash = redis::cmd("SCRIPT").arg("LOAD").arg(text).query_async(&mut connection).await?;
        }
        let [reserve, settle] = hashes;
        Ok(Self { connection, reserve, settle, next: Cell::default() })
    }
}

impl Spends for Bare {
    async fn spend(&self) -> bool {
        let id = format!("{:032x}", self.next.replace(self.next.get() + 1));
        let mut connection = self.connection.clone();
        let mut reserve = redis::cmd("EVALSHA");
        reserve.arg(&self.reserve).arg(1).arg("bare:").arg("e").arg("").arg(&id).arg(7).arg(60_000);
        reserve.arg("s").arg(1_u64 << 50).arg("e86400000").arg("acme/spend/session/1c8f0e52");
        let reserved: redis::RedisResult<(String, u64)> = reserve.query_async(&mut connection).await;
        let mut settle = redis::cmd("EVALSHA");
        settle.arg(&self.settle).arg(1).arg("bare:").arg("e").arg("").arg(&id).arg(5);
        let settled: redis::RedisResult<(String, u64)> = settle.query_async(&mut connection).await;
        reserved.is_ok() && settled.is_ok()
    }
}

/// A server for this bench alone.
#[derive(Debug)]
struct Server {
    process: Child,
    folder: tempfile::TempDir,
}

impl Server {
    /// # Errors
    /// Returns an error if the server does not start.
    #[expect(clippy::disallowed_methods, reason = "the server is a process, and this waits for it")]
    fn start() -> Result<Option<Self>, SetupError> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]);
        command.arg("--unixsocket").arg(socket(folder.path())).arg("--dir").arg(folder.path());
        let Ok(process) = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn() else { return Ok(None) };
        let server = Self { process, folder };
        for _ in 0..1_000 {
            if std::os::unix::net::UnixStream::connect(socket(server.folder.path())).is_ok() {
                return Ok(Some(server));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("`redis-server` does not come up".into())
    }

    fn url(&self) -> String {
        format!("unix://{}", socket(self.folder.path()).display())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _gone = self.process.wait();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("redis.sock")
}
