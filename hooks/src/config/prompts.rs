//! The section about a user's messages: what is done with them before a model sees them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hooks_context::TeamPlace;
use hooks_context::builtins::Redact;
use hooks_context::prompt::{PromptConfig, PromptLayer};
use hooks_context::source::Threads;
use hooks_core::event::UserPromptSubmitted;
use hooks_core::{FailureLayer, HooksBuilder, Settle};
use hooks_policies::config::RedactionConfig;
use hooks_policies::redaction::Scrubber;
use tower_layer::Layer;

use super::build::Kept;
use crate::system::{StdFileSystem, TokioTimer};

/// The key it stands under.
pub(super) const KEY: &str = "prompts";

/// How long a message waits for the team folder: less than any client waits for an answer.
const TEAM: Duration = Duration::from_secs(5);

/// Adds what the section asks for. What is scrubbed is everything that is known, and the patterns of `redaction`.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &PromptConfig,
    redaction: Option<&RedactionConfig>,
    kept: &Kept,
) -> HooksBuilder {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let layer = PromptLayer::new(config.clone(), team).remembering_in(kept.sessions());
    let mut layer = layer.within(TEAM, Threads, Arc::new(TokioTimer));
    if config.scrub {
        layer = layer.scrubbed_by(Arc::new(Secrets::new(redaction)));
    }
    builder.stack::<UserPromptSubmitted, _>(&FailureLayer::new(KEY), layer.layer(Settle))
}

/// Takes secrets and personal data out of text, with the engine of the redaction policy.
#[derive(Clone, Debug)]
pub struct Secrets(Scrubber);

impl Secrets {
    /// Everything that is known, and the patterns of a configuration.
    pub fn new(config: Option<&RedactionConfig>) -> Self {
        let patterns = config.into_iter().flat_map(|config| &config.patterns);
        // A pattern that is none was told where the policy was built.
        Self(patterns.fold(Scrubber::all(), |scrubber, (name, pattern)| {
            scrubber.clone().with_pattern(name, pattern).unwrap_or(scrubber)
        }))
    }
}

impl Redact for Secrets {
    fn redact(&self, text: &str) -> Option<String> {
        match self.0.scrub(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(scrubbed) => Some(scrubbed),
        }
    }
}
