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

/// Reads and completes a user's messages before the inner hook sees them; see [`Prompt`].
#[derive(Clone)]
pub struct PromptLayer {
    prompts: Arc<Prompts>,
}

impl PromptLayer {
    /// A layer that does what `config` says, for a team. Whoever gives the place heeds the configuration's `team`. Its
    /// files are read and written by whoever calls; [`within`](Self::within) has others wait for them.
    pub fn new(config: PromptConfig, team: impl Into<TeamPlace>) -> Self {
        Self { prompts: Arc::new(Prompts::new(config, team.into())) }
    }

    /// Says what takes secrets out of messages, where the configuration asks for that. Without it, such a
    /// configuration lets no message through.
    #[must_use]
    pub fn scrubbed_by(self, redact: Arc<dyn Redact>) -> Self {
        self.with(|prompts| prompts.redact = Some(redact))
    }

    /// Says what makes wishes effective.
    #[must_use]
    pub fn enforced_by(self, enforces: Arc<dyn Enforces>) -> Self {
        self.with(|prompts| prompts.enforces = Some(enforces))
    }

    /// Has `workers` wait for the team folder, for `limit` at most as `timer` tells it, and half of that for its lock.
    /// A message goes on then, with what is known by that time; the user is told.
    #[must_use]
    pub fn within(self, limit: Duration, workers: impl Workers + 'static, timer: Arc<dyn Timer>) -> Self {
        self.with(|prompts| {
            prompts.workers = Arc::new(workers);
            prompts.limit = Some(Limit::new(limit, timer));
        })
    }

    /// Goes on with what `memory` knows was told to sessions.
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
