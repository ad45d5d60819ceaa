//! Reads the state files before an event is judged.
//!
//! A policy must not read files ([`Policy`](hooks_core::Policy)), so this decider stands in front of the policies. It
//! has no opinion. The policies deny what they would have to know the phase for, if it is missing.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::beside::Here;
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, VirtualTime, world};
//! use hooks_core::{HookContext, HookRequest, Judge, Judged};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::phases::{PhaseGuard, Phases, PhasesConfig, ReadPhases};
//! use serde_json::json;
//! use tower_layer::Layer;
//! use tower_service::Service;
//!
//! let state = r#"{"currentPhase": "phase-1", "currentPhaseStatus": "in_progress"}"#;
//! let disk = Arc::new(FakeDisk::default().with_file("/repo/.specs/demo/state.json", state));
//! let config = PhasesConfig::default();
//! let phases = Phases::of_files(&config, disk)?;
//! let guard = PhaseGuard::new(&config, phases.clone(), &CallReader::default())?;
//! let mut stack = ReadPhases::new(phases, Arc::new(Here)).layer().layer(Judge::new(guard));
//!
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let edit = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "src/main.rs"})));
//! # VirtualTime::default().block_on(async {
//! assert!(stack.call(edit).await?.is_denied());
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::beside::{Workers, offload};
use hooks_core::event::{Event, PostToolUse, PreToolUse};
use hooks_core::{DecideLayer, DeciderOutcome, HookError, HookFuture, HookRequest, Outcome};
use hooks_facts::calls::CallReader;
use hooks_facts::tools::ToolKind;
use tower_service::Service;

use super::source::Phases;

/// Reads the state files before an event is judged; see the [module](self).
#[derive(Clone)]
pub struct ReadPhases {
    phases: Phases,
    workers: Arc<dyn Workers>,
}

/// Reading in front of an inner hook.
pub type ReadPhasesLayer = DecideLayer<ReadPhases>;

/// Reading before calls and results, except for those of tools that only read: no rule of a phase is about them.
#[derive(Clone, Debug)]
pub(super) struct ReadForCalls {
    read: ReadPhases,
    reader: CallReader,
}

impl ReadPhases {
    /// Refreshes `phases`; `workers` wait for the disk.
    pub fn new(phases: Phases, workers: Arc<dyn Workers>) -> Self {
        Self { phases, workers }
    }

    /// Wraps the reading in a layer.
    pub fn layer(self) -> ReadPhasesLayer {
        DecideLayer::new(self)
    }
}

impl<E: Event<Outcome: Outcome>> Service<HookRequest<E>> for ReadPhases {
    type Response = DeciderOutcome<E>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<E>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let phases = self.phases.clone();
        let work = offload(&*self.workers, move || {
            phases.refresh(request.context());
            Ok(())
        });
        HookFuture::later(async move {
            work.await.map_err(HookError::other)?;
            Ok(DeciderOutcome::new(E::Outcome::default()))
        })
    }
}

impl ReadForCalls {
    pub(super) fn new(read: ReadPhases, reader: &CallReader) -> Self {
        Self { read, reader: reader.clone() }
    }

    /// Wraps the reading in a layer.
    pub(super) fn layer(self) -> DecideLayer<Self> {
        DecideLayer::new(self)
    }
}

impl Service<HookRequest<PreToolUse>> for ReadForCalls {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        if self.reader.read(&request).kind() == ToolKind::Read {
            return HookFuture::now(Ok(DeciderOutcome::new(<PreToolUse as Event>::Outcome::default())));
        }
        self.read.call(request)
    }
}

impl Service<HookRequest<PostToolUse>> for ReadForCalls {
    type Response = DeciderOutcome<PostToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PostToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PostToolUse>) -> Self::Future {
        let event = request.event();
        if self.reader.table().kind_of_call(&event.tool_name, &event.tool_args) == ToolKind::Read {
            return HookFuture::now(Ok(DeciderOutcome::new(<PostToolUse as Event>::Outcome::default())));
        }
        self.read.call(request)
    }
}

impl fmt::Debug for ReadPhases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadPhases").field("phases", &self.phases).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::HookContext;
    use hooks_core::beside::Here;
    use hooks_core::testing::FakeDisk;
    use serde_json::{Value, json};

    use super::*;
    use crate::phases::PhasesConfig;

    #[test]
    fn tools_that_only_read_do_not_read_the_state_files() {
        let read_by = |tool: &str, args: Value| {
            let state = r#"{"phase": "analyse", "status": "running"}"#;
            let disk = FakeDisk::default().with_file("/repo/.specs/a/state.json", state);
            let phases = Phases::of_files(&PhasesConfig::default(), Arc::new(disk)).unwrap();
            let read = ReadPhases::new(phases.clone(), Arc::new(Here));
            let mut read = ReadForCalls::new(read, &CallReader::default());
            let context = HookContext::new("session-1", "backend").in_dir("/repo");
            let call = PreToolUse::new(tool, args);
            let result = PostToolUse::after(&call, json!("done"), None, 1);
            let before = read.call(HookRequest::new(context.clone(), call));
            assert!(futures_util::FutureExt::now_or_never(before).unwrap().is_ok());
            let seen = phases.pipelines(&context).is_some();
            let after = read.call(HookRequest::new(context.clone(), result));
            assert!(futures_util::FutureExt::now_or_never(after).unwrap().is_ok());
            assert_eq!(phases.pipelines(&context).is_some(), seen, "{tool}");
            seen
        };
        assert!(!read_by("view", json!({"path": "src/a.rs"})));
        assert!(read_by("edit", json!({"path": "src/a.rs"})));
        assert!(read_by("bash", json!({"command": "ls"})));
        assert!(read_by("anything", json!({})));
    }
}
