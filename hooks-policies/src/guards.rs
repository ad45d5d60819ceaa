//! Builds the guards of a configuration together.
//!
//! Compiles the whole configuration before the first call is judged and reports all errors at once. The order
//! is: protected files, command guard, write guard, read guard, lockout, rules.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::Hooks;
//! use hooks_policies::config::{GuardsSettings, LockoutConfig};
//! use hooks_policies::{Guards, LockoutRegistry};
//!
//! // A reload builds new hooks of the new configuration and keeps who is locked out.
//! let lockouts = Arc::new(LockoutRegistry::default());
//! let reviewer_lockout = Some(LockoutConfig::default());
//! let config = GuardsSettings { reviewer_lockout, ..GuardsSettings::default() };
//! let hooks = Hooks::from_policy(Guards::new(config).with_lockouts(Arc::clone(&lockouts)))?;
//! assert!(hooks.extension::<LockoutRegistry>().is_some());
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: several guards at once. All errors of the configuration are reported together.
//!
//! ```
//! use hooks_core::Hooks;
//! use hooks_policies::config::{CommandGuardConfig, GuardsSettings, RuleConfig, WriteGuardConfig};
//!
//! let config = GuardsSettings {
//!     write_guard: Some(WriteGuardConfig { allow: vec!["src/{a".into()], ..WriteGuardConfig::default() }),
//!     command_guard: Some(CommandGuardConfig { block: vec!["a | b".into()], ..CommandGuardConfig::default() }),
//!     rules: vec![RuleConfig::default()],
//!     ..GuardsSettings::default()
//! };
//! let errors = Hooks::from_policy(config).expect_err("three parts are invalid");
//! let fields: Vec<_> = errors.into_iter().map(|error| error.field).collect();
//! assert_eq!(fields, ["write_guard.allow[0]", "command_guard.block[0]", "rules[0].name"]);
//! ```

use std::sync::Arc;

use hooks_core::event::{PostToolUse, PreToolUse, UserPromptSubmitted};
use hooks_core::{FailureLayer, HooksBuilder, HooksConfig, PolicyErrors, Settle};
use hooks_facts::calls::CallReader;
use hooks_facts::globs::PatternDialect;
use tower_layer::Layer;

use crate::artifacts::Artifacts;
use crate::command_guard::CommandGuard;
use crate::config::{GuardsSettings, LockoutConfig};
use crate::lockout::{LockoutRegistry, RefreshLockouts, ReviewerLockout, StoredLockouts, artifact_name};
use crate::packs::Packs;
use crate::prompt_files::PromptFiles;
use crate::protected::ProtectedFiles;
use crate::read_guard::ReadGuard;
use crate::rules::{ReadChanges, ResultRules, Rules};
use crate::write_guard::WriteGuard;

/// Guards of a configuration, with the lockouts that outlive it; see the [module](self) for an example.
#[derive(Debug)]
pub struct Guards {
    config: GuardsSettings,
    reader: CallReader,
    lockouts: Option<Arc<LockoutRegistry>>,
    stored_lockouts: Option<Arc<StoredLockouts>>,
    changes: Option<Arc<dyn ReadChanges>>,
}

impl Guards {
    /// Creates the guards of `config`, which start without lockouts.
    pub fn new(config: GuardsSettings) -> Self {
        let reader = CallReader::default();
        Self { config, reader, lockouts: None, stored_lockouts: None, changes: None }
    }

    /// Reads calls with `reader`.
    ///
    /// A tool of the host, which no built-in table lists, counts as a tool that writes:
    ///
    /// ```
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, event::PreToolUse};
    /// use hooks_facts::calls::{CallReader, PathsConfig, ToolRole};
    /// use hooks_policies::Guards;
    /// use hooks_policies::config::{GuardsSettings, WriteGuardConfig};
    ///
    /// let tools = [("save_draft".to_owned(), ToolRole::Write)].into();
    /// let reader = CallReader::new(&PathsConfig::default(), &tools)?;
    /// let config = GuardsSettings { write_guard: Some(WriteGuardConfig::default()), ..GuardsSettings::default() };
    /// let hooks = Hooks::from_policy(Guards::new(config).with_reader(&reader))?;
    /// # let (environment, ..) = world(FakeFileSystem::default());
    /// # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
    /// let draft = PreToolUse::new("save_draft", serde_json::json!({"path": "draft.md"}));
    /// assert!(hooks.judge_pre_tool_use(&HookRequest::new(context, draft)).is_denied());
    /// # Ok::<(), hooks_core::PolicyErrors>(())
    /// ```
    #[must_use]
    pub fn with_reader(mut self, reader: &CallReader) -> Self {
        self.reader = reader.clone();
        self
    }

    /// Enforces the lockouts of `registry`; the lockouts of the configuration are added to it.
    #[must_use]
    pub fn with_lockouts(mut self, registry: Arc<LockoutRegistry>) -> Self {
        self.lockouts = Some(registry);
        self
    }

    /// Enforces lockouts that are kept in a store: each call that writes reads the current lockouts from it.
    #[must_use]
    pub fn with_stored_lockouts(mut self, lockouts: Arc<StoredLockouts>) -> Self {
        self.stored_lockouts = Some(lockouts);
        self
    }

    /// Reads the content of calls with `changes`, for rules with `content` or `imports`.
    #[must_use]
    pub fn with_changes(mut self, changes: Arc<dyn ReadChanges>) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Compiles the policies. Invalid parts are reported; the result must not be used then.
    pub fn compile(self, errors: &mut PolicyErrors) -> CompiledGuards {
        let Self { config, reader, lockouts, stored_lockouts, changes } = self;
        let write_guard = config.write_guard.map(|guard| WriteGuard::compile(&guard, &reader, errors));
        let read_guard = config.read_guard.map(|guard| ReadGuard::compile(&guard, &reader, errors));
        let command_guard = config.command_guard.map(|guard| CommandGuard::compile(&guard, &reader, errors));
        if let Some(lockout) = &config.reviewer_lockout {
            check_lockouts(lockout, reader.dialect(), errors);
        }
        let changes = changes.as_deref();
        let rules = Rules::compile(&config.rules, &reader, changes, errors);
        let results = ResultRules::compile(&config.rules, &reader, changes, errors);
        let packs = Packs::compile(&config.packs, &reader, errors);
        let protected = ProtectedFiles::compile(&config.protected, &reader, errors);
        CompiledGuards {
            protected: (!config.protected.is_empty()).then_some(protected),
            command_guard,
            write_guard,
            read_guard,
            reviewer_lockout: config.reviewer_lockout,
            rules: (!config.rules.is_empty()).then_some(rules),
            packs: (!config.packs.is_empty()).then_some(packs),
            results,
            reader,
            lockouts,
            stored_lockouts,
        }
    }
}

impl HooksConfig for Guards {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let compiled = self.compile(&mut errors);
        errors.or(())?;
        compiled.add_to(builder);
        Ok(())
    }
}

impl HooksConfig for GuardsSettings {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        Guards::new(self).add_to(builder)
    }
}

/// Compiled guards; see [`Guards::compile`].
#[derive(Debug)]
pub struct CompiledGuards {
    protected: Option<ProtectedFiles>,
    command_guard: Option<CommandGuard>,
    write_guard: Option<WriteGuard>,
    read_guard: Option<ReadGuard>,
    reviewer_lockout: Option<LockoutConfig>,
    rules: Option<Rules>,
    packs: Option<Packs>,
    results: Option<ResultRules>,
    reader: CallReader,
    lockouts: Option<Arc<LockoutRegistry>>,
    stored_lockouts: Option<Arc<StoredLockouts>>,
}

impl CompiledGuards {
    /// Adds the policies, and the registry of lockouts as an extension.
    pub fn add_to(mut self, builder: &mut HooksBuilder) {
        if let Some(protected) = self.protected.take() {
            builder.add_policy(protected);
        }
        // Before the write guard: if both deny a command, the blocked program is the more useful reason.
        if let Some(guard) = self.command_guard.take() {
            builder.add_policy(guard);
        }
        if let Some(guard) = self.write_guard.take() {
            builder.add_policy(guard);
        }
        if let Some(guard) = self.read_guard.take().map(Arc::new) {
            builder.add_policy::<UserPromptSubmitted>(PromptFiles::new(Arc::clone(&guard)));
            builder.add_policy::<PreToolUse>(guard);
        }
        if let Some(results) = self.results.take() {
            builder.add_policy::<PostToolUse>(results);
        }
        let (rules, packs) = (self.rules.take(), self.packs.take());
        self.add_lockouts_to(builder);
        if let Some(rules) = rules.map(Arc::new) {
            if rules.may_deny_reads() {
                builder.add_policy::<UserPromptSubmitted>(PromptFiles::new(Arc::clone(&rules)));
            }
            builder.add_policy::<PreToolUse>(rules);
        }
        if let Some(packs) = packs {
            builder.add_policy(packs);
        }
    }

    fn add_lockouts_to(self, builder: &mut HooksBuilder) {
        let Self { reader, lockouts, stored_lockouts, reviewer_lockout, .. } = self;
        // The registry exists also if lockouts are not enforced, so that callers of `lockouts` need no
        // special case.
        let mirror = stored_lockouts.as_ref().map(|stored| Arc::clone(stored.registry()));
        let registry =
            mirror.or(lockouts).unwrap_or_else(|| Arc::new(LockoutRegistry::new(reader.dialect())));
        builder.add_extension(Arc::clone(&registry));
        if let Some(stored) = &stored_lockouts {
            builder.add_extension(Arc::clone(stored));
        }
        let Some(lockout) = reviewer_lockout else { return };
        if let Some(stored) = stored_lockouts {
            let refresh = RefreshLockouts::new(stored, &reader).layer().layer(Settle);
            *builder = std::mem::take(builder).stack(&FailureLayer::new("reviewer-lockout"), refresh);
        }
        builder.add_policy(ReviewerLockout::new(&lockout, registry, &reader));
    }
}

/// Reports names that match no artifact or agent.
fn check_lockouts(config: &LockoutConfig, dialect: PatternDialect, errors: &mut PolicyErrors) {
    for (artifact, agents) in &config.locked {
        let field = format!("reviewer_lockout.locked.{artifact}");
        match artifact_name(artifact) {
            Err(error) => errors.push(field.as_str(), format!("`{artifact}`: {}", error.problem), error.hint),
            Ok(name) => {
                if let Some((problem, hint)) = Artifacts::problem_of(&name, dialect) {
                    errors.push(field.as_str(), problem, hint);
                }
            }
        }
        check_names(&field, agents, errors);
    }
    check_names("reviewer_lockout.team", &config.team, errors);
    check_names("reviewer_lockout.ignored_arguments", &config.ignored_arguments, errors);
}

fn check_names(field: &str, names: &[String], errors: &mut PolicyErrors) {
    for (index, _) in names.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
        errors.push(format!("{field}[{index}]"), "the name is empty", "write a name, or leave it out");
    }
}
