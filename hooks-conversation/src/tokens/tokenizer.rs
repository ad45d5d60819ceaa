//! Finds the tokenizer for a model.

use std::fmt;
use std::sync::Arc;

use hooks_core::event::Message;

use super::{Estimate, message};

/// Counts the tokens of texts and messages as a model would.
pub trait Tokenizer: Send + Sync {
    /// Returns the number of tokens of `text`.
    fn count(&self, text: &str) -> u64;

    /// Returns the number of tokens of `message`: those of its texts and keys, one for each mark around them,
    /// four for the message, and 1,600 for each image.
    fn message(&self, message: &Message) -> u64 {
        message::count(self, message)
    }
}

impl<T: Tokenizer + ?Sized> Tokenizer for Arc<T> {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn message(&self, message: &Message) -> u64 {
        (**self).message(message)
    }
}

/// Finds the tokenizer of a model by the longest matching prefix of its name. For an unknown model,
/// [`Estimate`] counts.
#[derive(Clone)]
pub struct Tokenizers {
    /// Prefixes with their tokenizers, the longest prefix first.
    families: Vec<(Box<str>, Arc<dyn Tokenizer>)>,
    other: Arc<dyn Tokenizer>,
}

impl Tokenizers {
    /// Starts without models: the estimate counts for all of them.
    pub fn estimating() -> Self {
        Self { families: Vec::new(), other: Arc::new(Estimate) }
    }

    /// Sets the tokenizer of the models whose names begin with `prefix`. A provider before the name, as in
    /// `openai/gpt-5`, is ignored.
    #[must_use]
    pub fn with(mut self, prefix: &str, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.families.push((prefix.to_lowercase().into(), tokenizer));
        self.families.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        self
    }

    /// Sets the tokenizer of unknown models.
    #[must_use]
    pub fn with_other(mut self, tokenizer: Arc<dyn Tokenizer>) -> Self {
        self.other = tokenizer;
        self
    }

    /// Returns the tokenizer of `model`.
    pub fn for_model(&self, model: Option<&str>) -> &Arc<dyn Tokenizer> {
        let Some(model) = model else { return &self.other };
        let model = model.to_lowercase();
        // `openai/gpt-5`, `azure:gpt-4o`: the model is the last part.
        let name = model.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or(&model);
        let known = self.families.iter().find(|(prefix, _)| name.starts_with(&**prefix));
        known.map_or(&self.other, |(_, tokenizer)| tokenizer)
    }
}

impl Default for Tokenizers {
    /// OpenAI's vocabularies for OpenAI's models (feature `tiktoken`), and the estimate for all others.
    fn default() -> Self {
        let tokenizers = Self::estimating();
        #[cfg(feature = "tiktoken")]
        let tokenizers = super::OpenAi::add_to(tokenizers);
        tokenizers
    }
}

impl fmt::Debug for Tokenizers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families: Vec<_> = self.families.iter().map(|(prefix, _)| prefix).collect();
        f.debug_struct("Tokenizers").field("families", &families).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always(u64);

    impl Tokenizer for Always {
        fn count(&self, _text: &str) -> u64 {
            self.0
        }
    }

    #[test]
    fn the_longest_prefix_counts() {
        let tokenizers = Tokenizers::estimating()
            .with("gpt-4", Arc::new(Always(4)))
            .with("gpt-4o", Arc::new(Always(40)))
            .with_other(Arc::new(Always(0)));
        let count = |model| tokenizers.for_model(model).count("x");
        assert_eq!(count(Some("gpt-4-turbo")), 4);
        assert_eq!(count(Some("OpenAI/GPT-4o-mini")), 40);
        assert_eq!(count(Some("azure:gpt-4o")), 40);
        assert_eq!(count(Some("claude-sonnet-4.6")), 0);
        assert_eq!(count(None), 0);
    }
}
