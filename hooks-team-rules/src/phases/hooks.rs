//! All hooks of a configuration together.

use std::sync::Arc;

use hooks_core::beside::Workers;
use hooks_core::event::{PostToolUse, PreToolUse, Stop, SubagentStop};
use hooks_core::fs::Disk;
use hooks_core::{FailureLayer, HooksBuilder, PolicyErrors, Settle};
use hooks_facts::calls::CallReader;
use tower_layer::Layer;

use super::completion::CompletionGuard;
use super::config::{OnFault, PhasesConfig, PhasesProfile};
use super::effect::PhaseEffects;
use super::finish::FinishCall;
use super::forge::ForgeCompat;
use super::guard::PhaseGuard;
use super::output::{OutputGate, OutputWarning};
use super::read::{ReadForCalls, ReadPhases};
use super::source::Phases;

/// The hooks of a configuration: state files are read before each call, stop and result, except those of tools that only
/// read.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::beside::Here;
/// use hooks_core::event::PreToolUse;
/// use hooks_core::testing::{FakeDisk, FakeFileSystem, VirtualTime, world};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use hooks_facts::calls::CallReader;
/// use hooks_team_rules::phases::{PhaseHooks, PhasesConfig};
/// use serde_json::json;
///
/// let state = r#"{"currentPhase": "phase-3", "currentPhaseStatus": "in_progress"}"#;
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/.specs/demo/state.json", state));
/// let phases = PhaseHooks::new(&PhasesConfig::default(), disk, Arc::new(Here), &CallReader::default())?;
/// let hooks = phases.add_to(Hooks::builder()).build();
///
/// # let (environment, ..) = world(FakeFileSystem::default());
/// # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
/// let switch = PreToolUse::new("bash", json!({"command": "git switch main"}));
/// # VirtualTime::default().block_on(async {
/// assert!(hooks.on(context).pre_tool_use(switch).await.outcome.is_denied());
/// # }).expect("no hook waits");
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct PhaseHooks(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Strict(Box<Strict>),
    Compat(ForgeCompat),
}

#[derive(Clone, Debug)]
struct Strict {
    phases: Phases,
    read: ReadPhases,
    calls: ReadForCalls,
    guard: PhaseGuard,
    completion: CompletionGuard,
    finish: FinishCall,
    warning: Option<OutputWarning>,
    gate: Option<OutputGate>,
}

impl PhaseHooks {
    /// Compiles the hooks of `config`; `workers` wait for the disk.
    ///
    /// # Errors
    /// Returns all errors of the configuration.
    pub fn new(
        config: &PhasesConfig,
        disk: Arc<dyn Disk>,
        workers: Arc<dyn Workers>,
        reader: &CallReader,
    ) -> Result<Self, PolicyErrors> {
        Self::continuing(config, disk, workers, reader, PhaseEffects::default())
    }

    /// Compiles the hooks of `config` as [`PhaseHooks::new`] does, and goes on with the `effects` of earlier hooks: for a
    /// configuration that is read again.
    ///
    /// # Errors
    /// Returns all errors of the configuration.
    pub fn continuing(
        config: &PhasesConfig,
        disk: Arc<dyn Disk>,
        workers: Arc<dyn Workers>,
        reader: &CallReader,
        effects: PhaseEffects,
    ) -> Result<Self, PolicyErrors> {
        if config.profile == PhasesProfile::ClaudeForgeCompat {
            return Ok(Self(Kind::Compat(ForgeCompat::new(disk, workers).continuing(effects))));
        }
        let phases = Phases::of_files_with(config, disk, effects);
        // Without state files, the rest is checked all the same.
        let checked = phases.as_ref().map_or_else(|_| Phases::of_host(config), Clone::clone);
        let guard = PhaseGuard::new(config, checked, reader);
        match (phases, guard) {
            (Ok(phases), Ok(guard)) => Ok(Self::strict(config, phases, guard, workers, reader)),
            (Err(errors), Ok(_)) | (Ok(_), Err(errors)) => Err(errors),
            (Err(mut errors), Err(others)) => {
                for error in others {
                    errors.push(error.field, error.problem, error.hint);
                }
                Err(errors)
            }
        }
    }

    fn strict(
        config: &PhasesConfig,
        phases: Phases,
        guard: PhaseGuard,
        workers: Arc<dyn Workers>,
        reader: &CallReader,
    ) -> Self {
        let tools = || reader.table().clone();
        let on_fault = config.output.on_fault;
        let read = ReadPhases::new(phases.clone(), workers);
        Self(Kind::Strict(Box::new(Strict {
            calls: ReadForCalls::new(read.clone(), reader),
            read,
            guard,
            completion: CompletionGuard::new(config, phases.clone()),
            finish: FinishCall::new(config, phases.clone(), reader),
            warning: (on_fault == OnFault::Warn).then(|| OutputWarning::new(config, phases.clone(), tools())),
            gate: (on_fault == OnFault::Deny).then(|| OutputGate::new(config, phases.clone(), tools())),
            phases,
        })))
    }

    /// Returns the effects that the host has to carry out.
    pub fn effects(&self) -> &PhaseEffects {
        match &self.0 {
            Kind::Strict(strict) => strict.phases.effects(),
            Kind::Compat(compat) => compat.effects(),
        }
    }

    /// Adds the hooks.
    pub fn add_to(self, builder: HooksBuilder) -> HooksBuilder {
        let failure = FailureLayer::new("phases");
        let strict = match self.0 {
            Kind::Strict(strict) => *strict,
            Kind::Compat(compat) => return compat.add_to(builder),
        };
        let effects = strict.phases.effects().clone();
        let (read, calls) = (|| strict.read.clone().layer(), || strict.calls.clone().layer());
        let mut builder = builder
            .stack::<PreToolUse, _>(&failure, calls().layer(Settle))
            .stack::<Stop, _>(&failure, read().layer(Settle))
            .stack::<SubagentStop, _>(&failure, read().layer(Settle))
            .policy::<PreToolUse>(strict.guard)
            .policy::<Stop>(strict.completion);
        let finish = strict.finish.layer().layer(Settle);
        builder = match strict.warning {
            Some(warning) => {
                builder.stack::<PostToolUse, _>(&failure, calls().layer(warning.layer().layer(finish)))
            }
            None => builder.stack::<PostToolUse, _>(&failure, calls().layer(finish)),
        };
        if let Some(gate) = strict.gate {
            builder = builder.policy::<PostToolUse>(gate.clone()).policy::<SubagentStop>(gate);
        }
        builder.add_extension(Arc::new(effects));
        builder
    }
}
