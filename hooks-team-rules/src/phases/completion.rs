//! Keeps an agent from stopping while a pipeline is unfinished.
//!
//! An agent stops if every pipeline that governs it is completed, abandoned, or awaiting a person. A completed pipeline
//! must be in its last phase and have its artifacts, if the configuration names them. A stop after a denied one is not
//! denied again, so the guard never loops. The reason names no way to switch the guard off.
//!
//! ```
//! use hooks_core::event::Stop;
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_team_rules::phases::{CompletionGuard, Phases, PhasesConfig, Pipeline, PipelineStatus};
//!
//! let config = PhasesConfig::default();
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/.specs/demo", "phase-3", PipelineStatus::Running));
//! let guard = CompletionGuard::new(&config, phases);
//!
//! let context = HookContext::new("session-1", "backend").in_dir("/repo");
//! let judge = |stop| guard.judge(&HookRequest::new(context.clone(), stop));
//! let denied = judge(Stop::new("done"));
//! assert_eq!(denied.reasons()[0].message, "phase `phase-3` of `.specs/demo` is in progress");
//! assert_eq!(judge(Stop::new("done").after_a_denial()).strength(), Strength::NoOpinion);
//! ```
//!
//! Customised: a last phase, as a layer.
//!
//! ```
//! use hooks_core::event::Stop;
//! use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, HookRequest, Judged, Settle};
//! use hooks_team_rules::phases::{CompletionGuard, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! let config = PhasesConfig { last_phase: Some("release".into()), ..PhasesConfig::default() };
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/run", "build", PipelineStatus::Completed));
//! let mut stack = CompletionGuard::new(&config, phases).layer().layer(Settle);
//! let stop = HookRequest::new(HookContext::new("session-1", "backend").in_dir("/repo"), Stop::new("done"));
//! # VirtualTime::default().block_on(async {
//! assert!(stack.call(stop).await?.is_denied()); // it never reached the phase `release`
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), hooks_core::HookError>(())
//! ```

use std::sync::Arc;

use hooks_core::event::Stop;
use hooks_core::{HookContext, HookRequest, Policy, PolicyLayer, Reason, Verdict};

use super::config::PhasesConfig;
use super::pipeline::{Pipeline, PipelineStatus};
use super::source::Phases;

const NAME: &str = "phase-completion";

/// Keeps an agent from stopping while a pipeline is unfinished; see the [module](self).
#[derive(Clone, Debug)]
pub struct CompletionGuard {
    phases: Phases,
    last_phase: Option<String>,
}

/// Completion guard in front of an inner hook.
pub type CompletionGuardLayer = PolicyLayer<Arc<CompletionGuard>>;

impl CompletionGuard {
    /// Creates a guard.
    pub fn new(config: &PhasesConfig, phases: Phases) -> Self {
        Self { phases, last_phase: config.last_phase.clone() }
    }

    /// Wraps the guard in a layer.
    pub fn layer(self) -> CompletionGuardLayer {
        PolicyLayer::new(Arc::new(self))
    }

    fn objection(&self, pipelines: &[Pipeline], context: &HookContext) -> Option<Reason> {
        let governing = || pipelines.iter().filter(|pipeline| pipeline.governs(context));
        let unfinished = governing()
            .find(|pipeline| pipeline.is_active() && pipeline.status != PipelineStatus::AwaitingPerson);
        if let Some(pipeline) = unfinished {
            return Some(unfinished_reason(pipeline, context));
        }
        let completed = governing().filter(|pipeline| pipeline.status == PipelineStatus::Completed);
        let newest = completed.max_by_key(|pipeline| pipeline.updated)?;
        let name = newest.name(context.root());
        if let Some(last) = self.last_phase.as_ref().filter(|last| **last != newest.phase) {
            let message = format!("`{name}` ended in phase `{}`, before `{last}`", newest.phase);
            return Some(Reason::new(NAME, "phase", message).instead(format!("bring it to `{last}`")));
        }
        let missing = newest.missing_artifacts.first()?;
        let message = format!("`{name}` is completed without `{missing}`");
        Some(Reason::new(NAME, "artifact", message).instead(format!("write `{missing}`")))
    }
}

impl Policy<Stop> for CompletionGuard {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<Stop>) -> Verdict {
        if request.event().stop_hook_active {
            return Verdict::NO_OPINION;
        }
        let context = request.context();
        let objection = match self.phases.pipelines(context) {
            Some(pipelines) => self.objection(&pipelines, context),
            None => {
                let reason = Reason::new(NAME, "unread", "the state files of the project have not been read");
                Some(reason.instead("stop again").unless("put `ReadPhases` in front of the policies"))
            }
        };
        objection.map_or(Verdict::NO_OPINION, Verdict::deny)
    }
}

fn unfinished_reason(pipeline: &Pipeline, context: &HookContext) -> Reason {
    let name = pipeline.name(context.root());
    if let Some(problem) = &pipeline.problem {
        let message = format!("the state of `{name}` cannot be read: {problem}");
        return Reason::new(NAME, "unreadable", message).instead("ask a person to repair the state file");
    }
    let message = format!("phase `{}` of `{name}` is {}", pipeline.phase, pipeline.status.name());
    Reason::new(NAME, "unfinished", message).instead("go on with it, or ask a person to decide about it")
}
