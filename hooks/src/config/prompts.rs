//! The section about a user's messages: what is done with them before a model sees them.

use std::borrow::Cow;
use std::sync::Arc;

use hooks_context::TeamPlace;
use hooks_context::builtins::Redact;
use hooks_context::prompt::{PromptConfig, PromptLayer};
use hooks_core::event::UserPromptSubmitted;
use hooks_core::{FailureLayer, HooksBuilder, Settle};
use hooks_policies::config::RedactionConfig;
use hooks_policies::redaction::Scrubber;
use tower_layer::Layer;

use crate::system::StdFileSystem;

/// The key it stands under.
pub(super) const KEY: &str = "prompts";

/// Adds what the section asks for. What is scrubbed is everything that is known, and the patterns of `redaction`.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &PromptConfig,
    redaction: Option<&RedactionConfig>,
) -> HooksBuilder {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let mut layer = PromptLayer::new(config.clone(), team);
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
