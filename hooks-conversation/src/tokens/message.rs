//! Tokens of a message, whatever counts its texts.

use hooks_core::event::Message;
use serde_json::Value;

use super::Tokenizer;
use crate::message::is_picture;

/// Tokens of a message besides its content: its role and the marks around it, as OpenAI documents for its own
/// models.
const MESSAGE: u64 = 4;

/// Tokens of an image, at the size to which Anthropic scales it down: about 1.15 megapixels, a token for 750
/// pixels.
const PICTURE: u64 = 1_600;

/// Counts the tokens of `message`. `tokenizer` counts its texts and keys; every mark around them is a token.
pub(super) fn count<T: Tokenizer + ?Sized>(tokenizer: &T, message: &Message) -> u64 {
    let (mut sum, mut open) = (MESSAGE, vec![&message.content]);
    while let Some(value) = open.pop() {
        let own = match value {
            Value::String(text) => tokenizer.count(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => 1,
            Value::Array(items) => {
                open.extend(items);
                1
            }
            Value::Object(fields) if is_picture(fields) => PICTURE,
            Value::Object(fields) => {
                open.extend(fields.values());
                fields.keys().map(|key| tokenizer.count(key).saturating_add(1)).sum()
            }
        };
        sum = sum.saturating_add(own);
    }
    sum
}

#[cfg(test)]
mod tests {
    use hooks_core::event::Role;
    use serde_json::json;

    use super::super::Estimate;
    use super::*;

    #[test]
    fn a_picture_is_not_counted_by_its_bytes() {
        let data = "A".repeat(400_000);
        for block in [
            json!({ "type": "image", "source": { "type": "base64", "data": data } }),
            json!({ "type": "image_url", "image_url": { "url": data } }),
            json!({ "inlineData": { "mimeType": "image/png", "data": data } }),
            json!({ "image": { "format": "png", "source": { "bytes": data } } }),
        ] {
            let tokens = count(&Estimate, &Message { role: Role::User, content: json!([block]) });
            assert!((1_600..1_700).contains(&tokens), "{tokens}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let mut content = json!("leaf");
        for _ in 0..1_000 {
            content = Value::Array(vec![content]);
        }
        assert!(count(&Estimate, &Message { role: Role::User, content }) > 1_000);
    }
}
