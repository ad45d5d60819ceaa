//! Tokens: counting those of texts and of messages.
//!
//! | name | what it is |
//! | --- | --- |
//! | [`Tokenizer`] | counts the tokens of a text, and of a message |
//! | [`Tokenizers`] | finds the tokenizer for a model |
//! | [`Estimate`] | counts for any model, without its vocabulary |
//! | [`Tally`] | the same for a text that arrives in parts |
//!
//! ```
//! use std::sync::Arc;
//! use hooks_conversation::tokens::{Tokenizer, Tokenizers};
//!
//! /// A model that reads bytes.
//! struct Bytes;
//!
//! impl Tokenizer for Bytes {
//!     fn count(&self, text: &str) -> u64 {
//!         text.len() as u64
//!     }
//! }
//!
//! let tokenizers = Tokenizers::default().with("byte-model", Arc::new(Bytes));
//! assert_eq!(tokenizers.for_model(Some("byte-model-2")).count("hello"), 5);
//! assert_eq!(tokenizers.for_model(Some("another")).count("hello"), 2);
//! ```

mod estimate;
mod message;
#[cfg(feature = "tiktoken")]
mod openai;
mod tokenizer;

pub use self::estimate::{Estimate, Tally};
#[cfg(feature = "tiktoken")]
pub use self::openai::OpenAi;
pub use self::tokenizer::{Tokenizer, Tokenizers};
