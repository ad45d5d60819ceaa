//! A Redis server for one run, and its faults: connections are cut, and it is killed and started again.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Op, StateStore, StepResult, StoreError};
use hooks_store::redis::RedisSettings;
use hooks_store::{Away, AwaySettings, Redis};
use tokio::runtime::Runtime;

use super::fleet::pause;
use crate::child::KillOnDrop;
use crate::error::{Error, Result};

/// A server that syncs its file before it answers. With `everysec`, its answers may be up to two seconds
/// ahead of the file while the disk is busy. A client that is killed at the same time could not repeat the
/// lost operations.
#[derive(Debug)]
pub(super) struct Server {
    folder: PathBuf,
    process: KillOnDrop,
    faults: u64,
}

impl Server {
    /// Starts the server.
    ///
    /// # Errors
    /// Returns an error if Redis is not installed, or does not start.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let server = Self { folder: folder.to_owned(), process: process(folder)?, faults: 0 };
        server.wait()?;
        Ok(server)
    }

    /// Injects the next fault.
    ///
    /// # Errors
    /// Returns an error if the server does not start again.
    pub(super) fn suffer(&mut self) -> Result {
        self.faults += 1;
        match self.faults % 8 {
            3 => {
                self.process.kill()?;
                self.process = process(&self.folder)?;
                self.wait()?;
            }
            5 => drop(self.say("SCRIPT FLUSH")),
            _ => drop(self.say("CLIENT KILL TYPE normal")),
        }
        Ok(())
    }

    fn wait(&self) -> Result {
        for _ in 0..1_000 {
            if self.say("PING").is_ok_and(|answer| answer.starts_with("+PONG")) {
                return Ok(());
            }
            pause(Duration::from_millis(10));
        }
        Err(Error::new("`redis-server` does not come up"))
    }

    /// Sends a command, and returns the beginning of the answer.
    fn say(&self, command: &str) -> std::io::Result<String> {
        let mut stream = UnixStream::connect(socket(&self.folder))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "{command}\r\n")?;
        let mut answer = [0; 64];
        let length = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(answer.get(..length).unwrap_or_default()).into_owned())
    }
}

#[expect(clippy::disallowed_methods, reason = "it has to be killed, which no other command does")]
fn process(folder: &Path) -> Result<KillOnDrop> {
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
    command.arg("--unixsocket").arg(socket(folder)).arg("--dir").arg(folder);
    KillOnDrop::start(command.stdout(Stdio::null()))
        .map_err(|error| Error::doing("starting `redis-server`, of Debian's package of that name", error))
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("redis.sock")
}

/// The store in that server, for one process. Operations that ended while the server was unavailable are sent
/// once it is back.
pub(super) struct Hosted {
    store: Away<Redis>,
    runtime: Runtime,
}

impl Hosted {
    /// Opens the store.
    ///
    /// # Errors
    /// Returns an error if the runtime or the store cannot be created.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let system = hooks::system();
        let timer: Arc<dyn hooks_core::time::Timer> = Arc::new(hooks::TokioTimer);
        let settings = RedisSettings::new(format!("unix://{}", socket(folder).display()));
        let entered = runtime.enter();
        let redis =
            Redis::new(settings, Arc::clone(&system.clock), Arc::clone(&timer), Arc::clone(&system.random));
        drop(entered);
        let redis = redis.map_err(|error| Error::doing("the store", error))?;
        let store = Away::new(redis, AwaySettings::default(), system.clock, &*system.random);
        let kept = store.clone();
        runtime.spawn(async move { kept.keep(timer).await });
        Ok(Self { store, runtime })
    }
}

impl StateStore for Hosted {
    fn apply(&self, op: Op) -> HookFuture<'static, std::result::Result<StepResult, StoreError>> {
        self.store.apply(op)
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        for _ in 0..100 {
            if self.runtime.block_on(self.store.tell()).is_ok() {
                return;
            }
            pause(Duration::from_millis(50));
        }
    }
}
