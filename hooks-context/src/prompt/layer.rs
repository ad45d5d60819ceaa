use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::time::Timer;
use tower_layer::Layer;

use super::prompts::Prompts;
use super::{Enforces, Prompt, PromptConfig};
use crate::builtins::Redact;
use crate::limit::Limit;
use crate::source::Workers;
use crate::{SessionMemory, TeamPlace};

/// Checks and completes a user's messages before the inner hook sees them; see [`Prompt`].
#[derive(Clone)]
pub struct PromptLayer {
    prompts: Arc<Prompts>,
}

impl PromptLayer {
    /// Makes a layer with `config` for a team. The `team` field of the configuration is not read: the caller
    /// resolves it to a place. The calling task reads and writes the team's files, unless
    /// [`within`](Self::within) moves that to workers.
    pub fn new(config: PromptConfig, team: impl Into<TeamPlace>) -> Self {
        Self { prompts: Arc::new(Prompts::new(config, team.into())) }
    }

    /// Sets the redaction of secrets, which the configuration may require. If it is required and not set, no
    /// message passes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::TeamPlace;
    /// use hooks_context::prompt::{PromptConfig, PromptLayer};
    /// use hooks_core::event::{PromptKind, UserPromptSubmitted};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::{FailureLayer, HookContext, Hooks, Judged, Settle};
    /// use tower_layer::Layer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mut config = PromptConfig::default();
    /// config.scrub = true;
    /// let unscrubbed = PromptLayer::new(config, TeamPlace::below(Arc::new(FakeDisk::default()), ".squad"));
    /// let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), unscrubbed.layer(Settle)).build();
    /// let message = UserPromptSubmitted::new("hello", PromptKind::Initial);
    /// let said = hooks.on(HookContext::new("session-1", "backend")).user_prompt_submitted(message).await;
    /// assert!(said.outcome.is_denied());
    /// # }
    /// ```
    #[must_use]
    pub fn scrubbed_by(self, redact: Arc<dyn Redact>) -> Self {
        self.with(|prompts| prompts.redact = Some(redact))
    }

    /// Sets the source of information about enforced wishes.
    #[must_use]
    pub fn enforced_by(self, enforces: Arc<dyn Enforces>) -> Self {
        self.with(|prompts| prompts.enforces = Some(enforces))
    }

    /// Lets `workers` access the team folder, within `limit`, measured by `timer`; half of it is for the
    /// folder's lock. If the time is up, the message goes on with the notes that are ready, and the user gets
    /// a message.
    ///
    /// A disk that hangs delays a message for this time, and no longer:
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use std::time::Duration;
    /// use hooks_context::TeamPlace;
    /// use hooks_context::prompt::{PromptConfig, PromptLayer};
    /// use hooks_context::source::{Work, Workers};
    /// use hooks_core::event::{PromptKind, UserPromptSubmitted};
    /// use hooks_core::testing::{FakeDisk, VirtualTime};
    /// use hooks_core::time::Clock;
    /// use hooks_core::{FailureLayer, HookContext, Hooks, Judged, Settle};
    /// use tower_layer::Layer;
    ///
    /// /// Accepts work and never does it.
    /// #[derive(Default)]
    /// struct Stuck(Mutex<Vec<Work>>);
    ///
    /// impl Workers for Stuck {
    ///     fn start(&self, work: Work) {
    ///         self.0.lock().expect("no thread panicked").push(work);
    ///     }
    /// }
    ///
    /// let time = VirtualTime::default();
    /// let squad = TeamPlace::below(Arc::new(FakeDisk::default()), ".squad");
    /// let layer = PromptLayer::new(PromptConfig::default(), squad)
    ///     .within(Duration::from_secs(5), Stuck::default(), Arc::new(time.clone()));
    /// let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), layer.layer(Settle)).build();
    /// # time.block_on(async {
    /// let message = UserPromptSubmitted::new("hello", PromptKind::Initial);
    /// let said = hooks.on(HookContext::new("session-1", "backend")).user_prompt_submitted(message).await;
    /// assert!(said.outcome.goes_ahead());
    /// assert_eq!(time.tick().0, Duration::from_secs(5));
    /// # }).expect("it waits for the timer only");
    /// ```
    #[must_use]
    pub fn within(self, limit: Duration, workers: impl Workers + 'static, timer: Arc<dyn Timer>) -> Self {
        self.with(|prompts| {
            prompts.workers = Arc::new(workers);
            prompts.limit = Some(Limit::new(limit, timer));
        })
    }

    /// Shares the state of sessions in `memory`, so that the same text is not given twice.
    #[must_use]
    pub fn remembering_in(self, memory: &SessionMemory) -> Self {
        self.with(|prompts| prompts.told = Arc::clone(&memory.told))
    }

    fn with(self, set: impl FnOnce(&mut Prompts)) -> Self {
        let mut prompts = Arc::try_unwrap(self.prompts).unwrap_or_else(|shared| shared.afresh());
        set(&mut prompts);
        Self { prompts: Arc::new(prompts) }
    }
}

impl<S> Layer<S> for PromptLayer {
    type Service = Prompt<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Prompt::new(inner, Arc::clone(&self.prompts))
    }
}

impl fmt::Debug for PromptLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptLayer").field("config", &self.prompts.config).finish_non_exhaustive()
    }
}
