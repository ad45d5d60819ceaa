//! The vocabularies of OpenAI's models, built into the program.

use std::fmt;
use std::sync::Arc;

use bpe_openai::Tokenizer as Vocabulary;

use super::{Tokenizer, Tokenizers};

/// A vocabulary of OpenAI, as in `tiktoken`. Counting takes time linear in the length of the text. The first
/// count in a process waits until the vocabulary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenAi {
    /// Vocabulary of GPT-4o and later models.
    O200k,
    /// Vocabulary of GPT-4, GPT-3.5 and the embedding models of their time.
    Cl100k,
}

/// The vocabulary of each model family, by prefixes of the model name.
const FAMILIES: [(OpenAi, &[&str]); 2] = [
    (
        OpenAi::O200k,
        &["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4", "codex-mini"],
    ),
    (OpenAi::Cl100k, &["gpt-4", "gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada-002"]),
];

impl OpenAi {
    /// Registers OpenAI's vocabularies for OpenAI's models.
    pub(super) fn add_to(tokenizers: Tokenizers) -> Tokenizers {
        let prefixes = FAMILIES
            .iter()
            .flat_map(|(vocabulary, prefixes)| prefixes.iter().map(move |prefix| (*vocabulary, *prefix)));
        prefixes.fold(tokenizers, |tokenizers, (vocabulary, prefix)| {
            tokenizers.with(prefix, Arc::new(vocabulary))
        })
    }

    fn vocabulary(self) -> &'static Vocabulary {
        match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        }
    }
}

impl Tokenizer for OpenAi {
    fn count(&self, text: &str) -> u64 {
        self.vocabulary().count(text) as u64
    }
}

impl fmt::Display for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
        })
    }
}
