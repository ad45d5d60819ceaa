//! Contents of messages, in the shapes of the providers.
//!
//! [`Block`] reads one block. It is the only place that knows how a provider writes a tool call, a result,
//! thinking or an image. [`places`] finds the parts of a message that a mark may replace. [`PlainText`] is a
//! message as a person would read it. [`mod@write`] creates the blocks of a streamed answer.
//!
//! ```
//! use hooks_conversation::message::{Block, places};
//! use hooks_core::event::{Message, Role};
//! use serde_json::json;
//!
//! let result = json!([{"type": "tool_result", "tool_use_id": "a", "content": "a long log"}]);
//! let mut message = Message { role: Role::User, content: result };
//! assert!(matches!(message.content[0].as_object().map(Block::from_fields), Some(Block::Result(_))));
//!
//! for spot in places::results(&message) {
//!     spot.put(&mut message, "[dropped]".to_owned());
//! }
//! assert_eq!(message.content[0]["content"], "[dropped]");
//! ```

mod block;
mod call;
pub mod places;
mod plain;
mod result;
mod spot;
pub mod write;

pub use self::block::{Block, SIGNATURE, is_picture};
pub use self::call::ToolCall;
pub use self::plain::PlainText;
pub use self::result::ToolResult;
pub use self::spot::Spot;
