//! The blocks of a streamed answer, in Anthropic's shape.

use serde_json::{Value, json};

/// A block of text.
pub fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A block that calls the tool `name`.
pub fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Block;

    #[test]
    fn what_is_written_is_read() {
        let (text, call) = (text("so"), call("a", "edit", &json!({})));
        assert!(matches!(text.as_object().map(Block::from_fields), Some(Block::Text)));
        assert!(
            matches!(call.as_object().map(Block::from_fields), Some(Block::Call(call)) if call.id == Some("a"))
        );
    }
}
