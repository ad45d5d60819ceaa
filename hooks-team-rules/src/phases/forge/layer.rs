//! The scripts as hooks.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::beside::{Workers, offload};
use hooks_core::event::{Event, PostToolUse, PreToolUse, Stop};
use hooks_core::fs::Disk;
use hooks_core::{
    ContextNote, DecideLayer, DeciderOutcome, Decision, FailureLayer, Gate, HookContext, HookError,
    HookFuture, HookRequest, HooksBuilder, Outcome, Reason, ResultNotes, ResultPatch, Settle, Verdict,
};
use serde_json::{Value, json};
use tower_layer::Layer;
use tower_service::Service;

use super::{Forge, ForgeScript, ScriptAnswer};
use crate::phases::effect::{PhaseEffect, PhaseEffects};

const NAME: &str = "claude-forge-compat";

/// The scripts of claude-forge as hooks before and after tools, and before a stop.
///
/// The root of the session is the project. A commit of the scripts is an effect for the host.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::beside::Here;
/// use hooks_core::event::Stop;
/// use hooks_core::testing::{FakeDisk, VirtualTime};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use hooks_team_rules::phases::forge::ForgeCompat;
///
/// let state = r#"{"currentPhase":"phase-3","currentPhaseStatus":"pending"}"#;
/// let disk = Arc::new(FakeDisk::default().with_file("/repo/.specs/demo/state.json", state));
/// let hooks = ForgeCompat::new(disk, Arc::new(Here)).add_to(Hooks::builder()).build();
/// # VirtualTime::default().block_on(async {
/// let stop = Stop::new("done").after_a_denial(); // the script does not look at this
/// let on = hooks.on(HookContext::new("session-1", "lead").in_dir("/repo"));
/// assert!(on.stop(stop).await.outcome.is_denied());
/// # }).expect("no hook waits");
/// ```
#[derive(Clone)]
pub struct ForgeCompat {
    disk: Arc<dyn Disk>,
    workers: Arc<dyn Workers>,
    effects: PhaseEffects,
}

/// The scripts in front of an inner hook.
pub type ForgeCompatLayer = DecideLayer<ForgeCompat>;

impl ForgeCompat {
    /// Runs the scripts on `disk`; `workers` wait for it.
    pub fn new(disk: Arc<dyn Disk>, workers: Arc<dyn Workers>) -> Self {
        Self { disk, workers, effects: PhaseEffects::default() }
    }

    /// Adds to the `effects` of earlier scripts.
    pub(crate) fn continuing(self, effects: PhaseEffects) -> Self {
        Self { effects, ..self }
    }

    /// Returns the commits that the host has to make.
    pub fn effects(&self) -> &PhaseEffects {
        &self.effects
    }

    /// Wraps the scripts in a layer.
    pub fn layer(self) -> ForgeCompatLayer {
        DecideLayer::new(self)
    }

    /// Adds the scripts for each event that they are registered for.
    pub fn add_to(self, builder: HooksBuilder) -> HooksBuilder {
        let failure = FailureLayer::new(NAME);
        let mut builder = builder
            .stack::<PreToolUse, _>(&failure, self.clone().layer().layer(Settle))
            .stack::<PostToolUse, _>(&failure, self.clone().layer().layer(Settle))
            .stack::<Stop, _>(&failure, self.clone().layer().layer(Settle));
        builder.add_extension(Arc::new(self.effects));
        builder
    }

    fn ask<E: Event>(
        &self,
        context: &HookContext,
        input: Value,
        scripts: &'static [ForgeScript],
        outcome: fn(&ScriptAnswer) -> E::Outcome,
    ) -> HookFuture<'static, Result<DeciderOutcome<E>, HookError>> {
        let root = context.root().to_owned();
        let forge = Forge::new(Arc::clone(&self.disk), &root).in_project(root.to_string_lossy());
        let effects = self.effects.clone();
        let work = offload(&*self.workers, move || {
            let mut all = E::Outcome::default();
            for script in scripts {
                let answer = forge.run(*script, &input.to_string());
                if let Some(commit) = &answer.commit {
                    let files: Vec<_> = commit.files.iter().map(|file| root.join(file)).collect();
                    let workspace = files.first().and_then(|file| file.parent()).unwrap_or(&root).to_owned();
                    effects.push(PhaseEffect::FinalCommit { workspace, files });
                }
                all.merge(outcome(&answer));
            }
            Ok(DeciderOutcome::new(all))
        });
        HookFuture::later(async move { work.await.map_err(HookError::other) })
    }
}

type Answer<E> = HookFuture<'static, Result<DeciderOutcome<E>, HookError>>;

impl Service<HookRequest<PreToolUse>> for ForgeCompat {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = Answer<PreToolUse>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        let event = request.event();
        let input = json!({"tool_name": event.tool_name, "tool_input": event.tool_args});
        self.ask(request.context(), input, &[ForgeScript::PreTool], |answer| {
            let mut decision = Decision::<PreToolUse>::from(verdict(answer));
            if answer.exit == 0 && !answer.stderr.is_empty() {
                decision.notes_mut().system_messages.push(answer.stderr.trim_end().to_owned());
            }
            decision
        })
    }
}

impl Service<HookRequest<Stop>> for ForgeCompat {
    type Response = DeciderOutcome<Stop>;
    type Error = HookError;
    type Future = Answer<Stop>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<Stop>) -> Self::Future {
        self.ask(request.context(), json!({}), &[ForgeScript::Stop], |answer| {
            Gate::<Stop>::from(verdict(answer))
        })
    }
}

impl Service<HookRequest<PostToolUse>> for ForgeCompat {
    type Response = DeciderOutcome<PostToolUse>;
    type Error = HookError;
    type Future = Answer<PostToolUse>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        let event = request.event();
        let input = json!({
            "tool_name": event.tool_name, "tool_input": event.tool_args, "tool_response": event.tool_result,
        });
        self.ask(request.context(), input, &[ForgeScript::PostAgent, ForgeScript::PostBash], noted)
    }
}

fn verdict(answer: &ScriptAnswer) -> Verdict {
    match answer.exit {
        0 => Verdict::NO_OPINION,
        _ => Verdict::deny(Reason::new(NAME, "script", answer.stderr.trim_end())),
    }
}

fn noted(answer: &ScriptAnswer) -> ResultPatch {
    let output: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let text = output.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str);
    let note = text.map(|text| ContextNote { source: Some(NAME.to_owned()), ..ContextNote::new(text) });
    let additional_context: Vec<_> = note.into_iter().collect();
    if additional_context.is_empty() {
        return ResultPatch::default();
    }
    ResultPatch::noting(ResultNotes { additional_context, ..ResultNotes::default() })
}

impl fmt::Debug for ForgeCompat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForgeCompat").finish_non_exhaustive()
    }
}
