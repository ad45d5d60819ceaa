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
use hooks_core::event::Event;
use hooks_core::{DecideLayer, DeciderOutcome, HookError, HookFuture, HookRequest, Outcome};
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

impl fmt::Debug for ReadPhases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadPhases").field("phases", &self.phases).finish_non_exhaustive()
    }
}
