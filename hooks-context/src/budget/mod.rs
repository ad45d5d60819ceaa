//! Tokens: how they are counted, and how a budget of them is shared.
//!
//! | name | what it is |
//! | --- | --- |
//! | [`Tokenizer`] | counts the tokens of a text |
//! | [`Tokenizers`] | which one counts for a model |
//! | [`Estimate`] | counts for any model, without its vocabulary |
//! | [`shares`] | what each of several parts may use |

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
