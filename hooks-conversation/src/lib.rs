//! Conversations between an agent and a model: the blocks of messages, their tokens, and summaries.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`message`] | reads and writes the blocks of messages in the shapes of the providers |
//! | [`tokens`] | counts tokens, exactly where the vocabulary is known and on the safe side elsewhere |
//! | [`summary`] | summaries, by a service of the host or without a model |
//! | [`text`] | shortens texts |
//!
//! ```
//! use hooks_conversation::{Tokenizer, Tokenizers};
//! use hooks_core::event::{Message, Role};
//!
//! let tokenizers = Tokenizers::estimating();
//! let request = Message::text(Role::User, "fix the parser");
//! // Four for the message and its role, and four for the text.
//! assert_eq!(tokenizers.for_model(Some("a-model")).message(&request), 8);
//! ```

pub mod message;
pub mod summary;
pub mod text;
pub mod tokens;

pub use self::summary::{Summariser, SummaryRequest};
pub use self::tokens::{Estimate, Tokenizer, Tokenizers};
