//! Token counts of messages.

use hooks_core::event::Message;
use serde_json::Value;

use super::block::is_picture;

/// Counts tokens. A closure of the model's name and a message is a counter.
pub trait CountTokens: Send + Sync {
    /// The number of tokens that `message` takes in a call of `model`.
    fn count(&self, model: &str, message: &Message) -> u64;
}

impl<F: Fn(&str, &Message) -> u64 + Send + Sync> CountTokens for F {
    fn count(&self, model: &str, message: &Message) -> u64 {
        self(model, message)
    }
}

/// An estimate for any model, without its tokenizer. Four characters of ASCII count as one token, as do two
/// characters of other alphabets and one character of wider scripts (Chinese, Japanese, Korean). A character
/// beyond the basic plane (emoji) counts as two tokens, an image as 1,600. For prose and code the error is at
/// most a third. Random text (base64, hashes) takes up to twice the estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

/// Running count of a text that arrives in parts, by the rules of [`Estimate`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    quarters: u64,
}

/// Tokens of a message besides its content: its role and the marks around it, as OpenAI documents for its own
/// models.
const MESSAGE: u64 = 4;

/// Tokens of an image, at the size to which Anthropic scales it down: about 1.15 megapixels, a token for 750
/// pixels.
const PICTURE: u64 = 1_600;

impl Estimate {
    /// The number of tokens in `text`.
    pub fn text(text: &str) -> u64 {
        quarters(text).div_ceil(4)
    }
}

impl Tally {
    /// Adds one more part.
    pub(crate) fn add(&mut self, piece: &str) {
        self.quarters = self.quarters.saturating_add(quarters(piece));
    }

    /// The number of tokens so far.
    pub(crate) const fn tokens(self) -> u64 {
        self.quarters.div_ceil(4)
    }
}

impl CountTokens for Estimate {
    fn count(&self, _model: &str, message: &Message) -> u64 {
        let (mut sum, mut open) = (MESSAGE * 4, vec![&message.content]);
        while let Some(value) = open.pop() {
            let own = match value {
                Value::String(text) => quarters(text),
                Value::Null | Value::Bool(_) | Value::Number(_) => 4,
                Value::Array(items) => {
                    open.extend(items);
                    4
                }
                Value::Object(fields) if is_picture(fields) => PICTURE * 4,
                Value::Object(fields) => {
                    open.extend(fields.values());
                    fields.keys().map(|key| quarters(key).saturating_add(4)).sum()
                }
            };
            sum = sum.saturating_add(own);
        }
        sum.div_ceil(4)
    }
}

/// The tokens of `text`, in quarters.
fn quarters(text: &str) -> u64 {
    let of = |c: char| match u32::from(c) {
        0..0x80 => 1,
        0x80..0x2E80 => 2,
        0x2E80..0x1_0000 => 4,
        _ => 8,
    };
    text.chars().map(of).sum()
}

#[cfg(test)]
mod tests {
    use hooks_core::event::Role;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_script_has_its_measure() {
        for (text, tokens) in [("", 0), ("four", 1), ("fours", 2), ("привет", 3), ("漢字", 2), ("🦀", 2)]
        {
            assert_eq!(Estimate::text(text), tokens, "{text}");
        }
    }

    #[test]
    fn pieces_take_what_the_whole_takes() {
        let text = "fn main() { println!(\"привет, 漢字 🦀\"); }";
        let mut tally = Tally::default();
        text.chars().for_each(|c| tally.add(c.encode_utf8(&mut [0; 4])));
        assert_eq!(tally.tokens(), Estimate::text(text));
    }

    #[test]
    fn a_picture_is_not_counted_by_its_bytes() {
        let data = "A".repeat(400_000);
        for block in [
            json!({ "type": "image", "source": { "type": "base64", "data": data } }),
            json!({ "type": "image_url", "image_url": { "url": data } }),
            json!({ "inlineData": { "mimeType": "image/png", "data": data } }),
            json!({ "image": { "format": "png", "source": { "bytes": data } } }),
        ] {
            let tokens = Estimate.count("m", &Message { role: Role::User, content: json!([block]) });
            assert!((1_600..1_700).contains(&tokens), "{tokens}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let mut content = json!("leaf");
        for _ in 0..1_000 {
            content = Value::Array(vec![content]);
        }
        assert!(Estimate.count("m", &Message { role: Role::User, content }) > 1_000);
    }
}
