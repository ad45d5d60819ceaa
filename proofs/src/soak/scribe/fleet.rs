//! The agents as processes, some of which are killed at random moments and started again.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use hooks_core::time::{Random as _, SeededRandom};

use super::options::Options;
use crate::child::KillOnDrop;
use crate::error::Result;

/// Runs the agents until each has done its share; returns how many were killed.
///
/// # Errors
/// Returns an error if a process cannot be started, or fails by itself.
pub(super) fn run(folder: &Path, options: &Options) -> Result<u64> {
    let (random, mut kills) = (SeededRandom::new(options.seed), 0);
    let start = |agent: u64, life: u64| Agent::start(folder, options, agent, life);
    let mut agents = (0..options.agents).map(|agent| start(agent, 0)).collect::<Result<Vec<_>>>()?;
    while !agents.is_empty() {
        pause(Duration::from_millis(10 + random.next_u64() % 100));
        let victim = usize::try_from(random.next_u64()).unwrap_or_default() % agents.len();
        if let Some(agent) = agents.get_mut(victim).filter(|_| kills < options.kills)
            && agent.is_running()?
        {
            agent.process.kill()?;
            *agent = start(agent.number, agent.life + 1)?;
            kills += 1;
        }
        let mut running = Vec::new();
        for mut agent in agents {
            if agent.is_running()? {
                running.push(agent);
            }
        }
        agents = running;
    }
    Ok(kills)
}

/// An agent process.
#[derive(Debug)]
struct Agent {
    number: u64,
    /// Number of times that the agent was killed.
    life: u64,
    process: KillOnDrop,
}

impl Agent {
    #[expect(clippy::disallowed_methods, reason = "it has to be killed, which no other command does")]
    fn start(folder: &Path, options: &Options, number: u64, life: u64) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["soak", "scribe", "worker"]).arg(folder);
        command.args([options.share(), options.seed, number, life].map(|argument| argument.to_string()));
        Ok(Self { number, life, process: KillOnDrop::start(&mut command)? })
    }

    /// # Errors
    /// Returns an error if the process has failed.
    fn is_running(&mut self) -> Result<bool> {
        self.process.is_running(format_args!("agent {}", self.number))
    }
}

#[expect(clippy::disallowed_methods, reason = "it lets real processes do real work")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
