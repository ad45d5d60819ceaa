//! Notices that a script ended a pipeline, and makes the final commit an effect for the host.
//!
//! Engines without a server report the end by the call of a script (`./engine.sh phase-complete .specs/demo
//! post-to-source`). The text of a command triggers nothing: the call must start a program with these words as its
//! arguments, and not one that only prints or reads. The state of that workspace must confirm the end.
//!
//! ```
//! use hooks_core::event::{PostToolUse, PreToolUse};
//! use hooks_core::testing::{FakeFileSystem, VirtualTime, world};
//! use hooks_core::fs::EntryKind;
//! use hooks_core::{HookContext, HookRequest, Settle};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::phases::{FinishCall, Phases, PhasesConfig, Pipeline, PipelineStatus};
//! use serde_json::json;
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! let config = PhasesConfig::default();
//! let phases = Phases::of_host(&config);
//! phases.set(Pipeline::new("/repo/.specs/demo", "completed", PipelineStatus::Completed));
//! let mut stack = FinishCall::new(&config, phases.clone(), &CallReader::default()).layer().layer(Settle);
//!
//! let files = FakeFileSystem::default().with("/repo/.specs/demo/summary.md", EntryKind::File);
//! let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(world(files).0);
//! let mut ran = |command: &str| {
//!     let call = PreToolUse::new("bash", json!({ "command": command }));
//!     stack.call(HookRequest::new(context.clone(), PostToolUse::after(&call, json!(""), None, 0)))
//! };
//! # VirtualTime::default().block_on(async {
//! let _ = ran("echo phase-complete .specs/demo post-to-source").await?;
//! assert!(phases.effects().drain().is_empty());
//! for call in ["./engine.sh phase-complete .specs/demo post-to-source", "phase-complete .specs/demo post-to-source"] {
//!     let _ = ran(call).await?;
//!     assert_eq!(phases.effects().drain().len(), 1, "{call}");
//! }
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), hooks_core::HookError>(())
//! ```

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::fs::EntryKind;
use hooks_core::{DecideLayer, DeciderOutcome, HookContext, HookError, HookFuture, HookRequest, ResultPatch};
use hooks_facts::calls::CallReader;
use hooks_facts::commands::{Analysis, Argument, Invocation};
use tower_service::Service;

use super::config::PhasesConfig;
use super::effect::PhaseEffect;
use super::pipeline::{Pipeline, PipelineStatus};
use super::source::Phases;

/// Programs that run a script which is their operand.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];
/// Phases in which a pipeline ends.
const LAST_PHASES: &[&str] = &["post-to-source", "final-commit", "completed"];

/// Notices that a script ended a pipeline; see the [module](self).
#[derive(Clone, Debug)]
pub struct FinishCall {
    phases: Phases,
    reader: CallReader,
    words: Arc<[String]>,
}

/// Notice in front of an inner hook.
pub type FinishCallLayer = DecideLayer<FinishCall>;

impl FinishCall {
    /// Notices the call that `config` describes.
    pub fn new(config: &PhasesConfig, phases: Phases, reader: &CallReader) -> Self {
        Self { phases, reader: reader.clone(), words: config.finish_call.iter().cloned().collect() }
    }

    /// Wraps the notice in a layer.
    pub fn layer(self) -> FinishCallLayer {
        DecideLayer::new(self)
    }

    fn notice(&self, request: &HookRequest<PostToolUse>) {
        let event = request.event();
        if event.error.is_some() || self.words.is_empty() {
            return;
        }
        let call = PreToolUse::new(event.tool_name.clone(), event.tool_args.clone());
        let call = HookRequest::new(request.context().clone(), call);
        for command in &self.reader.read(&call).commands().found {
            let analysis = &command.analysis;
            let calls = analysis.invocations.iter().filter(|invocation| runs_a_script(analysis, invocation));
            for workspace in calls.filter_map(|invocation| self.workspace_in(&invocation.argv)) {
                self.finish(request.context(), workspace);
            }
        }
    }

    /// Returns the workspace in the words of a call; `None` if they report no end.
    fn workspace_in<'a>(&self, argv: &'a [Argument]) -> Option<&'a str> {
        let at = self.words.iter().position(|word| word == "*")?;
        // The first word may be the program itself.
        let words = argv.windows(self.words.len()).find(|words| {
            let same =
                |(given, wanted): (&Argument, &String)| wanted == "*" || given.literal() == Some(wanted);
            words.iter().zip(self.words.iter()).all(same)
        })?;
        words.get(at)?.literal()
    }

    fn finish(&self, context: &HookContext, workspace: &str) {
        let Some(pipelines) = self.phases.pipelines(context) else { return };
        let workspace = plain(&context.root().join(workspace));
        let named = pipelines.iter().find(|pipeline| plain(&pipeline.workspace) == workspace);
        let Some(pipeline) = named.filter(|pipeline| has_ended(pipeline) && pipeline.governs(context)) else {
            return;
        };
        let effect = self.phases.final_commit(pipeline);
        let PhaseEffect::FinalCommit { files, .. } = &effect else { return };
        let is_file = |path: &PathBuf| {
            let entry = context.environment.files.entry(path);
            matches!(entry, Ok(Some(entry)) if entry.kind == EntryKind::File)
        };
        if files.iter().all(is_file) {
            self.phases.effects().push(effect);
        }
    }
}

impl Service<HookRequest<PostToolUse>> for FinishCall {
    type Response = DeciderOutcome<PostToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PostToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        self.notice(&request);
        HookFuture::now(Ok(DeciderOutcome::new(ResultPatch::default())))
    }
}

fn has_ended(pipeline: &Pipeline) -> bool {
    let is_last = LAST_PHASES.contains(&pipeline.phase.as_str());
    let is_over = pipeline.status == PipelineStatus::Completed || is_last && pipeline.is_active();
    is_over && pipeline.problem.is_none() && !pipeline.has_no_branch
}

fn runs_a_script(analysis: &Analysis, invocation: &Invocation) -> bool {
    let is_shell = analysis.program_name(invocation).is_some_and(|name| SHELLS.contains(&&*name));
    is_shell || !analysis.is_told(invocation)
}

/// Returns a path without `.`; one with `..` equals no workspace.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
