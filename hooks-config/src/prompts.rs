//! The section about a user's messages: their treatment before a model sees them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hooks_context::TeamPlace;
use hooks_context::builtins::Redact;
use hooks_context::prompt::{PromptConfig, PromptLayer};
use hooks_context::source::Threads;
use hooks_core::event::UserPromptSubmitted;
use hooks_core::{FailureLayer, HooksBuilder, Settle};
use hooks_redaction::RedactionConfig;
use hooks_redaction::Scrubber;
use hooks_system::{StdFileSystem, TokioTimer};
use tower_layer::Layer;

use super::build::Kept;
use super::decisions::AsDecision;

/// Key of the section.
pub(super) const KEY: &str = "prompts";

/// Longest time that a message waits for the team folder. It is shorter than any client waits for an answer.
const TEAM: Duration = Duration::from_secs(5);

/// Adds the hooks of the section. If the section `decisions` is on, a user reads whether a wish is enforced. Scrubbing removes all known kinds of secrets and the patterns of
/// `redaction`.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &PromptConfig,
    redaction: Option<&RedactionConfig>,
    kept: &Kept,
    are_decisions_enforced: bool,
) -> HooksBuilder {
    let team = TeamPlace::below(Arc::new(StdFileSystem), &config.team);
    let layer = PromptLayer::new(config.clone(), team).remembering_in(kept.sessions());
    let mut layer = layer.within(TEAM, Threads, Arc::new(TokioTimer));
    if config.scrub {
        layer = layer.scrubbed_by(Arc::new(Secrets::new(redaction)));
    }
    if are_decisions_enforced {
        layer = layer.enforced_by(Arc::new(AsDecision));
    }
    builder.stack::<UserPromptSubmitted, _>(&FailureLayer::new(KEY), layer.layer(Settle))
}

/// Removes secrets and personal data from text, with the engine of the redaction policy.
///
/// ```
/// use hooks_classic::PolicyConfig;
/// use hooks_config::Secrets;
/// use hooks_context::builtins::Redact;
///
/// let config: PolicyConfig = serde_json::from_value(serde_json::json!({
///     "redaction": { "patterns": { "BADGE": "B-[0-9]{4}" } },
/// }))?;
/// let secrets = Secrets::new(config.redaction.as_ref());
/// assert_eq!(secrets.redact("badge B-1234").as_deref(), Some("badge [BADGE_REDACTED]"));
/// assert_eq!(secrets.redact("no secret"), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Secrets(Scrubber);

impl Secrets {
    /// Removes all known kinds of secrets, and those that match the patterns of a configuration.
    pub fn new(config: Option<&RedactionConfig>) -> Self {
        let patterns = config.into_iter().flat_map(|config| &config.patterns);
        // An invalid pattern was reported when the policy was built.
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
