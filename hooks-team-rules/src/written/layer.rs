//! The hooks: a decider that judges commands with the files that they run, and a reservation that records writes.

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};

use hooks_core::event::PreToolUse;
use hooks_core::state::{StateStore, StoreError};
use hooks_core::{
    DecideLayer, DeciderOutcome, FailureLayer, HookContext, HookError, HookFuture, HookRequest, Hooks,
    HooksBuilder, HooksConfig, HooksProvider as _, Judged as _, Reason, Reservation, Reserve, Settle,
    Strength, Verdict, later,
};
use hooks_facts::calls::CallReader;
use tower_layer::Layer as _;
use tower_service::Service;

use super::set::{FileSet, NAME};
use super::view::SessionView;

/// Files whose content is judged when a command runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedFiles {
    /// The files that the session and its subagents wrote.
    OfSession,
    /// As `OfSession`, but the files that a call writes are not added: for a host that only explains what would happen.
    OfSessionSoFar,
    /// Every file.
    All,
}

/// Judges commands with the files that they run; see the [module](super) for an example.
///
/// As a configuration of [`Hooks`] it is a decider and a reservation. Cheap to clone. Clones share the store.
#[derive(Clone)]
pub struct WrittenFiles(Arc<Inner>);

type Policies = LazyLock<Hooks, Box<dyn FnOnce() -> Hooks + Send + Sync>>;

struct Inner {
    policies: Policies,
    judged: JudgedFiles,
    reader: CallReader,
    store: Arc<dyn StateStore>,
}

impl WrittenFiles {
    /// Creates hooks that judge with `policies`, which are built when a command first runs a written file. The calls are
    /// read with `reader`; the files are remembered in `store`.
    pub fn new(
        policies: impl FnOnce() -> Hooks + Send + Sync + 'static,
        judged: JudgedFiles,
        reader: &CallReader,
        store: Arc<dyn StateStore>,
    ) -> Self {
        let policies = LazyLock::new(Box::new(policies) as Box<dyn FnOnce() -> Hooks + Send + Sync>);
        Self(Arc::new(Inner { policies, judged, reader: reader.clone(), store }))
    }

    /// Returns the context of an event with the files of its session; `None` if the session has no files.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn context_of(&self, context: &HookContext) -> Result<Option<HookContext>, StoreError> {
        let inner = Arc::clone(&context.environment.files);
        if self.0.judged == JudgedFiles::All {
            return Ok(Some(SessionView::of_every_file(inner).into_context(context)));
        }
        // A store that holds nothing is not made for a question.
        if self.0.store.is_untouched() {
            return Ok(None);
        }
        let files = FileSet::new(Arc::clone(&self.0.store), context).await?.read().await?;
        Ok((!files.is_empty()).then(|| SessionView::new(inner, files).into_context(context)))
    }

    /// Returns whether the commands of a call run a file that the session could have written.
    fn asks_for_files(&self, request: &HookRequest<PreToolUse>) -> bool {
        let call = self.0.reader.read(request);
        // Commands that cannot be analysed are unresolved without their files.
        if call.commands().found.iter().all(|command| command.analysis.invocations.is_empty()) {
            return false;
        }
        let (view, asked) = SessionView::probing(Arc::clone(&request.context().environment.files));
        let _analysed = call.commands_in(&Arc::new(view.into_context(request.context())));
        asked.load(Ordering::Relaxed)
    }

    async fn judge(&self, request: &HookRequest<PreToolUse>) -> Result<Verdict, StoreError> {
        let Some(context) = self.context_of(request.context()).await? else { return Ok(Verdict::NO_OPINION) };
        let context = Arc::new(context);
        let commands = self.0.reader.read(request).commands_in(&context);
        if !commands.found.iter().any(|command| command.analysis.runs_written_files()) {
            return Ok(Verdict::NO_OPINION);
        }
        let seen = request.clone().within(context);
        let outcome = self.0.policies.judge_pre_tool_use(&seen);
        let mut verdict = Verdict::NO_OPINION;
        for reason in outcome.reasons() {
            let reason = with_cause(reason.clone());
            match reason.strength {
                Strength::Deny => verdict.merge(Verdict::deny(reason)),
                Strength::Ask => verdict.merge(Verdict::ask(reason)),
                // An allow for what a file contains would be one for the whole call.
                _ => {}
            }
        }
        Ok(verdict)
    }
}

/// Adds to a reason that it may be about a file that the command runs.
fn with_cause(mut reason: Reason) -> Reason {
    if !reason.by_operator {
        reason.message.push_str(" (in the command, or in a file of this session that it runs)");
    }
    reason
}

impl HooksConfig for WrittenFiles {
    type Error = Infallible;

    /// Adds the hooks. Add every policy and every limit before them, so that no call that another hook denies is recorded.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), Infallible> {
        let guard = FailureLayer::new(NAME);
        let decider = DecideLayer::new(self.clone()).layer(Settle);
        *builder = std::mem::take(builder).stack::<PreToolUse, _>(&guard, decider);
        if self.0.judged == JudgedFiles::OfSession {
            *builder = std::mem::take(builder).reserve::<PreToolUse>(self);
        }
        Ok(())
    }
}

impl Reserve<PreToolUse> for WrittenFiles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reserve(
        &self,
        request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        let written = self.0.reader.read(request).files_for_session();
        if written.is_empty() {
            return HookFuture::now(Ok(Reservation::NotNeeded));
        }
        let (store, context) = (Arc::clone(&self.0.store), Arc::clone(request.context()));
        later::begin(async move {
            let set = FileSet::new(store, &context).await.map_err(HookError::other)?;
            set.add(&written).await.map_err(HookError::other)?;
            // A file of a call that did not run stays in the set: its content is judged, nothing else.
            Ok(Reservation::NotNeeded)
        })
    }
}

impl Service<HookRequest<PreToolUse>> for WrittenFiles {
    type Response = DeciderOutcome<PreToolUse>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<PreToolUse>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<PreToolUse>) -> Self::Future {
        if !self.asks_for_files(&request) {
            return HookFuture::now(Ok(DeciderOutcome::new(Verdict::NO_OPINION)));
        }
        let written = self.clone();
        later::begin(async move {
            written.judge(&request).await.map(DeciderOutcome::new).map_err(HookError::other)
        })
    }
}

impl fmt::Debug for WrittenFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrittenFiles").field("judged", &self.0.judged).finish_non_exhaustive()
    }
}
