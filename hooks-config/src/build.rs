//! Builds hooks from a configuration. Mistakes that the policies find are reported at their places in the
//! file.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_audit::Audit;
use hooks_audit::config::AuditConfig;
use hooks_budgets::spend::{PriceTable, SpendWatch};
use hooks_classic::PolicyConfig;
use hooks_classic::StrictPolicies;
use hooks_context::SessionMemory;
use hooks_core::PolicyErrors;
use hooks_core::state::{Memory, StateStore};
use hooks_core::{BoxError, Close, HookFuture, Hooks, HooksBuilder};
use hooks_facts::calls::CallReader;
use hooks_metrics::Metrics;
use hooks_policies::packs::PackConfig;
use hooks_policies::profile::SquadCompat;
use hooks_policies::squad::{SquadPipeline, SquadPolicy};
use hooks_policies::{LockoutRegistry, OwnState, StoredLockouts};
use hooks_resilience::ResilienceConfig;
use hooks_sandbox::SandboxConfig;
use hooks_snapshots::EffectsConfig;
use hooks_store::{Engine, StoreConfig, StoreThread};
use hooks_system::{SystemClock, SystemRandom};
use hooks_team_rules::HeldCeremonies;
use hooks_team_rules::phases::PhaseEffects;

use super::audit;
use super::budget;
use super::command::{Handlers, Host};
use super::context::ContextSections;
use super::error::{Mistakes, TextPosition};
use super::feeds::{FeedSections, Feeds};
use super::further::{Further, FurtherGuards};
use super::known::KnownStore;
use super::languages;
use super::models::Models;
use super::prompts;
use super::prune::Pruned;
use super::reload::{Earlier, ReloadConfig};
use super::rule_content::DecisionReader;
use super::sandbox;
use super::scribe;
use super::shadow::{Modes, Part};
use super::spawn;
use super::squad;
use super::store;
use super::team_rules::{TeamRuleSections, TeamRuleWorld};
use super::tenant::Tenancy;
use super::tree::Node;
use super::written;
use crate::feeding::Started;

/// Settings of the profiles.
#[derive(Debug)]
pub(super) enum ProfileSettings {
    Strict {
        policy: Box<PolicyConfig>,
        models: Option<Box<ResilienceConfig>>,
        context: Box<ContextSections>,
        feeds: Box<FeedSections>,
        team_rules: Box<TeamRuleSections>,
        further: Box<FurtherGuards>,
        modes: Box<Modes>,
        state: Box<State>,
        handlers: Option<Box<Handlers>>,
        from: Origin,
    },
    SquadCompat(Box<SquadPolicy>),
}

/// The store, the audit log and the tenants of a configuration.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) tenancy: Option<Tenancy>,
    /// In memory if absent.
    pub(super) store: Option<StoreConfig>,
    /// Settings of the audit log; nothing is recorded if absent.
    pub(super) audit: Option<AuditConfig>,
    /// Whether nothing is recorded although `audit` is set.
    pub(super) is_trial: bool,
    /// Whether hooks that do more than judge and count are left out.
    pub(super) only_judges: bool,
    /// Whether the files that calls write are not remembered.
    pub(super) forgets_files: bool,
    /// Version of the rules that were read.
    pub(super) rules: Option<Arc<str>>,
    /// Behaviour of a host that reads the file again.
    pub(super) reload: ReloadConfig,
    /// Permissions of commands in the sandbox.
    pub(super) sandbox: SandboxConfig,
    /// Treatment of what commands did.
    pub(super) effects: EffectsConfig,
    /// Guards of other files, which apply as those of this one do.
    pub(super) also: Vec<PolicyConfig>,
    /// Path of the configuration, if it is a file.
    pub(super) path: Option<PathBuf>,
    /// Selects the thread that does the work of a file store.
    pub(super) store_thread: StoreThread,
}

impl State {
    /// Tenant of the events and state that name none.
    pub(super) fn tenant(&self) -> Option<&str> {
        Some(&self.tenancy.as_ref()?.own)
    }
}

/// Source of a strict configuration.
#[derive(Debug)]
pub(super) enum Origin {
    /// A `hooks.yaml`, without its mistakes.
    Document(Pruned),
    /// A docker-agent agent file.
    Agents,
    /// A Squad policy.
    Squad,
}

/// State that outlives a configuration: lockouts, counters, and the memory of running sessions. Clones share
/// it.
///
/// Under `squad-compat`, Squad's pipeline has its own lockouts and counters, which end with it.
///
/// ```
/// use std::sync::Arc;
/// use hooks_config::{ConfigReader, Kept};
/// use hooks_core::state::Memory;
/// use hooks_policies::LockoutRegistry;
///
/// // The host brings its own lockouts and store, and can look at them while the hooks work.
/// let lockouts = Arc::new(LockoutRegistry::default());
/// let store = Arc::new(Memory::new(hooks_system::system().clock));
/// let kept = Kept::new(Arc::clone(&lockouts), store);
/// let config = ConfigReader::default().keeping(kept).parse("version: 1\nreviewer_lockout: {}", "hooks.yaml")?;
/// assert!(Arc::ptr_eq(config.kept().lockouts(), &lockouts));
/// # Ok::<(), hooks_config::ConfigErrors>(())
/// ```
#[derive(Clone)]
pub struct Kept {
    lockouts: Arc<LockoutRegistry>,
    store: Arc<dyn StateStore>,
    watch: Option<Arc<dyn SpendWatch>>,
    stored_lockouts: Option<Arc<StoredLockouts>>,
    sessions: SessionMemory,
    metrics: Option<Metrics>,
    known: Option<Arc<KnownStore>>,
    ceremonies: Option<HeldCeremonies>,
    effects: PhaseEffects,
}

impl Kept {
    /// Keeps `lockouts` and `store`.
    pub fn new(lockouts: Arc<LockoutRegistry>, store: Arc<dyn StateStore>) -> Self {
        Self {
            lockouts,
            store,
            stored_lockouts: None,
            watch: None,
            sessions: SessionMemory::default(),
            metrics: None,
            known: None,
            ceremonies: None,
            effects: PhaseEffects::default(),
        }
    }

    /// Reports to `watch` what the budget does, and the spending of each session.
    #[must_use]
    pub fn with_spend_watch(mut self, watch: Arc<dyn SpendWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Keeps the lockouts in the store too, where they outlive the process.
    #[must_use]
    pub fn with_stored_lockouts(mut self, lockouts: Arc<StoredLockouts>) -> Self {
        self.lockouts = Arc::clone(lockouts.registry());
        self.stored_lockouts = Some(lockouts);
        self
    }

    /// The lockouts that the store keeps; `None` if they are in memory.
    pub const fn stored_lockouts(&self) -> Option<&Arc<StoredLockouts>> {
        self.stored_lockouts.as_ref()
    }

    /// Metrics counted so far, if the configuration has metrics; the next configuration continues them.
    pub const fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// Lockouts of agents.
    pub const fn lockouts(&self) -> &Arc<LockoutRegistry> {
        &self.lockouts
    }

    /// Store of the counters.
    pub fn store(&self) -> &Arc<dyn StateStore> {
        &self.store
    }

    /// Known identity of the store.
    pub(super) const fn known(&self) -> Option<&Arc<KnownStore>> {
        self.known.as_ref()
    }

    /// Memory that the layers of context have of sessions: notes that must survive a compaction, and counts
    /// until the session's end.
    pub const fn sessions(&self) -> &SessionMemory {
        &self.sessions
    }

    /// Ceremonies that are kept in memory, if the configuration has that section.
    pub(super) const fn ceremonies(&self) -> Option<&HeldCeremonies> {
        self.ceremonies.as_ref()
    }

    /// Effects that the host has to carry out.
    pub(super) const fn effects(&self) -> &PhaseEffects {
        &self.effects
    }

    /// Initial state for `settings`: the store that they name, or an empty one in memory.
    fn initial(settings: &ProfileSettings) -> Self {
        let memory = || Arc::new(Memory::new(Arc::new(SystemClock)));
        let (dialect, state) = match settings {
            ProfileSettings::Strict { policy, state, .. } => (policy.paths.dialect, state),
            ProfileSettings::SquadCompat(_) => return Self::new(Arc::default(), memory()),
        };
        let registry = Arc::new(LockoutRegistry::new(dialect));
        let Some(config) = &state.store else { return Self::new(registry, memory()) };
        let (path, audit) = (state.path.as_deref(), state.audit.as_ref());
        let log = audit.filter(|audit| audit.is_enabled()).map(|audit| audit::folder_of(audit, path));
        let known = path.and_then(|path| KnownStore::new(config, path, log)).map(Arc::new);
        let store = store::open(config, path, state.store_thread, known.clone());
        let world = (Arc::new(SystemClock) as _, Arc::new(SystemRandom) as _);
        let lockouts = StoredLockouts::new(Arc::clone(&store), state.tenant(), Arc::clone(&registry), world);
        let lockouts = match config.stale_after {
            // Redis itself limits for how long it knows lockouts.
            _ if config.engine == Engine::Redis && state.store_thread == StoreThread::Later => {
                lockouts.with_stale_after(Duration::ZERO)
            }
            Some(stale_after) => lockouts.with_stale_after(stale_after),
            None => lockouts,
        };
        let kept = Self { known, ..Self::new(registry, store) };
        kept.with_stored_lockouts(Arc::new(lockouts))
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("lockouts", &self.lockouts).finish_non_exhaustive()
    }
}

/// Hooks, and the state that outlives them.
pub(super) struct Built {
    pub(super) hooks: Hooks,
    pub(super) kept: Kept,
    pub(super) models: Option<Models>,
    pub(super) feeds: Feeds,
    pub(super) recording: Option<Audit>,
    pub(super) started: Started,
}

/// Closes the store.
struct Stored(Arc<dyn StateStore>);

impl Close for Stored {
    fn name(&self) -> &str {
        store::KEY
    }

    fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
        match self.0.close() {
            HookFuture::Now(closed) => HookFuture::Now(closed.map(|closed| closed.map_err(Into::into))),
            later @ HookFuture::Later(_) => HookFuture::later(async move { Ok(later.await?) }),
        }
    }
}

/// Builds the hooks of `settings`, which were read from `root`.
pub(super) fn build(
    settings: &ProfileSettings,
    protected: &[String],
    kept: Option<Kept>,
    earlier: Option<&Earlier>,
    host: &Host,
    root: &Node,
    mistakes: &mut Mistakes,
) -> Option<Built> {
    let mut kept = kept.unwrap_or_else(|| Kept::initial(settings));
    // Files that govern the agents are protected by a policy of their own, so that their paths are never read
    // in a dialect of the file.
    let protection = PolicyConfig { protected: protected.to_vec(), ..PolicyConfig::default() };
    let own_state = OwnState::new(protected, &CallReader::default());
    let own_state = own_state.map_err(|errors| report(errors, &TextPosition::START, mistakes)).ok()?;
    let tenancy = match settings {
        ProfileSettings::Strict { state, .. } => state.tenancy.as_ref(),
        ProfileSettings::SquadCompat(_) => None,
    };
    let mut builder = Hooks::builder();
    if let Some(tenancy) = tenancy {
        tenancy.add_to(&mut builder);
    }
    let builder = strict(builder, protection, &kept, tenancy);
    let mut builder = builder.map_err(|errors| report(errors, &TextPosition::START, mistakes)).ok()?;
    if !protected.is_empty() {
        let is_guarded = matches!(settings, ProfileSettings::Strict { policy, modes, .. } if policy.command_guard.is_some() && modes.mode_of("command_guard").is_none());
        builder.add_policy(own_state.clone().beside_a_command_guard(is_guarded));
    }
    match settings {
        ProfileSettings::Strict {
            policy,
            models,
            context,
            feeds,
            team_rules,
            further,
            modes,
            from,
            state,
            handlers,
        } => {
            // The protection of own files is never in the shadow.
            let mut whole = std::mem::take(&mut builder);
            sandbox::add_to(&mut builder, &state.sandbox, policy);
            let models = match (models, from) {
                (Some(config), Origin::Document(tree)) => {
                    Some(Models::new(config, Arc::clone(&kept.store), state.tenant(), tree, mistakes))
                }
                _ => None,
            };
            let known = models.as_ref().and_then(Option::as_ref);
            builder = context.add_model_choice(builder);
            for guards in &further.all {
                add_further(&mut builder, guards, policy, &kept, tenancy, root, mistakes);
            }
            for policies in &further.languages {
                languages::add_to(&mut builder, policies, policy, root, mistakes);
            }
            let informed = spawn::informed(budget::priced(policy, known), known);
            let prices =
                informed.budget.as_ref().filter(|_| state.audit.is_some()).map(PriceTable::from_config);
            let all = Part { policy: informed, packs: further.packs.clone(), team: (**team_rules).clone() };
            // Mistakes are found in the whole, whose rules have their numbers.
            let checked = match modes.is_empty() {
                true => Ok(()),
                false => strict_with(Hooks::builder(), all.policy.clone(), all.packs.clone(), &kept, tenancy)
                    .map(drop),
            };
            let (base, others) = modes.split(all, &further.pack_entries);
            let (policy_of_base, packs) = (base.policy.clone(), base.packs);
            let built = checked.and_then(|()| strict_with(builder, policy_of_base, packs, &kept, tenancy));
            let built = match built {
                Ok(builder) => Some(builder),
                Err(errors) => {
                    report_in(errors, from, root, mistakes);
                    None
                }
            };
            let document = match from {
                Origin::Document(tree) => Some(tree),
                Origin::Agents | Origin::Squad => None,
            };
            let world = TeamRuleWorld::new(policy, of_tenants(&kept, tenancy), state.store_thread);
            let world = world.continuing(&kept);
            let judge_written = |builder, part: &PolicyConfig, world: &TeamRuleWorld<'_>| match &state.store {
                Some(_) => {
                    written::add_to(builder, part, (protected, &own_state), world, state.forgets_files)
                }
                None => builder,
            };
            let built = built.map(|builder| {
                let builder = judge_written(builder, &base.policy, &world);
                if !others.is_empty() {
                    drop(team_rules.add_to(Hooks::builder(), &world, document, mistakes));
                }
                let builder = base.team.add_to(builder, &world, document, mistakes);
                for (mode, Part { policy, packs, team }) in others {
                    let Ok(inner) = strict_with(Hooks::builder(), policy.clone(), packs, &kept, tenancy)
                    else {
                        let problem = "the parts with a mode of their own cannot be built alone";
                        mistakes.add_with_hint(&root.place, "", problem, "leave `mode` out of them");
                        continue;
                    };
                    let inner = judge_written(inner, &policy, &world);
                    let inner = team.add_to(inner, &world, None, mistakes);
                    match mode {
                        Some(shadow) => whole.add_in_shadow(shadow, inner),
                        None => whole.add_with_extensions(inner),
                    }
                }
                builder
            });
            // Checked after both were built, so that all mistakes are reported.
            let (mut builder, models) = (built?, models.map_or(Some(None), |models| models.map(Some))?);
            if let Some(models) = &models {
                builder = models.add_hooks(builder);
            }
            // Stacks are called in turn: the one that removes secrets from a message comes before all that
            // read it.
            if let Some(config) = context.prompts.as_ref().filter(|_| !state.only_judges) {
                builder = prompts::add_to(
                    builder,
                    config,
                    policy.redaction.as_ref(),
                    &kept,
                    team_rules.decisions.is_some(),
                );
            }
            let handlers = handlers.as_ref().filter(|_| !state.only_judges);
            if let Some(commands) =
                handlers.and_then(|handlers| handlers.hooks(host, policy.redaction.as_ref()))
            {
                builder = commands.add_to(builder);
            }
            let around = scribe::Around {
                tools: scribe::known(&policy.tools),
                store_thread: state.store_thread,
                redaction: policy.redaction.as_ref(),
            };
            // After the others, so that it counts their changes of an event.
            let (mut builder, feeds) = if state.only_judges {
                (builder, Feeds::default())
            } else {
                let builder = context.add_to(builder, &kept, &around, host);
                feeds.add_to(builder, &around.tools, kept.metrics.as_ref())
            };
            kept.metrics = feeds.metrics.clone();
            match modes.whole() {
                Some(shadow) => whole.add_in_shadow(shadow, builder),
                None => whole.add_with_extensions(builder),
            }
            builder = whole;
            // Last, so that the log sees all changes of an event, and is closed after the others.
            let recording = state.audit.as_ref().filter(|config| config.is_enabled() && !state.is_trial);
            let recording = recording.map(|config| {
                let (path, rules) = (state.path.as_deref(), state.rules.clone());
                let open = earlier.and_then(|earlier| earlier.log_of(config));
                audit::built(config, path, rules, feeds.cache.clone(), prices, state.store_thread, open)
            });
            if let (Some(known), Some(audit)) = (kept.known(), &recording) {
                known.record_in(audit);
            }
            builder.add_close(Stored(Arc::clone(&kept.store)));
            if let Some(audit) = &recording {
                let Ok(recorded) = builder.config(audit.clone());
                builder = recorded;
            }
            // After the log, so that sinks get its last records.
            let started = Started::default();
            builder.add_close(started.clone());
            let hooks = builder.build();
            kept.ceremonies = hooks.extension::<HeldCeremonies>().cloned().or(kept.ceremonies);
            Some(Built { hooks, kept, models, feeds, recording, started })
        }
        ProfileSettings::SquadCompat(policy) => match SquadPipeline::new(Some(policy)) {
            Ok(pipeline) => {
                let Ok(builder) = builder.config(SquadCompat::new(Arc::new(pipeline)));
                let (hooks, feeds) = (builder.build(), Feeds::default());
                let started = Started::default();
                Some(Built { hooks, kept, models: None, feeds, recording: None, started })
            }
            Err(error) => {
                mistakes.add(&root.place, "", error.to_string());
                None
            }
        },
    }
}

fn strict(
    builder: HooksBuilder,
    policy: PolicyConfig,
    kept: &Kept,
    tenancy: Option<&Tenancy>,
) -> Result<HooksBuilder, PolicyErrors> {
    strict_with(builder, policy, Vec::new(), kept, tenancy)
}

fn strict_with(
    builder: HooksBuilder,
    policy: PolicyConfig,
    packs: Vec<PackConfig>,
    kept: &Kept,
    tenancy: Option<&Tenancy>,
) -> Result<HooksBuilder, PolicyErrors> {
    let store = of_tenants(kept, tenancy);
    let policies = StrictPolicies::new(policy).with_store(store).with_packs(packs);
    let mut policies = policies.with_changes(Arc::new(DecisionReader));
    if let Some(watch) = &kept.watch {
        policies = policies.with_spend_watch(Arc::clone(watch));
    }
    builder.config(match &kept.stored_lockouts {
        Some(stored) => policies.with_stored_lockouts(Arc::clone(stored)),
        None => policies.with_lockouts(Arc::clone(&kept.lockouts)),
    })
}

/// Adds guards from another place. Before the file's own, whose extensions are those of the set.
fn add_further(
    builder: &mut HooksBuilder,
    further: &Further,
    policy: &PolicyConfig,
    kept: &Kept,
    tenancy: Option<&Tenancy>,
    root: &Node,
    mistakes: &mut Mistakes,
) {
    let (paths, tools) = (policy.paths.clone(), policy.tools.clone());
    let guards = PolicyConfig { paths, tools, ..further.policy.clone() };
    match strict(Hooks::builder(), guards, kept, tenancy) {
        Ok(inner) => match &further.tenant {
            Some(tenant) => {
                let is_own = tenancy.is_some_and(|tenancy| tenancy.own == *tenant);
                builder.add_for_tenant(tenant.as_str(), is_own, inner);
            }
            None => builder.add_all(inner),
        },
        Err(errors) => {
            for error in errors {
                let (path, problem) = further.place_of(&error.field, &error.problem);
                mistakes.add_with_hint(root.locate(&path), path, problem, error.hint);
            }
        }
    }
}

/// The store, as the tenants see it.
fn of_tenants(kept: &Kept, tenancy: Option<&Tenancy>) -> Arc<dyn StateStore> {
    let store = Arc::clone(&kept.store);
    tenancy.map_or_else(|| Arc::clone(&store), |tenancy| tenancy.of_store(Arc::clone(&store)))
}

/// Reports mistakes that the policies found, each at its place in the source.
fn report_in(errors: PolicyErrors, from: &Origin, root: &Node, mistakes: &mut Mistakes) {
    for error in errors {
        let (place, path) = match from {
            Origin::Document(tree) => (tree.root.locate(&error.field), tree.path_before(&error.field)),
            Origin::Agents => (&root.place, error.field),
            Origin::Squad => {
                let path = squad::path_in(root, &error.field);
                (root.locate(&path), path)
            }
        };
        mistakes.add_with_hint(place, path, error.problem, error.hint);
    }
}

fn report(errors: PolicyErrors, place: &TextPosition, mistakes: &mut Mistakes) {
    for error in errors {
        mistakes.add_with_hint(place, error.field, error.problem, error.hint);
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::event::PreToolUse;
    use hooks_core::{HookContext, HookRequest, Strength};
    use serde_json::json;

    use super::super::Config;

    #[test]
    fn what_is_the_hooks_own_is_kept_whatever_the_program_is_called() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hooks.yaml");
        for (section, command, wanted) in [
            ("", "./h3 audit hold release x", Strength::Deny),
            ("", "chmod 0 ../hooks.yaml", Strength::NoOpinion),
            ("", "chmod 0 hooks.yaml", Strength::Deny),
            ("", "cat hooks.yaml", Strength::NoOpinion),
            ("", "$X a", Strength::Deny),
            ("command_guard: { unresolvable: ask }", "$X a", Strength::Ask),
            ("self_protection: false\ncommand_guard: {}", "chmod 0 hooks.yaml", Strength::NoOpinion),
        ] {
            std::fs::write(&path, format!("version: 1\n{section}\n")).unwrap();
            let hooks = Config::read(&path).unwrap().hooks();
            let context =
                HookContext::new("s", "a").in_dir(dir.path()).with_environment(hooks_system::system());
            let event = PreToolUse::new("bash", json!({ "command": command }));
            let explained = hooks.explain(&HookRequest::new(context, event));
            let strongest = explained.iter().map(|explained| explained.verdict.strength()).max();
            assert_eq!(strongest, Some(wanted), "{section} {command}");
        }
    }
}
