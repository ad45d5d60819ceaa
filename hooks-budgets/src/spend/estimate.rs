//! Estimates the tokens of a conversation that no provider has counted.

use hooks_core::event::Message;
use serde_json::Value;

/// Tokens of a message in addition to its content.
const MESSAGE: u64 = 8;

/// Most tokens of a picture, at the size to which providers scale it down.
const PICTURE: u64 = 2_000;

/// Bytes for each token: fewer than in prose and code, so that rather too much is reserved.
const BYTES: u64 = 3;

/// Estimates the tokens of `messages`. The estimate for a reservation errs on the safe side; the real figure
/// is charged.
///
/// ```
/// use hooks_budgets::spend::estimated_tokens;
/// use hooks_core::event::{Message, Role};
/// use serde_json::json;
///
/// let text = Message::text(Role::User, "How do I open a port?");
/// assert_eq!(estimated_tokens(std::slice::from_ref(&text)), 15);
/// // The data of a picture is not text that the model reads.
/// let data = "iVBORw0KGgo".repeat(10_000);
/// let picture = Message { role: Role::User, content: json!([{"type": "image", "data": data}]) };
/// assert!(estimated_tokens(&[picture]) < 2_100);
/// ```
pub fn estimated_tokens(messages: &[Message]) -> u64 {
    let mut tokens = 0u64;
    for message in messages {
        tokens = tokens.saturating_add(MESSAGE).saturating_add(of_value(&message.content));
    }
    tokens
}

/// Estimates the tokens of `text`.
pub fn estimated_text(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).div_ceil(BYTES)
}

fn of_value(value: &Value) -> u64 {
    let (mut tokens, mut open) = (0u64, vec![(value, u64::MAX)]);
    while let Some((value, most)) = open.pop() {
        let own = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 1,
            Value::String(text) => estimated_text(text).min(most),
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (item, most)));
                1
            }
            Value::Object(fields) => {
                let most = if is_picture(fields) { PICTURE } else { most };
                open.extend(fields.values().map(|value| (value, most)));
                fields.keys().map(|key| estimated_text(key)).fold(1, u64::saturating_add)
            }
        };
        tokens = tokens.saturating_add(own);
    }
    tokens
}

/// Returns whether this block is a picture, whose data the model does not read as text.
fn is_picture(fields: &serde_json::Map<String, Value>) -> bool {
    let kind = fields.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| matches!(kind, "image" | "image_url" | "input_image"))
}

#[cfg(test)]
mod tests {
    use hooks_core::event::Role;
    use serde_json::json;

    use super::*;

    #[test]
    fn pictures_are_not_read_as_text_and_depth_is_no_matter() {
        let picture = json!([{"type": "image", "source": {"type": "base64", "data": "A".repeat(1_000_000)}}]);
        let tokens = estimated_tokens(&[Message { role: Role::User, content: picture }]);
        assert!((2_000..3_000).contains(&tokens), "{tokens}");
        assert!(estimated_tokens(&[Message::text(Role::User, "x".repeat(3_000))]) >= 1_000);
        let mut deep = json!("x");
        for _ in 0..5_000 {
            deep = Value::Array(vec![deep]);
        }
        assert!(of_value(&deep) >= 5_000);
    }
}
