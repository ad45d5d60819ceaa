//! Phases of a pipeline: analyse, design, build, review, release. Each phase has its rules.
//!
//! A program that drives a team (an *engine*) keeps its phase in a state file, or the host sets it. The state governs
//! calls ([`PhaseGuard`]), stops ([`CompletionGuard`]) and outputs of agents ([`OutputGate`], [`OutputWarning`]). Commits
//! that belong to the pipeline are effects that the host carries out ([`PhaseEffects`]). An agent cannot write the state
//! that governs it. [`PhaseHooks`] builds all of them from a [`PhasesConfig`].
//!
//! The defaults fit claude-forge. [`forge`] answers exactly as its scripts do, faults included.

pub mod completion;
mod config;
mod effect;
pub mod finish;
pub mod forge;
mod git;
pub mod guard;
mod hooks;
mod moment;
mod names;
pub mod output;
mod pipeline;
pub mod read;
mod source;
mod state_files;
mod state_text;

pub use self::completion::{CompletionGuard, CompletionGuardLayer};
pub use self::config::{OnFault, OnUncertain, OutputConfig, PhasesConfig, PhasesProfile};
pub use self::effect::{PhaseEffect, PhaseEffects};
pub use self::finish::{FinishCall, FinishCallLayer};
pub use self::guard::{PhaseGuard, PhaseGuardLayer};
pub use self::hooks::PhaseHooks;
pub use self::moment::Moment;
pub use self::output::{OutputGate, OutputGateLayer, OutputWarning, OutputWarningLayer};
pub use self::pipeline::{ParallelTasks, Pipeline, PipelineStatus};
pub use self::read::{ReadPhases, ReadPhasesLayer};
pub use self::source::Phases;
