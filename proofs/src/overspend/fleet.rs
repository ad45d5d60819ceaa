//! The workers as processes, some of which are killed at random moments and started again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hooks_core::time::{Random as _, SeededRandom};

use super::audit::Audit;
use super::call::Policy;
use super::engine::Engine;
use super::plan::{Plan, WORKERS};
use super::redis::Server;
use crate::child::KillOnDrop;
use crate::error::Result;

/// Runs the fleet until every worker has made its share of the operations, and audits the result.
///
/// # Errors
/// Returns an error if a process cannot be started, or fails by itself.
pub(super) fn run(engine: Engine, plan: &Plan, policy: Policy, seed: u64) -> Result<Audit> {
    let folder = Folder::make(&place(engine))?;
    let mut server = if engine == Engine::Redis { Some(Server::start(folder.path())?) } else { None };
    let (random, mut kills) = (SeededRandom::new(seed), 0);
    let most = 4 + plan.operations / 20_000;
    let start = |worker: u64, life: u64| Worker::start(engine, folder.path(), policy, plan, worker, life);
    let mut workers = (0..WORKERS).map(|worker| start(worker, 0)).collect::<Result<Vec<_>>>()?;
    while !workers.is_empty() {
        pause(Duration::from_millis(20 + random.next_u64() % 200));
        if let Some(server) = &mut server {
            server.suffer()?;
        }
        let victim = usize::try_from(random.next_u64()).unwrap_or_default() % workers.len();
        if let Some(worker) = workers.get_mut(victim).filter(|_| kills < most)
            && worker.is_running()?
        {
            worker.process.kill()?;
            *worker = start(worker.number, worker.life + 1)?;
            kills += 1;
        }
        let mut running = Vec::new();
        for mut worker in workers {
            if worker.is_running()? {
                running.push(worker);
            }
        }
        workers = running;
    }
    Audit::read(&engine.open(folder.path())?, plan, folder.path(), kills)
}

/// A worker process.
#[derive(Debug)]
struct Worker {
    number: u64,
    /// Number of times that the worker was killed.
    life: u64,
    process: KillOnDrop,
}

impl Worker {
    #[expect(clippy::disallowed_methods, reason = "it has to be killed, which no other command does")]
    fn start(
        engine: Engine,
        folder: &Path,
        policy: Policy,
        plan: &Plan,
        number: u64,
        life: u64,
    ) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["overspend", "worker", engine.name()]).arg(folder).arg(policy.key());
        command.args([plan.operations, number, life].map(|argument| argument.to_string()));
        Ok(Self { number, life, process: KillOnDrop::start(&mut command)? })
    }

    /// # Errors
    /// Returns an error if the process has failed.
    fn is_running(&mut self) -> Result<bool> {
        self.process.is_running(format_args!("worker {}", self.number))
    }
}

/// The folder for the files of a run. A server that syncs every answer would measure the disk, so its files
/// are kept in memory if such a folder exists. This is valid because processes are killed here, but the power
/// is never cut.
fn place(engine: Engine) -> PathBuf {
    let memory = Path::new("/dev/shm");
    if engine == Engine::Redis && memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}

#[expect(clippy::disallowed_methods, reason = "it lets real processes do real work")]
pub(super) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// A folder of its own for a run, removed when dropped.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn make(below: &Path) -> Result<Self> {
        let path = below.join(format!("hooks-overspend-{}", std::process::id()));
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If the removal fails, a few files stay among other temporary ones.
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}
