//! Summaries of a conversation: by a service of the host, or without a model.
//!
//! ```
//! use hooks_conversation::{Summariser, SummaryRequest};
//! use hooks_core::BoxError;
//! use tower::service_fn;
//!
//! // A call of a small model, for example, with hooks and limits of its own.
//! let summariser = Summariser::new(service_fn(|request: SummaryRequest| async move {
//!     Ok::<_, BoxError>(format!("{} messages about a parser", request.messages.len()))
//! }));
//! ```

mod kept;
mod local;
mod service;

pub use self::kept::insert_kept;
pub use self::local::summarise;
pub use self::service::{Summariser, SummaryRequest};
