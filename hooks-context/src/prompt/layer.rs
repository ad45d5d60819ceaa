use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::prompts::Prompts;
use super::{Enforces, Prompt, PromptConfig};
use crate::TeamPlace;
use crate::builtins::Redact;

/// Reads and completes a user's messages before the inner hook sees them; see [`Prompt`].
#[derive(Clone)]
pub struct PromptLayer {
    prompts: Arc<Prompts>,
}

impl PromptLayer {
    /// A layer that does what `config` says, for a team. Whoever gives the place heeds the configuration's `team`.
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
