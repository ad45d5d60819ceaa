//! One agent: a governed session with real tools and real files, in a process that may be killed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks::beside::Threads;
use hooks::drivers::{SpawnRequest, Spawned, ToolCall, ToolRequest, ToolResult};
use hooks::event::{ChildStatus, EndReason, SessionStart, SubagentStart};
use hooks::scribe::{Scribe, ScribeSettings};
use hooks::team::files::NewMember;
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, Govern, GovernSpawn, HookContext, Hooks, Session, StdFileSystem, TokioTimer, system};
use hooks_core::time::{Random as _, SeededRandom};
use serde_json::json;
use tower::{ServiceExt as _, service_fn};

use super::ledger::{self, Ledger};
use crate::error::{Error, Result};
use crate::soak::number;

/// Settings with shorter waits than those of a service, so that kills hit every step.
pub(super) fn settings() -> ScribeSettings {
    let mut settings = ScribeSettings::default();
    settings.pause = Duration::from_millis(100);
    settings.settle = Duration::from_millis(400);
    settings.given_up_after = Duration::from_secs(20);
    settings
}

/// The team of the project.
pub(super) fn team(folder: &Path) -> Team {
    Team::new(Arc::new(StdFileSystem), folder.join("project/.squad"), &system())
}

/// Creates a project with a team.
///
/// # Errors
/// Returns an error if the files cannot be written.
pub(super) fn lay_out(folder: &Path) -> Result {
    fs::create_dir_all(folder.join("project/src"))?;
    let members = vec![NewMember { name: "Agent".into(), role: "Developer".into() }];
    team(folder)
        .init(&NewTeam { members, ..NewTeam::default() })
        .map_err(|error| Error::new(error.to_string()))?;
    Ok(())
}

/// Runs one agent, as [`fleet`](super::fleet) starts it.
///
/// # Errors
/// Returns an error if the arguments are invalid, or the ledger cannot be opened.
pub(super) fn run(arguments: &[&str]) -> Result {
    let [folder, share, seed, agent, life] = arguments else {
        return Err(Error::new("an agent is started by `cargo xtask soak scribe` only"));
    };
    let folder = Path::new(folder);
    let (share, seed) = (number(share)?, number(seed)?);
    let (agent, life) = (number(agent)?, number(life)?);
    let from = ledger::read(folder, agent)?.len() as u64;
    let ledger = Arc::new(Ledger::open(folder, agent)?);
    let agent = Agent { folder: folder.to_owned(), number: agent, life, ledger };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let random = SeededRandom::new(seed << 32 | agent.number << 16 | life);
    runtime.block_on(agent.session(from, share, &random)).map_err(|error| Error::new(error.to_string()))
}

struct Agent {
    folder: PathBuf,
    number: u64,
    life: u64,
    ledger: Arc<Ledger>,
}

impl Agent {
    async fn session(
        &self,
        from: u64,
        share: u64,
        random: &SeededRandom,
    ) -> std::result::Result<(), BoxError> {
        let scribe = Scribe::new(team(&self.folder), Threads, Arc::new(TokioTimer)).with(settings());
        let hooks = scribe.add_to(Hooks::builder()).build();
        let name = format!("Agent {}", self.number);
        let context = HookContext::new(format!("session {} of agent {}", self.life, self.number), name);
        let context = context.in_dir(self.folder.join("project")).with_environment(system());
        let (session, _) = Session::start(hooks.clone(), context, SessionStart::default()).await;
        for call in from..share {
            // A call that was killed before its tool began is not in the ledger; the next process gives it
            // another name.
            let token = format!("token-{}-{}-{call}-", self.number, self.life);
            if random.next_u64().is_multiple_of(40) {
                self.spawn(&hooks, session.context(), token).await?;
            } else {
                self.call(&hooks, session.context(), token, random.next_u64()).await?;
            }
        }
        session.end(EndReason::Complete, None).await;
        Ok(())
    }

    /// Calls a tool that writes a file, in two steps as an editor may.
    async fn call(
        &self,
        hooks: &Hooks,
        context: &Arc<HookContext>,
        token: String,
        dice: u64,
    ) -> std::result::Result<(), BoxError> {
        let file = match dice % 20 {
            0..10 => format!(".squad/decisions/inbox/{token}.md"),
            10..14 => format!(".squad/agents/agent/{token}.md"),
            14..16 => format!(".squad/skills/{token}.md"),
            _ => format!("src/{token}.rs"),
        };
        let text = format!("### 2026-11-22: Decide {token}\n**By:** Agent\n**What:** it\n");
        // Some tools write with a command, and some clients send no ids.
        let (name, args) = match dice / 20 % 4 {
            0 => ("bash", json!({ "command": format!("printf '%s' \"$TEXT\" > {file}") })),
            1 => ("write_file", json!({ "path": format!("./src/../{file}"), "content": text })),
            _ => ("edit", json!({ "path": file, "content": text })),
        };
        let mut call = ToolCall::new(name, args);
        call.id = (!(dice / 80).is_multiple_of(3)).then(|| format!("call {token}"));
        let (ledger, path) = (Arc::clone(&self.ledger), self.folder.join("project").join(&file));
        let what = file.strip_prefix(".squad/").unwrap_or("-").to_owned();
        let tool = service_fn(move |_: ToolCall| {
            let (ledger, path, text) = (Arc::clone(&ledger), path.clone(), text.clone());
            let (token, what) = (token.clone(), what.clone());
            async move {
                ledger.begin(&token, &what)?;
                let (half, rest) = text.split_at(text.len() / 2);
                let mut file = fs::File::create(path)?;
                file.write_all(half.as_bytes())?;
                tokio::task::yield_now().await;
                file.write_all(rest.as_bytes())?;
                ledger.end(&token)?;
                Ok::<_, BoxError>(ToolResult::ok("written"))
            }
        });
        let request = ToolRequest { context: Arc::clone(context), call };
        Govern::new(hooks.clone(), tool).oneshot(request).await?;
        Ok(())
    }

    /// Starts a child that ends at once.
    async fn spawn(
        &self,
        hooks: &Hooks,
        context: &Arc<HookContext>,
        token: String,
    ) -> std::result::Result<(), BoxError> {
        let (ledger, told) = (Arc::clone(&self.ledger), token.clone());
        let spawner = service_fn(move |_: SubagentStart| {
            let (ledger, token) = (Arc::clone(&ledger), told.clone());
            async move {
                ledger.begin(&token, "child")?;
                ledger.end(&token)?;
                Ok::<_, BoxError>(())
            }
        });
        let start = SubagentStart::new("Helper", format!("Help with {token}"));
        let request = SpawnRequest { context: Arc::clone(context), start };
        if let Spawned::Running(child, _) = GovernSpawn::new(hooks.clone(), spawner).oneshot(request).await? {
            drop(child.end(ChildStatus::Completed, None).await);
        }
        Ok(())
    }
}
