//! Tokens: counting them, and sharing a budget of them.
//!
//! | name | what it is |
//! | --- | --- |
//! | [`Tokenizer`] | counts the tokens of a text |
//! | [`Tokenizers`] | finds the tokenizer for a model |
//! | [`Estimate`] | counts for any model, without its vocabulary |
//! | [`shares`] | splits a budget into shares by weight |

mod estimate;
#[cfg(feature = "tiktoken")]
mod openai;
mod share;
mod tokenizer;

pub use self::estimate::Estimate;
#[cfg(feature = "tiktoken")]
pub use self::openai::OpenAi;
pub use self::share::{Share, shares};
pub use self::tokenizer::{Tokenizer, Tokenizers};
