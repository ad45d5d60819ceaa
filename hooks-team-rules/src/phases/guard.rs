//! Keeps calls within the phase of the pipeline that governs them.
//!
//! * In a read-only phase, files are written only below the workspace of the pipeline.
//! * While parallel tasks run, no commit is made.
//! * While a pipeline is active, protected branches are neither checked out nor moved.
//! * A call that completes a checkpoint or abandons a pipeline asks a person.
//! * State files are never written, neither by file tools nor by commands.
//!
//! If several pipelines are active, each one's rules apply. Commands are judged by the programs that they would start
//! ([`hooks_facts::commands`]), paths as they resolve. A state that cannot be read counts as every phase at once, and
//! `unreadable` decides. A command between two apostrophes within words (`echo it's; git switch main; echo it's`) is
//! judged as if it ran. The cost is that of the facts, and linear in the number of active pipelines.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::phases::{PhaseGuard, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use serde_json::json;
//!
//! let config = PhasesConfig::default();
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/.specs/demo", "phase-1", PipelineStatus::Running));
//! let guard = PhaseGuard::new(&config, phases, &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| guard.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! assert_eq!(
//!     judge("edit", json!({"path": "src/main.rs"})).reasons()[0].for_agent(),
//!     "phase `phase-1` of `.specs/demo` is read-only, and `src/main.rs` is not below its workspace; \
//!      write below `.specs/demo`",
//! );
//! assert_eq!(judge("edit", json!({"path": ".specs/demo/notes.md"})).strength(), Strength::NoOpinion);
//! assert_eq!(judge("bash", json!({"command": "git switch 'main'"})).reasons()[0].rule, "branch");
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: names of a team's own, as a layer, and a question about commands that cannot be known.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, VirtualTime, world};
//! use hooks_core::{HookContext, HookRequest, Judged, Settle, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::phases::{OnUncertain, PhaseGuard, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use serde_json::json;
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! let config = PhasesConfig {
//!     branches: vec!["trunk".into()],
//!     unresolvable: OnUncertain::Ask,
//!     ..PhasesConfig::default()
//! };
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/run", "build", PipelineStatus::Pending));
//! let mut stack = PhaseGuard::new(&config, phases, &CallReader::default())?.layer().layer(Settle);
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let mut run = |command: &str| {
//!     let call = PreToolUse::new("bash", json!({ "command": command }));
//!     stack.call(HookRequest::new(context.clone(), call))
//! };
//! # VirtualTime::default().block_on(async {
//! assert!(run("git switch main").await?.goes_ahead());
//! assert!(run("git switch trunk").await?.is_denied());
//! let asked = run("git switch $BRANCH").await?;
//! assert!(!asked.goes_ahead() && !asked.is_denied());
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apostrophes;
mod commands;
mod files;
mod people;

use std::path::Path;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader};
use hooks_facts::tools::ToolKind;

use self::people::People;
use super::config::{OnUncertain, PhasesConfig};
use super::names::Names;
use super::pipeline::Pipeline;
use super::source::Phases;

pub(super) const NAME: &str = "phases";

/// Keeps calls within the phase of the pipeline that governs them; see the [module](self).
#[derive(Clone, Debug)]
pub struct PhaseGuard {
    reader: CallReader,
    phases: Phases,
    read_only: Names,
    parallel: Names,
    branches: Arc<[String]>,
    people: People,
    unresolvable: OnUncertain,
    unreadable: OnUncertain,
}

/// Phase guard in front of an inner hook.
pub type PhaseGuardLayer = PolicyLayer<Arc<PhaseGuard>>;

/// A pipeline that governs a call, and the call's project.
#[derive(Clone, Copy)]
struct Governing<'a> {
    pipeline: &'a Pipeline,
    root: &'a Path,
}

impl PhaseGuard {
    /// Creates a guard that reads calls with `reader`.
    ///
    /// # Errors
    /// Returns an error for each name of a phase, branch or tool that cannot be used.
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_team_rules::phases::{PhaseGuard, Phases, PhasesConfig};
    ///
    /// let config = PhasesConfig { branches: vec![String::new()], ..PhasesConfig::default() };
    /// let errors = PhaseGuard::new(&config, Phases::of_host(&config), &CallReader::default()).expect_err("a branch without a name");
    /// assert_eq!(errors.as_slice()[0].field, "phases.branches[0]");
    /// ```
    pub fn new(config: &PhasesConfig, phases: Phases, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let read_only = Names::compile(&config.read_only, "phases.read_only", &mut errors);
        let parallel = Names::compile(&config.parallel, "phases.parallel", &mut errors);
        for (index, _) in config.branches.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
            errors.push(
                format!("phases.branches[{index}]"),
                "the name is empty",
                "write the name of a branch",
            );
        }
        let people = People::compile(config, &mut errors);
        errors.or(Self {
            reader: reader.clone(),
            phases,
            read_only,
            parallel,
            branches: config.branches.iter().cloned().collect(),
            people,
            unresolvable: config.unresolvable,
            unreadable: config.unreadable,
        })
    }

    /// Wraps the guard in a layer.
    pub fn layer(self) -> PhaseGuardLayer {
        PolicyLayer::new(Arc::new(self))
    }

    fn judge_under(&self, call: Call<'_>, governing: Governing<'_>) -> Verdict {
        let pipeline = governing.pipeline;
        let is_unreadable = pipeline.problem.is_some();
        let mut verdict = self.people.judge(call, governing);
        if is_unreadable || self.read_only.has(&pipeline.phase) {
            verdict.merge(self.judge_writes(call, governing));
        }
        let makes_no_commit = pipeline.runs_parallel_tasks() && self.parallel.has(&pipeline.phase);
        verdict.merge(self.judge_commands(call, governing, is_unreadable || makes_no_commit));
        verdict
    }

    /// Returns the verdict about what a pipeline forbids. If its state cannot be read, the setting decides.
    fn forbidden(&self, governing: Governing<'_>, mut reason: Reason) -> Verdict {
        let Some(problem) = &governing.pipeline.problem else { return Verdict::deny(reason) };
        let name = governing.pipeline.name(governing.root);
        reason.message =
            format!("the state of `{name}` cannot be read ({problem}), so its phase may forbid the call");
        reason.rule = "unreadable".into();
        uncertain(self.unreadable, || reason.instead("ask a person to repair the state file"))
    }
}

impl Policy<PreToolUse> for PhaseGuard {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        let context = request.context();
        if call.kind() == ToolKind::Read {
            return Verdict::NO_OPINION;
        }
        let Some(pipelines) = self.phases.pipelines(context) else {
            return self.without_phases(call);
        };
        let mut verdict = self.judge_state_files(call, &pipelines);
        for pipeline in pipelines.iter().filter(|pipeline| pipeline.is_active() && pipeline.governs(context))
        {
            if verdict.is_final() {
                break;
            }
            verdict.merge(self.judge_under(call, Governing { pipeline, root: context.root() }));
        }
        verdict
    }
}

impl PhaseGuard {
    /// Judges a call whose phase has not been read: the layer that reads it is missing, or failed.
    fn without_phases(&self, call: Call<'_>) -> Verdict {
        if !call.writes_files() && !call.kind().runs_commands() && call.commands().found.is_empty() {
            return Verdict::NO_OPINION;
        }
        uncertain(self.unreadable, || {
            let reason = Reason::new(NAME, "unread", "the state files of the project have not been read");
            reason.instead("try again, or ask a person").unless("put `ReadPhases` in front of the policies")
        })
    }
}

impl Governing<'_> {
    fn phase(self) -> String {
        format!("phase `{}` of `{}`", self.pipeline.phase, self.pipeline.name(self.root))
    }
}

/// Turns a reason into the verdict that a setting wants.
fn uncertain(setting: OnUncertain, reason: impl FnOnce() -> Reason) -> Verdict {
    match setting {
        OnUncertain::Deny => Verdict::deny(reason()),
        OnUncertain::Ask => Verdict::ask(reason()),
        OnUncertain::Allow => Verdict::NO_OPINION,
    }
}

#[cfg(test)]
mod tests;
