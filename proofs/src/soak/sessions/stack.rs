//! The hooks of the soak of sessions, and the events that a session sends to them.

use std::future::ready;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks::cache::{CacheLayer, ResultCache};
use hooks::command::output::{End, Finished};
use hooks::command::process::{Runner, Start};
use hooks::config::{Config, ConfigErrors, ConfigReader, Kept};
use hooks::drivers::{
    ModelCall, ModelRequest, SpawnRequest, Spawned, ToolCall, ToolOutcome, ToolRequest, ToolResult,
};
use hooks::event::{
    ChildStatus, EndReason, Message, ModelReply, PreToolUse, PromptKind, Role, SessionEnd, SessionStart,
    SubagentStart, TurnEndReason, Usage,
};
use hooks::resilience::{
    Call, Classified, ErrorKind, Health, ModelError, PerTenantLayer, Replied, Resilience, ResilienceConfig,
    World,
};
use hooks::store::StoreThread;
use hooks::{BoxError, Environment, HookContext, HookError, HookFuture, Hooks, Live, Session};
use hooks_core::state::{Memory, OpId};
use hooks_core::testing::{FakeClock, FakeFileSystem, FakeTimer, world};
use hooks_core::time::Clock as _;
use hooks_policies::lockout::{Lockout, LockoutRegistry};
use serde_json::json;
use tempfile::TempDir;
use tower::util::BoxCloneSyncService;
use tower::{Layer, ServiceExt, service_fn};

use crate::error::{Error, Result};

/// The sections that keep something in memory.
const FILE: &str = r#"
version: 1
write_guard: { allow: ["src/**", ".squad/**"] }
command_guard: {}
redaction: {}
reviewer_lockout: {}
ask_user: { max_per_session: 2 }
rules: [{ name: generated, paths: ["src/**/*.gen.rs"] }]
limits:
  calls:
    - { tools: [web_search], most: 3, of: session, per: session }
    - { tools: [web_search], most: 50, of: agent, per: session }
  loops: { rounds: 3, longest: 4, action: deny }
  iterations: { most: 100, per: prompt, resumes: 2 }
spawn: { concurrent: 3, total: 5, depth: 2 }
budget:
  limits: [{ of: session, per: session, tokens: 100000 }]
  thresholds: { warn: 50 }
cache: { tools: [{ tool: web_search, depends: outside, for: 10m }] }
metrics: {}
hooks: { pre_tool_use: [{ hooks: [{ type: command, command: check }] }] }
"#;

/// The sections that need a team folder. It is read on threads, so only some sessions have one.
const TEAM: &str = r#"
context: {}
compaction: {}
session_end: {}
prompts: {}
scribe: {}
notices: {}
"#;

/// Squad's own pipeline beside it.
const SQUAD: &str = "profile: squad-compat\nmaxAskUser: 2\n";

/// A model that some tenants may not use, and one for all.
const MODELS: &str =
    r#"{"catalog": [{"name": "opus", "provider": "one"}, {"name": "gpt", "provider": "two"}]}"#;

/// One session in 50 works in a team folder; a new folder begins every 1,000 sessions.
const TEAMS: (u64, u64) = (50, 1_000);
/// Number of tenants: more than are remembered.
const TENANTS: u64 = 3_000;

/// A command that prints nothing.
struct Silent;

impl Runner for Silent {
    fn run(&self, _start: Start) -> HookFuture<'static, Finished> {
        let (stdout, stderr) = (String::new(), String::new());
        HookFuture::now(Finished { end: End::Exited(0), stdout, stderr })
    }
}

/// The hooks of a configuration, with its cache.
struct Side {
    hooks: Hooks,
    cache: ResultCache,
}

/// Models, with layers for each tenant.
type Models = BoxCloneSyncService<Call, Replied<()>, ModelError>;

/// Hooks and models that serve the sessions, with their clock and folders.
pub(super) struct Served {
    clock: Arc<FakeClock>,
    timer: FakeTimer,
    environment: Environment,
    /// Hooks of sessions without a team; those of `in_team` share their counts.
    alone: Side,
    in_team: Side,
    squad: Hooks,
    lockouts: Arc<LockoutRegistry>,
    models: Models,
    teams: TempDir,
}

impl Served {
    /// Creates hooks on a store that keeps this many names.
    pub(super) fn new(names: usize) -> Result<Self> {
        let (environment, clock, _) = world(FakeFileSystem::default());
        let (timer, store) = (FakeTimer::default(), Arc::new(Memory::with_room(clock.clone(), names)));
        let lockouts = Arc::new(LockoutRegistry::default());
        // Work for a team is done at once, so that nothing waits for the clock of the machine.
        let reader = ConfigReader::default()
            .keeping(Kept::new(Arc::clone(&lockouts), store.clone()))
            .store_thread(StoreThread::AtOnce)
            .runner(Arc::new(Silent));
        let wrong = |errors: ConfigErrors| Error::new(errors.to_string());
        let alone = reader.parse(FILE, "hooks.yaml").map_err(wrong)?;
        let reader = reader.keeping(alone.kept().clone());
        let in_team = reader.parse(&format!("{FILE}{TEAM}"), "hooks.yaml").map_err(wrong)?;
        let squad = Config::parse(SQUAD, "policy.yaml").map_err(wrong)?.hooks();
        let models = models(World::new(&environment, timer.clone()), store)?;
        let (alone, in_team, teams) =
            (Side::from_config(alone)?, Side::from_config(in_team)?, tempfile::tempdir()?);
        Ok(Self { clock, timer, environment, alone, in_team, squad, lockouts, models, teams })
    }

    /// Lets time pass.
    pub(super) fn pass(&self, time: Duration) {
        self.clock.advance(time);
        self.timer.advance(time);
    }

    /// Serves one session: a prompt, model calls, tools that are allowed, denied and asked about, and a child.
    pub(super) async fn serve(&self, number: u64) -> std::result::Result<(), BoxError> {
        let context = self.context(number)?;
        let is_abandoned = number.is_multiple_of(3);
        let Side { hooks, cache } = if number.is_multiple_of(TEAMS.0) { &self.in_team } else { &self.alone };
        let (session, _) =
            Session::start(Live::new(hooks.clone()), Arc::clone(&context), SessionStart::default()).await;
        drop(session.prompt("Where do the orders live?", PromptKind::Initial).await);
        let (turn, _) = session.turn().await;
        self.ask_models(&session, number).await?;
        self.call_tools(&session, cache, number).await?;
        self.ask_squad(&context, is_abandoned).await;
        let spawner = session.spawner(service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
        let start = SubagentStart::new("child", "search");
        let child = spawner.oneshot(SpawnRequest { context: Arc::clone(&context), start }).await?;
        if is_abandoned {
            // An abandoned session reports no end: not of the call that began, nor of the session, its turn
            // or its child.
            let write = PreToolUse::new("edit", json!({"path": ".squad/decisions/inbox/a.md"}));
            drop(hooks.on((*context).clone()).pre_tool_use(write).await);
            drop((session, turn, child));
            return Ok(());
        }
        if let Spawned::Running(child, _) = child {
            drop(child.end(ChildStatus::Completed, None).await);
        }
        turn.end(TurnEndReason::Normal).await;
        session.end(EndReason::Complete, None).await;
        Ok(())
    }

    /// Context of a session. Some sessions work in a team folder, which is deleted when the next one begins.
    fn context(&self, number: u64) -> std::io::Result<Arc<HookContext>> {
        let mut folder = PathBuf::from("/repo");
        if number.is_multiple_of(TEAMS.0) {
            let team = |number: u64| self.teams.path().join((number / TEAMS.1).to_string());
            folder = team(number);
            if number.is_multiple_of(TEAMS.1) {
                std::fs::create_dir_all(folder.join(".squad/decisions/inbox"))?;
                if let Some(before) = number.checked_sub(TEAMS.1) {
                    std::fs::remove_dir_all(team(before))?;
                }
            }
        }
        let context = HookContext::new(format!("session-{number}"), format!("agent-{}", number % 20));
        let context = context.in_dir(folder).for_tenant(format!("tenant-{}", number % TENANTS));
        let mut context = context.with_environment(self.environment.clone());
        context.timestamp = self.clock.now();
        Ok(Arc::new(context))
    }

    /// Asks a model through the hooks, and one through the layers of its tenant.
    async fn ask_models(&self, session: &Session, number: u64) -> std::result::Result<(), BoxError> {
        let context = session.context();
        let answer = |_: ModelRequest| {
            let response = Message::text(Role::Assistant, "In Postgres.");
            ready(Ok::<_, HookError>(ModelReply { response, usage: Usage::default(), cost: None }))
        };
        let request = || ModelRequest { model: "opus".to_owned(), iteration: 1, messages: Vec::new() };
        let call = ModelCall { context: Arc::clone(context), request: request() };
        drop(session.model(service_fn(answer)).oneshot(call).await?);
        let call =
            Call::new(Arc::clone(context), request(), OpId::from_parts(&["model", &number.to_string()]));
        drop(self.models.clone().oneshot(call).await?);
        Ok(())
    }

    async fn call_tools(
        &self,
        session: &Session,
        cache: &ResultCache,
        number: u64,
    ) -> std::result::Result<(), BoxError> {
        let context = session.context();
        let tools = service_fn(|_: ToolCall| ready(Ok::<_, BoxError>(ToolResult::ok("done"))));
        let tools = session.tools(CacheLayer::new(cache.clone(), Arc::clone(context)).layer(tools));
        let locked = format!("src/{number}.rs");
        self.lockouts.lock(Lockout::new(&locked, &context.agent_name).by("reviewer"));
        for (tool, args, is_allowed) in [
            ("edit", json!({"path": "src/a.rs"}), true),
            ("edit", json!({"path": "src/a.gen.rs"}), false),
            ("edit", json!({"path": "other/a.rs"}), false),
            ("edit", json!({"path": locked}), false),
            ("edit", json!({"path": ".squad/decisions/inbox/b.md"}), true),
            ("web_search", json!({"query": number.to_string()}), true),
            ("web_search", json!({"query": number.to_string()}), true),
            ("ask_user", json!({"question": "a"}), true),
            ("ask_user", json!({"question": "b"}), true),
            ("ask_user", json!({"question": "c"}), false),
        ] {
            let call = ToolRequest { context: Arc::clone(context), call: ToolCall::new(tool, args.clone()) };
            let done = tools.clone().oneshot(call).await?;
            if matches!(done.outcome, ToolOutcome::Ran(..)) != is_allowed {
                return Err(format!("`{tool}` {args} ended in {done:?}").into());
            }
        }
        self.lockouts.clear(&locked, "reviewer")?;
        Ok(())
    }

    /// Asks the user by Squad's rules.
    async fn ask_squad(&self, context: &HookContext, is_abandoned: bool) {
        let question = PreToolUse::new("ask_user", json!({"question": "a"}));
        drop(self.squad.on(context.clone()).pre_tool_use(question).await);
        if !is_abandoned {
            self.squad.on(context.clone()).session_end(SessionEnd::default()).await;
        }
    }
}

impl Side {
    fn from_config(config: Config) -> Result<Self> {
        let cache = config.cache().cloned().ok_or_else(|| Error::new("the configuration has no cache"))?;
        Ok(Self { hooks: config.hooks(), cache })
    }
}

/// Layers for each tenant around models, of which every seventh tenant may not use the first.
fn models(world: World, store: Arc<Memory>) -> Result<Models> {
    let config: ResilienceConfig =
        serde_json::from_str(MODELS).map_err(|cause| Error::doing("the models of the soak", cause))?;
    let resilience = Resilience::new(&config).map_err(|faults| Error::new(format!("{faults:?}")))?;
    let health = resilience.shared_health(world, store, "models", None);
    let health = health.map_err(|error| Error::new(error.to_string()))?;
    let client = service_fn(|call: Call| {
        let tenant =
            call.context().tenant.as_deref().and_then(|tenant| tenant.rsplit_once('-')?.1.parse().ok());
        let is_refused =
            call.model_name() == "opus" && tenant.is_some_and(|tenant: u64| tenant.is_multiple_of(7));
        ready(if is_refused {
            Err(ModelError::new(ErrorKind::Authentication, "invalid api key"))
        } else {
            Ok(())
        })
    });
    let layer = PerTenantLayer::new(health, move |health: &Health| resilience.layer(health, Classified));
    Ok(BoxCloneSyncService::new(layer.layer(client)))
}
