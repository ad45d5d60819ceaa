//! Checks the output of agents while a pipeline is in progress.
//!
//! An output is at fault if it has fewer characters than configured, no letter or digit, or, in a review phase, no
//! verdict as a word of its own. With several pipelines in progress, the newest one's phase counts. [`OutputWarning`]
//! adds a note for the model that called the agent. [`OutputGate`] withholds the output, and lets a child that stops go
//! on once.
//!
//! ```
//! use hooks_core::event::{PostToolUse, PreToolUse};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_team_rules::phases::{OutputGate, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use serde_json::json;
//!
//! let config = PhasesConfig::default();
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/.specs/demo", "phase-6", PipelineStatus::Running));
//! let gate = OutputGate::new(&config, phases, Default::default());
//!
//! let judge = |text: &str| {
//!     let ran = PostToolUse::after(&PreToolUse::new("Agent", json!({})), json!(text), None, 0);
//!     gate.judge(&HookRequest::new(HookContext::new("session-1", "lead").in_dir("/repo"), ran))
//! };
//! let text = "I have read all of the changes, and there is a bypass of the check in the second file.";
//! assert_eq!(judge(text).reasons()[0].rule, "verdict");
//! assert_eq!(judge(&format!("{text} Verdict: FAIL")).strength(), Strength::NoOpinion);
//! ```
//!
//! Customised: a warning instead, with verdicts of a team's own.
//!
//! ```
//! use hooks_core::event::{PostToolUse, PreToolUse};
//! use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, HookRequest, Judged, Settle};
//! use hooks_team_rules::phases::{OutputConfig, OutputWarning, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use serde_json::json;
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! let verdicts = [("review".to_owned(), vec!["ship".to_owned(), "hold".to_owned()])].into();
//! let output = OutputConfig { least_characters: 1, verdicts, ..OutputConfig::default() };
//! let config = PhasesConfig { output, ..PhasesConfig::default() };
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/run", "review", PipelineStatus::Running));
//! let mut stack = OutputWarning::new(&config, phases, Default::default()).layer().layer(Settle);
//!
//! let ran = PostToolUse::after(&PreToolUse::new("Task", json!({})), json!("Looks nice."), None, 0);
//! let ran = HookRequest::new(HookContext::new("session-1", "lead").in_dir("/repo"), ran);
//! # VirtualTime::default().block_on(async {
//! let warned = stack.call(ran).await?;
//! assert!(warned.goes_ahead());
//! assert!(warned.notes().expect("a note").additional_context[0].text.contains("none of `ship`, `hold`"));
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), hooks_core::HookError>(())
//! ```

mod check;

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PostToolUse, SubagentStop};
use hooks_core::{
    ContextNote, DecideLayer, DeciderOutcome, HookError, HookFuture, HookRequest, Policy, PolicyLayer,
    Reason, ResultNotes, ResultPatch, Verdict,
};
use hooks_facts::tools::ToolTable;
use tower_service::Service;

use self::check::OutputCheck;
use super::config::PhasesConfig;
use super::source::Phases;

const NAME: &str = "agent-output";

/// Withholds an output at fault; see the [module](self).
#[derive(Clone, Debug)]
pub struct OutputGate(Arc<OutputCheck>);

/// Adds a note about an output at fault; see the [module](self).
#[derive(Clone, Debug)]
pub struct OutputWarning(Arc<OutputCheck>);

/// Output gate in front of an inner hook.
pub type OutputGateLayer = PolicyLayer<Arc<OutputGate>>;

/// Output warning in front of an inner hook.
pub type OutputWarningLayer = DecideLayer<OutputWarning>;

impl OutputGate {
    /// Creates a gate; `tools` lists the tools that start agents.
    pub fn new(config: &PhasesConfig, phases: Phases, tools: ToolTable) -> Self {
        Self(Arc::new(OutputCheck::new(config, phases, tools)))
    }

    /// Wraps the gate in a layer.
    pub fn layer(self) -> OutputGateLayer {
        PolicyLayer::new(Arc::new(self))
    }
}

impl OutputWarning {
    /// Creates a warning; `tools` lists the tools that start agents.
    pub fn new(config: &PhasesConfig, phases: Phases, tools: ToolTable) -> Self {
        Self(Arc::new(OutputCheck::new(config, phases, tools)))
    }

    /// Wraps the warning in a layer.
    pub fn layer(self) -> OutputWarningLayer {
        DecideLayer::new(self)
    }
}

impl Policy<PostToolUse> for OutputGate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PostToolUse>) -> Verdict {
        self.0.of_tool(request).map_or(Verdict::NO_OPINION, Verdict::deny)
    }
}

impl Policy<SubagentStop> for OutputGate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<SubagentStop>) -> Verdict {
        self.0.of_child(request).map_or(Verdict::NO_OPINION, Verdict::deny)
    }
}

impl Service<HookRequest<PostToolUse>> for OutputWarning {
    type Response = DeciderOutcome<PostToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PostToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        let patch = self.0.of_tool(&request).map(|reason| warning(&reason)).unwrap_or_default();
        HookFuture::now(Ok(DeciderOutcome::new(patch)))
    }
}

fn warning(reason: &Reason) -> ResultPatch {
    let text = format!("Warning: {}.", reason.for_agent());
    let note = ContextNote { source: Some(NAME.to_owned()), ..ContextNote::new(text) };
    ResultPatch::noting(ResultNotes { additional_context: vec![note], ..ResultNotes::default() })
}
