//! Reads a configuration and builds its hooks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_audit::Audit;
use hooks_audit::chain::Digest;
use hooks_audit::config::AuditConfig;
use hooks_cache::ResultCache;
use hooks_classic::PolicyConfig;
use hooks_command::process::Runner;
use hooks_command::{Builtins, ModelJudge};
use hooks_core::state::StoreError;
use hooks_core::time::Clock as _;
use hooks_core::{CloseError, Hooks};
use hooks_facts::tools::Dialect;
use hooks_metrics::Metrics;
use hooks_sandbox::SandboxConfig;
use hooks_snapshots::EffectsConfig;
use hooks_store::{Engine, StoreConfig, StoreThread};
use hooks_system::SystemClock;

use super::audit::Teams;
use super::budget::priced;
use super::build::{Kept, Origin, ProfileSettings, State, build};
use super::command::{self, Handlers, Host};
use super::context::ContextSections;
use super::document::{self, Document, Profile};
use super::error::{ConfigError, ConfigErrors, Mistakes, TextPosition};
use super::feeds::{FeedSections, Feeds};
use super::lint::lint;
use super::models::Models;
use super::reload::{Earlier, Fixed, ReadFile, ReloadConfig};
use super::shadow::{InShadow, Modes};
use super::team_folders::Project;
use super::team_rules::TeamRuleSections;
use super::tree::{Kind, Node};
use super::{audit, naming, protect, source, squad, store, yaml};
use crate::feeding::Started;

/// A valid configuration, with its hooks.
#[derive(Clone)]
pub struct Config {
    name: String,
    text: Arc<str>,
    rules_text: Arc<str>,
    rules_version: Arc<str>,
    files: Vec<ReadFile>,
    fixed: Fixed,
    profile: Profile,
    policy: PolicyConfig,
    modes: Modes,
    observed: Vec<InShadow>,
    protected: Vec<String>,
    doubts: Vec<ConfigError>,
    sections_named: Vec<String>,
    handlers: Option<Box<Handlers>>,
    kept: Kept,
    hooks: Hooks,
    models: Option<Models>,
    context: ContextSections,
    sections: FeedSections,
    team_rules: TeamRuleSections,
    feeds: Feeds,
    recording: Option<Audit>,
    /// Whether sinks are fed in a service.
    feeds_sinks: bool,
    started: Started,
    state: State,
}

impl Config {
    /// Reads the file at `path`. The file protects itself unless it has `self_protection: false`.
    ///
    /// # Errors
    /// Returns all mistakes in the file if it has any, or an error that the file cannot be read.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Judged};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path().canonicalize()?;
    /// let file = folder.join("hooks.yaml");
    /// std::fs::write(&file, "version: 1")?;
    /// let hooks = Config::read(&file)?.hooks();
    ///
    /// let context = HookContext::new("session-1", "backend").in_dir(&folder);
    /// let context = context.with_environment(hooks_system::system());
    /// let edit = PreToolUse::new("write", json!({"file_path": file, "content": ""}));
    /// assert!(hooks.on(context).pre_tool_use(edit).await.outcome.is_denied(), "the file protects itself");
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigErrors> {
        ConfigReader::default().read(path)
    }

    /// Reads `text`. Reports call it `name`; the extension of `name` distinguishes a program from a policy.
    ///
    /// # Errors
    /// Returns all mistakes in the text if it has any.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigErrors> {
        ConfigReader::default().parse(text, name)
    }

    /// The hooks. If this is called on a tokio runtime and the configuration has sinks, tasks of that runtime send them the records from
    /// then on. They end when the hooks are closed or dropped. The environment has the sinks' secrets; if one is missing, nothing is sent, and
    /// [`Config::close`] returns the reason. [`Config::feeding`] returns it at once.
    pub fn hooks(self) -> Hooks {
        self.feed();
        self.hooks
    }

    /// Feeds the sinks, if this is a service.
    pub(super) fn feed(&self) {
        if self.feeds_sinks {
            self.feed_in_service();
        }
    }

    /// Closes the hooks, as [`Hooks::close`] does: the Scribe finishes its work, amounts leased from the
    /// store are given back, the log is written through to disk and closed, and the sinks get the remaining
    /// records.
    ///
    /// # Errors
    /// Returns an error if [`Hooks::close`] does.
    pub async fn close(&self) -> Result<(), CloseError> {
        self.hooks.close().await
    }

    /// The feedings of this configuration that were started.
    pub(crate) const fn started(&self) -> &Started {
        &self.started
    }

    /// The models of the configuration, if it has a `models` section: the layers around their calls, and
    /// their health.
    pub const fn models(&self) -> Option<&Models> {
        self.models.as_ref()
    }

    /// The sections about the context of sessions.
    pub const fn context(&self) -> &ContextSections {
        &self.context
    }

    /// The sections about the result cache, metrics and sinks.
    pub const fn feeds(&self) -> &FeedSections {
        &self.sections
    }

    /// Path of the file, if it was read from one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.state.path.as_deref()
    }

    /// The sections about rules that come from a team's own state.
    pub const fn team_rules(&self) -> &TeamRuleSections {
        &self.team_rules
    }

    /// The result cache, if the configuration has one. Put it around the tools of each session with
    /// [`CacheLayer`](hooks_cache::CacheLayer).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_cache::CacheLayer;
    /// use hooks_config::Config;
    /// use hooks_core::drivers::{ToolCall, ToolResult};
    /// use hooks_core::{BoxError, HookContext};
    /// use tower::{Layer, ServiceExt, service_fn};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
    /// let config = Config::parse("
    /// version: 1
    /// cache: { tools: [{ tool: web_search, depends: outside, for: 10m }] }
    /// ", "hooks.yaml")?;
    /// let cache = config.cache().ok_or("the file has the section")?;
    /// let context = Arc::new(HookContext::new("session-1", "backend"));
    /// let tools = service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("found")));
    /// let tools = CacheLayer::new(cache.clone(), context).layer(tools);
    /// for _ in 0..2 {
    ///     let search = ToolCall::new("web_search", serde_json::json!({"query": "tower"}));
    ///     assert_eq!(tools.clone().oneshot(search).await?.content, "found");
    /// }
    /// assert_eq!(cache.counts().hits, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub const fn cache(&self) -> Option<&ResultCache> {
        self.feeds.cache.as_ref()
    }

    /// The metrics, if the configuration has them: the counters of the hooks and of the cache.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_core::HookContext;
    /// use hooks_core::event::{PostToolUse, PreToolUse};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = Config::parse("version: 1\nmetrics: {}", "hooks.yaml")?;
    /// let call = PreToolUse::new("edit", json!({"path": "src/main.rs"}));
    /// let after = PostToolUse::after(&call, json!("done"), None, 12);
    /// config.clone().hooks().on(HookContext::new("session-1", "backend")).post_tool_use(after).await;
    ///
    /// let text = config.metrics().ok_or("the file has the section")?.prometheus();
    /// assert!(text.contains(r#"hooks_tool_calls_total{agent="backend",tool="edit",outcome="ok"} 1"#));
    /// # Ok(())
    /// # }
    /// ```
    pub const fn metrics(&self) -> Option<&Metrics> {
        self.feeds.metrics.as_ref()
    }

    /// Name that the configuration was read under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text that was read, followed by that of the other files whose rules it enforces: the policies of a team,
    /// and the files that tenants extend.
    pub fn rules_text(&self) -> &str {
        &self.rules_text
    }

    /// Version of the rules: the first 16 digits of the digest of [`rules_text`](Self::rules_text). Records of the audit
    /// log name it with each event.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let version = |text: &str| Ok::<_, hooks_config::ConfigErrors>(Config::parse(text, "hooks.yaml")?.rules_version().to_owned());
    /// let first = version("version: 1\nwrite_guard: { allow: [src/**] }")?;
    /// assert_eq!(first.len(), 16);
    /// assert_eq!(first, version("version: 1\nwrite_guard: { allow: [src/**] }")?);
    /// assert_ne!(first, version("version: 1\nwrite_guard: { allow: [lib/**] }")?);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn rules_version(&self) -> &str {
        &self.rules_version
    }

    /// Behaviour of a host that reads the configuration again when it changes.
    pub const fn reload(&self) -> &ReloadConfig {
        &self.state.reload
    }

    /// Permissions of commands in the sandbox beyond those that the guards give.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_sandbox::{EgressConfig, Unavailable};
    ///
    /// let config = Config::parse("version: 1\nsandbox: { egress: all, unavailable: guards-only }", "hooks.yaml")?;
    /// let sandbox = config.sandbox();
    /// assert_eq!((&sandbox.egress, sandbox.unavailable), (&EgressConfig::All, Unavailable::GuardsOnly));
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub const fn sandbox(&self) -> &SandboxConfig {
        &self.state.sandbox
    }

    /// Treatment of what commands under `hooks exec` did to the workspace.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_snapshots::OnLoss;
    ///
    /// let config = Config::parse("version: 1\neffects: { loss: report }", "hooks.yaml")?;
    /// assert_eq!(config.effects().loss, OnLoss::Report);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub const fn effects(&self) -> &EffectsConfig {
        &self.state.effects
    }

    /// Guards that are enforced now: of this file, and of others whose rules apply as well.
    pub(super) fn enforced_guards(&self) -> Vec<PolicyConfig> {
        let now = SystemClock.now();
        let also = self.state.also.iter().filter(|_| self.modes.enforces_whole(now)).cloned();
        std::iter::once(self.modes.enforced(&self.policy, now)).chain(also).collect()
    }

    /// Rules that were in the shadow when the file was read, in its order; see [`hooks_core::shadow`].
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let text = "version: 1\nrules:\n  - { name: no-push, commands: [git push], mode: observe, until: 2999-12-31 }\n";
    /// let config = Config::parse(text, "hooks.yaml")?;
    /// let observed = &config.in_shadow()[0];
    /// assert_eq!((&*observed.path, observed.name.as_deref()), ("rules[0]", Some("no-push")));
    /// assert_eq!(observed.until.map(|until| until.date()), Some((2999, 12, 31)));
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn in_shadow(&self) -> &[InShadow] {
        &self.observed
    }

    /// Files and folders that the configuration was read from.
    pub(super) fn files(&self) -> &[ReadFile] {
        &self.files
    }

    /// State that a configuration which is read later goes on with.
    pub(super) fn earlier(&self) -> Earlier {
        Earlier::new(self.fixed.clone(), self.audit().cloned().zip(self.recording.clone()))
    }

    /// The hooks, which the configuration keeps.
    pub const fn as_hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// The same configuration with other hooks.
    pub(super) fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks, ..self }
    }

    /// The engine that judges.
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Tenant of the budgets and lockouts. Events and state that name no tenant belong to it.
    pub fn tenant(&self) -> Option<&str> {
        self.state.tenant()
    }

    /// Further tenants that events may name.
    ///
    /// ```
    /// use hooks_config::Config;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Judged};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = Config::parse("version: 1\ntenant: acme\ntenants: [globex]", "hooks.yaml")?;
    /// assert_eq!((config.tenant(), config.tenants()), (Some("acme"), &["globex".to_owned()][..]));
    ///
    /// let hooks = config.hooks();
    /// let judge = async |tenant: &str| {
    ///     let context = HookContext::new("session-1", "backend").for_tenant(tenant);
    ///     let call = PreToolUse::new("view", serde_json::json!({"path": "README.md"}));
    ///     hooks.on(context).pre_tool_use(call).await.outcome
    /// };
    /// assert!(judge("globex").await.goes_ahead());
    /// assert!(judge("initech").await.is_denied(), "the file does not serve this tenant");
    /// # Ok(())
    /// # }
    /// ```
    pub fn tenants(&self) -> &[String] {
        self.state.tenancy.as_ref().map_or(&[], |tenancy| &tenancy.others)
    }

    /// Settings of the store, from the file or else from the [`ConfigReader`]; `None` for a store in memory.
    pub const fn store(&self) -> Option<&StoreConfig> {
        self.state.store.as_ref()
    }

    /// Accepts the loss of the store that was used so far: it was closed, deleted or emptied, or another
    /// store is in its place. `by` names the person who accepted it and the reason, in words that follow "was
    /// accepted". Returns the reason for which the store was refused; `None` if it was not refused.
    ///
    /// # Errors
    /// Returns an error if the store cannot be reached, or if the identity of the new store cannot be
    /// written.
    pub async fn accept_store_loss(&self, by: &str) -> Result<Option<String>, StoreError> {
        let Some(store) = &self.state.store else { return Ok(None) };
        store::accept_loss(store, self.state.path.as_deref(), self.kept.known().cloned(), by).await
    }

    /// Settings of the audit log, from the file or else from the [`ConfigReader`].
    pub const fn audit(&self) -> Option<&AuditConfig> {
        self.state.audit.as_ref()
    }

    /// Folder of the audit log, if there is a log.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let log = folder.path().join("log");
    /// let text = format!("version: 1\naudit: {{ folder: {log:?} }}");
    /// assert_eq!(Config::parse(&text, "hooks.yaml")?.audit_folder(), Some(log));
    /// assert_eq!(Config::parse("version: 1\naudit: false", "hooks.yaml")?.audit_folder(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn audit_folder(&self) -> Option<PathBuf> {
        let audit = self.audit().filter(|audit| audit.is_enabled())?;
        Some(audit::folder_of(audit, self.state.path.as_deref()))
    }

    /// The layer that puts events into the audit log, if there is a log. A program that ends after its answer
    /// waits for it ([`Audit::settled`](hooks_audit::Audit::settled)) before it prints the answer.
    pub const fn recording(&self) -> Option<&Audit> {
        self.recording.as_ref()
    }

    /// Configuration of the strict policies; empty under `squad-compat`.
    pub const fn policy(&self) -> &PolicyConfig {
        &self.policy
    }

    /// Patterns of the files that the agents may not write because these files govern them: the configuration
    /// itself and the settings of their clients.
    ///
    /// ```
    /// use hooks_config::{Config, as_pattern};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().canonicalize()?.join("hooks.yaml");
    /// std::fs::write(&file, "version: 1")?;
    /// assert!(Config::read(&file)?.protected().contains(&as_pattern(&file)));
    ///
    /// std::fs::write(&file, "version: 1\nself_protection: false")?;
    /// assert!(Config::read(&file)?.protected().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn protected(&self) -> &[String] {
        &self.protected
    }

    /// Warnings about text that is valid and probably not meant: a guard that allows everything, a duplicate
    /// entry.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let config = Config::parse("version: 1\nwrite_guard: { allow: [src/**, \"**\"] }", "hooks.yaml")?;
    /// let doubts: Vec<String> = config.doubts().iter().map(ToString::to_string).collect();
    /// assert_eq!(doubts, [
    ///     "line 2, column 32: write_guard.allow[1]: every file may be written; name the folders, or leave `write_guard` out",
    /// ]);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn doubts(&self) -> &[ConfigError] {
        &self.doubts
    }

    /// Number of handlers for each event, by agent. If no agent is named, the only entry has an empty name
    /// and holds the handlers of all agents.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let config = Config::parse("
    /// agents:
    ///   root:
    ///     hooks: { stop: [{ type: command, command: ./log.sh }, { type: command, command: ./notify.sh }] }
    ///   helper:
    ///     hooks: { session_start: [{ type: command, command: ./greet.sh }] }
    /// ", "agent.yaml")?;
    /// assert_eq!(config.handlers(), [("helper", vec![("session_start", 1)]), ("root", vec![("stop", 2)])]);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn handlers(&self) -> Vec<(&str, Vec<(&'static str, usize)>)> {
        let Some(handlers) = &self.handlers else { return Vec::new() };
        let named = handlers.by_agent.iter().map(|(name, block)| (name.as_str(), block.counts().collect()));
        let mut all: Vec<_> = named.collect();
        if all.is_empty() {
            all.push(("", handlers.others.counts().collect()));
        }
        all
    }

    pub(super) fn handlers_of_all(&self) -> Option<&Handlers> {
        self.handlers.as_deref()
    }

    /// The sections that the file has, in its order; the parts of `limits` one by one.
    ///
    /// ```
    /// use hooks_config::Config;
    ///
    /// let config = Config::parse("version: 1\nlimits: { iterations: { most: 9 } }\ncommand_guard: {}", "hooks.yaml")?;
    /// assert_eq!(config.section_names(), ["version", "limits.iterations", "command_guard"]);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    pub fn section_names(&self) -> &[String] {
        &self.sections_named
    }

    /// State that outlives the configuration. Give it to the reader of the next configuration.
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("name", &self.name)
            .field("profile", &self.profile)
            .field("policy", &self.policy)
            .field("protected", &self.protected)
            .finish_non_exhaustive()
    }
}

/// The sections of a text as JSON, as they are written: nothing is checked, and no default is added. `None` if it cannot be read.
///
/// ```
/// let sections = hooks_config::as_written("version: 1\nask_user: { max_per_session: 3 }").expect("YAML");
/// assert_eq!(sections["ask_user"]["max_per_session"], 3);
/// ```
pub fn as_written(text: &str) -> Option<serde_json::Value> {
    let mut mistakes = Mistakes::default();
    let root = yaml::parse(text, &mut mistakes).filter(|_| mistakes.is_empty())?;
    Some(root.to_json())
}

/// The keys at the top of a file, and those of its `limits`.
fn sections_named(root: &Node) -> Vec<String> {
    let Kind::Map(sections) = &root.kind else { return Vec::new() };
    let mut names = Vec::new();
    for (key, value) in sections {
        match &value.kind {
            Kind::Map(limits) if key.text == "limits" => {
                names.extend(limits.iter().map(|(limit, _)| format!("limits.{}", limit.text)));
            }
            _ => names.push(key.text.clone()),
        }
    }
    names
}

/// Reads configurations with settings of the host.
///
/// ```
/// use hooks_config::{Config, ConfigReader};
/// use hooks_core::Live;
///
/// let first = Config::parse("version: 1\nask_user: { max_per_session: 3 }", "hooks.yaml")?;
/// let kept = first.kept().clone();
/// let live = Live::new(first.hooks());
/// // The file changed: a session that asked twice may ask three more times, and lockouts remain.
/// let second = ConfigReader::default().keeping(kept).parse("version: 1\nask_user: { max_per_session: 5 }", "hooks.yaml")?;
/// live.swap(second.hooks());
/// # Ok::<(), hooks_config::ConfigErrors>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConfigReader {
    profile: Option<Profile>,
    kept: Option<Kept>,
    store_thread: StoreThread,
    host: Host,
    engine: Option<Engine>,
    teams: Teams,
    is_trial: bool,
    feeds_nothing: bool,
    only_judges: bool,
    forgets_files: bool,
    dialects: Vec<Dialect>,
    protected: Vec<String>,
    earlier: Option<Earlier>,
    project: Option<PathBuf>,
}

impl ConfigReader {
    /// Sets the builtins that handlers of the type `builtin` run, instead of the standard ones.
    #[must_use]
    pub fn builtins(mut self, builtins: Builtins) -> Self {
        self.host.builtins = Arc::new(builtins);
        self
    }

    /// Sets the judge that handlers of the type `model` ask. Without a judge these handlers fail.
    #[must_use]
    pub fn judge(mut self, judge: Arc<dyn ModelJudge>) -> Self {
        self.host.judge = Some(judge);
        self
    }

    /// Sets the runner of commands, instead of the shell.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_command::output::{End, Finished};
    /// use hooks_command::process::{Runner, Start};
    /// use hooks_config::ConfigReader;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, HookFuture, Judged};
    ///
    /// /// Every command prints its own text and succeeds.
    /// struct Echo;
    ///
    /// impl Runner for Echo {
    ///     fn run(&self, start: Start) -> HookFuture<'static, Finished> {
    ///         let stdout = start.handler.command.clone();
    ///         HookFuture::now(Finished { end: End::Exited(0), stdout, stderr: String::new() })
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = ConfigReader::default().runner(Arc::new(Echo)).parse(r#"
    /// version: 1
    /// hooks:
    ///   pre_tool_use:
    ///     - matcher: shell
    ///       hooks: { type: command, command: '{"decision": "block", "reason": "no shell today"}' }
    /// "#, "hooks.yaml")?;
    /// let hooks = config.hooks();
    /// let call = PreToolUse::new("shell", serde_json::json!({"cmd": "ls"}));
    /// let context = HookContext::new("session-1", "root").in_dir("/repo");
    /// let outcome = hooks.on(context).pre_tool_use(call).await.outcome;
    /// assert_eq!(outcome.shown_reason().map(|reason| &*reason.message), Some("no shell today"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn runner(mut self, runner: Arc<dyn Runner>) -> Self {
        self.host.runner = Some(runner);
        self
    }

    /// Sets the generation of docker-agent rules for handlers, if the file names none. The rules of 2026-07
    /// let a call through if its hook fails.
    #[must_use]
    pub fn hook_profile(mut self, profile: hooks_command::Profile) -> Self {
        self.host.profile = Some(profile);
        self
    }

    /// Sets the profile, whatever the file has.
    ///
    /// ```
    /// use hooks_config::{Config, ConfigReader, Profile};
    ///
    /// let squad = r#"{"allowedWritePaths": ["src/**"], "maxAskUserPerSession": 2}"#;
    /// assert_eq!(Config::parse(squad, "policy.json")?.profile(), Profile::Strict);
    /// let compatible = ConfigReader::default().profile(Profile::SquadCompat);
    /// assert_eq!(compatible.parse(squad, "policy.json")?.profile(), Profile::SquadCompat);
    /// assert!(compatible.parse("version: 1", "hooks.yaml").is_err(), "Squad has no such file");
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Sets which thread does the work of a file store: a thread of its own by default, or the calling
    /// thread.
    #[must_use]
    pub fn store_thread(mut self, thread: StoreThread) -> Self {
        self.store_thread = thread;
        self
    }

    /// Applies the file's rules about tools to the tools of one client, whichever client's tool names the
    /// file uses. Handlers get the names of that client's tools translated to docker-agent's.
    #[must_use]
    pub fn spoken_in(mut self, dialect: Dialect) -> Self {
        self.dialects = vec![dialect];
        self.host.dialect = Some(dialect);
        self
    }

    /// Applies the file's rules about tools to the tools of several clients. For questions about calls whose client is not
    /// known: a rule that holds for a name in one of them holds.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    /// use hooks_core::{HookContext, Judged, event::PreToolUse};
    /// use hooks_facts::tools::Dialect;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let reader = ConfigReader::default().spoken_in_any(Dialect::ALL);
    /// let rules = "{version: 1, rules: [{ name: pages, tools: [WebFetch], reason: no pages }]}";
    /// let hooks = reader.parse(rules, "hooks.yaml")?.hooks();
    /// let hooks = hooks.on(HookContext::new("session-1", "backend"));
    /// for tool in ["WebFetch", "web_fetch", "FetchURL"] {
    ///     let call = PreToolUse::new(tool, json!({"url": "https://a"}));
    ///     assert!(hooks.pre_tool_use(call).await.outcome.is_denied(), "{tool}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn spoken_in_any(mut self, dialects: &[Dialect]) -> Self {
        self.dialects = dialects.to_vec();
        self
    }

    /// Protects further files from the agents, if the file protects itself. Patterns are absolute or relative
    /// to the project root.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Judged};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path().canonicalize()?;
    /// # std::fs::write(folder.join("hooks.yaml"), "version: 1")?;
    /// let reader = ConfigReader::default().protecting(["deploy/keys/**".to_owned()]);
    /// let hooks = reader.read(folder.join("hooks.yaml"))?.hooks();
    ///
    /// let context = HookContext::new("session-1", "backend").in_dir(&folder);
    /// let context = context.with_environment(hooks_system::system());
    /// let hooks = hooks.on(context);
    /// let write = |path: &str| PreToolUse::new("write", serde_json::json!({"file_path": path, "content": ""}));
    /// assert!(hooks.pre_tool_use(write("deploy/keys/prod.pem")).await.outcome.is_denied());
    /// assert!(hooks.pre_tool_use(write("deploy/notes.md")).await.outcome.goes_ahead());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn protecting(mut self, patterns: impl IntoIterator<Item = String>) -> Self {
        self.protected.extend(patterns);
        self
    }

    /// Sets the engine of the store for files without a `store` section; in memory by default.
    ///
    /// ```
    /// use hooks_config::{Config, ConfigReader};
    /// use hooks_store::Engine;
    ///
    /// // One host, many files: counts are kept on disk unless a file has a `store` section of its own.
    /// let text = "version: 1\nask_user: { max_per_session: 3 }";
    /// let config = ConfigReader::default().storing_in(Engine::File).parse(text, "hooks.yaml")?;
    /// assert_eq!(config.store().map(|store| store.engine), Some(Engine::File));
    /// assert!(Config::parse(text, "hooks.yaml")?.store().is_none(), "otherwise they are kept in memory");
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    #[must_use]
    pub fn storing_in(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Records events below the team folder of the project that the file belongs to, if that folder exists
    /// and the file has no `audit` section.
    #[must_use]
    pub fn recording_in_teams(mut self) -> Self {
        self.teams = Teams::OfTheFile;
        self
    }

    /// Records events below the team folder of the project in `root`, wherever the file is. Otherwise as
    /// [`recording_in_teams`](Self::recording_in_teams).
    #[must_use]
    pub fn recording_in_team_of(mut self, root: impl Into<PathBuf>) -> Self {
        self.teams = Teams::Of(root.into());
        self
    }

    /// Sets the folder of the project that the file governs. The policies of its team, below `.squad/policies`, are
    /// enforced wherever the file is. If the file is one of the project itself, a section that names a missing folder of
    /// a team is a mistake.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    ///
    /// # let (folder, user) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// # let (project, file) = (folder.path(), user.path().join("hooks.yaml"));
    /// # std::fs::create_dir_all(project.join(".squad/policies"))?;
    /// std::fs::write(&file, "version: 1\n")?; // the user's own file, outside of the project
    /// std::fs::write(project.join(".squad/policies/a.yaml"), "blockedCommands: [git push]\n")?;
    /// let config = ConfigReader::default().of_project(project).read(&file)?;
    /// assert!(config.rules_text().contains("git push"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_project(mut self, root: impl Into<PathBuf>) -> Self {
        self.project = Some(root.into());
        self
    }

    /// Records nothing, whatever the file has: a trial run is not an event. The log's files stay protected
    /// from the agents.
    ///
    /// ```
    /// use hooks_config::{Config, ConfigReader};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let text = format!("version: 1\naudit: {{ folder: {:?} }}", folder.path().join("log"));
    /// assert!(Config::parse(&text, "hooks.yaml")?.recording().is_some());
    /// let trial = ConfigReader::default().recording_nothing().parse(&text, "hooks.yaml")?;
    /// assert!(trial.recording().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn recording_nothing(mut self) -> Self {
        self.is_trial = true;
        self
    }

    /// Leaves the sinks to [`Config::feeding`] or another process, for a process that answers one event.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = "version: 1\naudit: {}\nsinks: [{ name: x, webhook: { url: 'http://127.0.0.1:9/', secret_env: NO_SUCH_VARIABLE } }]";
    /// let hooks = ConfigReader::default().feeding_nothing().parse(text, "hooks.yaml")?.hooks();
    /// hooks.close().await?; // nothing was sent, and nothing is missing
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn feeding_nothing(mut self) -> Self {
        self.feeds_nothing = true;
        self
    }

    /// Builds only the hooks that judge and count, for a host that judges events which happened before. Handlers, the
    /// context of sessions, the Scribe, the cache, metrics and the log are left out, so nothing is started or written.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    /// use hooks_core::EventKind;
    ///
    /// let text = "version: 1\ncommand_guard: {}\nhooks: { stop: [{ type: command, command: ./log.sh }] }";
    /// let reader = ConfigReader::default();
    /// let is_hooked = |reader: &ConfigReader, event| {
    ///     Ok::<_, hooks_config::ConfigErrors>(reader.parse(text, "hooks.yaml")?.as_hooks().hooked().contains(&event))
    /// };
    /// assert!(is_hooked(&reader, EventKind::Stop)?);
    /// let judging = reader.judging_only();
    /// assert!(is_hooked(&judging, EventKind::PreToolUse)? && !is_hooked(&judging, EventKind::Stop)?);
    /// # Ok::<(), hooks_config::ConfigErrors>(())
    /// ```
    #[must_use]
    pub const fn judging_only(mut self) -> Self {
        (self.is_trial, self.only_judges) = (true, true);
        self
    }

    /// Remembers no file that a call writes, for a host that only asks what would happen. Files that the store has are
    /// judged as before.
    ///
    /// ```
    /// use hooks_config::ConfigReader;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Judged};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let script = folder.path().join("a.sh");
    /// std::fs::write(&script, "rm -rf out")?;
    /// let text = "version: 1\nstore: { engine: memory }\ncommand_guard: { block: [rm -rf] }";
    /// for (reader, goes_ahead) in [
    ///     (ConfigReader::default(), false),
    ///     (ConfigReader::default().remembering_no_files(), true),
    /// ] {
    ///     let hooks = reader.parse(text, "hooks.yaml")?.hooks();
    ///     let context = HookContext::new("s", "a").in_dir(folder.path()).with_environment(hooks_system::system());
    ///     let write = PreToolUse::new("write_file", json!({"path": script, "content": "rm -rf out"}));
    ///     hooks.on(context.clone()).pre_tool_use(write).await.commit();
    ///     let run = PreToolUse::new("bash", json!({"command": "sh a.sh"}));
    ///     assert_eq!(hooks.on(context).pre_tool_use(run).await.outcome.goes_ahead(), goes_ahead);
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub const fn remembering_no_files(mut self) -> Self {
        self.forgets_files = true;
        self
    }

    /// Continues the counters and lockouts of an earlier configuration.
    #[must_use]
    pub fn keeping(mut self, kept: Kept) -> Self {
        self.kept = Some(kept);
        self
    }

    /// Continues `config` while calls are in flight: its counters, lockouts and open log.
    pub(super) fn continuing(mut self, config: &Config) -> Self {
        self.kept = Some(config.kept.clone());
        self.earlier = Some(config.earlier());
        self
    }

    /// Reads the file at `path`. The file protects itself unless it has `self_protection: false`.
    ///
    /// # Errors
    /// Returns all mistakes in the file if it has any, or an error that the file cannot be read.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Config, ConfigErrors> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        match source::read(path) {
            Ok(bytes) => self.read_bytes(&bytes, &name, Some(path)),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// Reads `text`. Reports call it `name`; the extension of `name` distinguishes a program from a policy.
    ///
    /// # Errors
    /// Returns all mistakes in the text if it has any.
    pub fn parse(&self, text: &str, name: &str) -> Result<Config, ConfigErrors> {
        self.read_bytes(text.as_bytes(), name, None)
    }

    fn read_bytes(&self, bytes: &[u8], name: &str, path: Option<&Path>) -> Result<Config, ConfigErrors> {
        let mut mistakes = Mistakes::default();
        let Some(text) = source::decode(bytes, name, &mut mistakes) else {
            return Err(ConfigErrors::new(name, &String::from_utf8_lossy(bytes), mistakes.into_errors()));
        };
        match self.read_text(text, name, path, &mut mistakes) {
            Some(config) if mistakes.is_empty() => Ok(config),
            _ => Err(ConfigErrors::new(name, text, mistakes.into_errors())),
        }
    }

    fn read_text(
        &self,
        text: &str,
        name: &str,
        path: Option<&Path>,
        mistakes: &mut Mistakes,
    ) -> Option<Config> {
        let root = match yaml::parse(text, mistakes) {
            Some(root) if !matches!(root.kind, Kind::Null) => root,
            _ => {
                if mistakes.is_empty() {
                    mistakes.add_with_hint(
                        &TextPosition::START,
                        "",
                        "the file is empty",
                        "begin with `version: 1`",
                    );
                }
                return None;
            }
        };
        let fixed = Fixed::in_tree(&root);
        if let Some(earlier) = &self.earlier {
            earlier.check(&fixed, &root, mistakes);
        }
        let (mut settings, self_protection) = self.settings(&root, path, mistakes)?;
        let rules_text: Arc<str> = match &settings {
            ProfileSettings::Strict { further, .. } => further.whole_text(text).into(),
            ProfileSettings::SquadCompat(_) => text.into(),
        };
        let digest = Digest::hash(&[rules_text.as_bytes()]).to_string();
        let rules_version: Arc<str> = digest.get(..16).unwrap_or_default().into();
        let mut files: Vec<ReadFile> =
            path.map(|path| ReadFile::new(path, Some(text.into()))).into_iter().collect();
        if let ProfileSettings::Strict { state, further, .. } = &mut settings {
            state.rules = Some(Arc::clone(&rules_version));
            files.extend(further.read_files());
        }
        if let ProfileSettings::Strict { policy, further, .. } = &mut settings {
            naming::spell_out(policy, &self.dialects);
            further.all.iter_mut().for_each(|further| naming::spell_out(&mut further.policy, &self.dialects));
        }
        let mut protected = match path {
            Some(path) if self_protection => protect::all(path),
            _ => Vec::new(),
        };
        if self_protection {
            protected.extend(self.protected.iter().cloned());
        }
        if let ProfileSettings::Strict { state, .. } = &settings
            && let Some(store) = &state.store
            && self_protection
        {
            protected.extend(store::files_of(store, path));
        }
        if let ProfileSettings::Strict { state, .. } = &settings
            && let Some(audit) = state.audit.as_ref().filter(|audit| audit.is_enabled())
            && self_protection
        {
            protected.extend(audit::files_of(audit, path));
        }
        if let ProfileSettings::Strict { context, further, .. } = &settings
            && self_protection
        {
            protected.extend(context.files_of(path));
            protected.extend(further.patterns());
        }
        if let ProfileSettings::Strict { team_rules, .. } = &settings
            && self_protection
        {
            protected.extend(team_rules.files_of(path));
        }
        let (kept, earlier) = (self.kept.clone(), self.earlier.as_ref());
        let built = build(&settings, &protected, kept, earlier, &self.host, &root, mistakes)?;
        let mut doubts = match &settings {
            ProfileSettings::Strict { policy, state, from: Origin::Document(tree), .. } => {
                // If an earlier state is kept, the host chose the store, so counters are not lost.
                let engine = state.store.as_ref().map(|store| store.engine).unwrap_or(Engine::Memory);
                let is_lost = engine == Engine::Memory && self.kept.is_none();
                lint(&priced(policy, built.models.as_ref()), is_lost, &tree.root)
            }
            _ => Vec::new(),
        };
        if mistakes.is_empty() {
            doubts.extend(mistakes.take_doubts());
        }
        doubts.sort_by_key(|doubt| doubt.span.start);
        let sections_named = sections_named(&root);
        let (profile, policy, state, context, sections, team_rules, handlers, modes) = match settings {
            ProfileSettings::Strict {
                policy, state, context, feeds, team_rules, handlers, modes, ..
            } => (Profile::Strict, *policy, *state, *context, *feeds, *team_rules, handlers, *modes),
            ProfileSettings::SquadCompat(_) => {
                let (policy, state) = (PolicyConfig::default(), State::default());
                (
                    Profile::SquadCompat,
                    policy,
                    state,
                    ContextSections::default(),
                    FeedSections::default(),
                    TeamRuleSections::default(),
                    None,
                    Modes::default(),
                )
            }
        };
        let observed = modes.in_shadow(&root, SystemClock.now());
        let name = name.to_owned();
        let (kept, hooks, models, feeds) = (built.kept, built.hooks, built.models, built.feeds);
        let (recording, started) = (built.recording, built.started);
        Some(Config {
            name,
            rules_text,
            rules_version,
            files,
            fixed,
            text: text.into(),
            profile,
            state,
            policy,
            modes,
            observed,
            protected,
            doubts,
            sections_named,
            handlers,
            kept,
            hooks,
            models,
            context,
            sections,
            team_rules,
            feeds,
            recording,
            feeds_sinks: !self.feeds_nothing,
            started,
        })
    }

    fn state(&self, store: Option<StoreConfig>, path: Option<&Path>) -> State {
        let by_default = || self.engine.map(|engine| StoreConfig { engine, ..StoreConfig::default() });
        State {
            tenancy: None,
            audit: audit::in_team(&self.teams, path),
            is_trial: self.is_trial,
            only_judges: self.only_judges,
            forgets_files: self.forgets_files,
            rules: None,
            reload: ReloadConfig::default(),
            sandbox: SandboxConfig::default(),
            effects: EffectsConfig::default(),
            also: Vec::new(),
            store: store.or_else(by_default),
            path: path.map(Path::to_path_buf),
            store_thread: self.store_thread,
        }
    }

    fn settings(
        &self,
        root: &Node,
        path: Option<&Path>,
        mistakes: &mut Mistakes,
    ) -> Option<(ProfileSettings, bool)> {
        if squad::is_meant(root) {
            let file = squad::read(root, mistakes)?;
            let settings = match self.profile.or(file.profile).unwrap_or_default() {
                Profile::Strict => squad::into_strict(&file.policy, self.state(None, path), root, mistakes)?,
                Profile::SquadCompat => ProfileSettings::SquadCompat(file.policy.into()),
            };
            return Some((settings, true));
        }
        if command::is_meant(root) {
            let handlers = command::read_agents(root, &self.host, mistakes)?;
            let settings = ProfileSettings::Strict {
                policy: Box::default(),
                models: None,
                context: Box::default(),
                feeds: Box::default(),
                team_rules: Box::default(),
                further: Box::default(),
                modes: Box::default(),
                state: Box::new(self.state(None, path)),
                handlers: Some(Box::new(handlers)),
                from: Origin::Agents,
            };
            return Some((settings, true));
        }
        let Document {
            self_protection,
            tenancy,
            policy,
            models,
            store,
            audit,
            handlers,
            context,
            feeds,
            team_rules,
            further,
            reload,
            sandbox,
            effects,
            modes,
            tree,
        } = document::read(root, Project { path, root: self.project.as_deref() }, &self.host, mistakes)?;
        if self.profile == Some(Profile::SquadCompat) {
            mistakes.add_with_hint(
                &TextPosition::START,
                "",
                "`squad-compat` judges by Squad's own policies, and this is a `hooks.yaml`",
                "leave the profile out, or name a Squad policy",
            );
            return None;
        }
        if let Some(audit) = audit.as_ref().filter(|audit| audit.is_enabled()) {
            audit::check(audit, path, root, mistakes);
        }
        let state = self.state(store, path);
        let audit = audit.or(state.audit.clone());
        let state =
            Box::new(State { tenancy, audit, reload, sandbox, effects, also: further.of_all(), ..state });
        Some((
            ProfileSettings::Strict {
                policy: policy.into(),
                models: models.map(Box::new),
                context: Box::new(context),
                feeds: Box::new(feeds),
                team_rules: Box::new(team_rules),
                further: Box::new(further),
                modes: Box::new(modes),
                state,
                handlers: handlers.map(Box::new),
                from: Origin::Document(tree),
            },
            self_protection,
        ))
    }
}

fn unreadable(name: &str, error: &io::Error) -> ConfigErrors {
    let mut mistakes = Mistakes::default();
    mistakes.add(&TextPosition::START, "", format!("the file cannot be read: {error}"));
    ConfigErrors::new(name, "", mistakes.into_errors())
}
